import type { Context } from "../platform/context";
import { type BrandingInput, readableOn, readableOnPaper } from "./fields";

/** Largest file that stands in a page as it came; of a larger one its 1,024 px preview does. */
const MAX_INLINE_ASSET_BYTES = 512 * 1024;

type Asset = NonNullable<NonNullable<BrandingInput>["logo"]>;

/** An asset as a data URL; null when its file has just been replaced or removed. */
async function dataUrl({ objects }: Pick<Context, "objects">, asset: Asset | null): Promise<string | null> {
  if (asset === null) return null;
  const small = asset.sizeBytes <= MAX_INLINE_ASSET_BYTES;
  const found = await objects.read(small ? asset.objectKey : asset.mediumKey);
  if (found === null) return null;
  const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
  return `data:${small ? asset.contentType : asset.previewType};base64,${bytes.toBase64()}`;
}

/**
 * The `branding` object of templates: what is not set is missing, so that templates can fall back. Beside
 * each colour stand `on_…`, the colour to write with on it, and `…_on_paper`, the colour itself as far as
 * it can be read on white.
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
