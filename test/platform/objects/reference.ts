import { createHash, createHmac } from "node:crypto";

/*
 * AWS Signature Version 4 in its query form, written from the AWS documentation ("Authenticating Requests: Using
 * Query Parameters") with node's crypto. It is an independent check of our signatures.
 */

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

export interface ReferenceRequest {
  method: string;
  host: string;
  /** The path without percent-encoding. */
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  /** `20130524T000000Z` */
  date: string;
  expires: number;
}

/** All query fields of the signed request, the signature among them. */
export function referenceQuery(r: ReferenceRequest): Record<string, string> {
  const scope = `${r.date.slice(0, 8)}/${r.region}/s3/aws4_request`;
  const headers = Object.entries({ ...r.headers, host: r.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const signedHeaders = headers.map(([name]) => name).join(";");
  const query = {
    ...r.query,
    "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
    "X-Amz-Credential": `${r.accessKeyId}/${scope}`,
    "X-Amz-Date": r.date,
    "X-Amz-Expires": String(r.expires),
    "X-Amz-SignedHeaders": signedHeaders,
  };
  const canonicalQuery = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const canonical = [
    r.method,
    r.path.split("/").map(encode).join("/"),
    canonicalQuery,
    ...headers.map(([name, value]) => `${name}:${value.trim()}`),
    "",
    signedHeaders,
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", r.date, scope, sha256(canonical)].join("\n");
  const parts = [r.date.slice(0, 8), r.region, "s3", "aws4_request"];
  const key = parts.reduce<string | Buffer>((k, part) => hmac(k, part), `AWS4${r.secretAccessKey}`);
  return { ...query, "X-Amz-Signature": hmac(key, toSign).toString("hex") };
}
