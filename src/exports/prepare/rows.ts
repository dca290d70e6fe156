import type { Context } from "../../platform/context";
import type { Carried } from "../../platform/db/carry/declare";
import { asStatement, type PageRow, pageStatement } from "../../platform/db/carry/statements";
import { type AnyDatabase, rowsOf, runBatch } from "../../platform/db/database";
import { MAX_ROWS_FILE_BYTES } from "../limits";
import type { Place, PlaceOf } from "./state";
import type { Writer } from "./writer";

/** The tables of exports: of every workspace, and in addition of the owner of a personal one. */
export interface ExportedTables {
  workspace: readonly Carried[];
  person: { directory: readonly Carried[]; workspace: readonly Carried[] };
}

interface ExportedTable {
  table: Carried;
  database: AnyDatabase;
}

/** The tables of an export in their order. What a person has in organizations is in every database: one after the other. */
export function tablesOf(
  { workspace, directory, databases }: Pick<Context, "workspace" | "directory" | "databases">,
  tables: ExportedTables,
  isPersonal: boolean,
): ExportedTable[] {
  const own = tables.workspace.map((table) => ({ table, database: workspace as AnyDatabase }));
  if (!isPersonal) return own;
  return [
    ...own,
    ...tables.person.directory.map((table) => ({ table, database: directory as AnyDatabase })),
    ...tables.person.workspace.flatMap((table) =>
      databases.names.map((name) => ({ table, database: databases.open(name) as AnyDatabase })),
    ),
  ];
}

/** A row as a JSON object by the names of its columns. Columns of JSON are values. */
export function rowOf({ columns }: Carried, line: string): string {
  const values = JSON.parse(line) as (string | number | null)[];
  const fields = columns.map(({ name, isJson }, n) => [name, isJson ? parsed(values[n] ?? null) : (values[n] ?? null)]);
  return JSON.stringify(Object.fromEntries(fields));
}

function parsed(value: string | number | null): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

const fileOf = ({ id }: Carried, file: number): string => `data/${id}${file === 1 ? "" : `.${file}`}.ndjson`;

/** Adds the next rows of a table. An empty table has no file, and a large one has several. */
export async function addRows(
  writer: Writer,
  tables: readonly ExportedTable[],
  from: PlaceOf<"rows">,
  counts: Readonly<Record<string, number>>,
): Promise<{ place: Place; rows: Record<string, number> }> {
  const { row } = writer;
  const found = tables[from.table];
  if (found === undefined) return { place: { step: "index", page: 0, list: "", folder: "" }, rows: { ...counts } };
  const { table, database } = found;
  const asked = pageStatement(table, row.tenantId, { after: from.after, to: null });
  const [result] = await runBatch(database, [asStatement(asked)]);
  const page = rowsOf<PageRow>(result);
  if (page.length > 0 && writer.isClosed) writer.begin(fileOf(table, from.file));
  writer.write(page.map(({ line }) => `${rowOf(table, line)}\n`).join(""));
  const last = page.at(-1);
  const count = from.rows + page.length;
  if (last === undefined || page.length < table.slice) {
    if (tables[from.table + 1]?.table.id === table.id)
      return { place: { ...from, table: from.table + 1, after: null, rows: count }, rows: { ...counts } };
    writer.end();
    return {
      place: { step: "rows", table: from.table + 1, after: null, rows: 0, file: 1 },
      rows: { ...counts, [table.id]: count },
    };
  }
  const isLong = writer.openBytes >= MAX_ROWS_FILE_BYTES;
  if (isLong) writer.end();
  const after = table.key.map((_, n) => last[`k${n}`] ?? "");
  return { place: { ...from, after, rows: count, file: from.file + (isLong ? 1 : 0) }, rows: { ...counts } };
}

const JSON_TYPES = { integer: "integer", real: "number", text: "string", blob: "string" } as const;

/** The JSON Schema (2020-12) of the lines of each file with rows. */
export const schemaOf = (tables: readonly ExportedTable[]): string =>
  `${JSON.stringify(
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      description:
        "Each line of data/NAME.ndjson is one object of $defs/NAME. Times are milliseconds since 1970-01-01 UTC, bytes are hexadecimal.",
      $defs: Object.fromEntries(
        tables.map(({ table }) => [
          table.id,
          {
            type: "object",
            additionalProperties: false,
            required: table.columns.map(({ name }) => name),
            properties: Object.fromEntries(
              table.columns.map(({ name, type, isNullable, isJson }) => [
                name,
                isJson ? {} : { type: isNullable ? [JSON_TYPES[type], "null"] : JSON_TYPES[type] },
              ]),
            ),
          },
        ]),
      ),
    },
    null,
    1,
  )}\n`;
