import { z } from "@hono/zod-openapi";
import { capabilityMapSchema, ROLES } from "../../access";
import { memberships, users } from "../../access/tables";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";

export const memberSchema = z
  .object({
    userId: idSchema,
    email: z.string(),
    displayName: z.string(),
    role: z.enum(ROLES),
    overrides: capabilityMapSchema.openapi({ description: "Levels that replace the role's, up or down." }),
    revision: z.int(),
    createdAtUtc: utcSchema,
  })
  .openapi("Member");

/** Columns of a member: the membership with the person behind it. */
export const memberColumns = {
  userId: memberships.userId,
  email: users.email,
  displayName: users.displayName,
  role: memberships.role,
  overrides: memberships.overrides,
  revision: memberships.revision,
  createdAt: memberships.createdAt,
};
export type MemberRow = Omit<typeof memberships.$inferSelect, "organizationId"> &
  Pick<typeof users.$inferSelect, "email" | "displayName">;

export const presentMember = ({ createdAt, ...row }: MemberRow): z.infer<typeof memberSchema> => ({
  ...row,
  createdAtUtc: toUtc(createdAt),
});
