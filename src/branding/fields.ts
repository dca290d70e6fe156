import { z } from "@hono/zod-openapi";
import { orNull } from "../platform/http/router";
import { lineSchema } from "../platform/http/text";
import { idSchema } from "../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { colourSchema } from "./colour";
import { type brandingAssets, type organizationBranding, SLOTS } from "./tables";

export type BrandingRow = typeof organizationBranding.$inferSelect;
export type AssetRow = typeof brandingAssets.$inferSelect;
export type Slot = (typeof SLOTS)[number];

export const slotSchema = z.enum(SLOTS);

/** The marks of a brand as they stand; all null without a row. */
export const marksOf = (branding: BrandingRow | null | undefined) => ({
  brandName: branding?.brandName ?? null,
  slogan: branding?.slogan ?? null,
  primaryColor: branding?.primaryColor ?? null,
  secondaryColor: branding?.secondaryColor ?? null,
  accentColor: branding?.accentColor ?? null,
});

/** Null and the empty text clear a field; one that is not named stays. */
const clearable = <T extends z.ZodType<string>>(schema: T) =>
  z
    .union([schema, z.literal("").transform(() => null), z.null()])
    .optional()
    .openapi({ type: ["string", "null"], description: "Null or empty clears it; what is not named stays." });

export const brandingChange = {
  brandName: clearable(lineSchema(120)),
  slogan: clearable(lineSchema(200)),
  primaryColor: clearable(colourSchema),
  secondaryColor: clearable(colourSchema),
  accentColor: clearable(colourSchema),
};

export const assetSchema = z
  .object({
    slot: slotSchema,
    fileName: z.string(),
    contentType: z.string().openapi({ description: "By the file's own bytes, whatever was announced." }),
    sizeBytes: z.int(),
    width: z.int(),
    height: z.int(),
    checksumSha256: z.string(),
    uploadedAtUtc: utcSchema,
  })
  .openapi("BrandingAsset");

const text = z.string().nullable();

export const brandingSchema = z
  .object({
    organizationId: idSchema,
    organizationName: z.string(),
    brandName: text,
    slogan: text,
    primaryColor: text,
    secondaryColor: text,
    accentColor: text,
    logo: orNull(assetSchema),
    banner: orNull(assetSchema),
    revision: z.int(),
    updatedAtUtc: utcSchema.nullable().openapi({ type: ["string", "null"] }),
  })
  .openapi("Branding");

export const presentAsset = (row: AssetRow): z.infer<typeof assetSchema> => ({
  slot: row.slot,
  fileName: row.fileName,
  contentType: row.contentType,
  sizeBytes: row.sizeBytes,
  width: row.width,
  height: row.height,
  checksumSha256: row.checksumSha256,
  uploadedAtUtc: toUtc(row.uploadedAt),
});

/** What is known of an organization's looks; without a row it is empty, at revision 1. */
export interface FoundBranding {
  organization: { id: string; name: string; revision: number };
  branding: BrandingRow | null;
  assets: readonly AssetRow[];
}

export const revisionOf = ({ branding }: Pick<FoundBranding, "branding">): number => branding?.revision ?? 1;

export function presentBranding(found: FoundBranding): z.infer<typeof brandingSchema> {
  const { organization, branding, assets } = found;
  const asset = (slot: Slot) => {
    const row = assets.find((candidate) => candidate.slot === slot);
    return row === undefined ? null : presentAsset(row);
  };
  return {
    organizationId: organization.id,
    organizationName: organization.name,
    ...marksOf(branding),
    logo: asset("logo"),
    banner: asset("banner"),
    revision: revisionOf(found),
    updatedAtUtc: toUtcOrNull(branding?.updatedAt),
  };
}
