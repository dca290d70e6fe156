import type { Carried } from "../platform/db/carry/declare";
import { carryOut, type Reading } from "../platform/db/carry/read";
import type { Source } from "../platform/db/carry/statements";
import { Fence } from "../platform/db/residence";
import { newId } from "../platform/ids";
import type { BackupStore } from "../platform/objects/backup-store";
import { DAY, toUtc } from "../platform/time";
import {
  type Contents,
  DIRECTORY,
  type KeptRows,
  MANIFEST_FORMAT,
  type Manifest,
  objectName,
  readContents,
  readKeys,
  readManifests,
  rowFilesOf,
  stampedAt,
  stampOf,
  writeContents,
  writeManifest,
  writeRows,
} from "./format";

/** A database whose rows are backed up. */
export interface BackedUp {
  name: string;
  source: Source;
  /** Runs work in which all batches see one state. Without it, a large workspace is closed for the last batches. */
  readAtOneMoment?: ((work: (source: Source) => Promise<unknown>) => Promise<unknown>) | null;
}

/** The tables of the service: of a workspace, and of the directory. */
export interface Tables {
  workspace: readonly Carried[];
  service: readonly Carried[];
}

export interface Backup {
  store: BackupStore;
  tables: Tables;
  /** The version of the schema of the databases. */
  schema: string;
  /** The workspace databases. */
  databases: readonly BackedUp[];
  /** The database of the directory; it may be one of them. */
  directory: BackedUp;
  /** Whether to work on in this call, asked after each step. */
  mayContinue: () => boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** A backup that is not complete after this time is given up, milliseconds. A later one begins again. */
export const MAX_BACKUP_MS = DAY;
/** Workspaces of one question. */
const PAGE = 500;
/** Objects that are copied at the same time. */
const MAX_PARALLEL = 4;

/** Begins a backup, or finds the one that is under way. */
export async function beginBackup({ store, tables, schema, now }: Omit<Backup, "databases">): Promise<Manifest> {
  const all = await readManifests(store);
  const last = all.at(-1);
  if (last !== undefined && last.completedAtUtc === null && stampedAt(last.stamp) > now - MAX_BACKUP_MS) return last;
  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    stamp: stampOf(now),
    schema,
    columns: Object.fromEntries(
      [...tables.workspace, ...tables.service].map(({ id, columns }) => [id, columns.map(({ name }) => name)]),
    ),
    previous: all.findLast(({ completedAtUtc }) => completedAtUtc !== null)?.stamp ?? null,
    place: { database: 0, after: "", step: "workspaces" },
    startedAtUtc: toUtc(now),
    completedAtUtc: null,
    ...{ workspaces: 0, rows: 0, objects: 0, missing: 0 },
  };
  await writeManifest(store, manifest);
  return manifest;
}

interface Found {
  id: string;
  isResident: boolean;
  /** The database that has it. */
  at: BackedUp;
}

/**
 * The databases of workspaces by the directory, which decides: a workspace that has moved leaves a row of its residence behind.
 * A workspace that the directory does not know is where it was found.
 */
async function placesOf({ databases, directory }: Backup, ids: readonly string[]): Promise<Map<string, number>> {
  if (databases.length === 1) return new Map();
  const [rows = []] = await directory.source.batch([
    {
      sql: "SELECT id, database FROM workspaces WHERE id IN (SELECT value FROM json_each(?1))",
      params: [JSON.stringify(ids)],
    },
  ]);
  const indexes = new Map(databases.map(({ name }, index) => [name, index]));
  return new Map(
    (rows as { id: string; database: string }[]).map(({ id, database }) => [id, indexes.get(database) ?? -1]),
  );
}

/** A page of the workspaces of a database, and the id after which the next page begins; null after the last page. */
interface FoundPage {
  page: Found[];
  next: string | null;
}

/**
 * The next workspaces of a database, also deleted ones: their audit trail and their objects may stay for some time. A workspace
 * without a resident is where the directory says. One that has moved to a database whose turn was before is read there: it may
 * have moved after that turn.
 */
