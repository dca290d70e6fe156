import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { eachOf, withBucket } from "./bucket.mjs";
import { loadCarry } from "./carry.mjs";
import { runCommand } from "./command.mjs";
import { openDatabase } from "./database.mjs";
import { BackupFolder, DIRECTORY } from "./folder.mjs";
import { withFrozenBucket } from "./freeze.mjs";

/** Workspaces of one question. */
const PAGE = 1_000;
/** Bytes of an object in memory. */
const PIECE_BYTES = 8 * 1024 * 1024;

/**
 * Every workspace of the database, also a deleted one: its audit trail and its objects may stay for some time.
 * @yields {{ id: string, isResident: number }}
 */
async function* workspacesOf(database) {
  for (let after = ""; ; ) {
    const [page] = await database.batch([
      {
        sql: `SELECT id, EXISTS (SELECT 1 FROM residents WHERE workspace_id = id) AS isResident
          FROM (SELECT workspace_id AS id FROM residents WHERE workspace_id > ?1
            UNION SELECT id FROM workspaces WHERE id > ?1 ORDER BY 1 LIMIT ${PAGE})`,
        params: [after],
      },
    ]);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1).id;
  }
}

const add = (total, { rows }) => total + rows;

/** Reads the slices of a workspace, or of the directory. Slices that did not change since the last backup stay. */
async function readWorkspace({ database, folder, carry }, id, more = {}) {
  const isDirectory = id === DIRECTORY;
  const last = folder.read(id);
  const reading = {
    tables: isDirectory ? carry.OF_SERVICE : carry.OF_WORKSPACE,
    workspace: isDirectory ? null : id,
    keep: folder.keeper(id),
    ...(last?.schema === carry.SCHEMA_VERSION && { previous: last.slices }),
  };
  const withFence = () =>
    carry.carryOut({
      ...reading,
      source: database,
      ...(!isDirectory && { fence: new carry.Fence(database, id) }),
    });
  // A local file gives its readers one state for as long as they want it.
  const read = database.readAtOneMoment ?? withFence;
  const { parts: slices } = await read((source) => carry.carryOut({ ...reading, source }));
  folder.write(id, {
    workspace: isDirectory ? null : id,
    ...more,
    schema: carry.SCHEMA_VERSION,
    takenAtUtc: new Date().toISOString(),
    slices,
  });
  return slices.reduce(add, 0);
}

/** Copies an object unless the folder has it, because a key never gets other bytes. @returns whether the folder has it */
async function copyObject(bucket, folder, key) {
  if (folder.object(key) !== null) return true;
  const head = await bucket.head(key);
  if (head === null) return false;
  const file = folder.objectFile(key);
  writeFileSync(`${file}.part`, "", { mode: 0o600 });
  for (let offset = 0; offset < head.size; offset += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, head.size - offset);
    const piece = await bucket.get(key, { range: { offset, length } });
    if (piece === null) return false;
    appendFileSync(`${file}.part`, Buffer.from(await piece.arrayBuffer()));
  }
  renameSync(`${file}.part`, file);
  const { sha256 } = head.checksums.toJSON();
  folder.writeObject(key, {
    sizeBytes: head.size,
    httpMetadata: { ...head.httpMetadata },
    customMetadata: { ...head.customMetadata },
    ...(sha256 !== undefined && { sha256 }),
  });
  return true;
}

/** Columns by table, so that a later version of the service can read the rows. */
const columnsOf = (carry) =>
  Object.fromEntries(
    [...carry.OF_WORKSPACE, ...carry.OF_SERVICE].map(({ id, columns }) => [id, columns.map(({ name }) => name)]),
  );

/**
 * Reads the rows of each workspace as they are at one moment, then the directory, then the objects that the rows name. The service can
 * run meanwhile: a resource that is deleted in between keeps its bytes for the recovery window.
 */
export async function backup(path, target) {
  const folder = new BackupFolder(path);
  folder.prepare();
  const carry = await loadCarry();
  const startedAtUtc = new Date().toISOString();
  const database = await openDatabase(target, { readOnly: true });
  const there = new Set();
  let rows = 0;
  try {
    for await (const { id, isResident } of workspacesOf(database)) {
      rows += await readWorkspace({ database, folder, carry }, id, { isResident: isResident === 1 });
      there.add(id);
    }
    // After the workspaces: an account that is too new is harmless, a member without an account is not.
    rows += await readWorkspace({ database, folder, carry }, DIRECTORY);
  } finally {
    database.close();
  }
  for (const id of folder.workspaces()) if (!there.has(id)) folder.forget(id);
  const missing = [];
  let objects = 0;
  await withFrozenBucket(target, (frozen) =>
    withBucket(frozen, (bucket) =>
      eachOf(folder.keys(there), async (key) => {
        if (await copyObject(bucket, folder, key)) objects += 1;
        else missing.push(key);
      }),
    ),
  );
  const takenAtUtc = new Date().toISOString();
  const sums = { workspaces: there.size, rows, objects };
  folder.finish({
    schema: carry.SCHEMA_VERSION,
    startedAtUtc,
    takenAtUtc,
    columns: columnsOf(carry),
    ...sums,
    missing,
  });
  console.log(
    `${path} contains ${there.size} workspaces with ${rows} rows and ${objects} objects, of ${startedAtUtc} or later.`,
  );
  if (missing.length > 0)
    console.log(`${missing.length} objects of the database are not in the bucket; backup.json lists them.`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("backup", backup);
