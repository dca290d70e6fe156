import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { grants } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { indexAssets } from "./assets";
import { commitSlice, firstState, textStateSchema } from "./documents";
import { ASSET_SOURCES, ASSET_TYPES } from "./sources";

/** The statements that remove the index of a workspace whose resources are removed: triggers have removed their entries. */
export const removeIndex = (workspaceId: string): SQL[] => [
  sql`DELETE FROM search_guests WHERE organization_id = ${workspaceId}`,
  sql`DELETE FROM search_groups WHERE tenant_key = (SELECT key FROM search_scopes WHERE scope_id = ${workspaceId})`,
  sql`DELETE FROM search_scopes WHERE scope_id = ${workspaceId}`,
];

/** Rows that are read at a time: assets of some 40 KB of text at most, or documents. */
const BATCH = 25;

/** Where the index of a workspace ends so far: the assets of each kind, and after them the texts. */
export const indexPlaceSchema = z.strictObject({
  step: z.int(),
  after: z.string(),
  /** The rest of a long text. */
  text: textStateSchema.nullable(),
});
export type IndexPlace = z.infer<typeof indexPlaceSchema>;

export const FIRST_PLACE: IndexPlace = { step: 0, after: "", text: null };

/**
 * Builds the index of a workspace whose rows have come from another database, in slices. Each entry is posted under its current
 * scopes, so everything that is shared is found too.
 * @param run a name of this slice, another one for each
 * @param isFull whether the slice should end now, asked after each batch
 * @returns where the next slice begins, and null at the end; the assets and passages that were indexed
 */
export async function indexWorkspace(
  context: Context,
  workspaceId: string,
  from: IndexPlace,
  run: string,
  isFull: () => boolean,
): Promise<{ next: IndexPlace | null; done: number }> {
  let [at, done, batches] = [from, 0, 0];
  for (; at.step <= ASSET_TYPES.length; batches++) {
    if (batches > 0 && isFull()) return { next: at, done };
    const indexed = await indexBatch(context, workspaceId, at, `${run}:${batches}`, isFull);
    done += indexed.done;
    at = indexed.next;
  }
  await beginChange(context, workspaceId)
    .add(
      sql`UPDATE search_scopes SET posted = 1 WHERE posted = 0 AND scope_id IN (
        SELECT ${grants.targetId} FROM ${grants} WHERE ${grants.tenantId} = ${workspaceId})`,
    )
    .commit();
  return { next: null, done };
}

async function indexBatch(
  context: Context,
  workspaceId: string,
  at: IndexPlace,
  run: string,
  isFull: () => boolean,
): Promise<{ next: IndexPlace; done: number }> {
  const type = ASSET_TYPES[at.step];
  const { table } = ASSET_SOURCES[type ?? "document"];
  const hasText = type === undefined ? sql` AND a.text_version > 0` : sql``;
  const rows = await context.workspace.all<{ id: string }>(
    sql`SELECT a.id AS "id" FROM ${table} a WHERE a.tenant_id = ${workspaceId} AND a.id > ${at.after}${hasText}
      ORDER BY a.id LIMIT ${BATCH}`,
  );
  const ids = rows.map(({ id }) => id);
  const isLast = ids.length < BATCH;
  const nextStep = { step: at.step + 1, after: "", text: null };
  if (type !== undefined) {
    if (ids.length > 0) await (await indexAssets(context, workspaceId, type, ids, run)).commit();
    return { next: isLast ? nextStep : { ...at, after: ids.at(-1) ?? "" }, done: ids.length };
  }
  let [done, after, rest] = [0, at.after, at.text];
  for (const [n, id] of ids.entries()) {
    let state = rest ?? (await firstState(context, workspaceId, id, `${run}:${n}`));
    rest = null;
    while (state !== null) {
      const { next, passages } = await commitSlice(context, workspaceId, state);
      done += passages;
      state = next;
      if (state !== null && isFull()) return { next: { ...at, after, text: state }, done };
    }
    after = id;
    if (n < ids.length - 1 && isFull()) return { next: { ...at, after, text: null }, done };
  }
  return { next: isLast ? nextStep : { ...at, after, text: null }, done };
}
