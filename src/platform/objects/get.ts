import { contentRange, listsTag, rangeOf } from "../http/range";
import { objectError } from "./s3-errors";
import type { Verdict } from "./sigv4";
import type { ObjectStore } from "./store";

/** Serves an object to a signed GET or HEAD, with its conditions and one Range, as the signature says. */
export async function getObject(
  objects: ObjectStore,
  request: Request,
  { key, query }: Verdict & { ok: true },
  requestId: string,
): Promise<Response> {
  const { method, headers } = request;
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
  const [ifMatch, ifNoneMatch] = ["if-match", "if-none-match"].map((name) => headers.get(name));
  if (ifMatch && !listsTag(ifMatch, etag)) return objectError("PreconditionFailed", requestId);
  if (ifNoneMatch && listsTag(ifNoneMatch.replaceAll("W/", ""), etag)) {
    out.delete("content-type");
    return new Response(null, { status: 304, headers: out });
  }
  const range = rangeOf(request, etag, sizeBytes);
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
