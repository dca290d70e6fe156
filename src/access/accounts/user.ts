import { z } from "@hono/zod-openapi";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import type { users } from "../tables";

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
