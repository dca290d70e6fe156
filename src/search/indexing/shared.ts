import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { complete, continueLater, countQueries, type JobHandler, workspaceOf } from "../../platform/jobs/handlers";
import type { JobPayload } from "../../platform/jobs/kinds";
import { indexAssets } from "./assets";
import { reindexText } from "./documents";
import { ASSET_SOURCES, ASSET_TYPES, type AssetType, scopesOf } from "./sources";

/** Rows that are read at a time: assets of some 40 KB of text at most, or documents. */
const BATCH_SIZE = 25;
/** A slice ends after this cost in passages; an asset costs as much as ASSET_COST passages. */
export const MAX_COST_PER_SLICE = 600;
export const ASSET_COST = 4;

/** The shared resource, or the resource that was moved into a shared one. */
type Shared = JobPayload<"index-shared">;

const stateSchema = z.strictObject({ step: z.int(), after: z.string(), done: z.int(), scope: z.int().nullable() });
type State = z.infer<typeof stateSchema>;

/** Steps of a walk: assets of each kind, then the texts of documents. */
export const STEPS = [...ASSET_TYPES, "text"] as const;
export type Step = (typeof STEPS)[number];

/** The column by which a row of each kind belongs to the shared resource; absent if no such row can. */
const WITHIN: Readonly<Record<Shared["target"], Readonly<Partial<Record<AssetType, SQL>>>>> = {
  cluster: {
    cluster: sql`a.id`,
    location: sql`a.cluster_id`,
    annotation: sql`a.cluster_id`,
    document: sql`a.cluster_id`,
  },
  location: { location: sql`a.id`, annotation: sql`a.location_id`, document: sql`a.location_id` },
  document: { document: sql`a.id` },
};

/**
 * Posts all contents of a shared resource under their current scopes, in bounded slices, so that people with a grant
 * find them. Entries that have the right scopes stay; each other entry is replaced in place.
 */
export const indexShared: JobHandler<"index-shared"> = {
  async run(context, job) {
    const begun = job.state === null ? await begin(context, job.payload) : stateSchema.parse(job.state);
    if (begun === null) return complete();
    let state: State = begun;
    const change = beginChange(context, workspaceOf(job));
    const isSpent = countQueries(context);
    for (let left = MAX_COST_PER_SLICE; left > 0 && !isSpent(); ) {
      const step = STEPS[state.step];
      if (step === undefined) {
        change.add(sql`UPDATE search_scopes SET posted = 1 WHERE key = ${state.scope}`);
        return complete(change, { done: state.done, total: state.done });
      }
      const rows = await outdated(context, job.payload, step, state.after);
      const { cost, count } = await indexRows(context, change, step, rows, `${job.id}:${state.done}`, isSpent);
      left -= cost;
      const isLast = rows.length < BATCH_SIZE && count === rows.length;
      const at = isLast ? { step: state.step + 1, after: "" } : { step: state.step, after: rows[count - 1]?.id ?? "" };
      state = { ...state, ...at, done: state.done + count };
    }
    return continueLater(state, { change, progress: { done: state.done, total: state.done } });
  },
};

/**
 * Indexes rows of one step, each in a commit that a later run may overtake, until all are indexed or `isSpent`.
 * @returns the number of indexed rows, and their cost in passages
 */
async function indexRows(
  context: Context,
  change: Change,
  step: Step,
  rows: readonly Row[],
  run: string,
  isSpent: () => boolean,
): Promise<{ cost: number; count: number }> {
  if (step !== "text") {
    const ids = rows.map(({ id }) => id);
    const workspaces = rows.map(({ tenantId }) => tenantId);
    if (ids.length > 0) await (await indexAssets(context, workspaces, step, ids, run)).commit();
    return { cost: ids.length * ASSET_COST, count: ids.length };
  }
  let [cost, count] = [0, 0];
  for (const row of rows) {
    cost += await reindexText(context, change, row, run);
    count++;
    if (isSpent()) break;
  }
  return { cost, count };
}

/** Null when the resource is no longer shared, or all of its contents are posted already. */
async function begin({ workspace }: Context, { id, moved }: Shared): Promise<State | null> {
  const [scope] = await workspace.all<{ key: number; posted: number }>(
    sql`SELECT key AS "key", posted AS "posted" FROM search_scopes WHERE scope_id = ${id}`,
  );
  if (moved !== true && scope?.posted !== 0) return null;
  return { step: 0, after: "", done: 0, scope: scope?.key ?? null };
}

interface Row {
  id: string;
  tenantId: string;
}

/** Rows of one step whose entries have outdated scopes. */
function outdated({ workspace }: Context, { target, id }: Shared, step: Step, after: string): Promise<Row[]> {
  const kind = step === "text" ? "document" : step;
  const column = WITHIN[target][kind];
  if (column === undefined) return Promise.resolve([]);
  const version = step === "text" ? sql`a.text_version` : sql`0`;
  return workspace.all<Row>(sql`
    SELECT a.id AS "id", a.tenant_id AS "tenantId" FROM ${ASSET_SOURCES[kind].table} a
    CROSS JOIN search_entries e ON e.resource_id = a.id AND e.type = ${step} AND e.version = ${version}
    WHERE ${column} = ${id} AND a.id > ${after} AND ${ASSET_SOURCES[kind].notDeleted} AND e.scopes <> ${scopesOf(kind, "a")}
    ORDER BY a.id LIMIT ${BATCH_SIZE}`);
}
