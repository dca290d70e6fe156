import { env } from "cloudflare:workers";

/**
 * Copies a row `count` times in one statement, so that a test reaches a maximum of thousands at once. The copies differ
 * in their ids.
 * @param differing SQL expressions of other columns that must differ; `i` is the number of the copy, from 1
 */
export async function copyRow(
  table: string,
  id: string,
  count: number,
  differing: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{ name: string }>();
  const values: Readonly<Record<string, string>> = { id: "printf('%08x', i) || substr(id, 9)", ...differing };
  const names = results.map(({ name }) => name);
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
     INSERT INTO ${table} (${names.join(", ")}) SELECT ${names.map((name) => values[name] ?? name).join(", ")}
     FROM n, ${table} WHERE id = ?1 AND ?2 > 0`,
  )
    .bind(id, count)
    .run();
}
