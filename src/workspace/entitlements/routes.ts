import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { baseRevisionSchema } from "../fields";
import { entitlementFields, entitlementsSchema, readEntitlements, setEntitlements, usageTag } from "./entitlements";

export const entitlementRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Entitlements"] });
const params = z.object({ organizationId: idSchema });
const path = "/v1/orgs/{organizationId}/entitlements";

entitlementRoutes.openapi(
  route({
    method: "get",
    path,
    operationId: "getEntitlements",
    summary: "Get an organization's entitlements and usage",
    request: { params },
    responses: { 200: json(entitlementsSchema, "The entitlements") },
  }),
  async (c) => {
    const entitlements = await readEntitlements(c.get("context"), c.req.valid("param").organizationId);
    setRevision(c, entitlements.revision, usageTag(entitlements));
    return c.json(entitlements, 200);
  },
);

entitlementRoutes.openapi(
  route({
    method: "put",
    path,
    operationId: "updateEntitlements",
    summary: "Set an organization's entitlements",
    description: "Only for platform administrators.",
    request: {
      params,
      body: jsonBody(
        z.strictObject({ ...entitlementFields, baseRevision: baseRevisionSchema }).openapi("EntitlementsUpdate"),
      ),
    },
    responses: { 200: json(entitlementsSchema, "The entitlements") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { baseRevision: _, ...given } = body;
    const { organizationId } = c.req.valid("param");
    const entitlements = await setEntitlements(c.get("context"), organizationId, given, preconditionOf(c, body));
    setRevision(c, entitlements.revision, usageTag(entitlements));
    return c.json(entitlements, 200);
  },
);
