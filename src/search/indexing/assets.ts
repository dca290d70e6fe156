import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import type { Workspaces } from "../../platform/db/residence";
import { complete, continueLater, type JobHandler, workspaceOf } from "../../platform/jobs/handlers";
import { KIND_PREFIXES } from "../kinds";
import {
  bodyField,
  DEFAULT_LANGUAGE,
  detectLanguage,
  joinTerms,
  type Language,
  languageOfName,
  languagesIn,
  nameWords,
  sampledTerms,
  sampleOf,
  setOf,
  tagTerms,
  titleField,
} from "../text";
import {
  ASSET_SOURCES,
  ASSET_TYPES,
  type AssetType,
  languagesBeside,
  mayUseLanguageBeside,
  openGroups,
  openTenants,
  postedTerms,
  scopesOf,
} from "./sources";

/** An entry and its fields. */
export interface Asset {
  key: number;
  /** JSON of the scopes under which its terms are posted. */
  scopes: string;
  id: string;
  title: string;
  body: string;
  /** JSON array of the ids of its tags. */
  tags: string;
}

interface AssetRow extends Asset {
  tenantId: string;
  /** The languages of a document's entry that were taken from its text; null without a text, and for other assets. */
  textLanguages: number | null;
}

/** Updates the index of one cluster, location, annotation or document. A deleted one leaves the index. */
export const indexAsset: JobHandler<"index-asset"> = {
  async run(context, job) {
    const { type, id } = job.payload;
    return complete(await indexAssets(context, workspaceOf(job), type, [id], job.id));
  },
};

/**
 * The change that updates the index of these assets. If two runs are simultaneous, the run that started later wins.
 * Takes some dozens of ids at most.
 */
export async function indexAssets(
  context: Context,
  workspaces: Workspaces,
  type: AssetType,
  ids: readonly string[],
  run: string,
): Promise<Change> {
  const rows = await claimAssets(context, workspaces, type, ids, run);
  const change = beginChange(context, workspaces);
  const { table, notDeleted } = ASSET_SOURCES[type];
  // The rows of a text name the entry of its document, so that entry stays as long as the document. Triggers hide it.
  if (type !== "document")
    change.add(
      sql`DELETE FROM search_entries WHERE resource_id IN (
          SELECT value FROM json_each(${JSON.stringify(ids)})
          WHERE value NOT IN (SELECT a.id FROM ${table} a WHERE a.id = value AND ${notDeleted})) AND type = ${type}`,
    );
  const languages = await languagesOfAssets(context, type, rows);
  for (const fields of groupsOf(type, rows, languages)) writeAssets(change, context, type, fields, run);
  if (type === "document") queueTexts(change, await outdatedTexts(context, ids));
  return change;
}

/** Makes `run` the latest run of these assets, then reads them. */
async function claimAssets(
  context: Context,
  workspaces: Workspaces,
  type: AssetType,
  ids: readonly string[],
  run: string,
): Promise<AssetRow[]> {
  const { table, notDeleted, title, body, place, tags } = ASSET_SOURCES[type];
  const chosen = sql`a.id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) AND ${notDeleted}`;
  const { workspace, now } = context;
  await beginChange(context, workspaces)
    .add(
      openTenants(sql`SELECT DISTINCT a.tenant_id FROM ${table} a WHERE ${chosen}`),
      openGroups(sql`SELECT a.tenant_id, ${place} AS place_id, ${type} AS type FROM ${table} a WHERE ${chosen}`),
      sql`INSERT INTO search_entries
          (group_key, type, resource_id, title, live, title_length, row_count, passage_count, body_length, run, indexed_at)
        SELECT g.key, ${type}, a.id, '', 0, 0, 1, 1, 0, ${run}, ${now}
        FROM ${table} a JOIN search_groups g ON g.place_id = ${place} AND g.type = ${type} WHERE ${chosen}
        ON CONFLICT (resource_id, type, version) DO UPDATE SET run = excluded.run`,
    )
    .commit();
  return workspace.all<AssetRow>(sql`
    SELECT e.key AS "key", ${scopesOf(type, "a")} AS "scopes", a.id AS "id", ${title} AS "title", ${body} AS "body", ${tags ?? sql`'[]'`} AS "tags",
      a.tenant_id AS "tenantId", iif(EXISTS (
        SELECT 1 FROM search_entries t WHERE t.resource_id = a.id AND t.type = 'text' AND t.live = 1), e.languages, NULL) AS "textLanguages"
    FROM ${table} a JOIN search_entries e ON e.resource_id = a.id AND e.type = ${type} AND e.run = ${run}
    WHERE ${chosen}`);
}

