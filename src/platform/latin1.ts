import { Buffer } from "node:buffer";

/**
 * Bytes as text, one character for each byte of the same number. The Encoding Standard's decoder of that name is
 * Windows-1252: it gives other characters for 0x80 to 0x9f.
 */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
