import type { Composed } from "../database";
import type { Carried } from "./declare";

/** A statement with its parameters. */
export interface Asked {
  sql: string;
  params: (string | number)[];
}

/** The statement for `runBatch` and for a change. */
export const asStatement = ({ sql, params }: Asked): Composed => ({ toSQL: () => ({ sql, params }) });

/** A database from which rows are read. The statements of a batch see one state of it. */
export interface Source {
  batch(statements: readonly Asked[]): Promise<readonly (readonly unknown[])[]>;
}

/** The place of a row in the order of its table: the values of its key; a BLOB as hex. */
export type Cursor = readonly (string | number)[];

/** Consecutive rows of a table: after the row `after`, up to the row `to`, which is included. Null: from the first row, to the last row. */
export interface Range {
  after: Cursor | null;
  to: Cursor | null;
}

const WHOLE: Range = { after: null, to: null };

/** Binds values to numbered parameters, the same number for the same place. */
class Parameters {
  readonly values: (string | number)[] = [];
  #workspace: string | null = null;

  constructor(readonly id: string | null) {}

  add(value: string | number): string {
    this.values.push(value);
    return `?${this.values.length}`;
  }

  get workspace(): string {
    if (this.id === null) throw new TypeError("The rows of this table belong to workspaces.");
    this.#workspace ??= this.add(this.id);
    return this.#workspace;
  }
}

const MODULI = [1_048_573, 1_048_571] as const;

/**
 * What a row adds to the two sums of its table. Its square, so that changes of two rows do not cancel each other out; small, so that
 * sums of billions of rows are exact in a double.
 */
export const shareOf = (digest: number, sum: 0 | 1): number => {
  const rest = ((digest % MODULI[sum]) + MODULI[sum]) % MODULI[sum];
  return (rest * rest) % MODULI[(1 - sum) as 0 | 1];
};

const shareSql = (sum: 0 | 1): string => {
  const rest = `((digest % ${MODULI[sum]} + ${MODULI[sum]}) % ${MODULI[sum]})`;
  return `${rest} * ${rest} % ${MODULI[(1 - sum) as 0 | 1]}`;
};

const weight = (n: number): number => (n * 7_919 + 104_729) % 1_000_003;

/**
 * A number that changes with a column of a row: all of a number, and of a text its length and some characters. SQLite has no
 * digest of a text. Each change of a text that people make also changes a revision or a time of its row.
 */
function digestOf({ as }: Carried, { name, type }: Carried["columns"][number], n: number): string {
  const value = as[name] ?? `row.${name}`;
  if (type === "integer") return `coalesce(${value}, -7) % 1000003 * ${weight(n)}`;
  if (type === "real") return `coalesce(CAST(${value} * 1e7 AS INTEGER), -7) % 1000003 * ${weight(n)}`;
  const length = `coalesce(octet_length(${value}), -3) * ${weight(n)}`;
  if (type === "blob") return length;
  const at = (place: string, more: number) =>
    `coalesce(unicode(substr(${value}, ${place}, 1)), 0) * ${weight(n + more)}`;
  return [length, at("1", 100), at("-1", 200), at("-9", 300), at(`length(${value}) / 2 + 1`, 400)].join(" + ");
}

/**
 * The columns that the sums of rows contain. `full`: all columns, and for a text its length and some characters. `light`: only columns of
 * which at least one changes with each change of a row.
 */
export type Look = "full" | "light";

/** The digest of a row, a whole number that is exact in a double. */
const rowDigest = (table: Carried, look: Look): string =>
  ((look === "light" ? table.light : null) ?? table.columns).map((column, n) => digestOf(table, column, n)).join(" + ");

const columnSql = ({ as }: Carried, { name, type }: Carried["columns"][number]): string => {
  const value = as[name] ?? `row.${name}`;
  return type === "blob" ? `hex(${value})` : value;
};

