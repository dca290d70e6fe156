import { z } from "@hono/zod-openapi";
import { capturesPrefix, stagedCaptures } from "../../cameras";
import { inWaves } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import type { BucketPair, CopyOptions } from "../../platform/objects/pair";
import { stagedUploads, TEMPORARY_PREFIX } from "../../uploads";

/** Time after which a slice that works on objects ends, milliseconds. */
const OBJECTS_SLICE_MS = 10_000;
/** Keys of sent bytes in one page, and those that are worked on at the same time. */
const STAGED_PAGE = 200;
const STAGED_AT_ONCE = 4;

/** Where the work on objects ends so far: the workspace, the part of its objects, and the last key or row of the part. */
export const objectPlaceSchema = z.strictObject({ workspace: z.int(), part: z.int(), after: z.string().nullable() });
export type ObjectPlace = z.infer<typeof objectPlaceSchema>;
export const FIRST_OBJECTS: ObjectPlace = { workspace: 0, part: 0, after: null };

/** What the keys of the objects of a workspace begin with: documents, images, and what is made again on request. */
const prefixesOf = (id: string): string[] => [`${id}/`, capturesPrefix(id), `${TEMPORARY_PREFIX}${id}/`];

/** Keys to which people and devices send bytes. They do not name the workspace, so its rows name them. */
const STAGED = [stagedUploads, stagedCaptures];

/** Whether a slice ends: it has asked enough, or it has worked long enough. */
export function untilFull(isFull: () => boolean): () => boolean {
  const end = Date.now() + OBJECTS_SLICE_MS;
  return () => isFull() || Date.now() >= end;
}

type Work = (prefix: string, after: string | null) => Promise<string | null>;

/**
 * Works on the objects of workspaces, part by part, until `isFull`.
 * @param isOpen whether of sent bytes only those count that somebody still waits for
 * @returns where the next slice begins; null at the end
 */
async function eachPart(
  rows: Context,
  workspaces: readonly string[],
  from: ObjectPlace,
  work: Work,
  isFull: () => boolean,
  isOpen: boolean,
): Promise<ObjectPlace | null> {
  for (let at = from; ; ) {
    const id = workspaces[at.workspace];
    if (id === undefined) return null;
    const prefixes = prefixesOf(id);
    const [prefix, staged] = [prefixes[at.part], STAGED[at.part - prefixes.length]];
    if (prefix === undefined && staged === undefined) {
      at = { workspace: at.workspace + 1, part: 0, after: null };
      continue;
    }
    let after: string | null = null;
    if (prefix !== undefined) after = await work(prefix, at.after);
    else if (staged !== undefined) {
      const { keys, next } = await staged(rows, id, at.after, STAGED_PAGE, isOpen);
      await inWaves(keys, STAGED_AT_ONCE, async (key) => {
        for (let last: string | null = null; ; ) {
          last = await work(key, last);
          if (last === null) return;
        }
      });
      after = next;
    }
    at = after === null ? { ...at, part: at.part + 1, after: null } : { ...at, after };
    if (isFull()) return at;
  }
}

/**
 * Copies the objects of workspaces to the bucket of another database.
 * @param rows the context in a database with their rows
 * @returns where the next slice begins; null when the other bucket has everything
 */
export const copyObjects = (
  pair: BucketPair,
  rows: Context,
  workspaces: readonly string[],
  from: ObjectPlace,
  options: CopyOptions,
): Promise<ObjectPlace | null> =>
  eachPart(rows, workspaces, from, (prefix, after) => pair.copy(prefix, after, options), options.isFull, true);

/** Copies what was sent to the former bucket since the last copy: an address that was signed before can be used until it expires. */
export async function copyStaged(pair: BucketPair, rows: Context, workspaces: readonly string[]): Promise<void> {
  const options: CopyOptions = { isFull: () => false, mayRemove: null };
  for (const id of workspaces)
    await copyObjects(pair, rows, [id], { workspace: 0, part: prefixesOf(id).length, after: null }, options);
}

/**
 * Removes the objects of workspaces from the first bucket of a pair, until `isFull`.
 * @param rows the context in a database with their rows
 * @param mayRemove throws if the caller may not remove them any more
 * @returns where the next slice begins; null when nothing is left
 */
export const removeObjects = (
  pair: BucketPair,
  rows: Context,
  workspaces: readonly string[],
  from: ObjectPlace,
  { isFull, mayRemove }: { isFull: () => boolean; mayRemove: () => Promise<void> },
): Promise<ObjectPlace | null> =>
  eachPart(
    rows,
    workspaces,
    from,
    async (prefix) => {
      await mayRemove();
      // Removed objects are not in the next page, so it begins at the beginning.
      return (await pair.remove(prefix)) ? null : "";
    },
    isFull,
    false,
  );
