import { env } from "cloudflare:workers";
import { numberOf } from "../../src/platform/ids";
import { sides } from "./declared";

/*
 * The databases of a project of tests. With one database, `env.DB` is that one. With several
 * (DATABASE_COUNT), the service has a directory and workspace databases, and `env.DB` represents all of them. It runs each statement of a
 * test in the databases that have the statement's tables. So the same tests run over any number of databases. Their workspaces are placed at random.
 */

const ALL = [
  ["first", env.D1_FIRST],
  ["second", env.D1_SECOND],
  ["third", env.D1_THIRD],
  ["fourth", env.D1_FOURTH],
  ["fifth", env.D1_FIFTH],
] as const;

/** Number of workspace databases of the service in this project. */
const COUNT = env.DATABASE_COUNT;
/** Whether the service of this project has a directory and several workspace databases. */
export const isSpread = COUNT > 1;
const workspaceDatabases = ALL.slice(0, COUNT);

/** Every database of the service in this project, by name. */
export const everyDatabase: readonly (readonly [name: string, database: D1Database])[] = isSpread
  ? [...workspaceDatabases, ["directory", env.D1_DIRECTORY]]
  : [["first", env.DB]];

/** One database with the tables of the service, for what is the same in each: plans, and the classes of the runtime. */
export const anyDatabase: D1Database = everyDatabase[0]?.[1] ?? env.DB;

/** The database where tests put the workspaces of a number. Numbers are random. */
const placeOfNumber = (number: number): string =>
  ALL[(Math.imul(number, 2_654_435_761) >>> 0) % COUNT]?.[0] ?? ALL[0][0];

/** Notes in the directory where a new workspace is. With one database there is nothing to note. */
export async function notePlace(workspaceId: string): Promise<void> {
  if (!isSpread) return;
  const number = numberOf(workspaceId);
  await env.D1_DIRECTORY.prepare("INSERT OR IGNORE INTO workspaces (id, number, database) VALUES (?, ?, ?)")
    .bind(workspaceId, number, placeOfNumber(number))
    .run();
}

/** Notes in the directory that a person may hold something in a workspace. With one database there is nothing to note. */
export async function notePointer(userId: string, workspaceId: string): Promise<void> {
  if (!isSpread) return;
  await env.D1_DIRECTORY.prepare("INSERT OR REPLACE INTO pointers (user_id, workspace_id) VALUES (?, ?)")
    .bind(userId, workspaceId)
    .run();
}

/** The name of a database where a workspace of a test is not; null with one database. */
export async function otherDatabase(workspaceId: string): Promise<string | null> {
  if (!isSpread) return null;
  const [here] = (await placeOf([workspaceId])) ?? [];
  return workspaceDatabases.find(([name]) => name !== here)?.[0] ?? null;
}

type Value = Parameters<D1PreparedStatement["bind"]>[number];
type Row = Record<string, unknown>;
type Named = readonly [name: string, database: D1Database];

