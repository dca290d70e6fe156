import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

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

/** Compares two texts in constant time for their length. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [encoder.encode(a), encoder.encode(b)];
  return left.byteLength === right.byteLength && crypto.subtle.timingSafeEqual(left, right);
}

/** The seed of one piece of work, the time of its ids, and how many blocks and ids it has taken. */
interface Source {
  seed: string;
  at: number;
  blocks: number;
  ids: number;
}

const sources = new AsyncLocalStorage<Source>();

/**
 * Runs work whose random bytes and ids are derived from a secret seed (HMAC-SHA-256 in counter mode): the same work
 * with the same seed makes the same ids and secrets. `at` is the time of its ids, milliseconds since the epoch.
 */
export const withSeed = <T>(seed: string, at: number, work: () => T): T =>
  sources.run({ seed, at, blocks: 0, ids: 0 }, work);

/** `length` random bytes: from the runtime, or from the seed inside `withSeed`. */
export function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  const source = sources.getStore();
  if (source === undefined) return crypto.getRandomValues(bytes);
  for (let at = 0; at < length; ) {
    const block = createHmac("sha256", source.seed)
      .update(String(source.blocks++))
      .digest()
      .subarray(0, length - at);
    bytes.set(block, at);
    at += block.length;
  }
  return bytes;
}

/** The time, sequence number and random bytes of the next id inside `withSeed`; undefined outside of it. */
export function seededIdOptions(): { msecs: number; seq: number; random: Uint8Array } | undefined {
  const source = sources.getStore();
  return source && { msecs: source.at, seq: source.ids++, random: randomBytes(16) };
}
