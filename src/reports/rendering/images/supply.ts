import { sql } from "drizzle-orm";
import { documentVersions } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { JobFailure } from "../../../platform/jobs/handlers";
import { encodePicture } from "../../../platform/jpeg";
import { drawPicture } from "../../../platform/pictures/draw";
import type { MissingImage } from "../rendered";
import { IMAGE_QUALITY, MOST_IMAGE_BYTES, SINGLE_EDGE } from "./limits";
import { type FoundImage, keptImages, keptKey, readWhole, type ScaledImage, scaleImage } from "./scaled";

/** A picture at the edge it is shown at. */
export interface WantedImage {
  image: FoundImage;
  edge: number;
  /** How often it stands on the page. */
  uses: number;
}

export type Supplied = ScaledImage | { missing: MissingImage["code"]; detail: string };

/** `make`: scales what is missing, for jobs. `kept`: takes what there is, for requests, which decode nothing. */
export type SupplyMode = "make" | "kept";

const preparing = { missing: "being-prepared", detail: "It is being prepared for pages." } as const;
const gone = { missing: "not-found", detail: "Its file is gone." } as const;
const tooMany = {
  missing: "too-many",
  detail: `The pictures of one report may have ${MOST_IMAGE_BYTES / 1024 / 1024} MiB together, scaled. Show fewer.`,
} as const;

/** Why a picture cannot be drawn. @throws what was thrown, where that says nothing of the picture. */
function refusalOf(thrown: unknown): Supplied {
  if (!(thrown instanceof JobFailure)) throw thrown;
  return { missing: thrown.code === "picture-too-large" ? "too-large" : "damaged", detail: thrown.detail };
}

/** The preview that a picture has since its upload, until it was scaled for pages. */
async function previewKeys({ db }: Context, images: readonly FoundImage[]): Promise<Map<string, string>> {
  const pairs = JSON.stringify(images.map(({ documentId, version }) => [documentId, version]));
  const rows = await db
    .select({
      documentId: documentVersions.documentId,
      version: documentVersions.version,
      key: documentVersions.mediumKey,
    })
    .from(documentVersions)
    .where(
      sql`(${documentVersions.documentId}, ${documentVersions.version}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`,
    );
  return new Map(rows.flatMap((row) => (row.key === null ? [] : [[keptKey(row, 0), row.key] as const])));
}

/**
 * A camera's frame: in galleries and previews its thumbnail, which every capture has; on its own scaled for
 * this page alone, since captures leave by retention. Null when it is gone or cannot be read.
 */
async function readFrame(
  context: Context,
  image: FoundImage,
  edge: number,
  mode: SupplyMode,
): Promise<ScaledImage | null> {
  if (mode === "make" && edge === SINGLE_EDGE) {
    const original = await readWhole(context, image.objectKey);
    return original && encodePicture((await drawPicture(original, edge)).picture, edge, IMAGE_QUALITY);
  }
  const bytes = await readWhole(context, image.frame?.thumbnailKey ?? image.objectKey);
  return bytes && { bytes, width: 0, height: 0 };
}

/**
 * Supplies a page's pictures, by `keptKey`, one at a time: each was scaled before, or is now, and is kept.
 * What comes after the page's budget is spent is missing.
 */
export async function supplyImages(
  context: Context,
  tenantId: string,
  wanted: readonly WantedImage[],
  mode: SupplyMode,
  progress?: (done: number) => Promise<void>,
): Promise<Map<string, Supplied>> {
  const supplied = new Map<string, Supplied>();
  const images = wanted.flatMap(({ image }) => (image.frame === undefined ? [image] : []));
  const kept = await keptImages(context, images);
  const previews =
    mode === "kept" && images.length > 0 ? await previewKeys(context, images) : new Map<string, string>();
  let left = MOST_IMAGE_BYTES;

  const give = (want: WantedImage, scaled: ScaledImage | null) => {
    const bytes = (scaled?.bytes.length ?? 0) * want.uses;
    const fits = scaled !== null && bytes <= left;
    if (fits) left -= bytes;
    supplied.set(keptKey(want.image, want.edge), scaled === null ? gone : fits ? scaled : tooMany);
  };
  for (const [index, want] of wanted.entries()) {
    const { image, edge } = want;
    if (supplied.has(keptKey(image, edge))) continue;
    if (image.frame !== undefined) {
      if (left <= 0) supplied.set(keptKey(image, edge), tooMany);
      else
        try {
          give(want, await readFrame(context, image, edge, mode));
        } catch (thrown) {
          supplied.set(keptKey(image, edge), refusalOf(thrown));
        }
      await progress?.(index + 1);
      continue;
    }
    const row = kept.get(keptKey(image, edge));
    const preview = previews.get(keptKey(image, 0));
    if (row !== undefined) {
      const bytes = await readWhole(context, row.objectKey);
      give(want, bytes && { bytes, width: row.width, height: row.height });
    } else if (mode === "kept") {
      const bytes = preview === undefined ? null : await readWhole(context, preview);
      if (bytes === null) supplied.set(keptKey(image, edge), preparing);
      else give(want, { bytes, width: 0, height: 0 });
    } else if (left <= 0) supplied.set(keptKey(image, edge), tooMany);
    else await make(want);
    await progress?.(index + 1);
  }
  return supplied;

  async function make({ image }: WantedImage): Promise<void> {
    // Both sizes of a picture come of one decoding.
    const same = wanted.filter(
      (other) => other.image.documentId === image.documentId && other.image.version === image.version,
    );
    const missing = same.filter((other) => !kept.has(keptKey(other.image, other.edge)));
    try {
      const scaled = await scaleImage(
        context,
        tenantId,
        image,
        missing.map(({ edge }) => edge),
      );
      for (const want of missing) give(want, scaled?.get(want.edge) ?? null);
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      for (const want of missing) supplied.set(keptKey(want.image, want.edge), refusal);
    }
  }
}
