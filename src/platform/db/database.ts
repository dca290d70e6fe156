import { type SQL, type Subquery, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { GetSelectTableName, GetSelectTableSelection } from "drizzle-orm/query-builders/select.types";
import {
  type CreateSQLiteSelectFromBuilderMode,
  type SelectedFields,
  SQLiteAsyncDialect,
  type SQLiteDeleteBase,
  type SQLiteInsertBuilder,
  type SQLiteUpdateBuilder,
} from "drizzle-orm/sqlite-core";
import { retryOnce } from "../outages";
import { SettingsError } from "../settings";
import type { Side, TableOf } from "./sides";

/** The name of the database that a row, a message or an address belongs to when it names none. */
export const FIRST_DATABASE = "first";
/** The name of the directory's database, if it has one of its own. */
export const DIRECTORY_DATABASE = "directory";

type Drizzle = DrizzleD1Database & { $client: D1DatabaseSession };

/** drizzle's `from` for the tables of one side. */
interface SelectFrom<S extends Side, Fields extends SelectedFields | undefined> {
  from<From extends TableOf<S> | Subquery | SQL>(
    source: From,
  ): CreateSQLiteSelectFromBuilderMode<
    "db",
    GetSelectTableName<From>,
    "async",
    D1Result,
    Fields extends undefined ? GetSelectTableSelection<From> : Fields,
    Fields extends undefined ? "single" : "partial"
  >;
}

interface Select<S extends Side> {
  (): SelectFrom<S, undefined>;
  <Fields extends SelectedFields>(fields: Fields): SelectFrom<S, Fields>;
}

/**
 * The database of one side: drizzle's query builder over one D1 session. The compiler refuses to select from, insert into,
 * update or delete a table of the other side. Joins and raw SQL are checked by test/support/sides.ts.
 */
export type Database<S extends Side> = Pick<Drizzle, "$client" | "batch" | "all" | "get" | "run"> & {
  select: Select<S>;
  selectDistinct: Select<S>;
  insert<T extends TableOf<S>>(into: T): SQLiteInsertBuilder<T, "async", D1Result>;
  update<T extends TableOf<S>>(table: T): SQLiteUpdateBuilder<T, "async", D1Result>;
  delete<T extends TableOf<S>>(from: T): SQLiteDeleteBase<T, "async", D1Result>;
};

/** The database of people, their credentials, and the counts of requests. */
export type DirectoryDatabase = Database<"directory">;
/** Everything that belongs to a workspace. */
export type WorkspaceDatabase = Database<"workspace">;
/** A database of either side, for the tables that each database has. */
export type AnyDatabase = Database<never>;

/** A statement that is composed already, or raw SQL. Its type does not say what it touches. */
export type Composed = SQL | { toSQL(): { sql: string; params: unknown[] } };

/** A statement of a batch: a drizzle builder for a table of the side, or a `sql` template. */
export type Statement<S extends Side = "workspace"> = Composed & { readonly _?: { readonly table?: TableOf<S> } };

/** The databases of the workspaces. */
export interface WorkspaceDatabases {
  /** The names of the databases, in the order of the settings. */
  readonly names: readonly string[];
  /** The names of the databases that take no new workspaces. */
  readonly closed: ReadonlySet<string>;
  /** The regions of the databases that have one, by their names. */
  readonly regions: ReadonlyMap<string, string>;
  /** Opens a database: one D1 session for this context. Statements of an unknown name fail with a SettingsError. */
  open(name: string): WorkspaceDatabase;
}

interface OpenDatabases {
  directory: DirectoryDatabase;
  /** The name of the database that has the directory. */
  directoryName: string;
  databases: WorkspaceDatabases;
  /** The only workspace database. If there are several, a handle that refuses every statement until the context chooses a database. */
  workspace: WorkspaceDatabase;
  /** The name of the only workspace database. Empty if there are several. */
  database: string;
  /** The bookmark of the only workspace database, for `X-Bookmark`. Null before its first statement, and if there are several. */
  bookmark: () => string | null;
}

/** Databases that are asked at the same time: D1 gives an invocation six connections. */
export const DATABASES_AT_ONCE = 6;

/** The other databases beside the first. */
interface OtherDatabases {
  /** The database of the directory; null if the first database has it. */
  directory?: D1Database | null;
  /** The workspace databases by name, the first one too. */
  workspaces?: ReadonlyMap<string, D1Database>;
  closed?: ReadonlySet<string>;
  regions?: ReadonlyMap<string, string>;
}

/** The largest size of a D1 database, bytes (developers.cloudflare.com/d1/platform/limits). Nobody can raise it. */
export const MAX_DATABASE_BYTES = 10_000_000_000;

/** The size of a database, bytes, as its answer to a statement says. */
export async function sizeOf(database: Pick<Drizzle, "$client">): Promise<number> {
  const [answer] = await runBatch(database, [sql`SELECT 1`]);
  return answer?.meta.size_after ?? 0;
}

/**
 * Opens the databases, each with one D1 session when it is first used. The first statement of a session goes to the primary,
 * so a revocation takes effect at once. A replica that is at least as new can answer the later statements. If a database does
 * not answer a read, the read runs once more. Without a database of its own, the directory shares the session of the first
 * database: then one batch can read both sides.
 */
export function openDatabases(
  first: D1Database,
  {
    directory: apart = null,
    workspaces = new Map([[FIRST_DATABASE, first]]),
    closed = new Set<string>(),
    regions = new Map<string, string>(),
  }: OtherDatabases = {},
): OpenDatabases {
  const queries = { count: 0 };
  const sessions = new Map<string, D1DatabaseSession>();
  const opened = new Map<string, WorkspaceDatabase>();
  const openSession = (d1: D1Database) => retryReads(d1.withSession("first-primary"), queries);
  // drizzle calls only `prepare` and `batch`, which a session has too.
  const overSession = (session: D1DatabaseSession) => drizzle(session as unknown as D1Database) as unknown;
  const open = (name: string): WorkspaceDatabase => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const d1 = workspaces.get(name);
    if (d1 === undefined) return unnamed(name);
    const session = openSession(d1);
    const database = overSession(session) as WorkspaceDatabase;
    sessions.set(name, session);
    opened.set(name, database);
    return database;
  };
  const names = [...workspaces.keys()];
  const isOnly = names.length === 1;
  const directory = (apart === null ? open(FIRST_DATABASE) : overSession(openSession(apart))) as DirectoryDatabase;
  return {
    directory,
    directoryName: apart === null ? FIRST_DATABASE : DIRECTORY_DATABASE,
    databases: { names, closed, regions, open },
    workspace: isOnly ? open(FIRST_DATABASE) : NOWHERE,
    database: isOnly ? FIRST_DATABASE : "",
    bookmark: () => (isOnly ? (sessions.get(FIRST_DATABASE)?.getBookmark() ?? null) : null),
  };
}

