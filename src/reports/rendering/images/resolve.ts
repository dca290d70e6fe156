import { z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { type AccessFacts, type CredentialRef, credentialRefOf, levelAt, READ, type UserCaller } from "../../../access";
import { type ChosenCapture, filterReadable, readChosenCaptures } from "../../../cameras";
import { documentPath, MAX_FULL_NAME_BYTES } from "../../../documents";
import { documentExists, documents, documentVersions } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { idSchema } from "../../../platform/ids";
import { PICTURE_TYPES } from "../../../platform/pictures/headers";
import { instantSchema } from "../../../platform/time";
import { MAX_CAPTION_CHARACTERS, MAX_FRAME_WISHES, MAX_FRAMES_PER_VALUE } from "../../limits";

export const resolvedImageSchema = z.discriminatedUnion("found", [
  z.object({
    found: z.literal(true),
    documentId: z.string(),
    version: z.int(),
    objectKey: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    /** The thumbnail and the capture time of a camera's frame. Then `documentId` is the id of the capture. */
    frame: z.object({ thumbnailKey: z.string(), capturedAt: z.int() }).optional(),
  }),
  z.object({ found: z.literal(false), code: z.enum(["not-found", "not-a-picture", "too-many"]) }),
]);
/** The document version or the frame of a picture, or the reason why there is none. */
export type ResolvedImage = z.infer<typeof resolvedImageSchema>;

/** The user whose access decides which pictures are found. */
export interface Reader {
  facts: AccessFacts;
  credential: CredentialRef;
}

export const readerOf = (caller: UserCaller): Reader => ({ facts: caller.facts, credential: credentialRefOf(caller) });

/**
 * Finds the pictures that a report names: documents of its location and frames of the cameras there. A picture that the
 * reader may not read is not found. A wish for a period of frames can give several pictures.
 */
export async function resolveImages(
  context: Context,
  locationId: string,
  wishes: readonly ImageSource[],
  reader: Reader,
): Promise<Map<string, ResolvedImage[]>> {
  const named = wishes.flatMap((wish) => ("cameraId" in wish ? [] : [wish]));
  const resolved = new Map<string, ResolvedImage[]>();
  for (const [key, image] of await resolveDocuments(context, locationId, named, reader.facts))
    resolved.set(key, [image]);
  const frames = new Map<string, FrameImage>();
  for (const wish of wishes) {
    const key = wishKey(wish);
    if (!("cameraId" in wish) || resolved.has(key) || frames.has(key)) continue;
    if (frames.size < MAX_FRAME_WISHES) frames.set(key, wish);
    else resolved.set(key, [{ found: false, code: "too-many" }]);
  }
  const pictures = await readChosenCaptures(context, reader.credential, locationId, [...frames.values()]);
  for (const [n, key] of [...frames.keys()].entries()) {
    const images = (pictures[n] ?? []).map(imageOf);
    resolved.set(key, images.length === 0 ? [{ found: false, code: "not-found" }] : images);
  }
  return resolved;
}

const imageOf = ({ captureId, keys, sizeBytes, capturedAt }: ChosenCapture): ResolvedImage => ({
  found: true,
  documentId: captureId,
  version: 0,
  objectKey: keys.original,
  contentType: "image/jpeg",
  sizeBytes,
  frame: { thumbnailKey: keys.thumbnail, capturedAt },
});

/**
 * Checks found pictures again, because a page may have waited to be printed. Removes frames that were deleted, have
 * expired or are now hidden from the reader. Other pictures stay.
 */
export async function withoutLostFrames(
  context: Pick<Context, "directory" | "workspace">,
  locationId: string,
  found: readonly (readonly [string, ResolvedImage[]])[],
  reader: CredentialRef,
): Promise<[string, ResolvedImage[]][]> {
  const ids = found.flatMap(([, images]) =>
    images.flatMap((image) => (image.found && image.frame !== undefined ? image.documentId : [])),
  );
  if (ids.length === 0) return found.map(([key, images]) => [key, images]);
  const shown = await filterReadable(context, reader, locationId, ids);
  return found.map(([key, images]) => {
    const left = images.filter((image) => !image.found || image.frame === undefined || shown.has(image.documentId));
    return [key, left.length === 0 ? [{ found: false, code: "not-found" }] : left];
  });
}

/** Finds documents by their paths, with one statement for any number of them. */
async function resolveDocuments(
  { workspace }: Pick<Context, "workspace">,
  locationId: string,
  wishes: readonly DocumentImage[],
  reader: AccessFacts,
): Promise<Map<string, ResolvedImage>> {
  const resolved = new Map<string, ResolvedImage>(
    wishes.map((wish) => [wishKey(wish), { found: false, code: "not-found" }]),
  );
  if (resolved.size === 0) return resolved;
  const wanted = JSON.stringify([...new Map(wishes.map((wish) => [wishKey(wish), wish])).values()]);
  const rows = await workspace
    .select({ key: sql<string>`w.value`, document: documents, version: documentVersions })
    .from(sql`json_each(${wanted}) AS w`)
    .crossJoin(documents)
    .innerJoin(
      documentVersions,
      and(
        eq(documentVersions.documentId, documents.id),
        sql`${documentVersions.version} = coalesce(w.value ->> 'version', ${documents.latestVersion})`,
      ),
    )
    .where(
      and(
        eq(documents.locationId, locationId),
        sql`${documents.path} = w.value ->> 'path' AND ${documents.fileName} = w.value ->> 'fileName'`,
        documentExists(),
      ),
    );
  for (const { key, document, version } of rows) {
    if (levelAt(reader, "Documents", documentPath(document)) < READ) continue;
    const { documentId, objectKey, contentType, sizeBytes } = version;
    resolved.set(
      wishKey(wishSchema.parse(JSON.parse(key))),
      PICTURE_TYPES.includes(contentType)
        ? { found: true, documentId, version: version.version, objectKey, contentType, sizeBytes }
        : { found: false, code: "not-a-picture" },
    );
  }
  return resolved;
}

const wishSchema = z.object({ path: z.string(), fileName: z.string(), version: z.int().nullable() });

/** A picture from the library: a document, in its latest version unless `version` is set. */
interface DocumentImage {
  path: string;
  fileName: string;
  version: number | null;
}

/**
 * The frame of a camera nearest to a moment, or evenly chosen frames of a period; times are milliseconds since the
 * epoch.
 */
type FrameImage = { cameraId: string; at: number } | { cameraId: string; from: number; to: number; count: number };

type ImageSource = DocumentImage | FrameImage;

interface ImageWish {
  source: ImageSource;
  caption: string | null;
}

const caption = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text?.trim().slice(0, MAX_CAPTION_CHARACTERS) || null);
const captioned = z.object({ documentPath: z.string(), caption });
const frame = z.object({ cameraId: idSchema, at: instantSchema, caption });
const frames = z.object({
  cameraId: idSchema,
  from: instantSchema,
  to: instantSchema,
  count: z.int().min(1).max(MAX_FRAMES_PER_VALUE),
  caption,
});

