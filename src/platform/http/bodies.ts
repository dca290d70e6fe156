/**
 * Reads a body of unknown length into memory, up to `maxBytes`. Returns null if the body is longer; the rest is not
 * read.
 */
export async function readBounded(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Blob | null> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  for (let size = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return new Blob(chunks as Uint8Array<ArrayBuffer>[]);
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

/** A range of a body: `length` bytes from `offset`. */
export interface BodyRange {
  offset: number;
  length: number;
}

/**
 * Reads a Range header for a body of `size` bytes (RFC 9110, 14.1.2). Null means the whole body: there is
 * no header, or it has another unit, several ranges or a wrong form.
 */
function parseRange(header: string | null | undefined, size: number): BodyRange | "unsatisfiable" | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return null;
  if (first === "") {
    const length = Math.min(Number(last), size);
    return length === 0 ? "unsatisfiable" : { offset: size - length, length };
  }
  const offset = Number(first);
  if (last !== "" && Number(last) < offset) return null;
  if (offset >= size) return "unsatisfiable";
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  return { offset, length: end - offset + 1 };
}

/**
 * The range that a request asks for. Only a GET can have one, and `If-Range` must name the current ETag
 * (RFC 9110, 13.1.5 and 14.2).
 */
export function rangeOf({ method, headers }: Request, etag: string, size: number): ReturnType<typeof parseRange> {
  const ifRange = headers.get("if-range");
  if (method !== "GET" || (ifRange !== null && ifRange !== etag)) return null;
  return parseRange(headers.get("range"), size);
}

/** Whether an If-Match or If-None-Match header lists this ETag or `*`. */
export const matchesEtag = (header: string, etag: string): boolean =>
  header.split(",").some((candidate) => candidate.trim() === "*" || candidate.trim() === etag);

/** The Content-Range header of a range (RFC 9110, 14.4). */
/** The Content-Range header of a range (RFC 9110, 14.4). */
export const contentRange = (range: BodyRange, size: number): string =>
  `bytes ${range.offset}-${range.offset + range.length - 1}/${size}`;
