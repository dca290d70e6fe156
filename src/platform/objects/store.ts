/** A signed upload, as the wire shows it: PUT the bytes to `uploadUrl` with `requiredHeaders`. */
export interface SignedUpload {
  uploadUrl: string;
  requiredHeaders: Record<string, string>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface SignedDownload {
  url: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

export interface ExpectedBytes {
  contentType: string;
  sizeBytes: number;
  /** 64 lower-case hex characters. */
  checksumSha256: string;
}

/** What is known of bytes before they are written. */
export interface NewBytes {
  contentType: string;
  sizeBytes: number;
  /** With it R2 itself refuses other bytes. */
  checksumSha256?: string;
}

export interface StoredObject {
  key: string;
  sizeBytes: number;
  etag: string;
}

/** A part of an object: `length` bytes from `offset`, or the last `suffix` bytes. */
export type ByteRange = { offset: number; length: number } | { suffix: number };

/** Bytes by key. The signing half is the same SigV4 code for R2's S3 endpoint and for our own. */
export interface ObjectStore {
  signUpload(key: string, expected: ExpectedBytes, lifetimeSeconds: number): Promise<SignedUpload>;
  /** `fileName` and `contentType` are what the download is served as. */
  signDownload(
    key: string,
    as: { fileName: string; contentType: string; disposition: "inline" | "attachment" },
    lifetimeSeconds: number,
  ): Promise<SignedDownload>;
  head(key: string): Promise<StoredObject | null>;
  /** The bytes as a stream, or null when there is no such object. */
  read(key: string, range?: ByteRange): Promise<(StoredObject & { body: ReadableStream<Uint8Array> }) | null>;
  /**
   * Writes bytes of known length, over what was there.
   * @throws when the stream's length or digest differs; nothing is stored then.
   */
  write(key: string, body: ReadableStream<Uint8Array> | Uint8Array, as: NewBytes): Promise<StoredObject>;
  /** The same for a key that must be free: null, and nothing changed, when it holds an object. */
  create(key: string, body: ReadableStream<Uint8Array> | Uint8Array, as: NewBytes): Promise<StoredObject | null>;
  /** Deletes any number of keys; absent ones are fine. */
  remove(keys: readonly string[]): Promise<void>;
}
