import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { clusters, locations } from "../../workspace/tables";
import type { EntryType } from "../tables";
import { LANGUAGES, type Language } from "../text";

/** The newest places of a workspace whose entries are counted. The cost of a count does not grow with the workspace. */
const MAX_COUNTED_PLACES = 64;

/**
 * Whether an entry may have the language of the entries beside it. One that is shared may not: people who see it alone could learn
 * from its stems in which language the others are. `scopes` is a JSON array; the first scope is that of the workspace.
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
