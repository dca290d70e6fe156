import { readdirSync } from "node:fs";
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

/** Reads a state with a function, and closes it. */
export function readState<T>(state: string, read: (database: DatabaseSync) => T, of?: Store): T {
  const database = openState(state, { readOnly: true }, of);
  try {
    return read(database);
  } finally {
    database.close();
  }
}
