import { createHash, createHmac } from "node:crypto";
import { copyFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A local store of the service below its state folder. */
type Store = "D1Database" | "R2Bucket";

/** Opens the database of a store, which a running service may have open too. @param state the state folder of the service */
export function openState(
  state: string,
  options: { readOnly?: boolean; timeout?: number } = {},
  of: Store = "D1Database",
): DatabaseSync {
  const folder = join(state, `v3/${of.slice(0, 2).toLowerCase()}/miniflare-${of}Object`);
  const file = readdirSync(folder).find((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite") ?? "";
  return new DatabaseSync(join(folder, file), options);
}

/** The key of the local databases in the names of their files. */
const UNIQUE_KEY = "miniflare-D1DatabaseObject";

/** The name of the file of a database: the id of a Durable Object with the name of its binding. */
function fileOf(binding: string): string {
  const key = createHash("sha256").update(UNIQUE_KEY).digest();
  const signed = (data: string | Buffer) => createHmac("sha256", key).update(data).digest();
  const name = signed(binding).subarray(0, 16);
  return `${Buffer.concat([name, signed(name).subarray(0, 16)]).toString("hex")}.sqlite`;
}

/** Gives each of these bindings a copy of the first one's database, which takes less time than its migrations. */
export function copyDatabase(state: string, [first = "", ...others]: readonly string[]): void {
  const folder = join(state, `v3/d1/${UNIQUE_KEY}`);
  const from = join(folder, fileOf(first));
  if (!existsSync(from)) throw new Error("the local database has another file name now");
  // What is not in the file yet is in the log beside it.
  for (const part of ["", "-wal", "-shm"])
    for (const binding of others)
      if (existsSync(from + part)) copyFileSync(from + part, join(folder, fileOf(binding) + part));
}

/** Reads a state with a function, and closes it. */
export function readState<T>(state: string, read: (database: DatabaseSync) => T, of?: Store): T {
  const database = openState(state, { readOnly: true }, of);
  try {
    return read(database);
  } finally {
    database.close();
  }
}