/** A handle whose statements fail. */
const failing = (thrown: Error): WorkspaceDatabase => {
  const fail = (): never => {
    throw thrown;
  };
  return drizzle({ prepare: fail, batch: fail } as unknown as D1Database) as unknown as WorkspaceDatabase;
};

/**
 * The handle of a database that the settings do not name. A workspace is there, so the settings are of another version than the directory.
 * It opens, and its statements fail. So a request that needs no statement to be refused is refused as usual.
 */
const unnamed = (name: string): WorkspaceDatabase =>
  failing(new SettingsError([`DATABASES: no database has the name "${name}"`]));

/** The handle of a context that has not chosen a workspace database. There is no default among several. */
export const NOWHERE = failing(
  new Error("a statement of a workspace, but nothing says in which database the workspace is"),
);

const dialect = new SQLiteAsyncDialect();

export const compile = (statement: Composed) =>
  "toSQL" in statement ? statement.toSQL() : dialect.sqlToQuery(statement);

/** The rows of a statement in a batch; `Row` names what that statement selects. */
export const rowsOf = <Row>(result: D1Result | undefined): readonly Row[] => (result?.results ?? []) as Row[];

/** Runs statements as one atomic D1 batch. drizzle's own `batch` cannot bind parameters of raw SQL. */
export async function runBatch(
  database: Pick<Drizzle, "$client">,
  statements: readonly Composed[],
): Promise<D1Result[]> {
  const prepared = statements.map((statement) => {
    const { sql, params } = compile(statement);
    return database.$client.prepare(sql).bind(...params);
  });
  return prepared.length === 0 ? [] : database.$client.batch(prepared);
}

