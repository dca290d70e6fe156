import { z } from "@hono/zod-openapi";
import { capabilityMapSchema } from "../../platform/capabilities";
import { orNull } from "../../platform/http/router";
import { lineSchema } from "../../platform/http/text";
import { idSchema } from "../../platform/ids";
import { instantOrNullSchema, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import type { accessTokens } from "../tables";

/** Organizations a token may name. */
const MOST_ORGANIZATIONS = 100;

const name = lineSchema(100).openapi({ example: "nightly export" });
const expiresAtUtc = instantOrNullSchema.openapi({ description: "Null: until it is revoked." });
const organizationIds = z
  .array(idSchema)
  .min(1)
  .max(MOST_ORGANIZATIONS)
  .transform((ids) => [...new Set(ids)])
  .nullable()
  .openapi({
    description: "The organizations it is for; null means all and the personal workspace.",
  });
const capabilities = orNull(capabilityMapSchema).openapi({
  description: "A ceiling for each capability; one that is not named is None under it. Null means no ceiling.",
});

export const tokenCreateSchema = z
  .strictObject({
    name,
    expiresAtUtc: expiresAtUtc.default(null),
    organizationIds: organizationIds.default(null),
    capabilities: capabilities.default(null),
  })
  .openapi("PersonalAccessTokenCreate");
export type TokenCreate = z.infer<typeof tokenCreateSchema>;

export const tokenEditSchema = z
  .strictObject({
    name: name.optional(),
    expiresAtUtc: expiresAtUtc.optional(),
    organizationIds: organizationIds.optional(),
    capabilities: capabilities.optional(),
    baseRevision: z.int().min(1).optional(),
  })
  .openapi("PersonalAccessTokenUpdate");
export type TokenEdit = Omit<z.infer<typeof tokenEditSchema>, "baseRevision">;

export const tokenSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    organizationIds: z.array(idSchema).nullable(),
    capabilities: orNull(capabilityMapSchema),
    revision: z.int(),
    createdAtUtc: utcSchema,
    expiresAtUtc: utcSchema.nullable(),
    lastUsedAtUtc: utcSchema.nullable().openapi({ description: "To within five minutes." }),
  })
  .openapi("PersonalAccessToken");

export const createdTokenSchema = tokenSchema
  .extend({ token: z.string().openapi({ description: "The secret: shown this once." }) })
  .openapi("CreatedPersonalAccessToken");

export type TokenRow = typeof accessTokens.$inferSelect;

export const presentToken = (row: TokenRow): z.infer<typeof tokenSchema> => ({
  id: row.id,
  name: row.name,
  organizationIds: row.organizationIds,
  capabilities: row.capabilities,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  expiresAtUtc: toUtcOrNull(row.expiresAt),
  lastUsedAtUtc: toUtcOrNull(row.lastUsedAt),
});