async function workspacesAfter(backup: Backup, index: number, from: BackedUp, after: string): Promise<FoundPage> {
  const { directory, databases } = backup;
  const { name, source } = from;
  const pageOf = async (source: Source, sql: string, params: string[]) => {
    const [rows = []] = await source.batch([{ sql: `${sql} ORDER BY id LIMIT ${PAGE}`, params }]);
    return (rows as { id: string }[]).map(({ id }) => id);
  };
  const residents = await pageOf(source, "SELECT workspace_id AS id FROM residents WHERE workspace_id > ?1", [after]);
  const assigned = await pageOf(directory.source, "SELECT id FROM workspaces WHERE id > ?1 AND database = ?2", [
    after,
    name,
  ]);
  // Of a full page, the rows after it are not known.
  const known = [residents, assigned].flatMap((ids) => (ids.length === PAGE ? [ids.at(-1) as string] : []));
  const end = known.sort()[0];
  const isResident = new Set(residents);
  const ids = [...new Set([...residents, ...assigned])].filter((id) => end === undefined || id <= end).sort();
  const places = await placesOf(backup, ids);
  const found = ids.flatMap((id) => {
    const place = places.get(id) ?? index;
    return place > index ? [] : [{ id, isResident: isResident.has(id), at: databases[place] ?? from }];
  });
  return { page: found, next: ids.at(-1) ?? null };
}

const add = (total: number, { rows }: { rows: number | null }): number => total + (rows ?? 0);

/** Reads the rows of a workspace, or of the directory. Slices that did not change since the last backup stay. */
async function readRowsOf(backup: Backup, stamp: string, from: BackedUp, begun: Contents, last: Contents | null) {
  const { store, tables, schema, mayContinue } = backup;
  const id = begun.workspace ?? DIRECTORY;
  const isBegun = begun.slices.length > 0;
  const reading: Omit<Reading<KeptRows>, "source"> = {
    tables: begun.workspace === null ? tables.service : tables.workspace,
    workspace: begun.workspace,
    keep: (table, lines, keys) => writeRows(store, `${stamp}/${id}/${table.id}-${newId()}`, lines, keys),
    ...(isBegun && { previous: begun.slices, isContinued: true }),
    ...(!isBegun && last?.schema === schema && { previous: last.slices }),
  };
  if (from.readAtOneMoment != null) {
    let done: Awaited<ReturnType<typeof carryOut<KeptRows>>> | undefined;
    // A reading that sees one state is not continued in another one.
    await from.readAtOneMoment(async (source) => {
      done = await carryOut({ ...reading, source });
    });
    if (done !== undefined) return done;
  }
  const fence = begun.workspace === null ? {} : { fence: new Fence(from.source, begun.workspace) };
  return carryOut({ ...reading, source: from.source, ...fence, mayContinue });
}

/** Copies objects that the store does not have: a key never gets other bytes. @returns the keys that the bucket does not have */
async function copyObjects(store: BackupStore, database: string, keys: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  const left = keys[Symbol.iterator]();
  const work = async () => {
    for (let next = left.next(); !next.done; next = left.next()) {
      const key = next.value;
      const name = await objectName(key);
      if (await store.has(`${name}.json`)) continue;
      const properties = await store.copyObject(key, name, database);
      if (properties === null) missing.push(key);
      else await store.write(`${name}.json`, JSON.stringify({ key, ...properties }));
    }
  };
  await Promise.all(Array.from({ length: MAX_PARALLEL }, work));
  return missing;
}

/**
 * Backs up one workspace, or the directory: its rows as of one moment, then their objects.
 * @returns what the backup has of it now
 */
