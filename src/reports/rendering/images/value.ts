import { z } from "@hono/zod-openapi";
import { LONGEST_FULL_NAME } from "../../../documents";
import { idSchema } from "../../../platform/ids";
import { instantSchema } from "../../../platform/time";

/** Longest caption, characters; more is cut. */
const LONGEST_CAPTION = 500;

/** A picture that a draft names: a document of the library, at its latest version unless one is said. */
export interface DocumentImage {
  path: string;
  fileName: string;
  version: number | null;
}

/** A camera's frame nearest to a moment, or some of a period, evenly chosen; milliseconds since the epoch. */
export type FrameImage =
  | { cameraId: string; at: number }
  | { cameraId: string; from: number; to: number; count: number };

export type ImageSource = DocumentImage | FrameImage;

export interface ImageWish {
  source: ImageSource;
  caption: string | null;
}

/** Frames that one value asks for at most. */
const MOST_FRAMES = 100;

const caption = z
  .string()
  .nullish()
  .catch(null)
  .transform((text) => text?.trim().slice(0, LONGEST_CAPTION) || null);
const captioned = z.object({ documentPath: z.string(), caption });
const frame = z.object({ cameraId: idSchema, at: instantSchema, caption });
const frames = z.object({
  cameraId: idSchema,
  from: instantSchema,
  to: instantSchema,
  count: z.int().min(1).max(MOST_FRAMES),
  caption,
});

/** Splits a path relative to `documents/`; a segment such as v00000002 before the file's name means that version. */
export function readDocumentPath(written: string): DocumentImage | null {
  if (written.length > LONGEST_FULL_NAME + 20) return null;
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
