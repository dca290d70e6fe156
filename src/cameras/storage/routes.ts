import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { readStorageUse, storageUseSchema } from "./storage";

export const storageRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Entitlements"] });

storageRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/storage",
    operationId: "getStorageUse",
    summary: "Get what an organization stores, with a forecast",
    description:
      "Only for owners and admins. The forecast computes what the cameras add by their settings and the size of their newest images. Exports are made while they are downloaded and need no storage.",
    request: { params: z.object({ organizationId: idSchema }) },
    responses: { 200: json(storageUseSchema, "The use by kind and the forecast") },
  }),
  async (c) => c.json(await readStorageUse(c.get("context"), c.req.valid("param").organizationId), 200),
);
