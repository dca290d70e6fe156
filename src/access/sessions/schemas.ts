import { z } from "@hono/zod-openapi";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { presentUser, type UserRow, userSchema } from "../accounts/user";
import type { sessions } from "../tables";
import type { SessionTokens } from "./open-session";

export const sessionTokensSchema = z
  .object({
    accessToken: z.string().openapi({ description: "Send it as `Authorization: Bearer …`; 15 minutes." }),
    expiresAtUtc: utcSchema,
    refreshToken: z.string().openapi({ description: "Good for one refresh; the session ends after 30 days without." }),
    user: userSchema,
  })
  .openapi("SessionTokens");

export const sessionSchema = z
  .object({
    id: idSchema,
    current: z.boolean(),
    createdAtUtc: utcSchema,
    lastUsedAtUtc: utcSchema.openapi({ description: "The last sign-in or refresh." }),
    expiresAtUtc: utcSchema,
    userAgent: z.string(),
    ip: z.string(),
  })
  .openapi("Session");
export type SessionView = z.infer<typeof sessionSchema>;

export const presentTokens = (user: UserRow, tokens: SessionTokens): z.infer<typeof sessionTokensSchema> => ({
  accessToken: tokens.accessToken,
  expiresAtUtc: toUtc(tokens.expiresAt),
  refreshToken: tokens.refreshToken,
  user: presentUser(user),
});

export const presentSession = (row: typeof sessions.$inferSelect, currentId: string): SessionView => ({
  id: row.id,
  current: row.id === currentId,
  createdAtUtc: toUtc(row.createdAt),
  lastUsedAtUtc: toUtc(row.lastUsedAt),
  expiresAtUtc: toUtc(row.expiresAt),
  userAgent: row.userAgent,
  ip: row.ip,
});
