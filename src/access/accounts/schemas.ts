import { z } from "@hono/zod-openapi";
import { capabilityMapSchema, ROLES } from "../../platform/capabilities";
import { orNull } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtcOrNull, utcSchema } from "../../platform/time";
import { displayNameSchema, emailSchema } from "./address";
import { LONGEST_PASSWORD, newPasswordSchema } from "./password";
import type { Profile } from "./profile";
import { presentUser, userSchema } from "./user";

const presentPassword = z.string().min(1).max(LONGEST_PASSWORD).openapi({ format: "password" });

export const registrationSchema = z
  .strictObject({
    email: emailSchema,
    password: newPasswordSchema,
    displayName: displayNameSchema,
    invitation: z.string().min(1).max(200).optional().openapi({ description: "The token of an invitation's link." }),
  })
  .openapi("Registration");

export const loginSchema = z.strictObject({ email: emailSchema, password: presentPassword }).openapi("Login");

export const resetRequestSchema = z.strictObject({ email: emailSchema }).openapi("PasswordResetRequest");

export const resetSchema = z
  .strictObject({
    token: z.string().min(1).max(200).openapi({ description: "What follows `#` in the link." }),
    password: newPasswordSchema,
  })
  .openapi("PasswordReset");

export const profileChangeSchema = z
  .strictObject({
    displayName: displayNameSchema.optional(),
    password: z.strictObject({ current: presentPassword, new: newPasswordSchema }).optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), "name something to change")
  .openapi("ProfileUpdate");

export const profileSchema = z
  .object({
    user: userSchema,
    isAdmin: z.boolean().openapi({ description: "Whether this very credential acts as a platform administrator." }),
    credential: z.object({
      kind: z.enum(["session", "pat", "external"]),
      id: idSchema.nullable().openapi({ description: "Of the session or token; null for an outside issuer's." }),
      expiresAtUtc: utcSchema.nullable(),
    }),
    memberships: z.array(
      z.object({ organizationId: idSchema, organizationName: z.string(), role: z.enum(ROLES) }).openapi("Membership"),
    ),
    tokenLimits: z
      .object({ organizationIds: z.array(idSchema).nullable(), capabilities: orNull(capabilityMapSchema) })
      .nullable()
      .openapi({ description: "What a personal access token is narrowed to; null with any other credential." }),
  })
  .openapi("Profile");

export function presentProfile({ user, caller, memberships, limits }: Profile): z.infer<typeof profileSchema> {
  const id = caller.kind === "session" ? caller.sessionId : caller.kind === "pat" ? caller.tokenId : null;
  return {
    user: presentUser(user),
    isAdmin: caller.isAdmin,
    credential: { kind: caller.kind, id, expiresAtUtc: toUtcOrNull(caller.expiresAt) },
    memberships,
    tokenLimits: limits && {
      organizationIds: limits.organizationIds && [...limits.organizationIds],
      capabilities: limits.ceiling,
    },
  };
}
