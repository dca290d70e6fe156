import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { instantSchema } from "../../platform/time";
import { auditEntrySchema, listAudit } from "./audit";

export const auditRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Audit"] });

auditRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/audit",
    operationId: "listAuditEntries",
    summary: "List the audit trail of an organization",
    description: "Newest first. Only for owners and admins.",
    request: {
      params: z.object({ organizationId: idSchema }),
      query: pageQuery.extend({
        action: z.string().max(100).optional().openapi({ example: "member.added" }),
        actorUserId: idSchema.optional(),
        fromUtc: instantSchema.optional(),
        toUtc: instantSchema.optional(),
      }),
    },
    responses: { 200: json(pageSchema("AuditEntryList", auditEntrySchema), "A page of entries") },
  }),
  async (c) =>
    c.json(await listAudit(c.get("context"), c.req.valid("param").organizationId, c.req.valid("query")), 200),
);
