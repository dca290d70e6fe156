import { Buffer } from "node:buffer";

/**
 * Decodes bytes as ISO 8859-1: each byte becomes the character with the same number. The decoder of that name in the
 * Encoding Standard is Windows-1252, which has other characters for 0x80 to 0x9f.
 */
export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
