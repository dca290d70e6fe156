import { env } from "cloudflare:workers";

/** The tables with a row that contains one of these texts in any column. A text in a table of the search index is not found. */
export async function tablesWith(...texts: readonly string[]): Promise<string[]> {
  const { results: tables } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '_cf%' AND name NOT LIKE 'd1_%' AND sql NOT LIKE 'CREATE VIRTUAL%'",
  ).all<{ name: string }>();
  const found: string[] = [];
  for (const { name } of tables) {
    const { results: columns } = await env.DB.prepare(`SELECT name FROM pragma_table_info('${name}')`).all<{
      name: string;
    }>();
    const any = texts.map((text) =>
      columns.map((column) => `instr(CAST("${column.name}" AS TEXT), '${text}') > 0`).join(" OR "),
    );
    const row = await env.DB.prepare(`SELECT 1 FROM "${name}" WHERE ${any.join(" OR ")} LIMIT 1`).first();
    if (row !== null) found.push(name);
  }
  return found.sort();
}
