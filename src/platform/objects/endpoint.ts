import type { Context as HonoContext } from "hono";
import type { AppEnv, Context } from "../context";
import { toHex } from "../crypto/bytes";
import { DomainError } from "../errors";
import { contentRange, matchesEtag, rangeOf } from "../http/bodies";
import { createRouter } from "../http/router";
import { describeFailure, log } from "../log";
import { isOutage } from "../outages";
import { ACCESS_FIELD, type DownloadAccess, readAccess } from "./access";
import { OBJECTS_PATH, ownSigning, type SignatureRefusal, type Verdict, verifySigned } from "./sigv4";
import { BUCKET_FIELD, BYTES, type ObjectStore, servedType } from "./store";

/** Refusals of the object endpoint, with the names and statuses of S3. */
const ERRORS = {
  AccessDenied: [403, "This address has expired or does not allow this request. Request a new address."],
  AuthorizationQueryParametersError: [400, "The address is not complete. Use it exactly as you got it."],
  BadDigest: [400, "The SHA-256 of the bytes differs from the declared one. Send the declared file."],
  EntityTooLarge: [413, "The body is larger than this service accepts. Send a smaller file."],
  IncompleteBody: [400, "The connection ended before all bytes arrived. Send the file again."],
  InternalError: [500, "Something went wrong in the service. Try again."],
  ServiceUnavailable: [503, "The object store does not answer at the moment. Send the request again."],
  InvalidAccessKeyId: [403, "This service did not sign the address. Request a new address."],
  InvalidRange: [416, "The range begins after the end of the object. Request a range within it."],
  MethodNotAllowed: [405, "Use GET, HEAD, PUT or OPTIONS."],
  MissingContentLength: [411, "Send the length in Content-Length. Chunked bodies are not accepted."],
  NoSuchKey: [404, "There is no such object."],
  PreconditionFailed: [412, "The object was uploaded before. This address can write only once."],
  RequestTimeTooSkewed: [403, "The address was signed in the future. Check the clock of the machine that signed it."],
  SignatureDoesNotMatch: [
    403,
    "The request differs from the signed one. Send the method, address and required headers that were signed.",
  ],
} as const satisfies Record<SignatureRefusal, readonly [number, string]> & Record<string, readonly [number, string]>;

type ObjectError = keyof typeof ERRORS;

