import { sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { ASSET_SOURCES, ASSET_TYPES } from "./asset-types";
import { indexAssets } from "./assets";

/** Assets a slice indexes, of some 40 KB of text at most; their terms go to the database in one batch. */
const BATCH = 25;

const stateSchema = z.strictObject({ step: z.int(), after: z.string(), done: z.int(), total: z.int() });
type State = z.infer<typeof stateSchema>;

/**
 * Indexes every cluster, location, annotation and document card again, a bounded batch a slice, each in
 * place. What was deleted left the index when its row did.
 */
export const backfillAssets: JobHandler<"backfill-assets"> = {
  async run(context, job) {
    const state = job.state === null ? await begin(context) : stateSchema.parse(job.state);
    const type = ASSET_TYPES[state.step];
    if (type === undefined) return done(undefined, { done: state.done, total: state.done });
    const { table } = ASSET_SOURCES[type];
    const rows = await context.db.all<{ id: string }>(
      sql`SELECT a.id AS "id" FROM ${table} a WHERE a.id > ${state.after} ORDER BY a.id LIMIT ${BATCH}`,
    );
    const ids = rows.map(({ id }) => id);
    const after = ids.at(-1);
    const at = { ...state, done: state.done + ids.length };
    const next = after === undefined ? { ...at, step: state.step + 1, after: "" } : { ...at, after };
    const progress = { done: next.done, total: Math.max(next.done, next.total) };
    if (ids.length === 0) return again(next, { progress });
    return again(next, { change: await indexAssets(context, type, ids, `${job.id}:${next.done}`), progress });
  },
};

async function begin({ db }: Context): Promise<State> {
  const counts = ASSET_TYPES.map((type) => sql`(SELECT count(*) FROM ${ASSET_SOURCES[type].table})`);
  const [row] = await db.all<{ total: number }>(sql`SELECT ${sql.join(counts, sql` + `)} AS "total"`);
  return { step: 0, after: "", done: 0, total: row?.total ?? 0 };
}