export interface Databases {
  directory: DirectoryDatabase;
  workspace: WorkspaceDatabase;
}

interface Both<T> {
  directory: T;
  workspace: T;
}

/**
 * Reads from both sides at once: in one round trip while both handles lead to one database. Each statement names only
 * tables of its side, so that the sides can be in separate databases.
 */
export async function readBoth(
  { directory, workspace }: Databases,
  statements: Both<readonly Composed[]>,
): Promise<Both<D1Result[]>> {
  if (directory.$client === workspace.$client) {
    const results = await runBatch(directory, [...statements.directory, ...statements.workspace]);
    const ofWorkspace = results.splice(statements.directory.length);
    return { directory: results, workspace: ofWorkspace };
  }
  const [ofDirectory, ofWorkspace] = await Promise.all([
    runBatch(directory, statements.directory),
    runBatch(workspace, statements.workspace),
  ]);
  return { directory: ofDirectory, workspace: ofWorkspace };
}

type Selection = BatchItem<"sqlite">;

/** The rows of two drizzle selections, one of each side, as `readBoth` reads them. */
export async function selectBoth<A extends Selection, B extends Selection>(
  { directory, workspace }: Databases,
  ofDirectory: A,
  ofWorkspace: B,
): Promise<[Awaited<A>, Awaited<B>]> {
  if (directory.$client !== workspace.$client) return Promise.all([ofDirectory, ofWorkspace]);
  return (await directory.batch([ofDirectory, ofWorkspace])) as [Awaited<A>, Awaited<B>];
}

const READS = /^\s*(?:select|with)\b/i;
const WRITES = /\b(?:insert|update|delete|replace)\s+(?:or\s+\w+\s+)?(?:into|from|["\w]+\s+set)\b/i;

/** Whether a statement only reads, so that it can run twice. */
export const isRead = (statement: string): boolean => READS.test(statement) && !WRITES.test(statement);

/** A prepared statement that runs once more if it is a read and the database did not answer. */
class RetriedStatement {
  constructor(
    readonly prepared: D1PreparedStatement,
    readonly text: string,
  ) {}

  readonly #isRead = () => isRead(this.text);

  bind(...values: unknown[]): RetriedStatement {
    return new RetriedStatement(this.prepared.bind(...values), this.text);
  }

  all(): Promise<D1Result> {
    return retryOnce("database", this.#isRead, () => this.prepared.all());
  }

  run(): Promise<D1Result> {
    return retryOnce("database", this.#isRead, () => this.prepared.run());
  }

  first(...column: [string]): Promise<unknown> {
    return retryOnce("database", this.#isRead, () => this.prepared.first(...column));
  }

  raw(...options: [{ columnNames: true }]): Promise<unknown[]> {
    return retryOnce("database", this.#isRead, () => this.prepared.raw(...options));
  }
}

/** Counts of the queries of an invocation, by its sessions. */
const counts = new WeakMap<object, { count: number }>();

/**
 * The queries so far of this database and of all databases that were opened together with it. D1 refuses more than 1,000 in an
 * invocation, and each invocation opens its databases once.
 */
export const queriesOf = ({ $client }: Pick<Drizzle, "$client">): number => counts.get($client)?.count ?? 0;

/** A session that repeats a read, or a batch of reads, once if the database did not answer. */
function retryReads(session: D1DatabaseSession, queries: { count: number }): D1DatabaseSession {
  const retried = {
    prepare: (text: string) => {
      queries.count++;
      return new RetriedStatement(session.prepare(text), text);
    },
    batch: (statements: RetriedStatement[]) =>
      retryOnce(
        "database",
        () => statements.every(({ text }) => isRead(text)),
        () => session.batch(statements.map(({ prepared }) => prepared)),
      ),
    getBookmark: () => session.getBookmark(),
  };
  counts.set(retried, queries);
  return retried as unknown as D1DatabaseSession;
}
