import { and, eq, sql } from "drizzle-orm";
import { deriveNow } from "../../../documents";
import { documentNotDeleted, documents, documentVersions } from "../../../documents/tables";
import { release } from "../../../platform/buffers";
import type { Context } from "../../../platform/context";
import { beginChange } from "../../../platform/db/change";
import { JobFailure } from "../../../platform/jobs/handlers";
import { jpegSize } from "../../../platform/jpeg";
import { decodePicture, encodeEach, requireReadable } from "../../../platform/pictures/decode";
import { pictureSize } from "../../../platform/pictures/headers";
import { MAX_PHOTON_FILE_BYTES, MAX_PHOTON_PIXELS, MAX_WEBP_PIXELS } from "../../../platform/pictures/limits";
import { HOUR } from "../../../platform/time";
import { confirmPendingObjects, registerPendingObjects } from "../../../uploads";
import { GALLERY_IMAGE_EDGE, IMAGE_QUALITY, MAX_IMAGE_BYTES, SINGLE_IMAGE_EDGE } from "../../limits";
import { reportImages } from "../../tables";
import type { ResolvedImage } from "./resolve";

/** A picture and the longest edge at which the page shows it, pixels. */
export interface WantedImage {
  image: FoundImage;
  edge: number;
  /** Number of times that the page shows it. */
  uses: number;
}

export type Supplied = ScaledImage | { missing: MissingImage["code"]; detail: string };

/** `make`, for jobs: scales missing pictures. `kept`, for requests: takes only stored pictures and decodes nothing. */
export type SupplyMode = "make" | "kept";

const preparing = { missing: "being-prepared", detail: "It is being prepared for pages." } as const;
const gone = { missing: "not-found", detail: "Its file no longer exists." } as const;
const tooMany = {
  missing: "too-many",
  detail: `The scaled pictures of one report can have at most ${MAX_IMAGE_BYTES / 1024 / 1024} MiB together. Show fewer.`,
} as const;

/** The reason why a picture cannot be decoded. @throws the error itself if it is not about the picture. */
function refusalOf(thrown: unknown): Supplied {
  if (!(thrown instanceof JobFailure)) throw thrown;
  return { missing: thrown.code === "picture-too-large" ? "too-large" : "damaged", detail: thrown.detail };
}

/** The keys of the previews that uploads have made. Galleries show them, and previews of pages show nothing larger. */
async function previewKeys({ workspace }: Context, images: readonly FoundImage[]): Promise<Map<string, string>> {
  const pairs = JSON.stringify(images.map(({ documentId, version }) => [documentId, version]));
  const rows = await workspace
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
 * Reads a camera's frame. Galleries and previews show its thumbnail, which every capture has. A single picture is
 * scaled for this page only and not stored, because captures expire. Null if the frame is gone or cannot be read.
 */
async function readFrame(
  context: Context,
  image: FoundImage,
  edge: number,
  mode: SupplyMode,
): Promise<ScaledImage | null> {
  if (mode === "make" && edge === SINGLE_IMAGE_EDGE) {
    const original = await readWhole(context, image.objectKey);
    if (original === null) return null;
    const { picture } = await decodePicture(original, edge);
    release(original);
    const [scaled] = await encodeEach(picture, [edge], IMAGE_QUALITY);
    return scaled;
  }
  const bytes = await readWhole(context, image.frame?.thumbnailKey ?? image.objectKey);
  return bytes && { bytes, width: 0, height: 0 };
}

/**
 * Supplies the pictures of a page, by `keptKey`, one at a time. Each one is read from storage, or scaled now and
 * stored. A picture that exceeds the page's budget is missing.
 */
export async function supplyImages(
  context: Context,
  tenantId: string,
  wanted: readonly WantedImage[],
  mode: SupplyMode,
): Promise<Map<string, Supplied>> {
  const supplied = new Map<string, Supplied>();
  const images = wanted.flatMap(({ image }) => (image.frame === undefined ? [image] : []));
  const kept = await keptImages(context, images);
  const previews = images.length > 0 ? await previewKeys(context, images) : new Map<string, string>();
  let left = MAX_IMAGE_BYTES;

  const give = (want: WantedImage, scaled: ScaledImage | null) => {
    const bytes = (scaled?.bytes.length ?? 0) * want.uses;
    const fits = scaled !== null && bytes <= left;
    if (fits) left -= bytes;
    supplied.set(keptKey(want.image, want.edge), scaled === null ? gone : fits ? scaled : tooMany);
  };
  for (const want of wanted) {
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
      continue;
    }
    const row = kept.get(keptKey(image, edge));
    const preview = previews.get(keptKey(image, 0));
    if (row !== undefined) {
      const bytes = await readWhole(context, row.objectKey);
      give(want, bytes && { bytes, width: row.width, height: row.height });
    } else if (mode === "kept") {
      const shown = preview === undefined ? null : await readPreview(context, preview);
      if (shown === null) supplied.set(keptKey(image, edge), preparing);
      else give(want, shown);
    } else if (left <= 0) supplied.set(keptKey(image, edge), tooMany);
    else await make(want);
  }
  return supplied;

  async function make(want: WantedImage): Promise<void> {
    const { image, edge } = want;
    try {
      const isInGallery = edge === GALLERY_IMAGE_EDGE;
      const made = isInGallery ? previews.get(keptKey(image, 0)) : undefined;
      const whole = made === undefined ? await largeWebp(context, image) : null;
      if (whole !== null) return give(want, { ...whole, unscaledTo: edge });
      const key = isInGallery ? (made ?? (await deriveNow(context, image))) : null;
      const preview = key === null ? null : await readPreview(context, key);
      give(want, preview ?? (await scaleImage(context, tenantId, image, edge)));
    } catch (thrown) {
      supplied.set(keptKey(image, edge), refusalOf(thrown));
    }
  }
}