const TABLES = /\b(?:from|join|into|update|table(?:\s+if\s+(?:not\s+)?exists)?)\s+["`]?(\w+)/gi;
const INSERTS = /^\s*(?:insert|replace)\b/i;
const COUNTS = /^\s*select\s+count\b/i;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Copies of rows of the directory, which a database has of each person with something in it. */
const COPIED = "people";

const directory: Named = ["directory", env.D1_DIRECTORY];

/** The database with the workspace that the first id names which has the number of one. */
async function placeOf(values: readonly Value[]): Promise<Named | undefined> {
  const ids = values.flatMap((value) => (typeof value === "string" ? (value.match(UUID) ?? []) : []));
  if (ids.length === 0) return undefined;
  const numbers = [...new Set(ids.map(numberOf))];
  const { results } = await env.D1_DIRECTORY.prepare(
    "SELECT number, database FROM workspaces WHERE number IN (SELECT value FROM json_each(?))",
  )
    .bind(JSON.stringify(numbers))
    .all<{ number: number; database: string }>();
  const found = numbers.flatMap((number) => results.filter((row) => row.number === number));
  return workspaceDatabases.find(([name]) => name === found[0]?.database);
}

/** The databases that a statement runs in: those with its tables, or for a new row the one of its workspace. */
async function databasesOf(statement: string, values: readonly Value[]): Promise<readonly Named[]> {
  const tables = [...statement.matchAll(TABLES)].map(([, table = ""]) => table);
  const declared = tables.flatMap((table) => sides.get(table) ?? []);
  if (declared.includes("directory")) return [directory];
  // Tables that a test made itself are in each database, too.
  const isOfEach = declared.every((side) => side === "each");
  if (!INSERTS.test(statement)) return isOfEach ? everyDatabase : workspaceDatabases;
  if (tables[0] === COPIED) return workspaceDatabases;
  const place = await placeOf(values);
  if (place !== undefined) return [place];
  if (isOfEach) return [directory];
  throw new Error(`no id of a workspace is in the values, so no database is known: ${statement}`);
}

/** The answers of several databases as one. Counts are added. */
function joined(statement: string, answers: readonly D1Result<Row>[]): D1Result<Row> {
  const [first] = answers;
  if (first === undefined) throw new Error(`no database ran ${statement}`);
  const sum = (of: (answer: D1Result<Row>) => unknown) => answers.reduce((total, one) => total + Number(of(one)), 0);
  const results = COUNTS.test(statement)
    ? [Object.fromEntries(Object.keys(first.results[0] ?? {}).map((key) => [key, sum((one) => one.results[0]?.[key])]))]
    : answers.flatMap((answer) => answer.results);
  return { ...first, results, meta: { ...first.meta, changes: sum(({ meta }) => meta.changes) } };
}

/** A statement of a test, which runs in each database that has its tables. */
class SpreadStatement {
  constructor(
    readonly statement: string,
    readonly values: readonly Value[] = [],
  ) {}

  bind(...values: Value[]): SpreadStatement {
    return new SpreadStatement(this.statement, values);
  }

  in(database: D1Database): D1PreparedStatement {
    return database.prepare(this.statement).bind(...this.values);
  }

  async all(): Promise<D1Result<Row>> {
    const databases = await databasesOf(this.statement, this.values);
    return joined(this.statement, await Promise.all(databases.map(([, database]) => this.in(database).all<Row>())));
  }

  run(): Promise<D1Result<Row>> {
    return this.all();
  }

  async raw(): Promise<unknown[][]> {
    const databases = await databasesOf(this.statement, this.values);
    const answers = await Promise.all(databases.map(([, database]) => this.in(database).raw<unknown[]>()));
    if (!COUNTS.test(this.statement)) return answers.flat();
    return [[answers.reduce((total, [row]) => total + Number(row?.[0]), 0)]];
  }

  async first(column?: string): Promise<unknown> {
    const [row] = (await this.all()).results;
    if (row === undefined) return null;
    return column === undefined ? row : (row[column] ?? null);
  }
}

/** All databases of the service for the statements of tests. A batch is one batch in each of them. */
class SpreadDatabase {
  prepare(statement: string): SpreadStatement {
    return new SpreadStatement(statement);
  }

  async batch(statements: readonly SpreadStatement[]): Promise<D1Result<Row>[]> {
    const places = await Promise.all(statements.map(({ statement, values }) => databasesOf(statement, values)));
    const answers: D1Result<Row>[][] = statements.map(() => []);
    for (const [name, database] of everyDatabase) {
      const here = [...statements.keys()].filter((at) => places[at]?.some(([place]) => place === name));
      if (here.length === 0) continue;
      const prepared = here.flatMap((at) => statements[at]?.in(database) ?? []);
      for (const [n, answer] of (await database.batch<Row>(prepared)).entries()) answers[here[n] ?? 0]?.push(answer);
    }
    return statements.map(({ statement }, at) => joined(statement, answers[at] ?? []));
  }

  exec(statement: string): Promise<D1Result<Row>> {
    return this.prepare(statement).run();
  }

  withSession(): SpreadDatabase {
    return this;
  }

  getBookmark(): null {
    return null;
  }
}

if (isSpread) Object.assign(env, { DB: new SpreadDatabase() });