/** `(a, b) > (1, 2)`; a BLOB is given as hex. */
function compared(key: Carried["key"], sign: string, cursor: Cursor, bound: Parameters): string {
  const values = key.map(({ isBlob }, n) => {
    const parameter = bound.add(cursor[n] ?? "");
    return isBlob ? `unhex(${parameter})` : parameter;
  });
  return `(${key.map(({ sql }) => sql).join(", ")}) ${sign} (${values.join(", ")})`;
}

/** A part of a range whose rows one index gives in order: FROM and WHERE. */
interface Arm {
  from: string;
  where: string[];
}

const write = (text: Carried["from"], bound: Parameters): string =>
  typeof text === "function" ? text(bound.workspace) : text;

/** The rows of a table without parents: one range of its key. */
function flatArms(table: Carried, { after, to }: Range, bound: Parameters): Arm[] {
  const where = table.where === null ? [] : [write(table.where, bound)];
  if (after !== null) where.push(compared(table.key, ">", after, bound));
  if (to !== null) where.push(compared(table.key, "<=", to, bound));
  return [{ from: write(table.from, bound), where }];
}

/** The rows through parents: the rest of the first parent, the parents between, and the begin of the last parent. */
function parentArms(table: Carried, parent: NonNullable<Carried["parent"]>, range: Range, bound: Parameters): Arm[] {
  const { after, to } = range;
  const own = table.key.slice(1);
  const from = `${write(parent.rows, bound)} CROSS JOIN ${write(table.from, bound)} ON row.${parent.column} = ${parent.key}`;
  const base = parent.where === null ? [] : [write(parent.where, bound)];
  const of = (cursor: Cursor) => `${parent.key} = ${bound.add(cursor[0] ?? "")}`;
  // A parent with one row has no key of its own after it.
  const within = (sign: string, cursor: Cursor) =>
    own.length === 0 ? [sign === ">" ? "0" : "1"] : [compared(own, sign, cursor.slice(1), bound)];
  if (after !== null && to !== null && after[0] === to[0])
    return [{ from, where: [...base, of(after), ...within(">", after), ...within("<=", to)] }];
  const between = [...base];
  if (after !== null) between.push(`${parent.key} > ${bound.add(after[0] ?? "")}`);
  if (to !== null) between.push(`${parent.key} < ${bound.add(to[0] ?? "")}`);
  return [
    ...(after === null ? [] : [{ from, where: [...base, of(after), ...within(">", after)] }]),
    { from, where: between },
    ...(to === null ? [] : [{ from, where: [...base, of(to), ...within("<=", to)] }]),
  ];
}

const armsOf = (table: Carried, range: Range, bound: Parameters): Arm[] =>
  table.parent === null ? flatArms(table, range, bound) : parentArms(table, table.parent, range, bound);

const conditionOf = ({ where }: Arm): string => (where.length === 0 ? "" : `WHERE ${where.join(" AND ")}`);

/** The names of a row of `pageStatement`. */
export interface PageRow {
  /** JSON array of the values of the columns; a BLOB as hex. */
  line: string;
  digest: number;
  /** The digest of the columns of the light sums; null if it is the same one. */
  light: number | null;
  /** JSON array of keys in the bucket; null without objects. */
  objects: string | null;
  [key: `k${number}`]: string | number;
}

/**
 * Reads the first rows of a range in order.
 * @param workspace the id of the workspace; null for a table of the directory
 * @param limit number of rows at most
 */
export function pageStatement(table: Carried, workspace: string | null, range: Range, limit = table.slice): Asked {
  const bound = new Parameters(workspace);
  const values = table.columns.map((column) => columnSql(table, column));
  const selected = [
    `json_array(${values.join(", ")}) AS line`,
    `${rowDigest(table, "full")} AS digest`,
    `${table.light === null ? "NULL" : rowDigest(table, "light")} AS light`,
    `${table.objects ?? "NULL"} AS objects`,
    ...table.key.map(({ sql, isBlob }, n) => `${isBlob ? `hex(${sql})` : sql} AS k${n}`),
  ].join(", ");
  const order = table.parent?.isOrdered ? "" : `ORDER BY ${table.key.map(({ sql }) => sql).join(", ")}`;
  const arms = armsOf(table, range, bound).map(
    (arm) => `SELECT * FROM (SELECT ${selected} FROM ${arm.from} ${conditionOf(arm)} ${order} LIMIT ${limit})`,
  );
  return { sql: `${arms.join(" UNION ALL ")} LIMIT ${limit}`, params: bound.values };
}

