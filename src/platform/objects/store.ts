import { z } from "@hono/zod-openapi";
import { fromHex } from "../crypto/bytes";
import { savableName } from "../file-names";
import { reach, retryOnce } from "../outages";
import type { Settings } from "../settings";
import { SECOND, toUtc, utcSchema } from "../time";
import { ACCESS_FIELD, type DownloadAccess, writeAccess } from "./access";
import { ownSigning, presign, signingOf } from "./sigv4";

/** A signed upload, as the API shows it: PUT the bytes to `uploadUrl` with `requiredHeaders`. */
export interface SignedUpload {
  uploadUrl: string;
  requiredHeaders: Record<string, string>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface ExpectedBytes {
  contentType: string;
  sizeBytes: number;
  /** 64 lower-case hex characters. */
  checksumSha256: string;
}

/** The properties of an object before it is written. */
interface NewBytes {
  contentType: string;
  sizeBytes: number;
  /** R2 refuses bytes with another SHA-256. */
  checksumSha256?: string;
}

interface StoredObject {
  key: string;
  sizeBytes: number;
  etag: string;
}

interface ListedObject {
  key: string;
  sizeBytes: number;
  /** When it was written, milliseconds since the epoch. */
  writtenAt: number;
}

/** A range of an object: `length` bytes from `offset`, or the last `suffix` bytes. */
type ByteRange = { offset: number; length: number } | { suffix: number };

/** Objects by key. The same SigV4 code signs for R2's S3 endpoint and for the Worker's own endpoint. */
export interface ObjectStore {
  signUpload(key: string, expected: ExpectedBytes, lifetimeSeconds: number): Promise<SignedUpload>;
  /**
   * Signs a download with this file name, and with this type and disposition unless a page could run the bytes. The Worker's
   * own endpoint checks `access` again when it serves the bytes; with null, the address is the whole permission, as it is at
   * R2's S3 endpoint.
   */
  signDownload(
    key: string,
    as: { fileName: string; contentType: string; disposition: "inline" | "attachment" },
    lifetimeSeconds: number,
    access: DownloadAccess | null,
  ): Promise<SignedDownload>;
  head(key: string): Promise<StoredObject | null>;
  /** Reads the bytes as a stream; null if the object does not exist. */
  read(key: string, range?: ByteRange): Promise<(StoredObject & { body: ReadableStream<Uint8Array> }) | null>;
  /**
   * Writes an object of known length and replaces an earlier one.
   * @throws if the stream's length or digest differs; then nothing is stored
   */
  write(key: string, body: ReadableStream<Uint8Array> | Uint8Array, as: NewBytes): Promise<StoredObject>;
  /** Writes an object only if its key is free. Otherwise returns null and changes nothing. */
  create(key: string, body: ReadableStream<Uint8Array> | Uint8Array, as: NewBytes): Promise<StoredObject | null>;
  /** One page of the objects under a prefix, in order of their keys. `next` is the cursor of the page after it, or null. */
  list(prefix: string, cursor?: string | null): Promise<{ objects: ListedObject[]; next: string | null }>;
  /** Deletes any number of keys. A missing key is no error. */
  remove(keys: readonly string[]): Promise<void>;
}

/** The type of bytes that a browser only saves. */
export const BYTES = "application/octet-stream";

/** One media type with its parameters (RFC 9110, 8.3.1). A comma would begin a second one, which browsers take. */
const MEDIA_TYPE = /^([a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+)(?:\s*;[^,\p{Cc}]*)?$/u;

/**
 * Types that a browser runs, applies to a page, or shows as a document with scripts: JavaScript by all its names (WHATWG
 * MIME Sniffing, 4.6) and other script languages, styles, HTML, everything in XML, such as SVG, modules of WebAssembly, web
 * bundles, and types of several parts.
 */
const ACTIVE: readonly RegExp[] = [
  /^[a-z]+\/(?:x-)?[a-z]*script[0-9.]*$/,
  /css|xsl|html/,
  /[/+]xml\b|\/xml-/,
  /wasm|webbundle|x-web-bundle|flash|x-component|cache-manifest|importmap|speculationrules|webappmanifest/,
  /^multipart\//,
];

/**
 * The type with which stored bytes of a stranger leave the service's origin: the stated type, or the type of a download
 * if a page could run, apply or show the stated type.
 */
export function servedType(stated: string): string {
  const [, essence] = MEDIA_TYPE.exec(stated.trim().toLowerCase()) ?? [];
  return essence === undefined || ACTIVE.some((pattern) => pattern.test(essence)) ? BYTES : stated;
}

/** Keys in one delete call of R2. */
const DELETE_BATCH = 1_000;

const describe = (object: R2Object): StoredObject => ({
  key: object.key,
  sizeBytes: object.size,
  etag: object.httpEtag,
});

/** Runs a call that can be repeated, and once more if the store did not answer. */
const repeated = <T>(call: () => Promise<T>): Promise<T> => retryOnce("object store", () => true, call);

const rangeOf = (range: ByteRange): R2Range => ("suffix" in range ? { suffix: range.suffix } : range);

/** The signed query field with the binding of the bucket of an address. An address without it is for the bucket of the service. */
export const BUCKET_FIELD = "x-bucket";

/** A bucket, and what signed addresses say about it. */
export interface BucketPlace {
  bucket: R2Bucket;
  /** The name of its binding; null for the bucket of the service. */
  binding: string | null;
  /** Its address at R2's S3 endpoint, where it differs from the one of the service. */
  s3: { s3Endpoint?: string; s3Bucket?: string };
}

/** Opens an object store: bytes go through the R2 binding, and `OBJECT_STORE` selects the endpoint of signed URLs. */
export function openObjectStore({ bucket, binding, s3 }: BucketPlace, settings: Settings): ObjectStore {
  const signing = signingOf(settings, s3);
  const isOwn = signing.endpoint === ownSigning(settings).endpoint;
  const named: Readonly<Record<string, string>> = isOwn && binding !== null ? { [BUCKET_FIELD]: binding } : {};

  function put(key: string, body: ReadableStream<Uint8Array> | Uint8Array, as: NewBytes, onlyIf?: R2Conditional) {
    const sized = body instanceof ReadableStream ? body.pipeThrough(new FixedLengthStream(as.sizeBytes)) : body;
    return reach("object store", () =>
      bucket.put(key, sized, {
        httpMetadata: { contentType: servedType(as.contentType) },
        ...(as.checksumSha256 && { sha256: as.checksumSha256 }),
        ...(onlyIf && { onlyIf }),
      }),
    );
  }

  return {
    async signUpload(key, expected, lifetimeSeconds) {
      const now = Date.now();
      const requiredHeaders = {
        "content-type": expected.contentType,
        "if-none-match": "*",
        "x-amz-checksum-sha256": fromHex(expected.checksumSha256).toBase64(),
      };
      // Every client sets content-length itself, and browsers do not let a script set it.
      const headers = { ...requiredHeaders, "content-length": String(expected.sizeBytes) };
      const uploadUrl = await presign(signing, { method: "PUT", key, headers, query: named }, lifetimeSeconds, now);
      return { uploadUrl, requiredHeaders, expiresAt: now + lifetimeSeconds * SECOND };
    },
    async signDownload(key, as, lifetimeSeconds, access) {
      const now = Date.now();
      const contentType = servedType(as.contentType);
      const disposition = contentType === BYTES ? "attachment" : as.disposition;
      const query = {
        "response-content-disposition": contentDisposition(disposition, as.fileName),
        "response-content-type": contentType,
        ...(isOwn && access !== null && { [ACCESS_FIELD]: writeAccess(access) }),
        ...named,
      };
      const url = await presign(signing, { method: "GET", key, query }, lifetimeSeconds, now);
      return { url, expiresAt: now + lifetimeSeconds * SECOND, contentType };
    },
    async head(key) {
      const object = await repeated(() => bucket.head(key));
      return object && describe(object);
    },
    async read(key, range) {
      const object = await repeated(() => bucket.get(key, range && { range: rangeOf(range) }));
      return object && { ...describe(object), body: object.body };
    },
    async write(key, body, as) {
      const stored = await put(key, body, as);
      if (stored === null) throw new Error("an unconditional write was refused");
      return describe(stored);
    },
    async create(key, body, as) {
      const stored = await put(key, body, as, { etagDoesNotMatch: "*" });
      return stored && describe(stored);
    },
    async list(prefix, cursor) {
      const page = await repeated(() => bucket.list({ prefix, ...(cursor && { cursor }) }));
      const objects = page.objects.map(({ key, size, uploaded }) => ({
        key,
        sizeBytes: size,
        writtenAt: uploaded.getTime(),
      }));
      return { objects, next: page.truncated ? page.cursor : null };
    },
    async remove(keys) {
      for (let at = 0; at < keys.length; at += DELETE_BATCH)
        await repeated(() => bucket.delete(keys.slice(at, at + DELETE_BATCH)));
    },
  };
}

export interface SignedDownload {
  url: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The type of the answer. */
  contentType: string;
}

/** A download link that expires, for callers that prefer JSON. */
export const downloadSchema = z
  .object({ url: z.string(), expiresAtUtc: utcSchema, contentType: z.string(), sizeBytes: z.int() })
  .openapi("DownloadLink", {
    description:
      "`contentType` is the type of the answer: `application/octet-stream` for a file that a browser could run or show as a page.",
  });
export type DownloadLink = z.infer<typeof downloadSchema>;

export const presentDownload = ({ url, expiresAt, contentType }: SignedDownload, sizeBytes: number): DownloadLink => ({
  url,
  expiresAtUtc: toUtc(expiresAt),
  contentType,
  sizeBytes,
});

const encoder = new TextEncoder();

/** The characters that `filename*` does not escape (RFC 5987, attr-char). */
const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;

const extended = (text: string): string =>
  Array.from(encoder.encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return ATTR_CHAR.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

/**
 * Content-Disposition with a file name that every system can save (RFC 6266): an ASCII form for old clients and, if that
 * form differs, the name as `filename*` in UTF-8.
 */
export function contentDisposition(type: "inline" | "attachment", name: string): string {
  const fileName = savableName(name);
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const plain = `${type}; filename="${ascii}"`;
  return ascii === fileName ? plain : `${plain}; filename*=UTF-8''${extended(fileName)}`;
}

/** Whether an Accept header (RFC 9110, 12.5.1) prefers JSON. Ranges with `*` do not count. */
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
