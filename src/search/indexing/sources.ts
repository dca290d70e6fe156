import { type SQL, sql } from "drizzle-orm";
import { documentPublished, documents } from "../../documents/tables";
import { annotations, clusters, locations } from "../../workspace/tables";
import { KIND_PREFIXES, type Kind } from "../access-scope";
import { NAME_MARK, WORD_MARK } from "../text/terms";

export const ASSET_TYPES = ["cluster", "location", "annotation", "document"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

interface AssetSource {
  table: SQL;
  /** Holds for a row `a` that is to be found. */
  living: SQL;
  title: SQL;
  /** What it is found by beside its title, as one text. */
  body: SQL;
}

/** Values of a metadata object, at any depth, without its keys. */
const metadataWords = sql`(SELECT coalesce(group_concat(m.atom, ' '), '') FROM json_tree(a.metadata) m)`;
const notDeleted = sql`a.deleted_at IS NULL`;

/** Where each kind of asset is kept, and what of it is indexed. */
export const ASSET_SOURCES: Readonly<Record<AssetType, AssetSource>> = {
  cluster: {
    table: sql`${clusters}`,
    living: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || ${metadataWords}`,
  },
  location: {
    table: sql`${locations}`,
    living: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || coalesce(a.address, '') || ' ' || ${metadataWords}`,
  },
  annotation: {
    table: sql`${annotations}`,
    living: sql`1`,
    title: sql`a.title`,
    body: sql`a.kind || ' ' || a.body || ' ' || ${metadataWords}`,
  },
  document: {
    table: sql`${documents}`,
    living: documentPublished("a"),
    title: sql`a.file_name`,
    body: sql`a.path`,
  },
};

/** Gives the tenants that a query selects their scope, where they have none yet. */
export const openTenants = (tenantIds: SQL): SQL =>
  sql`INSERT INTO search_scopes (scope_id) ${tenantIds} ON CONFLICT (scope_id) DO NOTHING`;

/** Columns, of a row `alias`, that name its tenant and whatever may be shared and holds it. */
const HOLDERS: Readonly<Record<Kind, readonly string[]>> = {
  cluster: ["tenant_id", "id"],
  location: ["tenant_id", "cluster_id", "id"],
  annotation: ["tenant_id", "cluster_id", "location_id"],
  document: ["tenant_id", "cluster_id", "location_id", "id"],
};

/** The scopes under which a row is posted: its tenant's, and those of what is shared of its holders. JSON, in order of keys. */
export function scopesOf(kind: Kind, alias: "a" | "d"): SQL {
  const ids = sql.raw(HOLDERS[kind].map((column) => `${alias}.${column}`).join(", "));
  return sql`(SELECT json_group_array(key) FROM (SELECT key FROM search_scopes WHERE scope_id IN (${ids}) ORDER BY key))`;
}

/** Marked terms as the index holds them: all of them once for each scope of a JSON array. */
export function postedTerms(terms: SQL, scopes: SQL, kind: Kind): SQL {
  const { word, name } = KIND_PREFIXES[kind];
  return sql`(SELECT group_concat(replace(replace(${terms}, ${sql.raw(`'${WORD_MARK}'`)}, s.value || ${sql.raw(`'${word}'`)}),
    ${sql.raw(`'${NAME_MARK}'`)}, s.value || ${sql.raw(`'${name}'`)}), ' ') FROM json_each(${scopes}) s)`;
}
