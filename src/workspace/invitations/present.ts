import { z } from "@hono/zod-openapi";
import { capabilityMapSchema, ROLES } from "../../access";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import type { invitations } from "../tables";

export type InvitationRow = typeof invitations.$inferSelect;

export const invitationSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    role: z.enum(ROLES),
    overrides: capabilityMapSchema,
    invitedBy: idSchema,
    createdAtUtc: utcSchema,
    expiresAtUtc: utcSchema,
  })
  .openapi("Invitation");

export const newInvitationSchema = invitationSchema
  .extend({
    token: z.string().openapi({
      description: "Shown this once; register with it, or accept it when signed in. It does not verify the address.",
    }),
    link: z.string().openapi({ description: "The same as a link, to hand on." }),
    isMailed: z.boolean().openapi({ description: "Whether a link of its own was mailed, which verifies the address." }),
  })
  .openapi("NewInvitation");

export const presentInvitation = (row: InvitationRow): z.infer<typeof invitationSchema> => ({
  id: row.id,
  email: row.email,
  role: row.role,
  overrides: row.overrides,
  invitedBy: row.invitedBy,
  createdAtUtc: toUtc(row.createdAt),
  expiresAtUtc: toUtc(row.expiresAt),
});
