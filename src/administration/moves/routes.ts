import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { moveRequestSchema, moveSchema, placementSchema, readPlacement, startMove, undoMove } from "./moves";

const route = routeOf({ ...forUsers, tags: ["Administration"] });
const params = z.object({ organizationId: idSchema });
const path = "/v1/admin/organizations/{organizationId}/move";

export const moveRoutes = createRouter();

moveRoutes.openapi(
  route({
    method: "get",
    path,
    operationId: "getOrganizationPlacement",
    summary: "Get the database of an organization, and its latest move",
    description: "It counts the rows of the organization. Only for platform administrators.",
    request: { params },
    responses: { 200: json(placementSchema, "Its database, an estimate, and its latest move") },
  }),
  async (c) => c.json(await readPlacement(c.get("context"), c.req.valid("param").organizationId), 200),
);
moveRoutes.openapi(
  route({
    method: "post",
    path,
    locates: path,
    operationId: "moveOrganization",
    summary: "Move an organization to another database",
    description:
      "Read the estimate first (`getOrganizationPlacement`). Meanwhile the organization can be read, and changes get `workspace-moving`. Only for platform administrators.",
    request: { params, body: jsonBody(moveRequestSchema) },
    responses: { 202: json(moveSchema, "The move, which a job carries out") },
  }),
  async (c) => c.json(await startMove(c.get("context"), c.req.valid("param").organizationId, c.req.valid("json")), 202),
);
moveRoutes.openapi(
  route({
    method: "delete",
    path,
    locates: path,
    operationId: "undoOrganizationMove",
    summary: "Undo the move of an organization",
    description: "Possible until it has switched to the new database. Only for platform administrators.",
    request: { params },
    responses: { 202: json(moveSchema, "The move, which a job undoes") },
  }),
  async (c) => c.json(await undoMove(c.get("context"), c.req.valid("param").organizationId), 202),
);
