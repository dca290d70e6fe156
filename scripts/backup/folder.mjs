import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Refusal } from "../setup/project.mjs";

/*
 * The folder of a backup:
 *
 *   backup.json                 the manifest: format, version of the schema, columns of each table, sums over everything
 *   workspaces/<id>.json        the slices of a workspace: table, range, count, sums, file. `directory.json` lists the slices of the directory
 *   rows/<id>/<file>.ndjson     the rows of a slice, each line a JSON array of the columns; a BLOB is hex
 *   rows/<id>/<file>.keys       the keys of the objects of these rows, each line a JSON text
 *   objects/<hash>              the bytes of an object, and its key and metadata in <hash>.json
 */

const FORMAT = 2;
/** The name of the slices that belong to no workspace. */
export const DIRECTORY = "directory";

const writePrivately = (path, text) => {
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
};

const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The lines of a file of one slice. Texts of JSON have no line feed, but may have other line ends. */
const linesOf = (path) => readFileSync(path, "utf8").split("\n").slice(0, -1);

/** Keys contain names that users choose, and can be longer than file names. */
const hashOf = (key) => createHash("sha256").update(key).digest("hex");

/** A backup in a folder. */
export class BackupFolder {
  constructor(path) {
    this.path = path;
  }

  #at(...parts) {
    return join(this.path, ...parts);
  }

  /** @throws Refusal if the folder has something else than a backup of this form */
  prepare() {
    if (existsSync(this.#at("database.sql")))
      throw new Refusal(`${this.path} has a backup of an earlier version. Choose a new folder.`);
    for (const name of ["workspaces", "rows", "objects"]) mkdirSync(this.#at(name), { recursive: true, mode: 0o700 });
  }

  /** The manifest. @throws Refusal if there is none, or one of another form */
  manifest() {
    const path = this.#at("backup.json");
    if (!existsSync(path)) throw new Refusal(`${this.path} has no complete backup: backup.json is missing.`);
    const manifest = readJson(path);
    if (manifest.format !== FORMAT)
      throw new Refusal(`${this.path} has a backup of another version of the service. Restore it with that version.`);
    return manifest;
  }

  finish(manifest) {
    writePrivately(this.#at("backup.json"), JSON.stringify({ format: FORMAT, ...manifest }, null, 1));
  }

  /** The ids whose slices are here, without the directory. */
  workspaces() {
    const names = readdirSync(this.#at("workspaces")).filter((name) => name.endsWith(".json"));
    return names.map((name) => name.slice(0, -".json".length)).filter((id) => id !== DIRECTORY);
  }

  /** What was read of a workspace; null if nothing was. */
  read(id) {
    const path = this.#at("workspaces", `${id}.json`);
    return existsSync(path) ? readJson(path) : null;
  }

  /** Keeps what was read of a workspace, and deletes files that it no longer names. */
  write(id, contents) {
    writePrivately(this.#at("workspaces", `${id}.json`), JSON.stringify(contents));
    const folder = this.#at("rows", id);
    if (!existsSync(folder)) return;
    const named = new Set(contents.slices.flatMap(({ kept }) => (kept.file === null ? [] : [kept.file])));
    for (const name of readdirSync(folder))
      if (!named.has(name.replace(/\.(?:ndjson|keys)$/, ""))) rmSync(join(folder, name));
  }

  /** Removes a workspace that does not exist any more. */
  forget(id) {
    rmSync(this.#at("workspaces", `${id}.json`), { force: true });
    rmSync(this.#at("rows", id), { recursive: true, force: true });
  }

  /** How slices of a workspace are kept. */
  keeper(id) {
    return async (table, lines, keys) => {
      if (lines.length === 0) return { file: null, keys: 0 };
      mkdirSync(this.#at("rows", id), { recursive: true, mode: 0o700 });
      const file = `${table.id}-${randomUUID()}`;
      const write = (ending, all) =>
        writeFileSync(this.#at("rows", id, file + ending), all.map((line) => `${line}\n`).join(""), { mode: 0o600 });
      write(".ndjson", lines);
      if (keys.length > 0)
        write(
          ".keys",
          keys.map((key) => JSON.stringify(key)),
        );
      return { file, keys: keys.length };
    };
  }

  /** The rows of a slice. @throws Refusal if a row is missing */
  rows(id, { table, rows, kept }) {
    if (kept.file === null) return [];
    const path = this.#at("rows", id, `${kept.file}.ndjson`);
    const lines = existsSync(path) ? linesOf(path) : [];
    if (lines.length !== rows) throw new Refusal(`${path} is incomplete: ${table} has ${rows} rows there.`);
    return lines;
  }

  /** The keys of the objects that the rows of these workspaces name. */
  *keys(ids) {
    for (const id of ids)
      for (const { kept } of this.read(id)?.slices ?? [])
        if (kept.keys > 0)
          for (const line of linesOf(this.#at("rows", id, `${kept.file}.keys`))) yield JSON.parse(line);
  }

  /** Where the bytes of an object are. */
  objectFile(key) {
    return this.#at("objects", hashOf(key));
  }

  /** The metadata of an object; null if it is not here. */
  object(key) {
    const path = `${this.objectFile(key)}.json`;
    return existsSync(path) ? readJson(path) : null;
  }

  writeObject(key, metadata) {
    writePrivately(`${this.objectFile(key)}.json`, JSON.stringify({ key, ...metadata }));
  }
}
