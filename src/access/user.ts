import { z } from "@hono/zod-openapi";
import { lineSchema } from "../platform/http/fields";
import { idSchema } from "../platform/ids";
import { toUtc, utcSchema } from "../platform/time";
import type { users } from "./tables";

export type UserRow = typeof users.$inferSelect;

export const userSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    emailVerified: z.boolean(),
    displayName: z.string(),
    isAdmin: z.boolean().openapi({ description: "A platform administrator." }),
    createdAtUtc: utcSchema,
  })
  .openapi("User");

export const presentUser = (row: UserRow): z.infer<typeof userSchema> => ({
  id: row.id,
  email: row.email,
  emailVerified: row.emailVerifiedAt !== null,
  displayName: row.displayName,
  isAdmin: row.isAdmin,
  createdAtUtc: toUtc(row.createdAt),
});

/**
 * An e-mail address as accounts keep it: trimmed, ASCII, lower-cased, at most 254 characters (RFC 5321).
 * It is judged before it is lower-cased: the Kelvin sign would become a k, and its mailbox somebody else's.
 */
export const emailSchema = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email("must be an e-mail address"))
  .transform((address) => address.toLowerCase())
  .openapi({ type: "string", format: "email", example: "ada@example.org" });

export const displayNameSchema = lineSchema(100).openapi({ example: "Ada Lovelace" });
