import { env } from "cloudflare:workers";
import { and, eq, inArray } from "drizzle-orm";
import { expect, onTestFinished } from "vitest";
import { contextAt } from "../../src/access";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { inSet } from "../../src/platform/db/statements";
import type { JobKind, JobPayload } from "../../src/platform/jobs/kinds";
import { jobs } from "../../src/platform/jobs/tables";
import { eventually } from "./patience";
import { testDatabase } from "./statements";

/** Until the end of the test, the jobs of a tenant leave their rows when they succeed, so that the test can read them. */
export async function keepJobs(tenantId: string): Promise<void> {
  const name = `"keeps ${tenantId}"`;
  await env.DB.prepare(
    `CREATE TRIGGER ${name} AFTER INSERT ON jobs WHEN NEW.tenant_id = '${tenantId}' BEGIN UPDATE jobs SET is_kept = 1 WHERE id = NEW.id; END`,
  ).run();
  onTestFinished(async () => {
    await env.DB.prepare(`DROP TRIGGER ${name}`).run();
  });
}

/** Waits until a tenant's jobs of this kind have ended, and returns the failed ones, and the others of `keepJobs`. */
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

/** A context of the service itself, as a job has it. */
export const systemContext = (): Context => openContext(env, () => {}).context;

/** The same in the database of the workspace that an id names. */
export const contextOf = (id: string): Promise<Context> => contextAt(systemContext(), id);

/** Queues jobs like a feature, through the real queue, and waits until each has succeeded. @param context of their database */
export async function runThrough<K extends JobKind>(
  kind: K,
  payloads: readonly JobPayload<K>[],
  expected: "succeeded" | "failed" = "succeeded",
  context = systemContext(),
): Promise<string[]> {
  const change = beginChange(context, NO_WORKSPACE);
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
    const ended = rows.filter(({ status }) => status === expected).length;
    const others = rows.length - ended;
    if (others > 0 || (expected === "failed" && ended < ids.length))
      throw new Error(`not ${expected}: ${JSON.stringify(rows)}`);
  });
}