/** Reads the preview that an upload has made; null if it is gone. */
async function readPreview(context: Context, key: string): Promise<ScaledImage | null> {
  const bytes = await readWhole(context, key);
  return bytes && { bytes, ...(jpegSize(bytes) ?? { width: 0, height: 0 }) };
}

type FoundImage = Extract<ResolvedImage, { found: true }>;

/** A scaled picture as a page shows it; zeros where its size is not known. */
interface ScaledImage {
  bytes: Uint8Array;
  width: number;
  height: number;
  /** Set for a WebP file as it was uploaded: the edge to which the browser scales it while it prints. */
  unscaledTo?: number;
}

/**
 * A WebP file whose pixels take more memory than there is here; null for files that are scaled here. The browser that
 * prints scales it, and writes none of its metadata.
 */
async function largeWebp(context: Context, image: FoundImage): Promise<ScaledImage | null> {
  if (image.contentType !== "image/webp" || image.sizeBytes > MAX_IMAGE_BYTES) return null;
  const bytes = await readWhole(context, image.objectKey);
  const size = bytes && pictureSize(bytes);
  if (bytes === null || size === null) return null;
  const pixels = size.width * size.height;
  const fitsHere = pixels <= MAX_PHOTON_PIXELS && bytes.length <= MAX_PHOTON_FILE_BYTES;
  return fitsHere || pixels > MAX_WEBP_PIXELS ? null : { bytes, width: 0, height: 0 };
}

/** The key of a scaled picture: below the prefix of its document, and the same in every try. */
const scaledKey = (tenantId: string, { documentId, version }: FoundImage, edge: number): string =>
  `${tenantId}/${documentId}/derivatives/v${String(version).padStart(8, "0")}/report-${edge}.jpg`;

/** Time in which a change must refer to a stored picture. */
const HOLD_MS = HOUR;

/** Reads a whole object; null if it is gone. */
async function readWhole({ objects }: Pick<Context, "objects">, key: string): Promise<Uint8Array | null> {
  const found = await objects.read(key);
  return found === null ? null : new Uint8Array(await new Response(found.body).arrayBuffer());
}

/** The stored scaled pictures of these versions, by `documentId/version/edge`. */
async function keptImages({ workspace }: Pick<Context, "workspace">, images: readonly FoundImage[]) {
  if (images.length === 0) return new Map<string, typeof reportImages.$inferSelect>();
  const pairs = JSON.stringify(images.map(({ documentId, version }) => [documentId, version]));
  const rows = await workspace
    .select()
    .from(reportImages)
    .where(
      sql`(${reportImages.documentId}, ${reportImages.version}) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${pairs}))`,
    );
  return new Map(rows.map((row) => [keptKey(row, row.edge), row]));
}

export const keptKey = ({ documentId, version }: { documentId: string; version: number }, edge: number): string =>
  `${documentId}/${version}/${edge}`;

/**
 * Scales a picture to a longest edge of `edge` pixels, and stores the result with its document. Two simultaneous calls write the same
 * bytes.
 * @returns null if its file is gone. @throws JobFailure for a file that is damaged or too large
 */
async function scaleImage(
  context: Context,
  tenantId: string,
  image: FoundImage,
  edge: number,
): Promise<ScaledImage | null> {
  requireReadable(image.contentType, image.sizeBytes);
  const original = await readWhole(context, image.objectKey);
  if (original === null) return null;
  const { picture } = await decodePicture(original, edge);
  release(original);
  const [scaled] = await encodeEach(picture, [edge], IMAGE_QUALITY);
  const { workspace, now, objects } = context;
  const { documentId, version } = image;
  const { bytes, width, height } = scaled;
  const key = scaledKey(tenantId, image, edge);
  const hold = beginChange(context, tenantId);
  registerPendingObjects(context, hold, [{ key, tenantId, chargedBytes: 0 }], HOLD_MS);
  await hold.commit();
  await objects.write(key, bytes, { contentType: "image/jpeg", sizeBytes: bytes.length });
  const versionExists = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${documentVersions} ON ${documentVersions.documentId} = ${documents.id}
    WHERE ${and(eq(documents.id, documentId), documentNotDeleted(), eq(documentVersions.version, version))})`;
  const change = beginChange(context, tenantId).add(
    workspace
      .insert(reportImages)
      .select(
        sql`SELECT ${documentId}, ${version}, ${edge}, ${key}, ${width}, ${height}, ${bytes.length}, ${now} WHERE ${versionExists}`,
      )
      .onConflictDoNothing(),
  );
  confirmPendingObjects(context, change, [key], versionExists);
  await change.commit();
  return scaled;
}

/** A picture that a report names and the page cannot show, with the reason for people. */
export interface MissingImage {
  /** The path of the picture, or the value in the draft. */
  image: string;
  code: "not-found" | "not-a-picture" | "damaged" | "too-large" | "too-many" | "being-prepared";
  detail: string;
}
