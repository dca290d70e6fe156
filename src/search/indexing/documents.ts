import { and, asc, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { removeOlderSections } from "../../documents";
import { documentNotDeleted, documents, endOfSection, textSections } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import type { Workspaces } from "../../platform/db/residence";
import { DomainError } from "../../platform/errors";
import { complete, continueLater, type JobHandler, type Outcome, workspaceOf } from "../../platform/jobs/handlers";
import { searchEntries } from "../tables";
import {
  DEFAULT_LANGUAGE,
  LANGUAGES,
  type Language,
  type LanguageSet,
  languageOfName,
  mainLanguage,
  titleField,
} from "../text";
import { type Asset, writeDocument } from "./assets";
import { type SectionField, sectionField } from "./sections";
import {
  languagesBeside,
  mayUseLanguageBeside,
  openGroups,
  openTenants,
  postedTerms,
  scopesOf,
  tagsOf,
} from "./sources";

/** Passages a slice indexes: of 1,200 characters at most, so under 1 MB in memory. */
const PASSAGES_PER_SLICE = 128;

/** Sections of older versions that one batch removes. */
const SUPERSEDED_BATCH = 100;

/** One run over one version of a document's text. */
const textRunSchema = z.strictObject({
  documentId: z.string(),
  version: z.int(),
  entryKey: z.int(),
  /** JSON of the scopes under which its terms are posted. */
  scopes: z.string(),
  title: z.string(),
  /** The id of the run. */
  run: z.string(),
});
type TextRun = z.infer<typeof textRunSchema>;

export const textStateSchema = z.discriminatedUnion("step", [
  z.strictObject({
    step: z.literal("write"),
    run: textRunSchema,
    from: z.int(),
    size: z.strictObject({ rows: z.int(), passages: z.int(), words: z.int() }),
    /**
     * The language of the first passages, else of the title, else of other texts. Passages that show none have it too. Null where
     * nothing shows a language.
     */
    main: z.enum(LANGUAGES).nullable(),
    languages: z.int(),
  }),
  z.strictObject({ step: z.literal("clean"), run: textRunSchema }),
]);
export type TextState = z.infer<typeof textStateSchema>;

/**
 * Indexes the current text of a document. The previous text stays searchable until the new one is complete. If two runs
 * index one document, the run that started later wins.
 */
export const indexDocument: JobHandler<"index-document"> = {
  async run(context, job) {
    const workspaces = workspaceOf(job);
    const { documentId } = job.payload;
    const state =
      job.state === null ? await firstState(context, workspaces, documentId, job.id) : textStateSchema.parse(job.state);
    if (state === null || !(await isCurrent(context, state.run))) return complete();
    return state.step === "write" ? writeSlice(context, workspaces, state) : cleanSlice(context, workspaces, state);
  },
};

/** The first state of a run, or null when the document has no text. `run` names the run. */
export async function firstState(
  context: Context,
  workspaces: Workspaces,
  documentId: string,
  run: string,
): Promise<TextState | null> {
  const claimed = await claimText(context, workspaces, documentId, run);
  const size = { rows: 0, passages: 0, words: 0 };
  return claimed && { step: "write", run: claimed, from: 0, size, main: null, languages: 0 };
}

/** Indexes the next passages of a run. The last slice replaces the old text by the new one. */
export async function writeSlice(
  context: Context,
  workspaces: Workspaces,
  state: TextState & { step: "write" },
): Promise<Outcome> {
  const { run, from } = state;
  const { workspace } = context;
  const ofText = and(eq(textSections.documentId, run.documentId), eq(textSections.version, run.version));
  const [slice, [last]] = await workspace.batch([
    workspace
      .select({ id: textSections.id, chunkIndex: textSections.chunkIndex, texts: textSections.texts })
      .from(textSections)
      .where(and(ofText, gte(textSections.chunkIndex, from), lt(textSections.chunkIndex, from + PASSAGES_PER_SLICE)))
      .orderBy(asc(textSections.chunkIndex)),
    workspace
      .select({ end: endOfSection })
      .from(textSections)
      .where(ofText)
      .orderBy(desc(textSections.chunkIndex))
      .limit(1),
  ]);
  const main =
    from === 0
      ? await languageOf(
          context,
          run,
          slice.flatMap(({ texts }) => texts),
        )
      : state.main;
  const title = titleField(run.title, main ?? DEFAULT_LANGUAGE);
  const { documentId } = run;
  const rows = slice.map(({ id, ...section }) => ({
    id,
    ...sectionField({ documentId, title: run.title, ...section }, main),
  }));
  const change = beginChange(context, workspaces);
  if (rows.length > 0) writeRows(change, run, title, rows);
  const total = last?.end ?? 0;
  const size = {
    rows: state.size.rows + rows.length,
    passages: state.size.passages + rows.reduce((sum, { passageCount }) => sum + passageCount, 0),
    words: state.size.words + rows.reduce((sum, { length }) => sum + length, 0),
  };
  const languages = rows.reduce((set, row) => set | row.languages, state.languages);
  const next = { ...state, from: from + PASSAGES_PER_SLICE, size, main, languages };
  const progress = { done: Math.min(next.from, total), total };
  if (next.from < total) return continueLater(next, { change, progress });
  publishText(change, context, run, { titleLength: title.length, ...size, languages });
  const card = await readCard(context, run);
  if (card !== undefined) writeDocument(change, context, card, main, run.run);
  removeSuperseded(change, run);
  return (await hasSuperseded(context, run, SUPERSEDED_BATCH))
    ? continueLater({ step: "clean", run } satisfies TextState, { change, progress })
    : complete(change, progress);
}

/** The language of a document: the language of its text, else of its title, else of the texts beside it. */
async function languageOf(context: Context, run: TextRun, texts: readonly string[]): Promise<Language | null> {
  const own = mainLanguage(texts) ?? languageOfName(run.title);
  if (own !== null || !mayUseLanguageBeside(run)) return own;
  const [document] = await context.workspace
    .select({ tenantId: documents.tenantId })
    .from(documents)
    .where(eq(documents.id, run.documentId));
  const beside = await languagesBeside(context, "text", document === undefined ? [] : [document.tenantId]);
  return (document && beside.get(document.tenantId)) ?? null;
}

/** The entry of the document itself, with the title of this run: a later rename is indexed by a later run. */
async function readCard({ workspace }: Context, run: TextRun): Promise<Asset | undefined> {
  const [card] = await workspace.all<{ key: number; body: string; tags: string }>(sql`
    SELECT e.key AS "key", d.path AS "body", ${tagsOf("d")} AS "tags" FROM ${documents} d
    JOIN search_entries e ON e.resource_id = d.id AND e.type = 'document' WHERE d.id = ${run.documentId}`);
  return card && { ...card, id: run.documentId, title: run.title, scopes: run.scopes };
}

async function cleanSlice(
  context: Context,
  workspaces: Workspaces,
  state: TextState & { step: "clean" },
): Promise<Outcome> {
  const change = beginChange(context, workspaces);
  removeSuperseded(change, state.run);
  return (await hasSuperseded(context, state.run, SUPERSEDED_BATCH))
    ? continueLater(state, { change })
    : complete(change);
}

/** Whether older versions have more sections than one batch removes. */
async function hasSuperseded({ workspace }: Context, run: TextRun, batch: number): Promise<boolean> {
  const found = await workspace
    .select({ id: textSections.id })
    .from(textSections)
    .where(and(eq(textSections.documentId, run.documentId), lt(textSections.version, run.version)))
    .limit(1)
    .offset(batch);
  return found.length > 0;
}

interface IndexedSection extends SectionField {
  id: number;
}

/** Writes nothing for sections that were deleted meanwhile, and nothing at all when a later run exists. */
function writeRows(
  change: Change,
  run: TextRun,
  title: Pick<SectionField, "terms" | "length">,
  rows: readonly IndexedSection[],
): void {
  const present = sql`JOIN text_sections p ON p.id = j.value ->> 0
    JOIN search_entries e ON e.key = ${run.entryKey} AND e.run = ${run.run}`;
  const posted = (terms: SQL) => postedTerms(terms, sql`${run.scopes}`, "document");
  const fields = JSON.stringify(rows.map(({ id, terms, titleSample }) => [id, terms, titleSample]));
  const sizes = rows.map(({ id, length, termCount, passageCount, ends }) => [
    id,
    length,
    termCount,
    passageCount,
    JSON.stringify(ends),
  ]);
  change.add(
    sql`INSERT OR REPLACE INTO search_terms (rowid, body, title)
      SELECT p.id, ${posted(sql`j.value ->> 1`)}, ${posted(sql`${title.terms} || (j.value ->> 2)`)} FROM json_each(${fields}) j ${present}`,
    sql`INSERT OR REPLACE INTO search_rows (id, entry_key, resource_key, group_key, title_length, body_length, term_count, passage_count, ends)
      SELECT p.id, e.key, (SELECT key FROM search_entries WHERE resource_id = e.resource_id AND type = 'document'), e.group_key, ${title.length}, j.value ->> 1, j.value ->> 2, j.value ->> 3, j.value ->> 4
      FROM json_each(${JSON.stringify(sizes)}) j ${present}`,
  );
}

/**
 * Makes `run` the latest run of the document, then reads the current text. This order ensures that a later run never
 * uses older facts. Null when there is no text to index.
 */
export async function claimText(
  context: Context,
  workspaces: Workspaces,
  documentId: string,
  run: string,
): Promise<TextRun | null> {
  const { workspace, now } = context;
  const notDeleted = sql`d.id = ${documentId} AND ${documentNotDeleted("d")} AND d.text_version > 0`;
  const scopes = scopesOf("document", "d");
  await beginChange(context, workspaces)
    .add(
      openTenants(sql`SELECT d.tenant_id FROM ${documents} d WHERE ${notDeleted}`),
      openGroups(
        sql`SELECT d.tenant_id, d.location_id AS place_id, value AS type FROM ${documents} d, json_each('["document", "text"]') WHERE ${notDeleted}`,
      ),
      // The rows of the text name the entry of the document, which another job fills.
      sql`INSERT INTO search_entries
          (group_key, type, resource_id, title, live, title_length, row_count, passage_count, body_length, indexed_at)
        SELECT g.key, g.type, d.id, '', 0, 0, 1, 1, 0, ${now}
        FROM ${documents} d JOIN search_groups g ON g.place_id = d.location_id AND g.type = 'document' WHERE ${notDeleted}
        ON CONFLICT (resource_id, type, version) DO NOTHING`,
      sql`INSERT INTO search_entries
          (group_key, scopes, type, resource_id, version, title, live, title_length, row_count, passage_count, body_length, run, indexed_at)
        SELECT g.key, ${scopes}, 'text', d.id, d.text_version, d.file_name, 0, 0, 0, 0, 0, ${run}, ${now}
        FROM ${documents} d JOIN search_groups g ON g.place_id = d.location_id AND g.type = 'text' WHERE ${notDeleted}
        ON CONFLICT (resource_id, type, version) DO UPDATE SET run = excluded.run`,
    )
    .commit();
  const [row] = await workspace.all(sql`
    SELECT d.id AS "documentId", e.version AS "version", e.key AS "entryKey", ${scopes} AS "scopes",
      d.file_name AS "title", e.run AS "run"
    FROM ${documents} d JOIN search_entries e
      ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version AND e.run = ${run}
    WHERE ${notDeleted}`);
  return row === undefined ? null : textRunSchema.parse(row);
}

/** Whether the run is the latest one and the document still has its text. */
async function isCurrent({ workspace }: Context, run: TextRun): Promise<boolean> {
  const found = await workspace
    .select({ key: searchEntries.key })
    .from(searchEntries)
    .innerJoin(documents, eq(documents.id, searchEntries.resourceId))
    .where(
      and(
        eq(searchEntries.key, run.entryKey),
        eq(searchEntries.run, run.run),
        eq(documents.textVersion, run.version),
        documentNotDeleted(),
      ),
    );
  return found.length > 0;
}

/** A later run, or a newer text, replaced the run. */
const overtaken = (): DomainError => new DomainError("conflict", "A newer text of this document is being indexed.");

/** Makes this version of the text searchable, and no other version. */
function publishText(
  change: Change,
  { now }: Context,
  run: TextRun,
  size: { titleLength: number; rows: number; passages: number; words: number; languages: LanguageSet },
): void {
  change
    .add(
      sql`UPDATE search_entries SET live = 1, title = ${run.title}, scopes = ${run.scopes}, title_length = ${size.titleLength},
          row_count = ${size.rows}, passage_count = ${size.passages}, body_length = ${size.words},
          languages = ${size.languages}, indexed_at = ${now}
        WHERE key = ${run.entryKey} AND run = ${run.run} AND EXISTS (
          SELECT 1 FROM documents WHERE id = ${run.documentId} AND text_version = ${run.version} AND ${documentNotDeleted()})`,
    )
    .guardChanged(overtaken())
    .add(
      sql`UPDATE search_entries SET live = 0
        WHERE resource_id = ${run.documentId} AND type = 'text' AND version <> ${run.version} AND live = 1`,
    );
}

/** Removes one batch of sections of older versions. Triggers remove their index rows. */
function removeSuperseded(change: Change, { documentId, version, entryKey }: TextRun): void {
  const searched = sql`EXISTS (SELECT 1 FROM search_entries WHERE key = ${entryKey} AND live = 1)`;
  change.add(
    removeOlderSections({ documentId, version }, searched, SUPERSEDED_BATCH),
    sql`DELETE FROM search_entries
      WHERE resource_id = ${documentId} AND type = 'text' AND version < ${version} AND ${searched}
      AND NOT EXISTS (SELECT 1 FROM text_sections p WHERE p.document_id = ${documentId} AND p.version = search_entries.version)`,
  );
}

/**
 * Indexes the text of a document at once, or queues a job when one slice is not enough. Returns the number of passages.
 */
export async function reindexText(
  context: Context,
  change: Change,
  { id, tenantId }: { id: string; tenantId: string },
  run: string,
): Promise<number> {
  const state = await firstState(context, tenantId, id, run);
  if (state?.step !== "write") return 0;
  const outcome = await writeSlice(context, tenantId, state);
  if (outcome.kind === "continue") {
    change.job("index-document", { documentId: id }, { tenantId, dedupeKey: `index-document:${id}` });
    return 0;
  }
  await committed(outcome.change);
  return outcome.progress?.total ?? 0;
}

/**
 * Indexes one slice of a run and commits it. Returns the state of the next slice, null at the end or if a later run has begun, and the
 * number of passages of the slice.
 */
export async function commitSlice(
  context: Context,
  tenantId: string,
  state: TextState,
): Promise<{ next: TextState | null; passages: number }> {
  if (!(await isCurrent(context, state.run))) return { next: null, passages: 0 };
  const outcome =
    state.step === "write" ? await writeSlice(context, tenantId, state) : await cleanSlice(context, tenantId, state);
  const passages = (outcome.progress?.done ?? 0) - (state.step === "write" ? state.from : 0);
  if (!(await committed(outcome.change))) return { next: null, passages };
  return { next: outcome.kind === "continue" ? textStateSchema.parse(outcome.state) : null, passages };
}

/** False if another job indexes a newer text of the document. */
async function committed(change: Outcome["change"]): Promise<boolean> {
  try {
    await change?.commit();
    return true;
  } catch (thrown) {
    if (!(thrown instanceof DomainError && thrown.code === "conflict")) throw thrown;
    return false;
  }
}
