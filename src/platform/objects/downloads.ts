import { z } from "@hono/zod-openapi";
import { toUtc, utcSchema } from "../time";

export interface SignedDownload {
  url: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** An expiring address of bytes, for callers that accept JSON first. */
export const downloadSchema = z
  .object({ url: z.string(), expiresAtUtc: utcSchema, contentType: z.string(), sizeBytes: z.int() })
  .openapi("DownloadLink");
export type DownloadLink = z.infer<typeof downloadSchema>;

export const presentDownload = (
  { url, expiresAt }: SignedDownload,
  { contentType, sizeBytes }: Pick<DownloadLink, "contentType" | "sizeBytes">,
): DownloadLink => ({ url, expiresAtUtc: toUtc(expiresAt), contentType, sizeBytes });

const encoder = new TextEncoder();

/** RFC 5987 attr-char: what may stand unescaped in `filename*`. */
const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;

const extended = (text: string): string =>
  Array.from(encoder.encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return ATTR_CHAR.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

/**
 * Content-Disposition with a file name (RFC 6266): an ASCII form for old clients and, where that
 * loses something, the exact name as `filename*` in UTF-8.
 */
export function contentDisposition(type: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const plain = `${type}; filename="${ascii}"`;
  return ascii === fileName ? plain : `${plain}; filename*=UTF-8''${extended(fileName)}`;
}

/** Whether an Accept header (RFC 9110, 12.5.1) puts JSON first; `*` ranges alone do not. */
export function prefersJson(accept: string | undefined): boolean {
  const ranges = (accept ?? "").split(",").map((range, index) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => parameter.startsWith("q="));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    return { type, weight: Number.isNaN(weight) ? 0 : weight, index };
  });
  const [first] = ranges.sort((a, b) => b.weight - a.weight || a.index - b.index);
  return first !== undefined && first.weight > 0 && first.type === "application/json";
}
