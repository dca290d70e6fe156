import { toHex } from "../crypto/hash";
import { describeFailure, log } from "../log";
import { type ObjectError, objectError } from "./s3-errors";
import type { Verdict } from "./sigv4";
import type { ObjectStore } from "./store";

/** Largest body of one PUT, bytes: what the edge lets through. */
export const LARGEST_PUT = 100 * 1024 * 1024;
/** Without these under the signature a PUT would not be bound to what was announced. */
const MUST_BE_SIGNED = ["content-length", "content-type", "if-none-match", "x-amz-checksum-sha256"];

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

/** Streams a signed PUT into the bucket, once, and only the bytes that were announced. */
export async function putObject(
  objects: ObjectStore,
  request: Request,
  { key, signedHeaders }: Verdict & { ok: true },
  requestId: string,
): Promise<Response> {
  const { headers } = request;
  const sizeBytes = Number(headers.get("content-length"));
  const checksumSha256 = checksumOf(headers.get("x-amz-checksum-sha256"));
  if (!MUST_BE_SIGNED.every((name) => signedHeaders.includes(name)) || checksumSha256 === null)
    return objectError("AccessDenied", requestId);
  if (!(Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)) return objectError("MissingContentLength", requestId);
  if (sizeBytes > LARGEST_PUT) return objectError("EntityTooLarge", requestId);
  const contentType = headers.get("content-type") ?? "application/octet-stream";
  try {
    const body = request.body ?? new Uint8Array();
    const stored = await objects.create(key, body, { contentType, sizeBytes, checksumSha256 });
    if (stored === null) return objectError("PreconditionFailed", requestId);
    return new Response(null, { status: 200, headers: { etag: stored.etag } });
  } catch (thrown) {
    const failure = describeFailure(thrown);
    const code = failureOf(failure.error);
    if (code === "InternalError") log("error", "objects.put-failed", { requestId, ...failure });
    return objectError(code, requestId);
  }
}
