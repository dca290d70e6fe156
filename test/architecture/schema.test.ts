import { env } from "cloudflare:workers";
import { is } from "drizzle-orm";
import {
  getTableConfig,
  integer,
  type SQLiteColumnBuilderBase,
  SQLiteTable,
  sqliteTable,
  text,
} from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { sideOf } from "../../src/platform/db/sides";

const modules = import.meta.glob<Record<string, unknown>>("../../src/**/tables.ts", { eager: true });
const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });
const tables = Object.values(modules)
  .flatMap((module) => Object.values(module))
  .filter((value) => is(value, SQLiteTable));
const all = tables.map((table) => getTableConfig(table));
/** Views that are declared like tables, because drizzle reads them in the same way. SQLite knows only their names. */
const VIEWS: readonly string[] = ["camera_captures"];
const declared = all.filter(({ name }) => !VIEWS.includes(name));

/** Tables that drizzle does not know, with the reason. */
const UNDECLARED: readonly { table: RegExp; reason: string }[] = [
  { table: /^guards$/, reason: "never holds a row: a trigger undoes the batch that writes one" },
  {
    table: /^search_terms(_\w+)?$|^search_term_(instances|list)$/,
    reason: "virtual tables of FTS5, which drizzle has no form for",
  },
  { table: /^(d1_migrations|sqlite_sequence|_cf_\w+)$/, reason: "the platform's own" },
];

const query = async <T>(statement: string, ...parameters: string[]): Promise<T[]> =>
  (
    await env.DB.prepare(statement)
      .bind(...parameters)
      .all<T>()
  ).results;

const tableNames = async () =>
  (await query<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")).map(
    (t) => t.name,
  );

interface ColumnShape {
  name: string;
  type: string;
  required: boolean;
  key: boolean;
}

async function columnsInDatabase(table: string): Promise<ColumnShape[]> {
  const rows = await query<{ name: string; type: string; notnull: number; pk: number }>(
    'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) ORDER BY name',
    table,
  );
  return rows.map(({ name, type, notnull, pk }) => ({
    name,
    type: type.toLowerCase(),
    required: notnull === 1 || pk > 0,
    key: pk > 0,
  }));
}

function columnsDeclared({ columns, primaryKeys }: (typeof declared)[number]): ColumnShape[] {
  const composite = new Set(primaryKeys.flatMap((key) => key.columns.map((column) => column.name)));
  return columns
    .map((column) => {
      const key = column.primary || composite.has(column.name);
      return { name: column.name, type: column.getSQLType(), required: column.notNull || key, key };
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

test("the declared tables equal the tables of the migrations, column by column", async () => {
  expect(declared.length).toBeGreaterThan(15);
  for (const table of declared)
    expect({ [table.name]: columnsDeclared(table) }).toEqual({ [table.name]: await columnsInDatabase(table.name) });
});

test("the declared views have the columns of the migrations", async () => {
  const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name).sort();
  for (const view of all.filter(({ name }) => VIEWS.includes(name)))
    expect({ [view.name]: names(view.columns) }).toEqual({ [view.name]: names(await columnsInDatabase(view.name)) });
});

test("defaults that drizzle writes are the database's own", async () => {
  for (const { name, columns } of declared) {
    const inDatabase = await query<{ name: string; dflt_value: string | null }>(
      "SELECT name, dflt_value FROM pragma_table_info(?)",
      name,
    );
    for (const column of columns.filter((c) => c.default !== undefined)) {
      const text = inDatabase.find((c) => c.name === column.name)?.dflt_value ?? "none";
      const expected = typeof column.default === "string" ? `'${column.default}'` : String(Number(column.default));
      expect([name, column.name, text]).toEqual([name, column.name, expected]);
    }
  }
});

async function undeclared(): Promise<string[]> {
  const names = new Set(declared.map((table) => table.name));
  return (await tableNames()).filter((name) => !names.has(name) && !UNDECLARED.some(({ table }) => table.test(name)));
}

test("every table is declared, or known by name", async () => {
  expect(await undeclared()).toEqual([]);
});

test("every table is in the directory, in a workspace database, or in both", () => {
  const without = tables.filter((table) => sideOf(table) === null).map((table) => getTableConfig(table).name);
  expect(without).toEqual([]);
});

/**
 * First columns of the table's indexes and of its primary key; a partial index counts where it holds all rows that can
 * match.
 */
async function ledBy(table: string): Promise<Set<string>> {
  const rows = await query<{ column: string; partial: number; sql: string | null }>(
    `SELECT i.name AS "column", l.partial AS partial, m.sql AS sql FROM pragma_index_list(?1) AS l
     JOIN pragma_index_info(l.name) AS i ON i.seqno = 0 LEFT JOIN sqlite_master AS m ON m.name = l.name`,
    table,
  );
  const usable = rows.filter(
    ({ partial, column, sql }) => partial === 0 || sql?.endsWith(`WHERE ${column} IS NOT NULL`),
  );
  return new Set(usable.map(({ column }) => column));
}

/** Foreign keys of a table that no index leads, so that a deletion of the parent reads the whole table. */
async function unindexedKeys(table: string): Promise<string[]> {
  const foreign = await query<{ from: string }>('SELECT "from" FROM pragma_foreign_key_list(?)', table);
  const led = await ledBy(table);
  return foreign.filter((key) => !led.has(key.from)).map(({ from }) => `${table}.${from}`);
}

test("every foreign key has an index for deletions of its parent", async () => {
  const missing = await Promise.all(declared.map(({ name }) => unindexedKeys(name)));
  expect(missing.flat()).toEqual([]);
});

test("a seeded table breaks each rule: another column, no declaration, a foreign key without an index", async () => {
  await env.DB.exec("CREATE TABLE seeded (id TEXT PRIMARY KEY NOT NULL, cluster_id TEXT REFERENCES clusters(id))");
  try {
    const inDatabase = await columnsInDatabase("seeded");
    const id = text().primaryKey();
    const same = { id, clusterId: text("cluster_id") };
    const shapeOf = (columns: Record<string, SQLiteColumnBuilderBase>) =>
      columnsDeclared(getTableConfig(sqliteTable("seeded", columns)));
    expect(shapeOf(same)).toEqual(inDatabase);
    expect(shapeOf({ id })).not.toEqual(inDatabase);
    expect(shapeOf({ ...same, name: text() })).not.toEqual(inDatabase);
    expect(shapeOf({ id, clusterId: integer("cluster_id") })).not.toEqual(inDatabase);
    expect(shapeOf({ id, clusterId: text("cluster_id").notNull() })).not.toEqual(inDatabase);
    expect(await undeclared()).toEqual(["seeded"]);
    expect(await unindexedKeys("seeded")).toEqual(["seeded.cluster_id"]);
    expect(sideOf(sqliteTable("seeded", same))).toBeNull();
  } finally {
    await env.DB.exec("DROP TABLE seeded");
  }
});

test("an account is deleted in one place", () => {
  const deletions = Object.entries(sources).filter(([, text]) => /\.delete\(users\)|DELETE FROM "?users\b/i.test(text));
  expect(deletions.map(([path]) => path)).toEqual(["../../src/access/people.ts"]);
});
