import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { expect } from "vitest";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { inSet } from "../../src/platform/db/statements";
import type { JobKind, JobPayload } from "../../src/platform/jobs/kinds";
import { jobs } from "../../src/platform/jobs/tables";
import { eventually } from "./patience";
import { testDatabase } from "./statements";

/** Waits until a tenant's jobs of this kind have ended, and returns them. */
export async function endedJobs(tenantId: string, kind: JobKind) {
  const db = testDatabase();
  const mine = and(eq(jobs.tenantId, tenantId), eq(jobs.kind, kind));
  await eventually(async () => {
    const open = await db
      .select({ id: jobs.id })
      .from(jobs)
      .where(and(mine, inArray(jobs.status, ["queued", "running"])));
    expect(open).toEqual([]);
  });
  return db.select().from(jobs).where(mine);
}

/** A context of the service itself, like the one of a job. */
export const systemContext = (): Context => openContext(env, () => {}).context;

/** Queues jobs like a feature, through the real queue, and waits until each has succeeded. */
export async function runThrough<K extends JobKind>(
  kind: K,
  payloads: readonly JobPayload<K>[],
  expected: "succeeded" | "failed" = "succeeded",
): Promise<string[]> {
  const change = beginChange(systemContext());
  const ids = payloads.map((payload) => change.job(kind, payload));
  await change.commit();
  await jobsEnded(ids, expected);
  return ids;
}

/** Waits until each of these jobs has succeeded. */
export async function jobsEnded(ids: readonly string[], expected: "succeeded" | "failed" = "succeeded"): Promise<void> {
  const db = testDatabase();
  await eventually(async () => {
    const rows = await db
      .select({ id: jobs.id, status: jobs.status, code: jobs.errorCode })
      .from(jobs)
      .where(inSet(jobs.id, ids));
    const open = rows.filter(({ status }) => status !== expected);
    if (open.length > 0) throw new Error(`still open: ${JSON.stringify(open)}`);
  });
}
