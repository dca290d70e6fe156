import { sql } from "drizzle-orm";
import { z } from "zod";
import { beginChange } from "../../platform/db/change";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { literal } from "../../platform/db/statements";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";

/** Segments of the term index that are not merged. Each has its own copy of the terms that occur in it. */
const MAX_SEGMENTS = 12;
/** Pages of 4 KB that a slice writes, and slices of a run: an index of 1,000,000 passages has some 50,000 pages. */
const [PAGES_PER_SLICE, MAX_SLICES] = [500, 400];

const hasManySegments = sql`(SELECT count(id) > ${literal(MAX_SEGMENTS)} FROM (
  WITH RECURSIVE segments (id) AS (
    SELECT min(segid) FROM search_terms_idx WHERE segid > 0
    UNION ALL SELECT (SELECT min(segid) FROM search_terms_idx WHERE segid > id) FROM segments WHERE id IS NOT NULL
    LIMIT ${literal(MAX_SEGMENTS + 1)})
  SELECT id FROM segments))`;

const stateSchema = z.strictObject({
  /** The list of segments before the last slice, as FTS5 stores it. */
  segments: z.string(),
  slices: z.int(),
});
type MergeState = z.infer<typeof stateSchema>;

const segmentsSchema = z.tuple([z.object({ segments: z.string() })]);

/**
 * Merges segments of the term index. Each commit of an index job makes a segment, and the commits themselves merge four of a
 * similar size. This job merges two (`usermerge`), so few are left, and a term is written again only when its segment doubles.
 */
export const mergeIndex: RecurringHandler<"merge-index"> = {
  hasWork: () => hasManySegments,
  async run(context, job) {
    const last = job.state === null ? null : stateSchema.parse(job.state);
    // FTS5 keeps the list of segments in the row 10, with a number that every change of the list increases.
    const [{ segments }] = segmentsSchema.parse(
      await context.workspace.all(sql`SELECT hex(block) AS "segments" FROM search_terms_data WHERE id = 10`),
    );
    const slices = (last?.slices ?? 0) + 1;
    if (last?.segments === segments || slices > MAX_SLICES) return complete();
    const change = beginChange(context, NO_WORKSPACE).add(
      sql`INSERT INTO search_terms (search_terms, rank) VALUES ('merge', ${literal(PAGES_PER_SLICE)})`,
    );
    return continueLater({ segments, slices } satisfies MergeState, { change });
  },
};
