import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Context } from "../../src/platform/context";
import { backfillDocuments, indexDocument } from "../../src/search";
import { search } from "../../src/search/search";
import { suggest } from "../../src/search/suggestions";
import { table } from "../support/results.ts";
import { callerOf, runSlice } from "./contexts.ts";
import { Corpus, PASSAGES_PER_DOCUMENT } from "./corpus.ts";
import { mean, percentile } from "./metrics.ts";
import { addDocument, addOrganization, addPlace, addText, continueIds } from "./rows.ts";
import { build, databases, GRANTS, LARGE, LOCATIONS, ORGANIZATIONS, PASSAGES, SMALL } from "./scale-build.ts";
import { openDatabaseFile, openSchema, TimedD1 } from "./sqlite-d1.ts";

const BACKFILL = Math.min(100_000, PASSAGES);
const QUERIES = 300;

const scope = { includeShared: true };
const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** Runs of each call. The fastest one counts, so other work on the machine has no effect. */
const RUNS = 3;

/** The SQL time of each of these calls, which only read. */
async function timed(d1: TimedD1, calls: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times: number[] = [];
  for (const call of calls) {
    const runs: number[] = [];
    for (let run = 0; run < RUNS; run += 1) {
      d1.take();
      await call();
      runs.push(d1.take().ms);
    }
    times.push(Math.min(...runs));
  }
  return times;
}

/** The same context one second later for each call, so no rate limit applies. */
let seconds = 0;
const later = (context: Context): Context => ({ ...context, now: context.now + 1_000 * seconds++ });

const queries = <T>(make: (n: number) => T): T[] => Array.from({ length: QUERIES }, (_, n) => make(n));

function searches(d1: TimedD1, context: Context, seed: number): Promise<number[]> {
  const corpus = new Corpus(seed);
  const terms = queries((n) => `${corpus.words(1 + (n % 3))} `);
  return timed(
    d1,
    terms.map((term) => () => search(later(context), { term, scope, limit: 20 })),
  );
}

/** Size of the index in bytes: the pages of its tables, shadow tables and indexes. */
function indexBytes(db: DatabaseSync): number {
  const row = db
    .prepare(
      `SELECT sum(pgsize) AS bytes FROM dbstat WHERE aggregate = TRUE AND (name LIKE 'search%' OR name LIKE 'sqlite_autoindex_search%')`,
    )
    .get();
  return Number(row?.bytes ?? 0);
}

type Row = [what: string, p50: string, p99: string, wanted: string];
const shown = (what: string, times: readonly number[], wanted: string): Row => [
  what,
  ms(percentile(times, 0.5)),
  ms(percentile(times, 0.99)),
  wanted,
];

/** Peak memory of this process, MB: Node, the service's code, SQLite and its page cache. */
const peakMb = (): number => process.resourceUsage().maxRSS / 1024;

/** Calls of a row of suggestions, and runs of each. */
const [TYPED, CPU_RUNS] = [100, 20];

/** CPU time of suggestions while the first letters of a word are typed, alone and after another word. The least of RUNS counts. */
async function suggestionRows(d1: TimedD1, guest: Context, member: Context): Promise<Row[]> {
  const letters = new Corpus(8);
  const typed = async (context: Context, count: number, before = 0) => {
    const terms = Array.from({ length: TYPED }, () => {
      const words = Array.from({ length: before }, () => `${letters.word()} `).join("");
      return words + letters.word().slice(0, count);
    });
    const times: number[] = [];
    for (const term of terms) {
      const runs: number[] = [];
      for (let run = 0; run < RUNS; run += 1)
        runs.push(await d1.cpuOf(() => suggest(later(context), term, scope), CPU_RUNS));
      times.push(Math.min(...runs));
    }
    return times;
  };
  return [
    shown(`suggestions, two letters, ${granted}`, await typed(guest, 2), "p99 ≤ 5 ms"),
    shown("suggestions, two letters, a member", await typed(member, 2), "p99 ≤ 5 ms"),
    shown("suggestions, one letter, a member", await typed(member, 1), "p99 ≤ 5 ms"),
    shown("suggestions, four letters, a member", await typed(member, 4), ""),
    shown("suggestions, two letters after a word, a member", await typed(member, 2, 1), "p99 ≤ 5 ms"),
    shown(`suggestions, two letters after a word, ${granted}`, await typed(guest, 2, 1), "p99 ≤ 5 ms"),
  ];
}

const granted = `organization of ${LARGE} passages, ${GRANTS} of ${LOCATIONS} locations granted`;
const heads = ["SQL of one call", "p50", "p99", "wanted"];

