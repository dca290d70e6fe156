import { z } from "@hono/zod-openapi";
import { canonicalEmail, lineSchema } from "../platform/http/fields";
import { idSchema } from "../platform/ids";
import { LANGUAGES } from "../platform/languages/languages";
import { toUtc, utcSchema } from "../platform/time";
import type { users } from "./tables";

export type UserRow = typeof users.$inferSelect;

/** A language of the service. */
export const languageSchema = z.enum(LANGUAGES);

export const userSchema = z
  .object({
    id: idSchema,
    email: z.string(),
    emailVerified: z.boolean(),
    displayName: z.string(),
    isAdmin: z.boolean().openapi({ description: "Whether the user is a platform administrator." }),
    language: languageSchema.nullable().openapi({
      description:
        "The language of notifications, mails and labels for this user. If it is null, the language of the request is used.",
    }),
    createdAtUtc: utcSchema,
  })
  .openapi("User");

export const presentUser = (row: UserRow): z.infer<typeof userSchema> => ({
  id: row.id,
  email: row.email,
  emailVerified: row.emailVerifiedAt !== null,
  displayName: row.displayName,
  isAdmin: row.isAdmin,
  language: row.language,
  createdAtUtc: toUtc(row.createdAt),
});

/** An e-mail address in the one form in which accounts store and compare it (`canonicalEmail`). */
export const emailSchema = z
  .string()
  .max(1_000)
  .transform((text, context) => {
    const address = canonicalEmail(text);
    if (address !== null) return address;
    context.addIssue({ code: "custom", message: "must be an e-mail address" });
    return z.NEVER;
  })
  .openapi({ type: "string", format: "email", example: "ada@example.org" });

export const displayNameSchema = lineSchema(100).openapi({ example: "Ada Lovelace" });
