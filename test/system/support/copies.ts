import { openState } from "./state";

/**
 * Writes copies of a row into the state of a running service. Their ids are the id of the row with another end, so they are as
 * new as the row.
 * @param set the other values as SQL, in which `n` is the number of the copy, from 1
 */
export function copyRow(
  state: string,
  table: "locations" | "documents" | "document_versions",
  id: string,
  count: number,
  set: Readonly<Record<string, string>>,
): void {
  const database = openState(state, { timeout: 30_000 });
  try {
    const key = table === "document_versions" ? "document_id" : "id";
    const columns = database.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[];
    const sqlOf = (name: string) =>
      name === key ? `substr(row.${key}, 1, 24) || printf('%012x', n)` : (set[name] ?? `row."${name}"`);
    const names = columns.map(({ name }) => name);
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(", ")})
         SELECT ${names.map(sqlOf).join(", ")} FROM ${table} AS row CROSS JOIN numbers WHERE row.${key} = ?`,
      )
      .run(count, id);
  } finally {
    database.close();
  }
}