/** Measures only suggestions, in a copy of the database with many tenants. */
export async function measureSuggestions(kept: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bench-suggestions-"));
  try {
    const from = kept ?? join(folder, "built");
    const built = await build(from);
    const copy = databases(folder).many;
    copyFileSync(databases(from).many, copy);
    const d1 = new TimedD1(openDatabaseFile(copy));
    const rows = await suggestionRows(d1, await callerOf(d1, built.guest), await callerOf(d1, built.member));
    const bytes = indexBytes(d1.sqlite) / PASSAGES;
    d1.sqlite.close();
    return `${PASSAGES.toLocaleString("en")} passages of 60 words in ${ORGANIZATIONS} organizations, ${TYPED} calls a row, CPU time of the thread. Index: ${bytes.toFixed(0)} bytes a passage.

${table(heads, rows)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Measures search, suggestions and replacement in a database with many tenants, and with one tenant alone. The
 * databases are built in the folder `kept`, if it is set, and used again.
 */
export async function measureScale(kept: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bench-scale-"));
  try {
    const from = kept ?? join(folder, "built");
    const built = await build(from);
    continueIds();
    const atStart = peakMb();
    const files = databases(folder);
    for (const name of ["alone", "many"] as const) copyFileSync(databases(from)[name], files[name]);
    const [alone, d1] = [new TimedD1(openDatabaseFile(files.alone)), new TimedD1(openDatabaseFile(files.many))];
    const bytes = indexBytes(d1.sqlite) / PASSAGES;
    const rows: Row[] = [];
    const aloneTimes = await searches(alone, await callerOf(alone, built.aloneUser), 5);
    const smallTimes = await searches(d1, await callerOf(d1, built.smallUser), 5);
    const ratio = mean(smallTimes) / mean(aloneTimes);
    rows.push(shown(`search, organization of ${SMALL} passages, alone in its database`, aloneTimes, ""));
    rows.push(shown(`the same among ${ORGANIZATIONS}`, smallTimes, `≤ 1.2 × (mean ${ratio.toFixed(2)} ×)`));
    const [member, guest] = [await callerOf(d1, built.member), await callerOf(d1, built.guest)];
    rows.push(shown(`search, ${granted}`, await searches(d1, guest, 6), "p99 ≤ 30 ms"));
    rows.push(shown("search, the same organization, a member", await searches(d1, member, 6), ""));
    rows.push(...(await suggestionRows(d1, guest, member)));
    rows.push(shown("replacement of a document with 20 passages", await replacements(d1), "p50 ≤ 5 ms"));
    d1.sqlite.close();
    const peak = peakMb();
    return `${PASSAGES.toLocaleString("en")} passages of 60 words in ${ORGANIZATIONS} organizations, ${QUERIES} calls a row, one to three words of
Zipf's law. Index: ${bytes.toFixed(0)} bytes a passage (wanted ≤ 350), whole pages, with the second copy of the terms of what is shared.
Peak memory of the process: ${peak.toFixed(0)} MB, of which ${atStart.toFixed(0)} before the first call.

${table(heads, rows)}

${await measureBackfill(folder)} Peak memory after it: ${peakMb().toFixed(0)} MB.`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** New versions of documents in a separate organization, each indexed by the job. */
async function replacements(d1: TimedD1): Promise<number[]> {
  const db = d1.sqlite;
  const place = addPlace(db, addOrganization(db));
  const corpus = new Corpus(21);
  const ids = Array.from({ length: 100 }, () => addDocument(db, place, corpus.words(4), corpus.passages()).id);
  const index = (documentId: string, id: string) =>
    runSlice(d1, indexDocument, { id, kind: "index-document", payload: { documentId }, state: null });
  for (const id of ids) await index(id, `first ${id}`);
  for (const id of ids) {
    addText(db, id, 2, corpus.passages());
    db.prepare("UPDATE documents SET latest_version = 2, text_version = 2 WHERE id = ?").run(id);
  }
  const times: number[] = [];
  for (const id of ids) {
    d1.take();
    await index(id, `second ${id}`);
    times.push(d1.take().ms);
  }
  return times;
}

/** A backfill that is interrupted half way and continues from its state. */
async function measureBackfill(folder: string): Promise<string> {
  const d1 = new TimedD1(openSchema(join(folder, "backfill.sqlite")));
  const db = d1.sqlite;
  const corpus = new Corpus(31);
  const place = addPlace(db, addOrganization(db));
  db.exec("BEGIN");
  const documents = BACKFILL / PASSAGES_PER_DOCUMENT;
  for (let n = 0; n < documents; n += 1) addDocument(db, place, corpus.words(4), corpus.passages());
  db.exec("COMMIT");
  let [state, slices, stopped]: [unknown, number, number] = [null, 0, 0];
  const started = performance.now();
  d1.take();
  do {
    const job = { id: "backfill", kind: "backfill-documents" as const, payload: {}, state };
    const outcome = await runSlice(d1, backfillDocuments, job);
    // Only the state in the row of the job is kept, like after a restart.
    state = outcome.kind === "continue" ? JSON.parse(JSON.stringify(outcome.state)) : null;
    slices += 1;
    if (slices === 50) stopped = Number(db.prepare("SELECT sum(passage_count) AS n FROM search_rows").get()?.n ?? 0);
  } while (state !== null);
  const seconds = (performance.now() - started) / 1_000;
  const indexed = Number(db.prepare("SELECT sum(passage_count) AS n FROM search_rows").get()?.n ?? 0);
  const { ms: spent } = d1.take();
  db.close();
  return `Backfill of ${BACKFILL.toLocaleString("en")} passages, each slice from nothing but the last one's state: ${indexed.toLocaleString("en")} indexed
in ${slices} slices and ${seconds.toFixed(1)} s (${Math.round(BACKFILL / seconds).toLocaleString("en")} passages a second, ${(spent / seconds / 10).toFixed(0)} % of it SQL;
after 50 slices ${stopped.toLocaleString("en")} stood in the index).`;
}

export { build };
