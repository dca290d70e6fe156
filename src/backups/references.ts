import type { Carried } from "../platform/db/carry/declare";
import { BackupError, type Contents } from "./format";
import { hasOwnId, IDS, type Restoring, run, slicesIn } from "./restore";

/** Tables whose rows only tell what happened, also elsewhere. */
const TELLING = new Set(["audit_entries", "notification_events", "notifications"]);

/**
 * Refuses rows of an export that refer to rows of another workspace of this installation: nobody can say who wrote the file.
 * People are no such rows.
 * @param workspace the id of the workspace that arrives
 * @throws BackupError before anything is written
 */
export async function refuseForeignReferences(
  { store, database }: Restoring,
  tables: readonly Carried[],
  contents: Contents,
  workspace: string,
): Promise<void> {
  const own = new Set([workspace]);
  const withIds = tables.filter(hasOwnId);
  const rowsOf = slicesIn(store, contents);
  for (const table of [...withIds, ...tables.filter(({ name }) => name === "people")]) {
    const at = table.columns.findIndex(({ name }) => name === "id");
    for await (const lines of rowsOf(table))
      for (const line of lines) own.add((JSON.parse(line) as string[])[at] ?? "");
  }
  const names = [...new Set(withIds.map(({ name }) => name))];
  const known = names.map((name) => `SELECT '${name}' AS name, id FROM ${name} WHERE id IN (SELECT value FROM given)`);
  for (const table of tables.filter(({ name }) => !TELLING.has(name)))
    for await (const lines of rowsOf(table)) {
      const foreign = new Set(lines.flatMap((line) => line.match(IDS) ?? []).filter((id) => !own.has(id)));
      if (foreign.size === 0) continue;
      const given = JSON.stringify([...foreign]);
      const residents =
        "SELECT 'residents' AS name, workspace_id AS id FROM residents WHERE workspace_id IN (SELECT value FROM given)";
      const [organization] = await run<{ id: string }>(
        database,
        `WITH given AS MATERIALIZED (SELECT value FROM json_each(?1))
          SELECT id FROM (${residents}) WHERE NOT EXISTS (SELECT 1 FROM users WHERE users.id = id) LIMIT 1`,
        [given],
      );
      const found = organization ?? (await firstOf(database, known, given));
      if (found !== undefined)
        throw new BackupError(
          `A row of ${table.name} refers to ${found.id}, which belongs to another workspace here. Nothing was imported.`,
        );
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
