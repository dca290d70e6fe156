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
    isAdmin: z.boolean().openapi({ description: "Whether the user is a platform administrator." }),
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
 * An e-mail address as accounts store it: trimmed, ASCII, in lower case, at most 254 characters (RFC 5321).
 * The check comes before the lower-casing, which turns the Kelvin sign into a k: another person's mailbox.
 */
export const emailSchema = z
  .string()
  .trim()
  .max(254)
  .pipe(z.email("must be an e-mail address"))
  .transform((address) => address.toLowerCase())
  .openapi({ type: "string", format: "email", example: "ada@example.org" });

export const displayNameSchema = lineSchema(100).openapi({ example: "Ada Lovelace" });
