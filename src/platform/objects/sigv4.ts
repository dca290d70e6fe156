import { AwsV4Signer } from "aws4fetch";
import { sameSecret } from "../crypto/bytes";
import type { Settings } from "../settings";
import { SECOND } from "../time";

/** The endpoint, bucket and keys of signed addresses: R2's S3 endpoint or the Worker's own endpoint. */
export interface Signing {
  /** The address before the bucket name, without a final slash. */
  endpoint: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface RequestToSign {
  method: "GET" | "PUT";
  key: string;
  /** Headers that the client must send with exactly these values. */
  headers?: Readonly<Record<string, string>>;
  /** Query fields that set response headers, such as `response-content-type`. */
  query?: Readonly<Record<string, string>>;
}

const ALGORITHM = "AWS4-HMAC-SHA256";
const SCOPE = { service: "s3", region: "auto" } as const;
/** Lifetime of a SigV4 signature, seconds. */
const MAX_LIFETIME_SECONDS = 7 * 24 * 3_600;
/** Maximum time of a signature in the future, milliseconds. */
const MAX_CLOCK_SKEW_MS = 900 * SECOND;
/** Query fields that signing adds. A verifier removes them before it signs again. */
const SIGNATURE_FIELDS = [
  "X-Amz-Signature",
  "X-Amz-SignedHeaders",
  "X-Amz-Credential",
  "X-Amz-Algorithm",
  "X-Amz-Date",
];

const encodeSegment = (segment: string): string =>
  encodeURIComponent(segment).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const amzDate = (ms: number): string => new Date(ms).toISOString().replace(/[:-]|\.\d{3}/g, "");

async function sign(
  { accessKeyId, secretAccessKey }: Signing,
  url: URL,
  method: string,
  headers: Headers | Readonly<Record<string, string>>,
  datetime: string,
): Promise<URL> {
  const options = { ...SCOPE, signQuery: true, allHeaders: true, datetime, accessKeyId, secretAccessKey };
  return (await new AwsV4Signer({ method, url: url.href, headers, ...options }).sign()).url;
}

/**
 * Signs a request with AWS Signature Version 4 in its query form. The payload is unsigned: its digest is a signed
 * header.
 * @param lifetimeSeconds 1 to `MAX_LIFETIME_SECONDS`
 * @param now milliseconds since the epoch
 * @returns the signed address
 */
export async function presign(
  signing: Signing,
  request: RequestToSign,
  lifetimeSeconds: number,
  now: number,
): Promise<string> {
  const url = new URL(`${signing.endpoint}/${signing.bucket}/${request.key.split("/").map(encodeSegment).join("/")}`);
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  url.searchParams.set("X-Amz-Expires", String(lifetimeSeconds));
  const signed = await sign(signing, url, request.method, request.headers ?? {}, amzDate(now));
  // Every verifier reads %20, but some do not read a form-encoded space.
  return signed.href.replaceAll("+", "%20");
}

export type SignatureRefusal =
  | "AuthorizationQueryParametersError"
  | "AccessDenied"
  | "InvalidAccessKeyId"
  | "SignatureDoesNotMatch"
  | "RequestTimeTooSkewed";

export type Verdict =
  | { ok: true; key: string; signedHeaders: readonly string[]; query: URLSearchParams }
  | { ok: false; refusal: SignatureRefusal };

const refuse = (refusal: SignatureRefusal): Verdict => ({ ok: false, refusal });

function signedAt(date: string): number | null {
  const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  return y === undefined ? null : Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}Z`);
}

/** The object key of a path; null for a path outside the bucket. */
function keyOf(signing: Signing, pathname: string): string | null {
  const prefix = new URL(`${signing.endpoint}/${signing.bucket}/`).pathname;
  if (!pathname.startsWith(prefix)) return null;
  try {
    return decodeURIComponent(pathname.slice(prefix.length));
  } catch {
    return null;
  }
}

/**
 * Verifies a signed request: signs the received request again and compares the signatures in constant time.
 * The signature of a GET is also valid for HEAD. `now` is in milliseconds since the epoch.
 */
export async function verifySigned(signing: Signing, request: Request, now: number): Promise<Verdict> {
  const received = new URL(request.url);
  // A proxy can change the host of the received address, so the configured host is used.
  const url = new URL(signing.endpoint);
  url.pathname = received.pathname;
  url.search = received.search;
  const query = url.searchParams;
  const names = [...query.keys()];
  if (new Set(names).size !== names.length || query.get("X-Amz-Algorithm") !== ALGORITHM)
    return refuse("AuthorizationQueryParametersError");
  const date = query.get("X-Amz-Date") ?? "";
  const at = signedAt(date);
  const lifetime = Number(query.get("X-Amz-Expires"));
  if (at === null || Number.isNaN(at) || !(lifetime >= 1 && lifetime <= MAX_LIFETIME_SECONDS))
    return refuse("AuthorizationQueryParametersError");
  if (now > at + lifetime * SECOND) return refuse("AccessDenied");
  if (at > now + MAX_CLOCK_SKEW_MS) return refuse("RequestTimeTooSkewed");
  const scope = `${signing.accessKeyId}/${date.slice(0, 8)}/${SCOPE.region}/${SCOPE.service}/aws4_request`;
  if (query.get("X-Amz-Credential") !== scope) return refuse("InvalidAccessKeyId");
  const signedHeaders = (query.get("X-Amz-SignedHeaders") ?? "").split(";");
  const headers = new Headers();
  for (const name of signedHeaders) {
    if (name === "host") continue;
    const value = /^[a-z0-9-]+$/.test(name) ? request.headers.get(name) : null;
    if (value === null) return refuse("SignatureDoesNotMatch");
    headers.set(name, value);
  }
  const given = query.get("X-Amz-Signature") ?? "";
  for (const field of SIGNATURE_FIELDS) query.delete(field);
  const method = request.method === "HEAD" ? "GET" : request.method;
  const wanted = (await sign(signing, url, method, headers, date)).searchParams;
  if (!sameSecret(wanted.get("X-Amz-Signature") ?? "", given)) return refuse("SignatureDoesNotMatch");
  if (wanted.get("X-Amz-SignedHeaders") !== signedHeaders.join(";")) return refuse("SignatureDoesNotMatch");
  const key = keyOf(signing, url.pathname);
  return key === null ? refuse("AccessDenied") : { ok: true, key, signedHeaders, query };
}

/** Path of the Worker's own object endpoint. */
export const OBJECTS_PATH = "/objects";
const OWN_BUCKET = "workspace";

/** The signing of the Worker's own endpoint. The endpoint accepts it even while new addresses are signed for S3. */
export const ownSigning = ({ PUBLIC_BASE_URL, OBJECT_SIGNING_SECRET }: Settings): Signing => ({
  endpoint: new URL(OBJECTS_PATH, PUBLIC_BASE_URL).href,
  bucket: OWN_BUCKET,
  accessKeyId: OWN_BUCKET,
  secretAccessKey: OBJECT_SIGNING_SECRET,
});

/**
 * The signing of new addresses: for R2's S3 endpoint, where no bytes pass through the Worker, or for the
 * Worker's own endpoint.
 * @param given the endpoint and the bucket of a region; they replace the settings of the service
 */
export function signingOf(settings: Settings, given: { s3Endpoint?: string; s3Bucket?: string } = {}): Signing {
  const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings;
  const { s3Endpoint: endpoint = settings.S3_ENDPOINT, s3Bucket: bucket = settings.S3_BUCKET } = given;
  if (settings.OBJECT_STORE === "s3" && endpoint && bucket && S3_ACCESS_KEY_ID && S3_SECRET_ACCESS_KEY)
    return {
      endpoint: endpoint.replace(/\/$/, ""),
      bucket,
      accessKeyId: S3_ACCESS_KEY_ID,
      secretAccessKey: S3_SECRET_ACCESS_KEY,
    };
  return ownSigning(settings);
}
