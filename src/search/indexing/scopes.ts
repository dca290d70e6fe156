import { type SQL, sql } from "drizzle-orm";
import { type Kind, LETTERS } from "../kinds";
import { NAME_MARK, WORD_MARK } from "../text/terms";

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
  const { word, name } = LETTERS[kind];
  return sql`(SELECT group_concat(replace(replace(${terms}, ${sql.raw(`'${WORD_MARK}'`)}, s.value || ${sql.raw(`'${word}'`)}),
    ${sql.raw(`'${NAME_MARK}'`)}, s.value || ${sql.raw(`'${name}'`)}), ' ') FROM json_each(${scopes}) s)`;
}
