import { AsyncLocalStorage } from "node:async_hooks";
import { createHmac } from "node:crypto";

/** Where the random bytes of one piece of work come from, and the time its ids carry. */
interface Source {
  seed: string;
  at: number;
  blocks: number;
  ids: number;
}

const sources = new AsyncLocalStorage<Source>();

/**
 * Runs work whose random bytes and ids follow from a secret seed: the same work under the same seed makes the same
 * ids and secrets again. `at` is the time of its ids, milliseconds since the epoch.
 */
export const reproducibly = <T>(seed: string, at: number, work: () => T): T =>
  sources.run({ seed, at, blocks: 0, ids: 0 }, work);

/** Random bytes: the platform's, or those of the work's seed. */
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

/** What an id of reproducible work is made of; undefined for all other work. */
export function idSource(): { msecs: number; seq: number; random: Uint8Array } | undefined {
  const source = sources.getStore();
  return source && { msecs: source.at, seq: source.ids++, random: randomBytes(16) };
}
