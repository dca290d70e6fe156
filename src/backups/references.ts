import type { Carried } from "../platform/db/carry/declare";
import { BackupError, type Contents } from "./format";
import { databasesOf, directoryOf } from "./places";
import { hasOwnId, IDS, type Restoring, run, slicesIn } from "./restoring";

/** Tables whose rows only tell what happened, also elsewhere. */
const TELLING = new Set(["audit_entries", "notification_events", "notifications"]);

/**
 * Refuses rows of an export that refer to rows of another workspace of this installation: nobody can say who wrote the file.
 * People are no such rows.
 * @param workspace the id of the workspace that arrives
 * @throws BackupError before anything is written
 */
export async function refuseForeignReferences(
  restoring: Restoring,
  tables: readonly Carried[],
  contents: Contents,
  workspace: string,
): Promise<void> {
  const { store } = restoring;
  const [directory, databases] = [directoryOf(restoring), [...databasesOf(restoring).values()]];
  const own = new Set([workspace]);
  const withIds = tables.filter(hasOwnId);
  const rowsOf = slicesIn(store, contents);
  for (const table of [...withIds, ...tables.filter(({ name }) => name === "people")]) {
    const at = table.columns.findIndex(({ name }) => name === "id");
    for await (const lines of rowsOf(table))
      for (const line of lines) own.add((JSON.parse(line) as string[])[at] ?? "");
  }
  const names = [...new Set(withIds.map(({ name }) => name))];
  const selects = ["SELECT workspace_id AS id FROM residents WHERE workspace_id IN (SELECT value FROM given)"].concat(
    names.map((name) => `SELECT id FROM ${name} WHERE id IN (SELECT value FROM given)`),
  );
  for (const table of tables.filter(({ name }) => !TELLING.has(name)))
    for await (const lines of rowsOf(table)) {
      const foreign = new Set(lines.flatMap((line) => line.match(IDS) ?? []).filter((id) => !own.has(id)));
      if (foreign.size === 0) continue;
      const users = "SELECT id FROM users WHERE id IN (SELECT value FROM json_each(?1))";
      for (const { id } of await run<{ id: string }>(directory, users, [JSON.stringify([...foreign])]))
        foreign.delete(id);
      for (const database of databases) {
        const found = await firstOf(database, selects, JSON.stringify([...foreign]));
        if (found !== undefined)
          throw new BackupError(
            `A row of ${table.name} refers to ${found.id}, which belongs to another workspace here. Nothing was imported.`,
          );
      }
    }
}

/** Terms of a compound SELECT: D1 takes few. */
const TERMS = 5;

async function firstOf(database: Restoring["database"], selects: readonly string[], given: string) {
  for (let at = 0; at < selects.length; at += TERMS) {
    const [found] = await run<{ id: string }>(
      database,
      `WITH given AS MATERIALIZED (SELECT value FROM json_each(?1)) ${selects.slice(at, at + TERMS).join(" UNION ALL ")} LIMIT 1`,
      [given],
    );
    if (found !== undefined) return found;
  }
  return undefined;
}
