import { z } from "@hono/zod-openapi";
import { capabilityMapSchema } from "../../access";
import { grants, users } from "../../access/tables";
import { idSchema } from "../../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";

export const grantSchema = z
  .object({
    id: idSchema,
    userId: idSchema,
    email: z.string(),
    displayName: z.string(),
    capabilities: capabilityMapSchema,
    grantedBy: idSchema.nullable(),
    expiresAtUtc: utcSchema.nullable(),
    revision: z.int(),
    createdAtUtc: utcSchema,
  })
  .openapi("Grant");

/** Columns of a grant with the person it is for. */
export const grantColumns = {
  id: grants.id,
  userId: grants.userId,
  email: users.email,
  displayName: users.displayName,
  capabilities: grants.capabilities,
  grantedBy: grants.grantedBy,
  expiresAt: grants.expiresAt,
  revision: grants.revision,
  createdAt: grants.createdAt,
};
export type GrantRow = Pick<
  typeof grants.$inferSelect,
  "id" | "userId" | "capabilities" | "grantedBy" | "expiresAt" | "revision" | "createdAt"
> &
  Pick<typeof users.$inferSelect, "email" | "displayName">;

export const presentGrant = ({ expiresAt, createdAt, ...row }: GrantRow): z.infer<typeof grantSchema> => ({
  ...row,
  expiresAtUtc: toUtcOrNull(expiresAt),
  createdAtUtc: toUtc(createdAt),
});
