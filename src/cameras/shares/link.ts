import { z } from "@hono/zod-openapi";
import { lineSchema } from "../../platform/http/text";
import { idSchema } from "../../platform/ids";
import { instantOrNullSchema, toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import type { cameraShares } from "../tables";

export type ShareRow = typeof cameraShares.$inferSelect;

/** Cameras that one link may show. */
export const MOST_CAMERAS_A_LINK = 100;
/** Links of one location that are neither revoked nor expired. */
export const MOST_ACTIVE_LINKS = 100;

/** Wire form of a link's secret: `svcshare1.<id without hyphens>.<64 hex>`. */
const WIRE_FORM = /^svcshare1\.([0-9a-f]{32})\.([0-9a-f]{64})$/;

export const writeShareToken = (id: string, secret: string): string => `svcshare1.${id.replaceAll("-", "")}.${secret}`;

/** Id and secret of a link's token; null for what is none. */
export function readShareToken(token: string): { id: string; secret: string } | null {
  const [, hex, secret] = WIRE_FORM.exec(token) ?? [];
  if (hex === undefined || secret === undefined) return null;
  return { id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5"), secret };
}

const name = lineSchema(200).openapi({ description: "Shown to those who open the link." });
const cameraIds = z
  .array(idSchema)
  .min(1)
  .max(MOST_CAMERAS_A_LINK)
  .refine((ids) => new Set(ids).size === ids.length, "must name each camera once");

export const newShareSchema = z
  .strictObject({ name, cameraIds, expiresAtUtc: instantOrNullSchema.optional() })
  .openapi("NewCameraShare");
export type NewShare = z.infer<typeof newShareSchema>;

export const shareChangeSchema = z
  .strictObject({
    baseRevision: z.int().min(1),
    name: name.optional(),
    cameraIds: cameraIds.optional(),
    expiresAtUtc: instantOrNullSchema.optional(),
  })
  .openapi("CameraShareChange");
export type ShareChange = z.infer<typeof shareChangeSchema>;

const fields = {
  id: idSchema,
  locationId: idSchema,
  name: z.string(),
  cameraIds: z.array(idSchema),
  revision: z.int(),
  createdAtUtc: utcSchema,
  createdBy: idSchema.nullable(),
  expiresAtUtc: utcSchema.nullable(),
  revokedAtUtc: utcSchema.nullable(),
  lastUsedAtUtc: utcSchema.nullable().openapi({ description: "Exact to a few minutes." }),
};
export const shareSchema = z.object(fields).openapi("CameraShare");

export const createdShareSchema = z
  .object({
    ...fields,
    token: z.string().openapi({ description: "The secret, shown this once; strangers send it as X-Camera-Share." }),
    url: z.string().openapi({ description: "A page that shows the cameras; the token is in its fragment." }),
  })
  .openapi("CreatedCameraShare");

/** A link on the wire, without its secret. */
export const presentShare = (row: ShareRow): z.infer<typeof shareSchema> => ({
  id: row.id,
  locationId: row.locationId,
  name: row.name,
  cameraIds: row.cameraIds,
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  createdBy: row.createdBy,
  expiresAtUtc: toUtcOrNull(row.expiresAt),
  revokedAtUtc: toUtcOrNull(row.revokedAt),
  lastUsedAtUtc: toUtcOrNull(row.lastUsedAt),
});
