import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../setup/project.mjs";
import { withFolder } from "./freeze.mjs";
import { openFile } from "./local.mjs";
import { folderStore } from "./store.mjs";
import { withZip } from "./zip.mjs";

/*
 * An export for people (src/exports) as a backup of one workspace. Its rows are written into an empty database in a temporary folder,
 * which refuses what no service writes; then that database is backed up. The bytes of files stay in the ZIP.
 */

const FORMAT = "workspace-export/1";
const MAX_JSON_BYTES = 4 * 1024 * 1024;
/** Lines that one batch writes. */
const LINES = 200;
/** Triggers count what is written. */
const COUNTED = ["location_storage", "storage_usage"];
/** The rows of these tables are about files that an export does not have. */
const WITHOUT_FILES = ["branding_assets", "report_images"];
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether the word names an export, and not a place of backups. */
export const isExport = (word) => /\.zip$/i.test(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;

/** What the export says about itself. */
async function readManifest(zip, carry) {
  const json = async (name) => {
    const member = zip.members.get(name);
    if (member === undefined) return zip.refuse(`${name} is missing.`);
    try {
      return JSON.parse(await zip.text(member, MAX_JSON_BYTES));
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return zip.refuse(`${name} is not JSON.`);
      throw thrown;
    }
  };
  const manifest = await json("export.json");
  const { format, organizationId, schemaVersion, rows, files } = manifest ?? {};
  if (format !== FORMAT) zip.refuse(`its format is not ${FORMAT}.`);
  if (organizationId === null) zip.refuse("it has the data of a person. Only an organization can be imported.");
  if (!ID.test(organizationId)) zip.refuse("the organization has no id.");
  if (!/^\d{4}_[a-z_]+\.sql$/.test(schemaVersion)) zip.refuse("the version of its schema is missing.");
  if (schemaVersion > carry.SCHEMA_VERSION)
    zip.refuse(`its schema is ${schemaVersion}, and this version of the service has ${carry.SCHEMA_VERSION}.`);
  const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
  if (rows === null || typeof rows !== "object" || !Object.values(rows).every(isCount) || !isCount(files))
    zip.refuse("the counts in export.json are missing.");
  const definitions = (await json("data/schema.json"))?.$defs;
  if (definitions === null || typeof definitions !== "object") zip.refuse("data/schema.json has no tables.");
  const columns = new Map(
    Object.entries(definitions).map(([table, { properties } = {}]) => [table, Object.keys(properties ?? {})]),
  );
  return { organizationId, counts: new Map(Object.entries(rows)), files, columns };
}

/** The tables of the export with the columns that it has, and with its secrets, which get other values. */
function tablesOf(zip, carry, { columns, counts }) {
  const exported = new Map(carry.EXPORTED.workspace.map((table) => [table.id, table]));
  for (const name of [...columns.keys(), ...counts.keys()])
    if (!exported.has(name)) zip.refuse(`this version does not know the table ${name}.`);
  return carry.OF_WORKSPACE.flatMap((table) => {
    const names = columns.get(table.id);
    if (names === undefined) return [];
    const known = new Set(exported.get(table.id).columns.map(({ name }) => name));
    const unknown = names.find((name) => !known.has(name));
    if (unknown !== undefined) zip.refuse(`this version does not know ${table.id}.${unknown}.`);
    const given = new Set(names);
    const isSecret = ({ name, isNullable }) => table.secrets.includes(name) && !isNullable;
    return [{ ...table, columns: table.columns.filter((column) => given.has(column.name) || isSecret(column)) }];
  });
}

const isOfType = ({ type }, value) => {
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "real") return typeof value === "number";
  return typeof value === "string" && (type !== "blob" || /^(?:[0-9A-F]{2})*$/i.test(value));
};

/** A line of the export as the carried form of its row. */
function rowOf(zip, table, line) {
  let row;
  try {
    row = JSON.parse(line);
  } catch {
    return zip.refuse(`a line of data/${table.id} is not JSON.`);
  }
  if (row === null || typeof row !== "object" || Array.isArray(row))
    return zip.refuse(`a line of data/${table.id} is no object.`);
  const open = table.columns.filter(({ name }) => !table.secrets.includes(name));
  if (Object.keys(row).length !== open.length || open.some(({ name }) => !Object.hasOwn(row, name)))
    return zip.refuse(`a row of data/${table.id} has other columns than data/schema.json says.`);
  const values = table.columns.map((column) => {
    const { name, isNullable, isJson } = column;
    // What the export leaves out opens nothing here.
    if (table.secrets.includes(name)) return randomBytes(32).toString("hex");
    const value = row[name];
    if (isJson) return value === null && isNullable ? null : JSON.stringify(value);
    if (value === null ? !isNullable : !isOfType(column, value))
      return zip.refuse(`a row of data/${table.id} has a value of another type in ${name}.`);
    return value;
  });
  return JSON.stringify(values);
}

