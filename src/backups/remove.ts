import type { BackupStore } from "../platform/objects/backup-store";
import { hashOfText } from "../platform/text-hash";
import {
  contentsName,
  filesOfRows,
  idsOf,
  type Manifest,
  objectName,
  readContents,
  readKeys,
  readManifests,
  removeManifest,
  rowFilesOf,
  rowsFolder,
} from "./format";

/** Files whose keys are in memory. */
const FILES_AT_ONCE = 20;

/**
 * The backups that may go, the oldest first: those that began before a time and were followed by a complete one. A backup that is not
 * complete shares files with its predecessors, so it goes after them.
 * @param before milliseconds since the epoch
 */
function removable(all: readonly Manifest[], before: number): Manifest[] {
  const lastComplete = all.findLastIndex(({ completedAtUtc }) => completedAtUtc !== null);
  const found: Manifest[] = [];
  for (const manifest of all.slice(0, Math.max(0, lastComplete))) {
    if (manifest.completedAtUtc !== null && Date.parse(manifest.startedAtUtc) >= before) break;
    found.push(manifest);
  }
  return found;
}

/** The rows and objects of a workspace that no later backup has. */
async function removeContents(store: BackupStore, stamp: string, id: string, later: readonly Manifest[]) {
  const mine = rowFilesOf(await readContents(store, stamp, id));
  const own = new Set(mine.map(({ file }) => file));
  const others = new Map<string, boolean>();
  for (const manifest of later)
    for (const { file, keys } of rowFilesOf(await readContents(store, manifest.stamp, id))) others.set(file, keys > 0);
  const gone = mine.filter(({ file }) => !others.has(file));
  const withKeys = gone.filter(({ keys }) => keys > 0);
  if (withKeys.length > 0) {
    const kept = new Set<number>();
    for (const [file, hasKeys] of others)
      if (hasKeys && !own.has(file)) for (const key of await readKeys(store, file)) kept.add(hashOfText(key));
    for (let at = 0; at < withKeys.length; at += FILES_AT_ONCE) {
      const names: string[] = [];
      for (const { file } of withKeys.slice(at, at + FILES_AT_ONCE))
        for (const key of await readKeys(store, file))
          if (!kept.has(hashOfText(key))) {
            const name = await objectName(key);
            names.push(name, `${name}.json`);
          }
      await store.remove(names);
    }
  }
  // An interrupted backup leaves files that no list names.
  const listed = new Set(gone.flatMap(({ file }) => filesOfRows(file)));
  for await (const name of store.list(rowsFolder(stamp, id)))
    if (!others.has(name.slice("rows/".length).replace(/\.(?:ndjson|keys)$/, ""))) listed.add(name);
  await store.remove([...listed]);
  // Last, so that an interrupted removal finds the rest.
  await store.remove([contentsName(stamp, id)]);
}

/**
 * Removes backups that began before a time. The last complete backup stays, and so does each file that a later backup has.
 * @param before milliseconds since the epoch
 * @returns whether it came to the end; otherwise the next call continues
 */
export async function removeBackups(store: BackupStore, before: number, mayContinue: () => boolean): Promise<boolean> {
  const all = await readManifests(store);
  for (const manifest of removable(all, before)) {
    const later = all.filter(({ stamp }) => stamp > manifest.stamp);
    // It is no backup any more from its first missing file on.
    if (manifest.completedAtUtc !== null)
      await store.write(`backups/${manifest.stamp}.json`, JSON.stringify({ ...manifest, completedAtUtc: null }));
    for await (const id of idsOf(store, manifest.stamp)) {
      if (!mayContinue()) return false;
      await removeContents(store, manifest.stamp, id, later);
    }
    await removeManifest(store, manifest.stamp);
  }
  return true;
}
