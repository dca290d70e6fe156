import { contentRange, parseRange } from "../http/range";
import { objectError } from "./s3-errors";
import type { Verdict } from "./sigv4";
import type { ObjectStore } from "./store";

const listed = (header: string, etag: string): boolean =>
  header.split(",").some((candidate) => candidate.trim() === "*" || candidate.trim() === etag);

/** Serves an object to a signed GET or HEAD, with its conditions and one Range, as the signature says. */
export async function getObject(
  objects: ObjectStore,
  { method, headers }: Request,
  { key, query }: Verdict & { ok: true },
  requestId: string,
): Promise<Response> {
  const object = await objects.head(key);
  if (object === null) return objectError("NoSuchKey", requestId);
  const { etag, sizeBytes } = object;
  const out = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-type": query.get("response-content-type") ?? "application/octet-stream",
    "content-disposition": query.get("response-content-disposition") ?? "attachment",
    // Whatever the bytes are, opened in a browser they are a document with no origin, script or network.
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  });
  const [ifMatch, ifNoneMatch, ifRange] = ["if-match", "if-none-match", "if-range"].map((name) => headers.get(name));
  if (ifMatch && !listed(ifMatch, etag)) return objectError("PreconditionFailed", requestId);
  if (ifNoneMatch && listed(ifNoneMatch.replaceAll("W/", ""), etag)) {
    out.delete("content-type");
    return new Response(null, { status: 304, headers: out });
  }
  const range = ifRange && ifRange !== etag ? null : parseRange(headers.get("range"), sizeBytes);
  if (range === "unsatisfiable")
    return objectError("InvalidRange", requestId, { "content-range": `bytes */${sizeBytes}` });
  if (range !== null) out.set("content-range", contentRange(range, sizeBytes));
  out.set("content-length", String(range?.length ?? sizeBytes));
  const status = range === null ? 200 : 206;
  if (method === "HEAD") return new Response(null, { status, headers: out });
  const found = await objects.read(key, range ?? undefined);
  if (found === null) return objectError("NoSuchKey", requestId);
  return new Response(found.body.pipeThrough(new FixedLengthStream(range?.length ?? sizeBytes)), {
    status,
    headers: out,
  });
}
