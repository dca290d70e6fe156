import { inWaves } from "../concurrency";
import { retryOnce } from "../outages";

/** Objects that are copied at the same time. */
const AT_ONCE = 4;
/** Keys in one delete call of R2. */
const DELETE_BATCH = 1_000;

/** How much one call works, and what it may remove. */
export interface CopyOptions {
  /** Whether to end the call, asked between two objects. */
  isFull: () => boolean;
  /** Allows to remove what only the other bucket has. It throws if the caller may not remove it any more. Null: nothing is removed. */
  mayRemove: (() => Promise<void>) | null;
}

/** Two buckets: objects are copied from the first one to the other one. */
export interface BucketPair {
  /**
   * Copies the objects under a prefix that the other bucket does not have, with their properties, in the order of their keys. Repeated,
   * it copies nothing twice.
   * @param after the last key of the call before; null at the beginning
   * @returns the last key of this call; null when everything is copied
   */
  copy(prefix: string, after: string | null, options: CopyOptions): Promise<string | null>;
  /** Removes some objects under a prefix from the first bucket. @returns whether it has none any more */
  remove(prefix: string): Promise<boolean>;
}

/** Runs a call that can be repeated, and once more if the store did not answer. */
const repeated = <T>(call: () => Promise<T>): Promise<T> => retryOnce("object store", () => true, call);

const listAfter = (bucket: R2Bucket, prefix: string, after: string | null): Promise<R2Objects> =>
  repeated(() => bucket.list({ prefix, ...(after !== null && { startAfter: after }) }));

/** The sizes of the objects under a prefix by their keys, after one key and up to another one. */
async function sizesIn(bucket: R2Bucket, prefix: string, after: string | null, end: string | null) {
  const sizes = new Map<string, number>();
  for (let last = after; ; ) {
    const page = await listAfter(bucket, prefix, last);
    for (const { key, size } of page.objects) if (end === null || key <= end) sizes.set(key, size);
    last = page.objects.at(-1)?.key ?? null;
    if (!page.truncated || last === null || (end !== null && last >= end)) return sizes;
  }
}

/** Copies an object as a stream. One that was deleted in the meantime is left out. */
const copyObject = (from: R2Bucket, to: R2Bucket, key: string): Promise<void> =>
  repeated(async () => {
    const found = await from.get(key);
    if (found === null) return;
    const { sha256 } = found.checksums.toJSON();
    await to.put(key, found.body, {
      ...(found.httpMetadata !== undefined && { httpMetadata: found.httpMetadata }),
      ...(found.customMetadata !== undefined && { customMetadata: found.customMetadata }),
      ...(sha256 !== undefined && { sha256 }),
    });
  });

/** Opens two buckets for the objects of a workspace that moves. */
export const openPair = (from: R2Bucket, to: R2Bucket): BucketPair => ({
  async copy(prefix, after, { isFull, mayRemove }) {
    const page = await listAfter(from, prefix, after);
    const end = page.truncated ? (page.objects.at(-1)?.key ?? null) : null;
    const there = await sizesIn(to, prefix, after, end);
    const here = new Set(page.objects.map(({ key }) => key));
    const extra = [...there.keys()].filter((key) => !here.has(key));
    if (mayRemove !== null && extra.length > 0) {
      await mayRemove();
      for (let at = 0; at < extra.length; at += DELETE_BATCH)
        await repeated(() => to.delete(extra.slice(at, at + DELETE_BATCH)));
    }
    const missing = page.objects.filter(({ key, size }) => there.get(key) !== size);
    for (let at = 0; at < missing.length; at += AT_ONCE) {
      const wave = missing.slice(at, at + AT_ONCE);
      await inWaves(wave, AT_ONCE, ({ key }) => copyObject(from, to, key));
      const last = wave.at(-1);
      if (last !== undefined && at + AT_ONCE < missing.length && isFull()) return last.key;
    }
    return end;
  },
  async remove(prefix) {
    const page = await listAfter(from, prefix, null);
    if (page.objects.length > 0) await repeated(() => from.delete(page.objects.map(({ key }) => key)));
    return !page.truncated;
  },
});