/**
 * The language of each asset: the language of its document's text, else the language that it shows, else the language
 * of the entries beside it.
 */
async function languagesOfAssets(
  context: Context,
  type: AssetType,
  rows: readonly AssetRow[],
): Promise<(Language | null)[]> {
  const own = rows.map(({ title, body, textLanguages }) => {
    const [ofText] = languagesIn(textLanguages ?? 0);
    return ofText ?? (type === "document" ? null : detectLanguage(`${title} ${body}`)) ?? languageOfName(title);
  });
  const unknown = rows.filter((row, i) => own[i] === null && mayUseLanguageBeside(row));
  const tenantIds = unknown.map(({ tenantId }) => tenantId);
  const beside = await languagesBeside(context, type === "document" ? "text" : type, tenantIds);
  return rows.map((row, i) => own[i] ?? (mayUseLanguageBeside(row) ? beside.get(row.tenantId) : null) ?? null);
}

/** Characters of terms in one statement: a parameter may have 2 MB, and a character up to three bytes. */
const MAX_GROUP_LENGTH = 400_000;

/** The indexed fields of the rows, as JSON arrays of bounded size. One row is always smaller than the bound. */
function* groupsOf(
  type: AssetType,
  rows: readonly Asset[],
  languages: readonly (Language | null)[],
): Generator<string> {
  let [group, size] = [[] as string[], 0];
  for (const [i, row] of rows.entries()) {
    const fields = fieldsOf(type, row, languages[i] ?? null);
    if (size > 0 && size + fields.length > MAX_GROUP_LENGTH) {
      yield `[${group.join(",")}]`;
      [group, size] = [[], 0];
    }
    group.push(fields);
    size += fields.length;
  }
  if (size > 0) yield `[${group.join(",")}]`;
}

/** The indexed fields of one row, as JSON. Without a language, its words have the stems of the default one. */
function fieldsOf(type: AssetType, { key, scopes, id, title, body, tags }: Asset, shown: Language | null): string {
  const language = shown ?? DEFAULT_LANGUAGE;
  const [t, b] = [titleField(title, language), bodyField(body, language)];
  const sample = sampleOf(id);
  const sampled = (text: string) => sampledTerms(text, language, sample, KIND_PREFIXES[type].word);
  const ofTags = tagTerms(z.array(z.string()).parse(JSON.parse(tags)));
  const [titleTerms, bodyTerms] = [t.terms + sampled(title), joinTerms([b.terms, b.parts, ofTags]) + sampled(body)];
  const languages = shown === null ? setOf() : setOf(shown);
  return JSON.stringify([key, titleTerms, bodyTerms, nameWords(title), title, t.length, b.length, scopes, languages]);
}

/**
 * Writes the entry of a document with the language of its text, in the batch that makes the text searchable. A simultaneous run that
 * read the former language writes nothing: `run` is the latest one.
 */
export function writeDocument(
  change: Change,
  context: Context,
  document: Asset,
  language: Language | null,
  run: string,
): void {
  change.add(sql`UPDATE search_entries SET run = ${run} WHERE key = ${document.key}`);
  writeAssets(change, context, "document", `[${fieldsOf("document", document, language)}]`, run);
}

