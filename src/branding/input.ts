import { z } from "@hono/zod-openapi";
import { eq } from "drizzle-orm";
import { organizations } from "../access/tables";
import type { Context } from "../platform/context";
import { marksOf } from "./fields";
import { brandingAssets, organizationBranding } from "./tables";

const assetInputSchema = z.object({
  objectKey: z.string(),
  contentType: z.string(),
  sizeBytes: z.int(),
  mediumKey: z.string(),
  previewType: z.string(),
});
type AssetInput = z.infer<typeof assetInputSchema>;

/** An organization's branding as it stood at a moment; null for what no organization owns. */
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

/** Reads what templates are given of an organization's branding. Who may see the page is for its caller to say. */
export async function readBrandingInput(
  { db }: Pick<Context, "db">,
  organizationId: string | null,
): Promise<BrandingInput> {
  if (organizationId === null) return null;
  const [[organization], [branding], assets] = await db.batch([
    db.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, organizationId)),
    db.select().from(organizationBranding).where(eq(organizationBranding.organizationId, organizationId)),
    db.select().from(brandingAssets).where(eq(brandingAssets.organizationId, organizationId)),
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
