import { z } from "zod";
import { sha256Hex } from "../platform/crypto/bytes";
import type { Slice } from "../platform/db/carry/read";
import type { BackupStore } from "../platform/objects/backup-store";

/*
 * The files of backups. Backups share the files of rows and objects that did not change between them:
 *
 *   backups/<stamp>.json                     the manifest. The stamp is the time at which the backup began
 *   workspaces/<stamp>/<id>.json             the slices of a workspace: table, range, count, sums, file; `directory.json` those of the directory
 *   rows/<stamp>/<id>/<table>-<n>.ndjson     the rows of a slice that this backup was the first to read, each line a JSON array of the columns; a BLOB is hex
 *   rows/<stamp>/<id>/<table>-<n>.keys       the keys of the objects of these rows, each line a JSON text
 *   objects/<hash>                           the bytes of an object, and its key and properties in <hash>.json
 */

const FORMAT = 3;
/** The name of the slices that belong to no workspace. */
export const DIRECTORY = "directory";

/** Where the rows of a slice are: a file under `rows/` without its ending, or null if there are none. */
export interface KeptRows {
  file: string | null;
  /** Number of keys of objects. */
  keys: number;
}

type Cursor = (string | number)[];
const cursor = z.array(z.union([z.string(), z.number()])).nullable();
const range = { table: z.string(), after: cursor, to: cursor };
const slice = z.object({
  ...range,
  rows: z.int(),
  a: z.int(),
  b: z.int(),
  light: z.object({ a: z.int(), b: z.int() }),
  isOld: z.literal(true).optional(),
  kept: z.object({ file: z.string().nullable(), keys: z.int() }),
});
const unread = z.object({ ...range, rows: z.null() });

/** What a backup has of one workspace, or of the directory. */
const contentsSchema = z.object({
  /** Null for the directory. */
  workspace: z.string().nullable(),
  /** Whether the workspace was in a database, and is not only a number and an audit trail. */
  isResident: z.boolean(),
  /** The version of the schema of its rows. */
  schema: z.string(),
  takenAtUtc: z.string(),
  /** Whether all rows and objects are here. */
  isWhole: z.boolean(),
  /** Files whose objects are copied, in their order, and how many objects that were. */
  copiedFiles: z.int(),
  objects: z.int(),
  /** Keys of objects that the bucket did not have. */
  missing: z.array(z.string()),
  slices: z.array(z.union([slice, unread])),
});
export type Contents = z.infer<typeof contentsSchema>;

/** How far a backup is: the last workspace that is complete, in which database. */
const placeSchema = z.object({
  database: z.int(),
  after: z.string(),
  step: z.enum(["workspaces", "directory", "end"]),
});

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  stamp: z.string(),
  /** The version of the schema of the service that took it. */
  schema: z.string(),
  /** Columns by table, so that a later version of the service can read the rows. */
  columns: z.record(z.string(), z.array(z.string())),
  /** The backup whose files it shares. */
  previous: z.string().nullable(),
  place: placeSchema,
  startedAtUtc: z.string(),
  /** Null while it is not complete. */
  completedAtUtc: z.string().nullable(),
  workspaces: z.int(),
  rows: z.int(),
  objects: z.int(),
  /** Number of objects that rows name and the bucket did not have. The files of the workspaces list them. */
  missing: z.int(),
});
export type Manifest = z.infer<typeof manifestSchema>;
export const MANIFEST_FORMAT = FORMAT;

/** A backup that this version cannot read, or that lacks a file. The message is for the operator. */
export class BackupError extends Error {}

/** The name of a backup that begins now. Names sort by time. */
export const stampOf = (at: number): string => new Date(at).toISOString().replace(/[:.]/g, "-");

/** The begin of a backup, milliseconds since the epoch. */
export const stampedAt = (stamp: string): number =>
  Date.parse(stamp.replace(/T(\d\d)-(\d\d)-(\d\d)-/, (_, h, m, s) => `T${h}:${m}:${s}.`));

