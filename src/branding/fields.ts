import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { lineSchema } from "../platform/http/fields";
import { orNull } from "../platform/http/router";
import { idSchema } from "../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { brandingAssets, organizationBranding, SLOTS } from "./tables";

export type BrandingRow = typeof organizationBranding.$inferSelect;

export type AssetRow = typeof brandingAssets.$inferSelect;

export type Slot = (typeof SLOTS)[number];

const HEX = /^#(?:[0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** A colour. Stylesheets contain it without escaping, so no other characters are allowed. */
const colourSchema = z.string().regex(HEX, "must be #rgb, #rrggbb or #rrggbbaa").openapi({ example: "#0b5fff" });

/** A field that null or an empty text clears. An absent field does not change. */
const clearable = <T extends z.ZodType<string>>(schema: T) =>
  z
    .union([schema, z.literal("").transform(() => null), z.null()])
    .optional()
    .openapi({
      type: ["string", "null"],
      description: "Null or an empty text clears the field. An absent field does not change.",
    });

export const slotSchema = z.enum(SLOTS);

export const brandingChange = {
  brandName: clearable(lineSchema(120)),
  slogan: clearable(lineSchema(200)),
  primaryColor: clearable(colourSchema),
  secondaryColor: clearable(colourSchema),
  accentColor: clearable(colourSchema),
  shownOnShareLinks: z.boolean().optional().openapi({
    description: "Whether the pages of share links show the name and the logo. An absent field does not change.",
  }),
};

export const assetSchema = z
  .object({
    slot: slotSchema,
    fileName: z.string(),
    contentType: z.string().openapi({ description: "The media type that the file's bytes show." }),
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
    shownOnShareLinks: z
      .boolean()
      .openapi({ description: "Whether the pages of share links show the name and the logo. False at first." }),
    logo: orNull(assetSchema),
    banner: orNull(assetSchema),
    revision: z.int(),
    updatedAtUtc: utcSchema.nullable().openapi({ type: ["string", "null"] }),
  })
  .openapi("Branding");

/** An organization with its branding. Without a branding row the fields are empty, at revision 1. */
export interface FoundBranding {
  organization: { id: string; name: string; revision: number };
  branding: BrandingRow | null;
  assets: readonly AssetRow[];
}

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
    shownOnShareLinks: branding?.shownOnShareLinks ?? false,
    logo: asset("logo"),
    banner: asset("banner"),
    revision: revisionOf(found),
    updatedAtUtc: toUtcOrNull(branding?.updatedAt),
  };
}

export const revisionOf = ({ branding }: Pick<FoundBranding, "branding">): number => branding?.revision ?? 1;

const assetInputSchema = z.object({
  objectKey: z.string(),
  contentType: z.string(),
  sizeBytes: z.int(),
  mediumKey: z.string(),
  previewType: z.string(),
});

type AssetInput = z.infer<typeof assetInputSchema>;

/** A copy of an organization's branding at one time. Null for a personal workspace. */
export const brandingInputSchema = z
  .object({
    organizationName: z.string(),
    brandName: z.string().nullable(),
    slogan: z.string().nullable(),
    primaryColor: z.string().nullable(),
    secondaryColor: z.string().nullable(),
    accentColor: z.string().nullable(),
    logo: assetInputSchema.nullable(),
    banner: assetInputSchema.nullable(),
  })
  .nullable();

export type BrandingInput = z.infer<typeof brandingInputSchema>;

/** Reads the branding that templates get. The caller checks the access. */
export async function readBrandingInput(
  { workspace }: Pick<Context, "workspace">,
  organizationId: string | null,
): Promise<BrandingInput> {
  if (organizationId === null) return null;
  const [[organization], [branding], assets] = await workspace.batch([
    workspace.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, organizationId)),
    workspace.select().from(organizationBranding).where(eq(organizationBranding.organizationId, organizationId)),
    workspace.select().from(brandingAssets).where(eq(brandingAssets.organizationId, organizationId)),
  ]);
  if (organization === undefined) return null;
  const asset = (slot: "logo" | "banner"): AssetInput | null => {
    const row = assets.find((candidate) => candidate.slot === slot);
    if (row === undefined) return null;
    const { objectKey, contentType, sizeBytes, mediumKey, previewType } = row;
    return { objectKey, contentType, sizeBytes, mediumKey, previewType };
  };
  return {
    organizationName: organization.name,
    ...marksOf(branding),
    logo: asset("logo"),
    banner: asset("banner"),
  };
}

/** The brand fields of a row. All are null without a row. */
const marksOf = (branding: BrandingRow | null | undefined) => ({
  brandName: branding?.brandName ?? null,
  slogan: branding?.slogan ?? null,
  primaryColor: branding?.primaryColor ?? null,
  secondaryColor: branding?.secondaryColor ?? null,
  accentColor: branding?.accentColor ?? null,
});

/** The text colour on this background: white or near black, depending on the higher contrast. */
export const readableOn = (colour: string): string =>
  contrast(colour, WHITE) >= contrast(colour, BLACK) ? WHITE : BLACK;

/** The colour itself if its contrast with white paper is at least 4.5:1, otherwise near black. */
export const readableOnPaper = (colour: string): string => (contrast(colour, WHITE) >= 4.5 ? colour : BLACK);

/** Contrast of two colours (WCAG 2.2), 1 to 21. */
export function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Relative luminance (WCAG 2.2), 0 black to 1 white. */
function luminance(colour: string): number {
  const [r, g, b] = channels(colour).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Red, green and blue from 0 to 1. Transparent colours are mixed with white. */
function channels(colour: string): [number, number, number] {
  const digits = colour.slice(1);
  const pairs = digits.length === 3 ? [...digits].map((d) => d + d) : (digits.match(/../g) ?? []);
  const [r = 0, g = 0, b = 0, a = 1] = pairs.map((pair) => Number.parseInt(pair, 16) / 255);
  const onWhite = (value: number) => value * a + 1 - a;
  return [onWhite(r), onWhite(g), onWhite(b)];
}

const WHITE = "#ffffff";

const BLACK = "#111111";
