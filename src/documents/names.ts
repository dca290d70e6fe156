import { z } from "@hono/zod-openapi";
import { nameProblem } from "../platform/http/text";

/** Longest segment of a path and longest file name, bytes of UTF-8. */
export const LONGEST_SEGMENT = 255;
/** Longest path with its file name, bytes of UTF-8: an object key has 1,024, of which the rest is ours. */
export const LONGEST_FULL_NAME = 900;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;

/** What is wrong with one segment, or null. */
function segmentProblem(segment: string): string | null {
  if (segment === "") return "may not have an empty segment, nor begin or end with a slash";
  if (segment === "." || segment === "..") return "may not have the segments . and ..";
  if (bytesOf(segment) > LONGEST_SEGMENT) return `may have ${LONGEST_SEGMENT} bytes a segment`;
  return nameProblem(segment);
}

/** A segment like `v00000001` would read as a version in a stable path. */
const isVersionSegment = (segment: string): boolean => /^v\d{8}$/.test(segment);

const normalised = z
  .string()
  .max(LONGEST_FULL_NAME)
  .overwrite((text) => text.normalize("NFC"));

/** Folder of a document below its location's library, segments parted by slashes; "" is its root. */
export const pathSchema = normalised
  .superRefine((path, context) => {
    if (path === "") return;
    const segments = path.split("/");
    const problem = segments.map(segmentProblem).find((found) => found !== null);
    if (problem) context.addIssue({ code: "custom", message: problem });
    if (segments.some(isVersionSegment))
      context.addIssue({ code: "custom", message: "may not have a segment of v and eight digits: it means a version" });
  })
  .openapi({ example: "plans/2026", description: "Names are compared exactly, in Unicode form NFC." });

/** Name of a file within its folder. */
export const fileNameSchema = normalised
  .superRefine((name, context) => {
    const problem = name.includes("/") ? "may not have a slash" : segmentProblem(name);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  })
  .openapi({ example: "ground floor.pdf" });

/** Path and file name as one, relative to `documents/`. */
export const fullName = ({ path, fileName }: { path: string; fileName: string }): string =>
  path === "" ? fileName : `${path}/${fileName}`;

export const isTooLong = (name: { path: string; fileName: string }): boolean =>
  bytesOf(fullName(name)) > LONGEST_FULL_NAME;

/** Key of one version's bytes: below the document's own prefix, so that a move can never collide. */
export function objectKey(
  owner: { tenantId: string; documentId: string },
  { path, fileName }: { path: string; fileName: string },
  version: number,
): string {
  const folder = path === "" ? "" : `${path}/`;
  return `${owner.tenantId}/${owner.documentId}/documents/${folder}v${String(version).padStart(8, "0")}/${fileName}`;
}