async function backUpOne(backup: Backup, manifest: Manifest, from: BackedUp, found: Found | null): Promise<Contents> {
  const { store, schema, mayContinue } = backup;
  const { stamp, previous } = manifest;
  const id = found?.id ?? DIRECTORY;
  const last = previous === null ? null : await readContents(store, previous, id);
  let contents: Contents = (await readContents(store, stamp, id)) ?? {
    workspace: found?.id ?? null,
    isResident: found?.isResident ?? false,
    schema,
    takenAtUtc: toUtc(backup.now),
    isWhole: false,
    ...{ copiedFiles: 0, objects: 0, missing: [], slices: [] },
  };
  const keep = async (more: Partial<Contents>) => {
    contents = { ...contents, ...more };
    await writeContents(store, stamp, contents);
  };
  if (contents.isWhole) return contents;
  // Files without a list of them would stay for ever.
  if (contents.slices.length === 0) await keep({});
  const isRead = contents.copiedFiles > 0 || contents.objects > 0;
  if (!isRead) {
    const { parts, isWhole } = await readRowsOf(backup, stamp, from, contents, last);
    await keep({ slices: parts as Contents["slices"], takenAtUtc: toUtc(Date.now()) });
    if (!isWhole) return contents;
  }
  // What the last backup has is there; what it missed may be there now.
  const known = new Set(rowFilesOf(last).map(({ file }) => file));
  const files = rowFilesOf(contents).filter(({ file, keys }) => keys > 0 && !known.has(file));
  const later =
    last !== null && contents.copiedFiles === 0 ? await copyObjects(store, from.name, last.missing) : contents.missing;
  let { copiedFiles, objects, missing } = { ...contents, missing: later };
  for (const { file } of files.slice(copiedFiles)) {
    const keys = await readKeys(store, file);
    missing = [...missing, ...(await copyObjects(store, from.name, keys))];
    objects += keys.length;
    copiedFiles += 1;
    if (copiedFiles < files.length && !mayContinue()) {
      await keep({ copiedFiles, objects, missing });
      return contents;
    }
  }
  objects = rowFilesOf(contents).reduce((sum, { keys }) => sum + keys, 0);
  await keep({ isWhole: true, copiedFiles, objects, missing: [...new Set(missing)] });
  return contents;
}

/** Counts what was backed up. */
const counted = (manifest: Manifest, { slices, objects, missing, workspace }: Contents): Partial<Manifest> => ({
  workspaces: manifest.workspaces + (workspace === null ? 0 : 1),
  rows: manifest.rows + slices.reduce(add, 0),
  objects: manifest.objects + objects - missing.length,
  missing: manifest.missing + missing.length,
});

/**
 * Works on a backup: each workspace with its objects, then the directory. It can be called again after any interruption. The rows of
 * a workspace are of one moment; the service can run meanwhile.
 * @returns the manifest, which is complete or says where the next call continues
 */
export async function takeBackup(backup: Backup, begun: Manifest): Promise<Manifest> {
  const { store, databases, directory, mayContinue } = backup;
  let manifest = begun;
  const next = (more: Partial<Manifest>) => {
    manifest = { ...manifest, ...more };
  };
  const work = async (): Promise<void> => {
    while (manifest.place.step === "workspaces") {
      const { place } = manifest;
      const from = databases[place.database];
      if (from === undefined) {
        next({ place: { ...place, step: "directory" } });
        continue;
      }
      const { page, next: last } = await workspacesAfter(backup, place.database, from, place.after);
      for (const found of page) {
        // A workspace that moved to a database before this one was read there, unless it moved after the turn of that database.
        const isRead = found.at !== from && (await readContents(store, manifest.stamp, found.id))?.isWhole === true;
        if (isRead) continue;
        const contents = await backUpOne(backup, manifest, found.at, found);
        if (!contents.isWhole) return;
        next({ place: { ...place, after: found.id }, ...counted(manifest, contents) });
        if (!mayContinue()) return;
      }
      next({
        place: last === null ? { ...place, database: place.database + 1, after: "" } : { ...place, after: last },
      });
    }
    if (manifest.place.step !== "directory") return;
    // After the workspaces: an account that is too new is harmless, a member without an account is not.
    const contents = await backUpOne(backup, manifest, directory, null);
    if (!contents.isWhole) return;
    const counts = counted(manifest, contents);
    next({ place: { ...manifest.place, step: "end" }, ...counts, completedAtUtc: toUtc(Date.now()) });
  };
  await work();
  await writeManifest(store, manifest);
  return manifest;
}