const manifestName = (stamp: string): string => `backups/${stamp}.json`;
export const contentsName = (stamp: string, id: string): string => `workspaces/${stamp}/${id}.json`;
export const rowsFolder = (stamp: string, id: string): string => `rows/${stamp}/${id}/`;
/** Both files of a slice. */
export const filesOfRows = (file: string): [string, string] => [`rows/${file}.ndjson`, `rows/${file}.keys`];

/** Keys contain names that users choose, and can be longer than file names. */
export const objectName = async (key: string): Promise<string> => `objects/${await sha256Hex(key)}`;

async function readJson<T extends z.ZodType>(store: BackupStore, name: string, schema: T): Promise<z.infer<T> | null> {
  const text = await store.read(name);
  if (text === null) return null;
  const parsed = schema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new BackupError(`${name} is not from this version of the service.`);
  return parsed.data;
}

export const writeManifest = (store: BackupStore, manifest: Manifest): Promise<void> =>
  store.write(manifestName(manifest.stamp), JSON.stringify(manifest, null, 1));

export const removeManifest = (store: BackupStore, stamp: string): Promise<void> => store.remove([manifestName(stamp)]);

/** The manifests of all backups, the oldest first. */
export async function readManifests(store: BackupStore): Promise<Manifest[]> {
  const found: Manifest[] = [];
  for await (const name of store.list("backups/")) {
    const manifest = await readJson(store, name, manifestSchema);
    if (manifest !== null) found.push(manifest);
  }
  return found.sort((one, other) => (one.stamp < other.stamp ? -1 : 1));
}

/** What a backup has of a workspace; null if it has nothing. */
export const readContents = (store: BackupStore, stamp: string, id: string): Promise<Contents | null> =>
  readJson(store, contentsName(stamp, id), contentsSchema);

export const writeContents = (store: BackupStore, stamp: string, contents: Contents): Promise<void> =>
  store.write(contentsName(stamp, contents.workspace ?? DIRECTORY), JSON.stringify(contents));

/** The ids of what a backup has, in order, after one of them. The directory is one of them. */
export async function* idsOf(store: BackupStore, stamp: string, after = ""): AsyncIterable<string> {
  for await (const name of store.list(`workspaces/${stamp}/`)) {
    const id = name.slice(name.lastIndexOf("/") + 1, -".json".length);
    if (id > after) yield id;
  }
}

/** The slices whose rows were read. */
export const slicesOf = ({ slices }: Contents): Slice<KeptRows>[] =>
  slices.filter((one): one is Extract<typeof one, { rows: number }> => one.rows !== null);

/** The files with rows of a workspace, in their order. */
export const rowFilesOf = (contents: Contents | null): { file: string; keys: number }[] =>
  contents === null
    ? []
    : slicesOf(contents).flatMap(({ kept: { file, keys } }) => (file === null ? [] : [{ file, keys }]));

/** Texts of JSON have no line feed, but may have other line ends. */
const linesOf = (text: string): string[] => text.split("\n").slice(0, -1);

/** The rows of a slice. @throws BackupError if a row is missing */
export async function readRows(store: BackupStore, { table, rows, kept }: Slice<KeptRows>): Promise<string[]> {
  if (kept.file === null) return [];
  const [name] = filesOfRows(kept.file);
  const lines = linesOf((await store.read(name)) ?? "");
  if (lines.length !== rows)
    throw new BackupError(`${name} is incomplete: ${table} has ${rows} rows there. The backup cannot be restored.`);
  return lines;
}

/** The keys of the objects of a slice. */
export async function readKeys(store: BackupStore, file: string): Promise<string[]> {
  return linesOf((await store.read(filesOfRows(file)[1])) ?? "").map((line) => JSON.parse(line) as string);
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

/** Writes the rows of a slice and the keys of their objects. */
export async function writeRows(
  store: BackupStore,
  file: string,
  lines: readonly string[],
  keys: readonly string[],
): Promise<KeptRows> {
  if (lines.length === 0) return { file: null, keys: 0 };
  const [rows, objects] = filesOfRows(file);
  if (keys.length > 0) await store.write(objects, textOf(keys.map((key) => JSON.stringify(key))));
  await store.write(rows, textOf(lines));
  return { file, keys: keys.length };
}

export type { Cursor };
