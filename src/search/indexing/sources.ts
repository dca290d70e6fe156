import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { documentPublished, documents, documentTags } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { annotations, clusters, locations } from "../../workspace/tables";
import { KIND_PREFIXES, type Kind } from "../kinds";
import { type EntryType, searchGuestTargets } from "../tables";
import { LANGUAGES, type Language, NAME_MARK, SAMPLE_MARK, WORD_MARK } from "../text";

export const ASSET_TYPES = ["cluster", "location", "annotation", "document"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

interface AssetSource {
  table: SQL;
  /** Condition: the row `a` exists for search. */
  notDeleted: SQL;
  title: SQL;
  /** All other searchable fields, as one text. */
  body: SQL;
  /** A JSON array of the ids of its tags; none if it is absent. */
  tags?: SQL;
  /** The place of its group. */
  place: SQL;
}

/** All values of a metadata object, at any depth, without the keys. */
const metadataWords = sql`(SELECT coalesce(group_concat(m.atom, ' '), '') FROM json_tree(a.metadata) m)`;
const notDeleted = sql`a.deleted_at IS NULL`;

/** The ids of the tags of the document `row`, as a JSON array. */
export const tagsOf = (row: "a" | "d"): SQL =>
  sql`(SELECT json_group_array(tag_id) FROM ${documentTags} WHERE document_id = ${sql.raw(row)}.id)`;

/** The table and the indexed fields of each kind of asset. */
export const ASSET_SOURCES: Readonly<Record<AssetType, AssetSource>> = {
  cluster: {
    table: sql`${clusters}`,
    notDeleted: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || ${metadataWords}`,
    place: sql`a.id`,
  },
  location: {
    table: sql`${locations}`,
    notDeleted: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || coalesce(a.address, '') || ' ' || ${metadataWords}`,
    place: sql`a.id`,
  },
  annotation: {
    table: sql`${annotations}`,
    notDeleted: sql`1`,
    title: sql`a.title`,
    body: sql`a.kind || ' ' || a.body || ' ' || ${metadataWords}`,
    place: sql`a.location_id`,
  },
  document: {
    table: sql`${documents}`,
    notDeleted: documentPublished("a"),
    title: sql`a.file_name`,
    body: sql`a.path`,
    tags: tagsOf("a"),
    place: sql`a.location_id`,
  },
};

/** Creates a scope for each selected tenant that has none. */
export const openTenants = (tenantIds: SQL): SQL =>
  sql`INSERT INTO search_scopes (scope_id) ${tenantIds} ON CONFLICT (scope_id) DO NOTHING`;

/** Creates the groups of these entries: `(tenant id, place id, type)`. */
export const openGroups = (entries: SQL): SQL =>
  sql`INSERT INTO search_groups (tenant_key, place_id, type)
    SELECT t.key, place_id, type FROM (${entries}) CROSS JOIN search_scopes t ON t.scope_id = tenant_id
    WHERE true ON CONFLICT (place_id, type) DO NOTHING`;

/** Columns of the tenant and of every resource that contains the row and may be shared. */
const HOLDERS: Readonly<Record<Kind, readonly string[]>> = {
  cluster: ["tenant_id", "id"],
  location: ["tenant_id", "cluster_id", "id"],
  annotation: ["tenant_id", "cluster_id", "location_id"],
  document: ["tenant_id", "cluster_id", "location_id", "id"],
};

/** The columns of the resources that contain a row, or are the row, and may be shared. */
export const sharedHolders = (kind: Kind): readonly string[] =>
  HOLDERS[kind].filter((column) => column !== "tenant_id");

/**
 * The scopes of a row as JSON, in order of keys: the scope of its tenant, the scopes of the shared resources that contain it, and the
 * scopes of the guests who have an index and a grant on one of these resources.
 */
export function scopesOf(kind: Kind, alias: "a" | "d"): SQL {
  const ids = (columns: readonly string[]) => sql.raw(columns.map((column) => `${alias}.${column}`).join(", "));
  const letter = sql.raw(`'${KIND_PREFIXES[kind].word}'`);
  return sql`(SELECT json_group_array(key) FROM (
    SELECT key FROM search_scopes WHERE scope_id IN (${ids(HOLDERS[kind])})
    UNION SELECT guest_key FROM ${searchGuestTargets} WHERE target_id IN (${ids(sharedHolders(kind))}) AND state <> 2 AND instr(kinds, ${letter}) > 0
    ORDER BY 1))`;
}

/** Marked terms in the form of the index: all terms once for each scope of a JSON array. */
export function postedTerms(terms: SQL, scopes: SQL, kind: Kind): SQL {
  const { word, name } = KIND_PREFIXES[kind];
  const marks: [mark: string, letter: string][] = [
    [WORD_MARK, word],
    [NAME_MARK, name],
    [SAMPLE_MARK, ""],
  ];
  const posted = marks.reduce(
    (text, [mark, letter]) => sql`replace(${text}, ${sql.raw(`'${mark}'`)}, s.value || ${sql.raw(`'${letter}'`)})`,
    terms,
  );
  return sql`(SELECT group_concat(${posted}, ' ') FROM json_each(${scopes}) s)`;
}

/** The newest places of a workspace whose entries are counted. The cost of a count does not grow with the workspace. */
const MAX_COUNTED_PLACES = 64;

/**
 * Whether an entry may have the language of the entries beside it. A shared entry may not: people who see only this
 * entry could learn from its stems which language the others have. `scopes` is a JSON array; the first scope is the
 * scope of the workspace.
 */
export const mayUseLanguageBeside = ({ scopes }: { scopes: string }): boolean => !scopes.includes(",");

const sums = sql.raw(LANGUAGES.map((language) => `sum(${language}_count)`).join(", "));
const countsSchema = z.array(z.int().nullable());

/**
 * The language that most entries of a type have in each of these workspaces; absent where none leads. Whoever sees one entry of the type by
 * the scope of the workspace sees all of them, so the answer tells nothing about a hidden entry.
 */
export async function languagesBeside(
  { workspace }: Context,
  type: EntryType,
  tenantIds: readonly string[],
): Promise<Map<string, Language>> {
  const found = new Map<string, Language>();
  if (tenantIds.length === 0) return found;
  const places = type === "cluster" ? sql`${clusters}` : sql`${locations}`;
  const rows = await workspace.all<{ tenantId: string; counts: string }>(sql`
    SELECT t.value AS "tenantId", (SELECT json_array(${sums}) FROM (
        SELECT id FROM ${places} WHERE tenant_id = t.value AND deleted_at IS NULL ORDER BY id DESC LIMIT ${MAX_COUNTED_PLACES}) p
      CROSS JOIN search_groups g ON g.place_id = p.id AND g.type = ${type}) AS "counts"
    FROM (SELECT DISTINCT value FROM json_each(${JSON.stringify(tenantIds)})) t`);
  for (const { tenantId, counts } of rows) {
    const all = countsSchema.parse(JSON.parse(counts)).map((count) => count ?? 0);
    const most = Math.max(...all);
    const language = LANGUAGES[all.indexOf(most)];
    if (language !== undefined && most > 0 && all.filter((count) => count === most).length === 1)
      found.set(tenantId, language);
  }
  return found;
}