/** Splits a path relative to `documents/`. A segment such as v00000002 before the file name selects that version. */
function parseDocumentPath(written: string): DocumentImage | null {
  if (written.length > MAX_FULL_NAME_BYTES + 20) return null;
  const segments = written
    .normalize("NFC")
    .replace(/^\/?(?:documents\/)?/, "")
    .split("/");
  const fileName = segments.pop() ?? "";
  const last = /^v(\d{8})$/.exec(segments.at(-1) ?? "");
  if (last !== null) segments.pop();
  const version = last === null ? null : Number(last[1]);
  return fileName === "" || segments.includes("") ? null : { path: segments.join("/"), fileName, version };
}

/**
 * Reads an image value of a draft: a path; an object with `documentPath`; `{ cameraId, at }`; or
 * `{ cameraId, from, to, count }`. Objects may have a `caption`. Null for anything else.
 */
export function readImageValue(value: unknown): ImageWish | null {
  const one = frame.safeParse(value).data ?? frames.safeParse(value).data;
  if (one !== undefined) {
    const { caption: text, ...source } = one;
    return { source, caption: text };
  }
  const read = typeof value === "string" ? { documentPath: value, caption: null } : captioned.safeParse(value).data;
  if (read === undefined) return null;
  const source = parseDocumentPath(read.documentPath);
  return source === null ? null : { source, caption: read.caption };
}

/** A key for each distinct picture source. */
export const wishKey = (source: ImageSource): string =>
  JSON.stringify(
    "cameraId" in source
      ? [source.cameraId, ...("at" in source ? [source.at] : [source.from, source.to, source.count])]
      : [source.path, source.fileName, source.version],
  );

/** The label of an image value in its placeholder. */
export function labelOf(value: unknown): string {
  const path = typeof value === "string" ? value : captioned.safeParse(value).data?.documentPath;
  return (path ?? JSON.stringify(value) ?? "").slice(0, 200);
}
