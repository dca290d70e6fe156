import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { changesQuery, changesSchema, listChanges } from "./changes";

export const changesRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Locations"] });

changesRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/changes",
    operationId: "listLocationChanges",
    summary: "List the live events of a location after a position",
    description:
      "For programs without a live connection: what changed, deletions included. Send your first request without `since`. The location keeps its changes from then on, as long as a program asks once in 30 days: first each event, later the last one of each kind for each subject.",
    request: { params: z.object({ locationId: idSchema }), query: changesQuery },
    responses: { 200: json(changesSchema, "The events, the oldest first") },
  }),
  async (c) => c.json(await listChanges(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);
