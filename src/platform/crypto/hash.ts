import { randomBytes } from "./random";

const encoder = new TextEncoder();

export const toHex = (bytes: ArrayBuffer | Uint8Array): string =>
  Array.from(bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes), (b) => b.toString(16).padStart(2, "0")).join(
    "",
  );

/** Hex text to bytes. @throws RangeError when it is not hex of even length. */
export function fromHex(hex: string): Uint8Array<ArrayBuffer> {
  if (hex.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(hex)) throw new RangeError("not hexadecimal");
  return Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16));
}

/** SHA-256 of a text's UTF-8 bytes or of bytes, in lower-case hex (64 characters). */
export async function sha256Hex(input: string | Uint8Array<ArrayBuffer>): Promise<string> {
  return toHex(await crypto.subtle.digest("SHA-256", typeof input === "string" ? encoder.encode(input) : input));
}

/** `bytes` random bytes in lower-case hex. */
export const randomHex = (bytes: number): string => toHex(randomBytes(bytes));

/** Compares two texts in time that depends on their length alone. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}