/** The rows of a table, some at a time. */
async function* rowsOf(zip, table, counts) {
  let [rows, lines] = [0, []];
  for (let file = 1; ; file++) {
    const member = zip.members.get(`data/${table.id}${file === 1 ? "" : `.${file}`}.ndjson`);
    if (member === undefined) break;
    for await (const line of zip.lines(member)) {
      lines.push(rowOf(zip, table, line));
      rows += 1;
      if (lines.length < LINES) continue;
      yield lines;
      lines = [];
    }
  }
  if (lines.length > 0) yield lines;
  const expected = counts.get(table.id) ?? 0;
  if (rows !== expected) zip.refuse(`data/${table.id} has ${rows} rows, and export.json says ${expected}.`);
}

/** The files of the folders by SHA-256. */
async function readFiles(zip, { files }) {
  const bySum = new Map();
  let count = 0;
  for (const member of zip.members.values()) {
    if (!/^(?:documents|versions|images)\//.test(member.name)) continue;
    const hash = createHash("sha256");
    for await (const piece of zip.pieces(member)) hash.update(piece);
    bySum.set(hash.digest("hex"), member);
    count += 1;
  }
  if (count !== files) zip.refuse(`it has ${count} files, and export.json says ${files}.`);
  return bySum;
}

const execute = (database, sql, params = []) => database.batch([{ sql, params }]).then(([rows]) => rows);

/** Writes the rows into the empty database. @throws Refusal for rows that this service cannot have written */
async function fill(zip, carry, database, manifest, tables) {
  const { organizationId, counts } = manifest;
  const used = tables.filter(({ name }) => !COUNTED.includes(name));
  const people = used.find(({ id }) => id === "people");
  await execute(database, "INSERT INTO residents (workspace_id, state) VALUES (?1, 'here')", [organizationId]);
  await execute(database, "INSERT INTO workspaces (id, number, database) VALUES (?1, CAST(?2 AS INTEGER), 'first')", [
    organizationId,
    carry.numberOf(organizationId),
  ]);
  try {
    await carry.carryIn(database, used, (table) =>
      // Tables that are written again are counted once.
      rowsOf(zip, table, counts),
    );
    if (people !== undefined)
      await execute(
        database,
        `INSERT INTO users (id, email, email_verified_at, display_name, named_at, created_at)
         SELECT id, email, 1, display_name, named_at, 1 FROM people`,
      );
  } catch (thrown) {
    if (thrown?.code === "ERR_SQLITE_ERROR")
      return zip.refuse(`a row breaks a rule of the database: ${thrown.message}.`);
    throw thrown;
  }
  for (const [name, parts] of Map.groupBy(used, (table) => table.name)) {
    const [sums, [{ all }]] = [
      carry.readSums(await database.batch(parts.map((table) => carry.sumStatement(table, organizationId)))),
      await execute(database, `SELECT count(*) AS "all" FROM ${name}`),
    ];
    const own = sums.reduce((total, { rows }) => total + rows, 0);
    const given = parts.reduce((total, { id }) => total + (counts.get(id) ?? 0), 0);
    const isAdded = parts.some(({ written }) => written === "after");
    if (own !== all || (isAdded ? own < given : own !== given))
      zip.refuse(`${name} has rows of another workspace, or a row twice.`);
  }
  const [found] = await execute(database, "SELECT count(*) AS count FROM organizations");
  if (found.count !== 1) zip.refuse("the row of the organization is missing.");
}

/** Prepares the rows for the files that are there. */
async function fitToFiles(zip, database, organizationId, files) {
  const run = (sql, ...params) => execute(database, sql, params);
  const [bad] = await run(
    `SELECT object_key AS "key" FROM document_versions WHERE substr(object_key, 1, length(?1) + 1) <> ?1 || '/' LIMIT 1`,
    organizationId,
  );
  if (bad !== undefined) zip.refuse(`the key ${bad.key} is of another workspace.`);
  await run("CREATE TABLE imported_files (sum TEXT PRIMARY KEY, size INTEGER NOT NULL)");
  const known = [...files].map(([sum, { size }]) => [sum, size]);
  for (let at = 0; at < known.length; at += 1_000)
    await run(
      "INSERT INTO imported_files SELECT value ->> 0, value ->> 1 FROM json_each(?1)",
      JSON.stringify(known.slice(at, at + 1_000)),
    );
  const [wrong] = await run(
    `SELECT file_name AS name FROM document_versions AS v JOIN imported_files AS f ON f.sum = v.checksum_sha256 WHERE f.size <> v.size_bytes LIMIT 1`,
  );
  if (wrong !== undefined) zip.refuse(`${wrong.name} has another size.`);
  for (const table of WITHOUT_FILES) await run(`DELETE FROM ${table}`);
  await run("UPDATE document_versions SET derivative_status = 'none', small_key = NULL, medium_key = NULL");
  await run("UPDATE recognized_pages SET object_key = NULL");
  // Images that were not chosen, rejected ones and unfinished uploads.
  await run(
    `DELETE FROM camera_frames WHERE status <> 'completed' OR deleted_at IS NOT NULL
      OR lower(hex(checksum)) NOT IN (SELECT sum FROM imported_files)`,
  );
  await run(
    `INSERT INTO stored_objects (key, tenant_id, charged_bytes, created_at)
      SELECT v.object_key, d.tenant_id, v.size_bytes, v.created_at FROM document_versions AS v JOIN documents AS d ON d.id = v.document_id`,
  );
  // The triggers of this change count the bytes.
  await run(
    `UPDATE stored_objects SET (location_id, in_trash) = (SELECT d.location_id, d.deleted_at IS NOT NULL
      FROM document_versions AS v JOIN documents AS d ON d.id = v.document_id WHERE v.object_key = stored_objects.key)`,
  );
  await run(
    "CREATE TABLE imported_frames AS SELECT lower(hex(operation)) AS operation, lower(hex(checksum)) AS sum FROM camera_frames",
  );
  await run("CREATE INDEX imported_frames_by_operation ON imported_frames (operation)");
}

/** The bytes of an object by its key; undefined if the ZIP does not have them. */
async function fileOf(database, files, key) {
  const operation = /^captures\/[^/]+\/[^/]+\/([^/]+)\//.exec(key)?.[1]?.replaceAll("-", "");
  const [found] = await (operation === undefined
    ? execute(
        database,
        "SELECT checksum_sha256 AS sum, content_type AS type FROM document_versions WHERE object_key = ?1",
        [key],
      )
    : execute(database, "SELECT sum, 'image/jpeg' AS type FROM imported_frames WHERE operation = ?1", [operation]));
  const member = found && files.get(found.sum);
  return member && { member, sum: found.sum, type: found.type };
}

/**
 * Opens an export as a backup while `work` runs. Everything is checked before.
 * @param {string} path of the ZIP
 * @param carry what `loadCarry` gives
 * @param {(backup: { store: object, manifest: object, id: string }) => Promise<T>} work
 * @template T
 * @throws Refusal for a ZIP that this service has not written, or that was changed
 */
export const withExport = (path, carry, work) =>
  withZip(path, (zip) =>
    withFolder(async (folder) => {
      const exported = await readManifest(zip, carry);
      const tables = tablesOf(zip, carry, exported);
      const files = await readFiles(zip, exported);
      const migrations = join(ROOT, "migrations");
      const names = readdirSync(migrations).filter((name) => name.endsWith(".sql"));
      const schema = names.sort().map((name) => readFileSync(join(migrations, name), "utf8"));
      const database = await openFile(join(folder, "rows.sqlite"), { schema });
      try {
        await fill(zip, carry, database, exported, tables);
        await fitToFiles(zip, database, exported.organizationId, files);
        const place = join(folder, "backup");
        mkdirSync(place);
        const members = new Map();
        const store = {
          ...folderStore(place, null),
          copyObject: async (key, name) => {
            const found = await fileOf(database, files, key);
            if (found === undefined) return null;
            members.set(name, found.member);
            const properties = { sizeBytes: found.member.size, sha256: found.sum, customMetadata: {} };
            return { ...properties, httpMetadata: { contentType: found.type } };
          },
          withBytes: (name, run) => {
            const member = members.get(name);
            return run({
              name: member.name,
              size: member.size,
              read: async (offset, length) => new Uint8Array(await zip.read(member, offset, length)),
            });
          },
        };
        const from = { name: "first", source: database };
        const given = {
          ...{ store, tables: { workspace: carry.OF_WORKSPACE, service: carry.OF_SERVICE } },
          ...{ schema: carry.SCHEMA_VERSION, databases: [from], directory: from },
          ...{ mayContinue: () => true, now: Date.now() },
        };
        const manifest = await carry.takeBackup(given, await carry.beginBackup(given));
        return await work({ store, manifest, id: exported.organizationId });
      } finally {
        database.close();
      }
    }),
  );
