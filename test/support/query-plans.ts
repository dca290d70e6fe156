import { afterAll, beforeAll, expect } from "vitest";
import { anyDatabase } from "./spread";
import { recordedStatements, recordStatements } from "./statements";

/** Statements that may read a whole table, with the reason. */
const ALLOWED: readonly { statement: RegExp; reason: string }[] = [
  { statement: /^SELECT 1 FROM jobs LIMIT 1$/, reason: "the readiness probe reads one row" },
  { statement: /^insert into "users" .*\(SELECT min\(id\) FROM users\) IS NULL/, reason: "the least id is one row" },
  { statement: /^INSERT OR REPLACE INTO "pointers"/, reason: "the counter of versions is one row" },
  { statement: / and 0\) order by /, reason: "an empty scope: SQLite tests a constant before it reads anything" },
  {
    statement:
      /^\s*SELECT (CASE WHEN d\.text_status|sum\(total\)|\(SELECT count\(\*\) FROM "clusters"|count\(\*\) FROM "documents" WHERE)/i,
    reason: "a platform admin counts what the index should hold, over all tenants",
  },
  {
    statement: /^SELECT id AS "id", kind AS "kind", tenant_id AS "tenantId"/,
    reason: "a platform admin reads the failed jobs, which have a separate index",
  },
  {
    statement:
      /FROM (?:jobs AS row\s+WHERE row\.tenant_id = \?1 AND row\.sent_at IS NULL|committed_requests AS row)|kind = 'remove-workspace'|^DELETE FROM search_groups WHERE tenant_key|search_groups g ON g\.tenant_key = s\.key\s+WHERE s\.scope_id IN/,
    reason: "a move, which an operator begins, reads what no index has",
  },
  {
    statement:
      /^SELECT (?:workspace_id AS id FROM residents|organization_id AS "workspaceId"|id, tenant_id AS "workspaceId")/,
    reason: "the walk goes over everything there is once, a page at a time",
  },
  {
    statement:
      /^SELECT (a\.id AS "id", a\.tenant_id AS "tenantId" FROM "\w+" a WHERE a\.id > \?|"id", "tenant_id", "latest_version", "text_status" FROM "documents")/i,
    reason: "a backfill walks everything there is, a batch a slice",
  },
  { statement: /^(?:select "stamp", |delete from "backups")/, reason: "a backup a day, for some weeks" },
  {
    statement:
      /^SELECT (?:id FROM workspaces WHERE id > \?1 AND database = |\(SELECT (?:count\(\*\)|json_array\(count)[\s\S]* FROM (?:users AS row |jobs AS row WHERE \(row\.tenant_id IS NULL )|\* FROM \(SELECT json_array\([\s\S]* FROM (?:\w+ AS row (?: |WHERE \(row\.tenant_id IS NULL)|(?:users|pointers) AS row WHERE \(row\.(?:id|version)\) [<>]))/,
    reason: "a backup reads the whole directory, a slice at a time",
  },
];

interface Instruction {
  addr: number;
  opcode: string;
  p1: number;
  p2: number;
}

/** Opcodes that open a cursor on a table or index (p2 is its root page), scan it from an end, or stop the scan. */
const OPENS = new Set(["OpenRead", "OpenWrite", "ReopenIdx"]);
const READS = new Set(["SeekGE", "SeekGT", "SeekLE", "SeekLT", "Found", "NotFound", "Rewind", "Last", "Count"]);
const WALKS = new Set(["Rewind", "Last", "Count"]);
const BOUNDS = new Set(["IdxLT", "IdxLE", "IdxGT", "IdxGE"]);
/** A scan that only keyset paging limits: it reads every row of other callers. */
const WALK_BY_ID =
  /^SEARCH \S+ USING (?:COVERING )?(?:PRIMARY KEY|INTEGER PRIMARY KEY|INDEX sqlite_autoindex_\S+) \((?:id|rowid)[<>]/;
const USED_INDEX = / USING (?:COVERING )?INDEX (\w+)/;

/** Binds null to every parameter, because no plan depends on values. */
const explain = async <T>(what: "EXPLAIN" | "EXPLAIN QUERY PLAN", statement: string): Promise<T[]> => {
  const parameters = Array.from({ length: parameterCount(statement) }, () => null);
  const { results } = await anyDatabase
    .prepare(`${what} ${statement}`)
    .bind(...parameters)
    .all<T>();
  return results;
};

/** Number of parameters of a statement: `?` and `?n` outside strings, names and comments. */
function parameterCount(statement: string): number {
  const bare = statement.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\//g, "");
  const all = [...bare.matchAll(/\?(\d*)/g)];
  return Math.max(all.filter(([, n]) => n === "").length, ...all.map(([, n]) => Number(n ?? 0)), 0);
}

interface Page {
  table: string;
  /** Null for the table itself and for the index of a primary key or a UNIQUE constraint. */
  index: string | null;
}

/** Tables and indexes by their root page. */
async function rootPages(): Promise<Map<number, Page>> {
  const { results } = await anyDatabase
    .prepare(
      "SELECT rootpage, type, name, tbl_name FROM sqlite_master WHERE rootpage > 0 AND name <> 'sqlite_sequence'",
    )
    .all<{ rootpage: number; type: string; name: string; tbl_name: string }>();
  return new Map(
    results.map(({ rootpage, type, name, tbl_name }) => [
      rootpage,
      { table: tbl_name, index: type === "table" || name.startsWith("sqlite_autoindex") ? null : name },
    ]),
  );
}

/** The program of a statement, and the programs of triggers and cascades. Each has its own cursors. */
function programsOf(instructions: readonly Instruction[]): Instruction[][] {
  const programs: Instruction[][] = [];
  for (const instruction of instructions) {
    if (instruction.addr === 0) programs.push([]);
    programs.at(-1)?.push(instruction);
  }
  return programs;
}

interface Plan {
  /** The tables (or whole indexes) that the statement scans from one end. */
  scans: string[];
  /** The indexes that the statement reads. An index that it only writes is not here. */
  indexes: string[];
  /** The tables that it reads or writes, including the tables of triggers and foreign keys. */
  tables: string[];
}

/**
 * How SQLite runs a statement. It reads the program that SQLite compiles, so it is exact for aliases, subqueries,
 * triggers and foreign keys.
 */
async function planOf(statement: string, pages: ReadonlyMap<number, Page>): Promise<Plan> {
  const scans = new Set<string>();
  const indexes = new Set<string>();
  const tables = new Set<string>();
  for (const program of programsOf(await explain<Instruction>("EXPLAIN", statement))) {
    const cursors = new Map<number, Page>();
    const bounded = new Set(program.filter(({ opcode }) => BOUNDS.has(opcode)).map(({ p1 }) => p1));
    for (const { opcode, p1, p2 } of program) {
      const opened = OPENS.has(opcode) ? pages.get(p2) : undefined;
      if (opened !== undefined) {
        cursors.set(p1, opened);
        tables.add(opened.table);
      }
      const index = READS.has(opcode) ? cursors.get(p1)?.index : null;
      if (index) indexes.add(index);
      const walked = WALKS.has(opcode) && !bounded.has(p1) ? cursors.get(p1) : undefined;
      if (walked !== undefined) scans.add(walked.index === null ? walked.table : `${walked.index} of ${walked.table}`);
    }
  }
  for (const { detail } of await explain<{ detail: string }>("EXPLAIN QUERY PLAN", statement)) {
    if (WALK_BY_ID.test(detail)) scans.add(detail);
    const used = USED_INDEX.exec(detail)?.[1];
    if (used !== undefined) indexes.add(used);
  }
  return { scans: [...scans], indexes: [...indexes], tables: [...tables] };
}

/** The tables (or whole indexes) that a statement scans from one end. */
export const wholeTables = async (statement: string): Promise<string[]> =>
  (await planOf(statement, await rootPages())).scans;

/** The indexes that a statement reads. */
export const usedIndexes = async (statement: string): Promise<string[]> =>
  (await planOf(statement, await rootPages())).indexes;

/** The tables that a statement reads or writes. */
export const tablesOf = async (statement: string): Promise<string[]> =>
  (await planOf(statement, await rootPages())).tables;

/*
 * The findings of earlier files of the same runtime: plans depend on the schema, not on the rows. Each file loads this
 * module again, so the runtime itself keeps it.
 */
const runtime = globalThis as { judgedStatements?: Set<string>; servicePlans?: Map<string, Promise<Plan>> };
const judged = runtime.judgedStatements ?? new Set<string>();
runtime.judgedStatements = judged;
const servicePlans = runtime.servicePlans ?? new Map<string, Promise<Plan>>();
runtime.servicePlans = servicePlans;

let pagesOfService: ReturnType<typeof rootPages> | undefined;

/** The plan of a statement of the service, over the tables of its migrations. Each statement is explained once a runtime. */
function planOfService(statement: string): Promise<Plan> {
  const known = servicePlans.get(statement);
  if (known !== undefined) return known;
  pagesOfService ??= rootPages();
  const plan = pagesOfService.then((pages) => planOf(statement, pages));
  servicePlans.set(statement, plan);
  return plan;
}

/** The tables that a statement of the service reads or writes. */
export const tablesOfService = async (statement: string): Promise<string[]> => (await planOfService(statement)).tables;

/**
 * Judges the statements of this file that no earlier file had. @returns the statements that read a whole table, and one
 * statement for each index that they read.
 */
async function judge(): Promise<{ found: string[]; indexes: Record<string, string> }> {
  const statements = recordedStatements().filter((statement) => !judged.has(statement));
  const found: string[] = [];
  const indexes: Record<string, string> = {};
  for (const statement of statements) {
    const plan = await planOfService(statement).catch((thrown: unknown) => ({
      scans: [String(thrown)],
      indexes: [],
      tables: [],
    }));
    for (const index of plan.indexes) indexes[index] ??= statement;
    if (plan.scans.length === 0 || ALLOWED.some((allowed) => allowed.statement.test(statement))) continue;
    found.push(`${plan.scans.join("; ")}: ${statement}`);
  }
  if (found.length === 0) for (const statement of statements) judged.add(statement);
  return { found, indexes };
}

beforeAll(recordStatements);

const ADVICE =
  "these statements read a whole table, or cannot be run at all: give them an index, allow them in " +
  "test/support/query-plans.ts with the reason, or ask a test's own questions through env.DB or testDatabase()";

// It runs in every file of the suite, so no statement has to be listed. `index-report` reads `meta` at the end of the run.
// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the first parameter of a hook as a list of fixtures
afterAll(async ({}, suite) => {
  const { found, indexes } = await judge();
  Object.assign(suite.meta, { indexes });
  expect(found, ADVICE).toEqual([]);
});
