import { z } from "@hono/zod-openapi";
import { forUsers } from "../access";
import { preconditionOf, setRevision } from "../platform/http/revision";
import { createRouter, json, jsonBody, routeOf } from "../platform/http/router";
import { idSchema } from "../platform/ids";
import { baseRevisionSchema } from "../workspace";
import { brandingChange, brandingSchema, presentBranding, revisionOf } from "./fields";
import { findBranding, requireMember, updateBranding } from "./record";

export const recordRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Branding"] });
const params = z.object({ organizationId: idSchema });

recordRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/branding",
    operationId: "getBranding",
    summary: "Get an organization's branding",
    request: { params },
    responses: { 200: json(brandingSchema, "The branding") },
  }),
  async (c) => {
    const context = c.get("context");
    const { organizationId } = c.req.valid("param");
    requireMember(context, organizationId);
    const found = await findBranding(context, organizationId);
    // The answer contains the organization's name, which has its own revision.
    setRevision(c, revisionOf(found), `${found.organization.revision}`);
    return c.json(presentBranding(found), 200);
  },
);

recordRoutes.openapi(
  route({
    method: "put",
    path: "/v1/orgs/{organizationId}/branding",
    operationId: "updateBranding",
    summary: "Update an organization's brand name, slogan and colours, and where they are shown",
    request: {
      params,
      body: jsonBody(z.strictObject({ ...brandingChange, baseRevision: baseRevisionSchema }).openapi("BrandingUpdate")),
    },
    responses: { 200: json(brandingSchema, "The branding") },
  }),
  async (c) => {
    const { baseRevision, ...given } = c.req.valid("json");
    const { organizationId } = c.req.valid("param");
    const precondition = preconditionOf(c, { baseRevision });
    const branding = await updateBranding(c.get("context"), organizationId, given, precondition);
    setRevision(c, branding.revision);
    return c.json(branding, 200);
  },
);