function writeAssets(change: Change, { now }: Context, type: AssetType, fields: string, run: string): void {
  const given = sql`json_each(${fields}) j JOIN search_entries e ON e.key = j.value ->> 0 AND e.run = ${run}`;
  const posted = (terms: SQL) => postedTerms(terms, sql`j.value ->> 7`, type);
  const { table, notDeleted } = ASSET_SOURCES[type];
  change.add(
    sql`INSERT OR REPLACE INTO search_terms (rowid, body, title, name)
      SELECT -e.key, ${posted(sql`j.value ->> 2`)}, ${posted(sql`j.value ->> 1`)}, ${posted(sql`j.value ->> 3`)}
      FROM ${given}`,
    sql`INSERT OR REPLACE INTO search_rows (id, entry_key, resource_key, group_key, title_length, body_length, term_count, passage_count, ends)
      SELECT -e.key, e.key, e.key, e.group_key, j.value ->> 5, j.value ->> 6, 0, 0, '[]' FROM ${given}`,
    sql`UPDATE search_entries SET live = 1, title = j.value ->> 4, title_length = j.value ->> 5,
        body_length = j.value ->> 6, scopes = j.value ->> 7, languages = j.value ->> 8, indexed_at = ${now}
      FROM json_each(${fields}) j WHERE search_entries.key = j.value ->> 0 AND run = ${run}
        AND EXISTS (SELECT 1 FROM ${table} a WHERE a.id = search_entries.resource_id AND ${notDeleted})`,
  );
}

/** Renamed or moved documents: the index has their passages under another title or in other scopes. */
const outdatedTexts = ({ workspace }: Context, ids: readonly string[]) =>
  workspace.all<{ id: string; tenantId: string }>(sql`
    SELECT d.id AS "id", d.tenant_id AS "tenantId" FROM json_each(${JSON.stringify(ids)}) j
    JOIN documents d ON d.id = j.value
    JOIN search_entries e ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version
    WHERE e.title <> d.file_name OR e.scopes <> ${scopesOf("document", "d")}`);

function queueTexts(change: Change, outdated: readonly { id: string; tenantId: string }[]): void {
  for (const { id, tenantId } of outdated)
    change.job("index-document", { documentId: id }, { tenantId, dedupeKey: `index-document:${id}` });
}

/** Assets of a slice, each of some 40 KB of text at most. One batch writes their terms. */
const BACKFILL_BATCH = 25;

const backfillStateSchema = z.strictObject({ step: z.int(), after: z.string(), done: z.int(), total: z.int() });
type BackfillState = z.infer<typeof backfillStateSchema>;

/**
 * Indexes every cluster, location, annotation and document card again, in bounded slices. Each entry is replaced in
 * place. Deleted rows have left the index already.
 */
export const backfillAssets: JobHandler<"backfill-assets"> = {
  async run(context, job) {
    const state = job.state === null ? await beginBackfill(context) : backfillStateSchema.parse(job.state);
    const type = ASSET_TYPES[state.step];
    if (type === undefined) return complete(undefined, { done: state.done, total: state.done });
    const { table } = ASSET_SOURCES[type];
    const rows = await context.workspace.all<{ id: string; tenantId: string }>(
      sql`SELECT a.id AS "id", a.tenant_id AS "tenantId" FROM ${table} a WHERE a.id > ${state.after} ORDER BY a.id LIMIT ${BACKFILL_BATCH}`,
    );
    const ids = rows.map(({ id }) => id);
    const after = ids.at(-1);
    const at = { ...state, done: state.done + ids.length };
    const next = after === undefined ? { ...at, step: state.step + 1, after: "" } : { ...at, after };
    const progress = { done: next.done, total: Math.max(next.done, next.total) };
    if (ids.length === 0) return continueLater(next, { progress });
    const workspaces = rows.map(({ tenantId }) => tenantId);
    const change = await indexAssets(context, workspaces, type, ids, `${job.id}:${next.done}`);
    return continueLater(next, { change, progress });
  },
};

async function beginBackfill({ workspace }: Context): Promise<BackfillState> {
  const counts = ASSET_TYPES.map((type) => sql`(SELECT count(*) FROM ${ASSET_SOURCES[type].table})`);
  const [row] = await workspace.all<{ total: number }>(sql`SELECT ${sql.join(counts, sql` + `)} AS "total"`);
  return { step: 0, after: "", done: 0, total: row?.total ?? 0 };
}
