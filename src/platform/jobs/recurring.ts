import { v5 } from "uuid";
import type { Context } from "../context";
import { beginChange } from "../db/change";
import { inSet } from "../db/sets";
import { JOB_KINDS, type JobKind, type JobKindSpec } from "./kinds";
import { jobs } from "./tables";

const NAMESPACE = "6f2f3b1e-6f0b-4a35-9f0e-0c7f6a1d2b94";

/** The id of a recurring job in the period that holds `now`: the same for everybody who asks. */
export const recurringId = (kind: string, everyMs: number, now: number): string =>
  v5(`${kind} ${everyMs} ${Math.floor(now / everyMs)}`, NAMESPACE);

/** Queues the recurring jobs whose period has begun; any number of callers queue one a period. */
export async function queueRecurring(context: Context, now: number): Promise<void> {
  const due = (Object.keys(JOB_KINDS) as JobKind[]).flatMap((kind) => {
    const { everyMs }: JobKindSpec = JOB_KINDS[kind];
    return everyMs === undefined ? [] : [{ kind, id: recurringId(kind, everyMs, now) }];
  });
  const there = await context.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      inSet(
        jobs.id,
        due.map(({ id }) => id),
      ),
    );
  const known = new Set(there.map(({ id }) => id));
  const change = beginChange(context);
  // Every recurring kind has an empty payload, as this one has.
  for (const { kind, id } of due)
    if (!known.has(id)) change.job(kind as "expire-requests", {}, { id, dedupeKey: kind });
  await change.commit();
}
