import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { type Context, ownDatabase } from "../../platform/context";
import { type AnyDatabase, rowsOf, runBatch } from "../../platform/db/database";
import { JOB_LANES } from "../../platform/jobs/kinds";
import { SECOND } from "../../platform/time";
import { inEachDatabase } from "../databases";
import { MAX_COUNTED_JOBS } from "../limits";
import { FAILED, IN_LINE, IN_QUEUE, RUNNING } from "./jobs";

const kindStatusSchema = z
  .object({
    kind: z.string(),
    waiting: z.int().openapi({ description: "Jobs in line and in a queue." }),
    running: z.int(),
    oldestWaitingSeconds: z.int().nullable().openapi({
      description: "How long the oldest waiting job has been due. Null if none is due.",
    }),
    failures: z
      .array(z.object({ code: z.string(), count: z.int() }))
      .openapi({ description: "The failed jobs that are kept, by error code. The most frequent code comes first." }),
  })
  .openapi("JobKindStatus");

export const jobsStatusSchema = z
  .object({
    kinds: z.array(kindStatusSchema).openapi({ description: "The kinds that have open or failed jobs." }),
    isExact: z.boolean().openapi({
      description: `False if more than ${MAX_COUNTED_JOBS} jobs of a lane wait, or more than that run or have failed: only so many are read.`,
    }),
  })
  .openapi("JobsStatus");
type JobsStatus = z.infer<typeof jobsStatusSchema>;

interface Counted {
  kind: string;
  code: string | null;
  count: number;
  dueAt: number;
}

/** Counts the jobs of one database by kind, in one round trip: the running ones, the failed ones, then those that wait. */
async function countIn(database: AnyDatabase): Promise<(readonly Counted[])[]> {
  const counted = (set: SQL) =>
    sql`SELECT kind AS "kind", code AS "code", count(*) AS "count", min(run_at) AS "dueAt"
      FROM (SELECT kind, error_code AS code, run_at FROM jobs WHERE ${set} LIMIT ${MAX_COUNTED_JOBS + 1}) GROUP BY kind, code`;
  const results = await runBatch(database, [
    counted(RUNNING),
    counted(sql`${FAILED} ORDER BY finished_at DESC`),
    ...JOB_LANES.flatMap((lane) => [
      counted(sql`lane = ${lane} AND ${IN_LINE}`),
      counted(sql`lane = ${lane} AND ${IN_QUEUE}`),
    ]),
  ]);
  return results.map((result) => rowsOf<Counted>(result));
}

const sum = (rows: readonly Counted[]): number => rows.reduce((total, { count }) => total + count, 0);

/** The jobs of all databases by kind: at most MAX_COUNTED_JOBS of each set in each database are read. */
export async function readJobKinds(context: Context): Promise<JobsStatus> {
  const places = await inEachDatabase(context, (there) => countIn(ownDatabase(there)));
  const running = places.flatMap(([rows]) => rows ?? []);
  const failed = places.flatMap(([, rows]) => rows ?? []);
  const waiting = places.flatMap((sets) => sets.slice(2).flat());
  const names = [...new Set([...running, ...failed, ...waiting].map(({ kind }) => kind))].sort();
  const kinds = names.map((kind) => {
    const of = (rows: readonly Counted[]) => rows.filter((row) => row.kind === kind);
    const due = of(waiting).flatMap(({ dueAt }) => (dueAt <= context.now ? [context.now - dueAt] : []));
    const failures = [...Map.groupBy(of(failed), ({ code }) => code ?? "unknown")].map(([code, rows]) => ({
      code,
      count: sum(rows),
    }));
    return {
      kind,
      waiting: sum(of(waiting)),
      running: sum(of(running)),
      oldestWaitingSeconds: due.length === 0 ? null : Math.floor(Math.max(...due) / SECOND),
      failures: failures.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    };
  });
  return { kinds, isExact: places.every((sets) => sets.every((rows) => sum(rows) <= MAX_COUNTED_JOBS)) };
}