function sumsSql(table: Carried, range: Range, look: Look, bound: Parameters): string {
  const arms = armsOf(table, range, bound).map(
    (arm) => `SELECT ${rowDigest(table, look)} AS digest FROM ${arm.from} ${conditionOf(arm)}`,
  );
  const sums = ([0, 1] as const).map((sum) => `coalesce(sum(${shareSql(sum)}), 0)`);
  return `SELECT json_array(count(*), ${sums.join(", ")}) FROM (${arms.join(" UNION ALL ")})`;
}

/** The count and the two sums of rows. They are additive. */
export interface Sums {
  rows: number;
  a: number;
  b: number;
}

/** Counts and sums the rows of a range. `readSums` reads its result. */
export function sumStatement(
  table: Carried,
  workspace: string | null,
  range: Range = WHOLE,
  look: Look = "full",
): Asked {
  const bound = new Parameters(workspace);
  return { sql: `SELECT (${sumsSql(table, range, look, bound)}) AS s0`, params: bound.values };
}

/** Tables whose sums one statement makes. D1 takes 100 KB. */
const MAX_TABLES_A_STATEMENT = 12;

/** Counts and sums all rows of many tables with few statements. `readSums` reads their results. */
export function sumStatements(tables: readonly Carried[], workspace: string | null, look: Look): Asked[] {
  const count = Math.ceil(tables.length / MAX_TABLES_A_STATEMENT);
  return Array.from({ length: count }, (_, at) => {
    const bound = new Parameters(workspace);
    const some = tables.slice(at * MAX_TABLES_A_STATEMENT, (at + 1) * MAX_TABLES_A_STATEMENT);
    const sums = some.map((table, n) => `(${sumsSql(table, WHOLE, look, bound)}) AS s${n}`);
    return { sql: `SELECT ${sums.join(", ")}`, params: bound.values };
  });
}

/** The sums in the results of statements of sums, in the order of their tables. */
export function readSums(results: readonly (readonly unknown[])[]): Sums[] {
  const texts = results.flatMap((rows) => Object.values((rows[0] ?? {}) as Record<string, string>));
  return texts.map((text) => {
    const [count, a, b] = JSON.parse(text) as [number, number, number];
    return { rows: count, a, b };
  });
}

/** Counts the rows of many tables with one statement, in each table up to a number of slices. */
export function probeStatement(tables: readonly Carried[], workspace: string | null, maxSlices: number): Asked {
  const bound = new Parameters(workspace);
  const counts = tables.map((table, n) => {
    const arms = armsOf(table, WHOLE, bound).map((arm) => `SELECT 1 FROM ${arm.from} ${conditionOf(arm)}`);
    return `(SELECT count(*) FROM (${arms.join(" UNION ALL ")} LIMIT ${table.slice * maxSlices})) AS n${n}`;
  });
  return { sql: `SELECT ${counts.join(", ")}`, params: bound.values };
}

/** Longest parameter with rows, characters. D1 takes parameters of 2 MB. */
const MAX_CHUNK_CHARACTERS = 400_000;

const quoted = (name: string): string => `"${name}"`;

function upsert(table: Carried, values: string): string {
  const names = table.columns.map(({ name }) => name);
  const changed = names.filter((name) => !table.identity.includes(name));
  const action =
    changed.length === 0 || table.isKept === true
      ? "NOTHING"
      : `UPDATE SET ${changed.map((name) => `${quoted(name)} = excluded.${quoted(name)}`).join(", ")}${
          table.replaced === null ? "" : ` WHERE ${table.replaced}`
        }`;
  return `INSERT INTO ${table.name} (${names.map(quoted).join(", ")}) ${values}
    ON CONFLICT ${table.isKept === true ? "" : `(${table.identity.join(", ")})`} DO ${action}`;
}

