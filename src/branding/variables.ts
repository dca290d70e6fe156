import type { Context } from "../platform/context";
import { type BrandingInput, readableOn, readableOnPaper } from "./fields";
import { MAX_INLINE_ASSET_BYTES } from "./limits";

type Asset = NonNullable<NonNullable<BrandingInput>["logo"]>;

/** An asset as a data URL. Null if its file has just been replaced or removed. */
async function dataUrl({ objects }: Pick<Context, "objects">, asset: Asset | null): Promise<string | null> {
  if (asset === null) return null;
  const small = asset.sizeBytes <= MAX_INLINE_ASSET_BYTES;
  const found = await objects.read(small ? asset.objectKey : asset.mediumKey);
  if (found === null) return null;
  const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
  return `data:${small ? asset.contentType : asset.previewType};base64,${bytes.toBase64()}`;
}

/**
 * The `branding` object of templates. Fields that are not set are missing, so templates can use a fallback. Each colour
 * has two more fields: `on_…` is the text colour on it, and `…_on_paper` is the colour for text on white.
 */
export async function brandingVariables(
  context: Pick<Context, "objects">,
  branding: BrandingInput,
): Promise<Record<string, string>> {
  if (branding === null) return {};
  const { primaryColor, secondaryColor, accentColor } = branding;
  const colours = Object.entries({
    primary_color: primaryColor,
    secondary_color: secondaryColor,
    accent_color: accentColor,
  }).flatMap(([name, colour]) =>
    colour === null
      ? []
      : [
          [name, colour],
          [`on_${name}`, readableOn(colour)],
          [`${name}_on_paper`, readableOnPaper(colour)],
        ],
  );
  const all = {
    organization_name: branding.organizationName,
    brand_name: branding.brandName,
    slogan: branding.slogan,
    ...Object.fromEntries(colours),
    logo_data_url: await dataUrl(context, branding.logo),
    banner_data_url: await dataUrl(context, branding.banner),
  };
  return Object.fromEntries(Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null));
}
