import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { passages } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { again, done, type JobHandler, type Outcome } from "../../platform/jobs/handlers";
import { bodyField, titleField } from "../text/terms";
import { claimText, isCurrent, type TextRun, textRunSchema } from "./claim-text";
import { publishText, removeSuperseded, SUPERSEDED_BATCH } from "./publish-text";
import { postedTerms } from "./scopes";

/** Passages a slice indexes: of 1,200 characters at most, so under 1 MB in memory. */
const SLICE = 128;

const stateSchema = z.discriminatedUnion("step", [
  z.strictObject({
    step: z.literal("write"),
    run: textRunSchema,
    from: z.int(),
    rows: z.int(),
    length: z.int(),
  }),
  z.strictObject({ step: z.literal("clean"), run: textRunSchema }),
]);
type State = z.infer<typeof stateSchema>;

/**
 * Brings the index to the document's present text. The text that was there stays searchable until
 * the new one is whole. Of two runs over one document the one that started later wins.
 */
export const indexDocument: JobHandler<"index-document"> = {
  async run(context, job) {
    const state =
      job.state === null ? await firstState(context, job.payload.documentId, job.id) : stateSchema.parse(job.state);
    if (state === null || !(await isCurrent(context, state.run))) return done();
    return state.step === "write" ? writeSlice(context, state) : cleanSlice(context, state);
  },
};

/** Where a run over the document's present text begins; null when it has none. `run` names the run. */
export async function firstState(context: Context, documentId: string, run: string): Promise<State | null> {
  const claimed = await claimText(context, documentId, run);
  return claimed && { step: "write", run: claimed, from: 0, rows: 0, length: 0 };
}

/** Indexes the next passages of a run; with the last of them the new text replaces the old. */
export async function writeSlice(context: Context, state: State & { step: "write" }): Promise<Outcome> {
  const { run, from } = state;
  const { db } = context;
  const ofText = and(eq(passages.documentId, run.documentId), eq(passages.version, run.version));
  const [slice, [end]] = await db.batch([
    db
      .select({ id: passages.id, chunkIndex: passages.chunkIndex, text: passages.text })
      .from(passages)
      .where(and(ofText, gte(passages.chunkIndex, from), lt(passages.chunkIndex, from + SLICE)))
      .orderBy(asc(passages.chunkIndex)),
    db
      .select({ last: sql<number | null>`max(${passages.chunkIndex})` })
      .from(passages)
      .where(ofText),
  ]);
  const title = titleField(run.title);
  const rows = slice.map(({ id, text }) => ({ id, ...bodyField(text) }));
  const change = beginChange(context);
  if (rows.length > 0) writeRows(change, run, title.terms, rows);
  const total = (end?.last ?? -1) + 1;
  const next = {
    ...state,
    from: from + SLICE,
    rows: state.rows + rows.length,
    length: state.length + rows.reduce((sum, row) => sum + row.length, 0),
  };
  const progress = { done: Math.min(next.from, total), total };
  if (next.from < total) return again(next, { change, progress });
  publishText(change, context, run, { titleLength: title.length, rows: next.rows, bodyLength: next.length });
  removeSuperseded(change, run);
  return (await hasSuperseded(context, run, SUPERSEDED_BATCH))
    ? again({ step: "clean", run } satisfies State, { change, progress })
    : done(change, progress);
}

async function cleanSlice(context: Context, state: State & { step: "clean" }): Promise<Outcome> {
  const change = beginChange(context);
  removeSuperseded(change, state.run);
  return (await hasSuperseded(context, state.run, SUPERSEDED_BATCH)) ? again(state, { change }) : done(change);
}

/** Whether more passages of older versions are there than one batch removes. */
async function hasSuperseded({ db }: Context, run: TextRun, batch: number): Promise<boolean> {
  const found = await db
    .select({ id: passages.id })
    .from(passages)
    .where(and(eq(passages.documentId, run.documentId), lt(passages.version, run.version)))
    .limit(1)
    .offset(batch);
  return found.length > 0;
}

interface Row {
  id: number;
  terms: string;
  length: number;
}

/** Each write skips passages that have gone meanwhile, and all of it a run that is no longer the latest. */
function writeRows(change: Change, run: TextRun, title: string, rows: readonly Row[]): void {
  const present = sql`JOIN passages p ON p.id = j.value ->> 0
    WHERE EXISTS (SELECT 1 FROM search_entries WHERE key = ${run.entryKey} AND run = ${run.run})`;
  const posted = (terms: SQL) => postedTerms(terms, sql`${run.scopes}`, "document");
  const bodies = JSON.stringify(rows.map(({ id, terms }) => [id, terms]));
  change.add(
    sql`INSERT OR REPLACE INTO search_terms (rowid, body, title)
      SELECT p.id, ${posted(sql`j.value ->> 1`)}, ${posted(sql`${title}`)} FROM json_each(${bodies}) j ${present}`,
    sql`INSERT OR REPLACE INTO search_rows (id, entry_key, body_length)
      SELECT p.id, ${run.entryKey}, j.value ->> 1
      FROM json_each(${JSON.stringify(rows.map(({ id, length }) => [id, length]))}) j ${present}`,
  );
}