/** SQLite ends a text of JSON at U+0000, so such a row is written by parameters. */
const HAS_NUL = /\\u0000/;

function writeAlone(table: Carried, line: string): Asked {
  const values = JSON.parse(line) as (string | number | null)[];
  const params: (string | number)[] = [];
  const places = table.columns.map(({ type }, n) => {
    const value = values[n];
    if (value === null || value === undefined) return "NULL";
    params.push(value);
    return type === "blob" ? `unhex(?${params.length})` : `?${params.length}`;
  });
  return { sql: upsert(table, `VALUES (${places.join(", ")})`), params };
}

/**
 * The statements that write rows, each once, however often they run. Triggers run as for any change.
 * @param lines rows as `pageStatement` gives them, with the columns of the declaration
 */
export function writeStatements(table: Carried, lines: readonly string[]): Asked[] {
  const written: Asked[] = [];
  const values = table.columns.map(({ type }, n) => (type === "blob" ? `unhex(value ->> ${n})` : `value ->> ${n}`));
  const sql = upsert(table, `SELECT ${values.join(", ")} FROM json_each(?1) WHERE true`);
  let chunk: string[] = [];
  let length = 0;
  const end = () => {
    if (chunk.length > 0) written.push({ sql, params: [`[${chunk.join(",")}]`] });
    [chunk, length] = [[], 0];
  };
  for (const line of lines) {
    if (HAS_NUL.test(line)) {
      written.push(writeAlone(table, line));
      continue;
    }
    if (length + line.length > MAX_CHUNK_CHARACTERS) end();
    chunk.push(line);
    length += line.length + 1;
  }
  end();
  return written;
}

/** Largest number of rows of one slice. The triggers of a row write several more. */
const MAX_REMOVED_ROWS = 200;

/** Counts the rows of a workspace: `count`, and `bytes` as the sum of the column `size`. */
export function countStatement(table: Carried, workspace: string, size: string | null): Asked {
  const bound = new Parameters(workspace);
  const bytes = size === null ? "NULL" : `coalesce(sum(row.${size}), 0)`;
  const [arm] = armsOf(table, WHOLE, bound);
  if (arm === undefined) throw new Error("a table without rows to read");
  return {
    sql: `SELECT count(*) AS count, ${bytes} AS bytes FROM ${arm.from} ${conditionOf(arm)}`,
    params: bound.values,
  };
}

/** A row of `takeStatement`. */
export interface TakenRow {
  /** JSON array of the values that identify the row; a BLOB as hex. */
  identity: string;
  /** JSON array of keys in the bucket; null without objects. */
  objects: string | null;
}

const isBlob = ({ columns }: Carried, name: string): boolean =>
  columns.some((column) => column.name === name && column.type === "blob");

/** Reads some rows of a workspace, which `deleteStatement` deletes after their objects. */
export function takeStatement(table: Carried, workspace: string): Asked {
  const bound = new Parameters(workspace);
  const values = table.identity.map((name) => (isBlob(table, name) ? `hex(row.${name})` : `row.${name}`));
  const [arm] = armsOf(table, WHOLE, bound);
  if (arm === undefined) throw new Error("a table without rows to read");
  const limit = Math.min(table.slice, MAX_REMOVED_ROWS);
  return {
    sql: `SELECT json_array(${values.join(", ")}) AS identity, ${table.objects ?? "NULL"} AS objects
      FROM ${arm.from} ${conditionOf(arm)} LIMIT ${limit}`,
    params: bound.values,
  };
}

/** Deletes the rows with these identities. Triggers run as for any change. */
export function deleteStatement(table: Carried, identities: readonly string[]): Asked {
  const values = table.identity.map((name, n) => (isBlob(table, name) ? `unhex(value ->> ${n})` : `value ->> ${n}`));
  return {
    sql: `DELETE FROM ${table.name} WHERE (${table.identity.join(", ")}) IN (SELECT ${values.join(", ")} FROM json_each(?1))`,
    params: [`[${identities.join(",")}]`],
  };
}
