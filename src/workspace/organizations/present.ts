import { z } from "@hono/zod-openapi";
import { levelsAt, ROLES, type UserCaller } from "../../access";
import type { organizations } from "../../access/tables";
import { idSchema } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { editableFields, levelsSchema } from "../fields";
import { placeOfOrganization } from "../places";

export type OrganizationRow = typeof organizations.$inferSelect;

export const organizationSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    role: z.enum(ROLES).openapi({ description: "The caller's role." }),
    capabilities: levelsSchema,
    ...editableFields,
  })
  .openapi("Organization");

/** An organization as one of its members sees it. */
export function presentOrganization(caller: UserCaller, row: OrganizationRow): z.infer<typeof organizationSchema> {
  return {
    id: row.id,
    name: row.name,
    role: caller.facts.memberships.find((m) => m.organizationId === row.id)?.role ?? "guest",
    capabilities: levelsAt(caller.facts, placeOfOrganization(row.id)),
    revision: row.revision,
    createdAtUtc: toUtc(row.createdAt),
    updatedAtUtc: toUtc(row.updatedAt),
  };
}
