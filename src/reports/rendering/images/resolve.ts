import { z } from "@hono/zod-openapi";
import { and, eq, sql } from "drizzle-orm";
import { type AccessFacts, type CredentialRef, credentialRefOf, levelAt, READ, type UserCaller } from "../../../access";
import { type FramePicture, filterReadable, framePictures } from "../../../cameras";
import { documentPath, MAX_FULL_NAME_BYTES } from "../../../documents";
import { documentExists, documents, documentVersions } from "../../../documents/tables";
import type { Context } from "../../../platform/context";
import { idSchema } from "../../../platform/ids";
import { PICTURE_TYPES } from "../../../platform/pictures/headers";
import { instantSchema } from "../../../platform/time";

export const resolvedImageSchema = z.discriminatedUnion("found", [
  z.object({
    found: z.literal(true),
    documentId: z.string(),
    version: z.int(),
    objectKey: z.string(),
    contentType: z.string(),
    sizeBytes: z.int(),
    /** Of a camera's frame: its thumbnail and when it was taken. Its capture's id stands in `documentId`. */
    frame: z.object({ thumbnailKey: z.string(), capturedAt: z.int() }).optional(),
  }),
  z.object({ found: z.literal(false), code: z.enum(["not-found", "not-a-picture", "too-many"]) }),
]);
/** The version of a document, or the frame, that a picture is taken from; or why there is none. */
export type ResolvedImage = z.infer<typeof resolvedImageSchema>;

/** In whose name pictures are looked for. */
export interface Asker {
  facts: AccessFacts;
  credential: CredentialRef;
}

export const askerOf = (caller: UserCaller): Asker => ({ facts: caller.facts, credential: credentialRefOf(caller) });

/** Different frames, and periods of them, of one report: each period costs statements of its own. */
const MAX_FRAME_WISHES = 60;

/**
 * Finds the pictures that a report names: documents of its location and frames that cameras took there, as
 * far as the asker may read them. What is hidden is not found. Several of one wish are frames of a period.
 */
export async function resolveImages(
  context: Context,
  locationId: string,
  wishes: readonly ImageSource[],
  asker: Asker,
): Promise<Map<string, ResolvedImage[]>> {
  const named = wishes.flatMap((wish) => ("cameraId" in wish ? [] : [wish]));
  const resolved = new Map<string, ResolvedImage[]>();
  for (const [key, image] of await resolveDocuments(context, locationId, named, asker.facts))
    resolved.set(key, [image]);
  const frames = new Map<string, FrameImage>();
  for (const wish of wishes) {
    const key = wishKey(wish);
    if (!("cameraId" in wish) || resolved.has(key) || frames.has(key)) continue;
    if (frames.size < MAX_FRAME_WISHES) frames.set(key, wish);
    else resolved.set(key, [{ found: false, code: "too-many" }]);
  }
  const pictures = await framePictures(context, asker.credential, locationId, [...frames.values()]);
  for (const [n, key] of [...frames.keys()].entries()) {
    const images = (pictures[n] ?? []).map(imageOf);
    resolved.set(key, images.length === 0 ? [{ found: false, code: "not-found" }] : images);
  }
  return resolved;
}

const imageOf = ({ captureId, keys, sizeBytes, capturedAt }: FramePicture): ResolvedImage => ({
  found: true,
  documentId: captureId,
  version: 0,
  objectKey: keys.original,
  contentType: "image/jpeg",
  sizeBytes,
  frame: { thumbnailKey: keys.thumbnail, capturedAt },
});

/**
 * Pictures as they were found before, without the frames that were deleted, have expired or are hidden from
 * the asker since: a page may wait to be printed, and what it shows stays.
 */
export async function withoutLostFrames(
  context: Pick<Context, "db">,
  locationId: string,
  found: readonly (readonly [string, ResolvedImage[]])[],
  asker: CredentialRef,
): Promise<[string, ResolvedImage[]][]> {
  const ids = found.flatMap(([, images]) =>
    images.flatMap((image) => (image.found && image.frame !== undefined ? image.documentId : [])),
  );
  if (ids.length === 0) return found.map(([key, images]) => [key, images]);
  const shown = await filterReadable(context, asker, locationId, ids);
  return found.map(([key, images]) => {
    const left = images.filter((image) => !image.found || image.frame === undefined || shown.has(image.documentId));
    return [key, left.length === 0 ? [{ found: false, code: "not-found" }] : left];
  });
}

/** Documents by path: one statement, whatever their number. */
async function resolveDocuments(
  { db }: Pick<Context, "db">,
  locationId: string,
  wishes: readonly DocumentImage[],
  asker: AccessFacts,
): Promise<Map<string, ResolvedImage>> {
  const resolved = new Map<string, ResolvedImage>(
    wishes.map((wish) => [wishKey(wish), { found: false, code: "not-found" }]),
  );
  if (resolved.size === 0) return resolved;
  const wanted = JSON.stringify([...new Map(wishes.map((wish) => [wishKey(wish), wish])).values()]);
  const rows = await db
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
    if (levelAt(asker, "Documents", documentPath(document)) < READ) continue;
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

/** Longest caption, characters; more is cut. */
const MAX_CAPTION_CHARACTERS = 500;

/** A picture that a draft names: a document of the library, at its latest version unless one is said. */
interface DocumentImage {
  path: string;
  fileName: string;
  version: number | null;
}

/** A camera's frame nearest to a moment, or some of a period, evenly chosen; milliseconds since the epoch. */
type FrameImage = { cameraId: string; at: number } | { cameraId: string; from: number; to: number; count: number };

type ImageSource = DocumentImage | FrameImage;

interface ImageWish {
  source: ImageSource;
  caption: string | null;
}

/** Frames that one value asks for at most. */
const MAX_FRAMES = 100;

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
  count: z.int().min(1).max(MAX_FRAMES),
  caption,
});

/** Splits a path relative to `documents/`; a segment such as v00000002 before the file's name means that version. */
function readDocumentPath(written: string): DocumentImage | null {
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
  const source = readDocumentPath(read.documentPath);
  return source === null ? null : { source, caption: read.caption };
}

/** One text for each picture that may be another. */
export const wishKey = (source: ImageSource): string =>
  JSON.stringify(
    "cameraId" in source
      ? [source.cameraId, ...("at" in source ? [source.at] : [source.from, source.to, source.count])]
      : [source.path, source.fileName, source.version],
  );

/** What a placeholder calls an image value that cannot be shown. */
export function labelOf(value: unknown): string {
  const path = typeof value === "string" ? value : captioned.safeParse(value).data?.documentPath;
  return (path ?? JSON.stringify(value) ?? "").slice(0, 200);
}