/** Composes a refusal with the XML body of S3. */
function objectError(code: ObjectError, requestId: string, headers?: HeadersInit): Response {
  const [status, message] = ERRORS[code];
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message><RequestId>${requestId}</RequestId></Error>`;
  const all = new Headers(headers);
  all.set("content-type", "application/xml");
  return new Response(body, { status, headers: all });
}

/** Answers a signed GET or HEAD, with its conditions and one Range. The signed query sets the type and disposition. */
async function getObject(
  objects: ObjectStore,
  request: Request,
  { key, query }: Verdict & { ok: true },
  requestId: string,
): Promise<Response> {
  const { method, headers } = request;
  const object = await objects.head(key);
  if (object === null) return objectError("NoSuchKey", requestId);
  const { etag, sizeBytes } = object;
  // This also serves addresses that an earlier version of the service signed.
  const contentType = servedType(query.get("response-content-type") ?? BYTES);
  const disposition = query.get("response-content-disposition") ?? "attachment";
  const out = new Headers({
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-type": contentType,
    "content-disposition": contentType === BYTES ? disposition.replace(/^inline/, "attachment") : disposition,
    // A browser that opens the bytes gets a document without origin, scripts and network.
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
  });
  const [ifMatch, ifNoneMatch] = ["if-match", "if-none-match"].map((name) => headers.get(name));
  if (ifMatch && !matchesEtag(ifMatch, etag)) return objectError("PreconditionFailed", requestId);
  if (ifNoneMatch && matchesEtag(ifNoneMatch.replaceAll("W/", ""), etag)) {
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

/** Body of one PUT, bytes: the limit of Cloudflare's edge. */
export const MAX_PUT_BYTES = 100 * 1024 * 1024;
/** Headers that must be signed. They bind a PUT to the declared bytes. */
const REQUIRED_SIGNED_HEADERS = ["content-length", "content-type", "if-none-match", "x-amz-checksum-sha256"];

function checksumOf(base64: string | null): string | null {
  try {
    const bytes = Uint8Array.fromBase64(base64 ?? "");
    return bytes.byteLength === 32 ? toHex(bytes) : null;
  } catch {
    return null;
  }
}

const failureOf = (message: string): ObjectError => {
  if (/checksum|10037/i.test(message)) return "BadDigest";
  return /FixedLengthStream|disconnect|aborted|ended|lost/i.test(message) ? "IncompleteBody" : "InternalError";
};

/** Stores the body of a signed PUT once, and only if it is the declared bytes. */
async function putObject(
  objects: ObjectStore,
  request: Request,
  { key, signedHeaders }: Verdict & { ok: true },
  requestId: string,
): Promise<Response> {
  const { headers } = request;
  const sizeBytes = Number(headers.get("content-length"));
  const checksumSha256 = checksumOf(headers.get("x-amz-checksum-sha256"));
  if (!REQUIRED_SIGNED_HEADERS.every((name) => signedHeaders.includes(name)) || checksumSha256 === null)
    return objectError("AccessDenied", requestId);
  if (!(Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)) return objectError("MissingContentLength", requestId);
  if (sizeBytes > MAX_PUT_BYTES) return objectError("EntityTooLarge", requestId);
  const contentType = headers.get("content-type") ?? "application/octet-stream";
  try {
    const body = request.body ?? new Uint8Array();
    const stored = await objects.create(key, body, { contentType, sizeBytes, checksumSha256 });
    if (stored === null) return objectError("PreconditionFailed", requestId);
    return new Response(null, { status: 200, headers: { etag: stored.etag } });
  } catch (thrown) {
    const failure = describeFailure(thrown);
    const named = failureOf(failure.error);
    const code = named === "InternalError" && isOutage(thrown) ? "ServiceUnavailable" : named;
    if (code === named && code !== "InternalError") return objectError(code, requestId);
    log("error", "objects.put-failed", failure);
    return objectError(code, requestId, code === "ServiceUnavailable" ? { "retry-after": "2" } : {});
  }
}

const CORS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Content-Length, Content-Range, Content-Disposition, Accept-Ranges",
  "cross-origin-resource-policy": "cross-origin",
};
const PREFLIGHT: Readonly<Record<string, string>> = {
  ...CORS,
  "access-control-allow-methods": "GET, HEAD, PUT",
  "access-control-allow-headers":
    "content-type, if-none-match, x-amz-checksum-sha256, range, if-range, if-match, if-modified-since",
  "access-control-max-age": "3600",
};

/** How the composition checks the access of an address. */
export interface DownloadChecks {
  /** The context of the credential with its present access, in the database of these ids; null if it has ended. */
  asReader(context: Context, reader: DownloadAccess["reader"], ids: readonly string[]): Promise<Context | null>;
  /** The access check of each kind. @throws DomainError if the resource is hidden or absent */
  check: Readonly<Record<DownloadAccess["kind"], (context: Context, ids: readonly string[]) => Promise<unknown>>>;
}

/**
 * The store with the bytes of an address that its credential may read now, wherever the workspace is now; null if it may not.
 * An address without this field shows its bytes to everybody.
 * @param named the store of the bucket that the address names
 */
async function readableStore(
  context: Context,
  { asReader, check }: DownloadChecks,
  field: string | null,
  named: ObjectStore,
): Promise<ObjectStore | null> {
  if (field === null) return named;
  const { reader, kind, ids } = readAccess(field);
  const own = await asReader(context, reader, ids);
  if (own === null) return null;
  try {
    await check[kind](own, ids);
    return own.objects;
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code !== "unavailable") return null;
    throw thrown;
  }
}

async function answer(c: HonoContext<AppEnv>, checks: DownloadChecks): Promise<Response> {
  const context = c.get("context");
  const { settings, stores, now, requestId } = context;
  const request = c.req.raw;
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: PREFLIGHT });
  if (!["GET", "HEAD", "PUT"].includes(request.method))
    return objectError("MethodNotAllowed", requestId, { allow: "GET, HEAD, PUT, OPTIONS" });
  if (request.method === "PUT" && request.headers.get("content-length") === null)
    return objectError("MissingContentLength", requestId);
  const verdict = await verifySigned(ownSigning(settings), request, now);
  if (!verdict.ok) return objectError(verdict.refusal, requestId);
  const named = stores.named(verdict.query.get(BUCKET_FIELD));
  if (named === null) return objectError("NoSuchKey", requestId);
  if (request.method === "PUT") return putObject(named, request, verdict, requestId);
  const readable = await readableStore(context, checks, verdict.query.get(ACCESS_FIELD), named);
  return readable === null ? objectError("NoSuchKey", requestId) : getObject(readable, request, verdict, requestId);
}

/**
 * The Worker's own object endpoint, for installations without R2 keys, and for addresses that were signed before an
 * installation got keys. The URL is the whole permission: no cookie or other header adds to it, so any origin can use
 * it. A download shows bytes only while the credential that it was signed for may read them.
 */
export function objectRoutes(checks: DownloadChecks) {
  const routes = createRouter();
  routes.all(`${OBJECTS_PATH}/*`, async (c) => {
    const response = await answer(c, checks);
    for (const [name, value] of Object.entries(CORS)) response.headers.set(name, value);
    return response;
  });
  return routes;
}
