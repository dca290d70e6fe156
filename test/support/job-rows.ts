import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { contextAt } from "../../src/access";
import { openContext } from "../../src/compose";
import { jobHandlers } from "../../src/job-handlers";
import type { Context } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import type { JobHandler, JobHandlers } from "../../src/platform/jobs/handlers";
import { isJobKind, JOB_KINDS, type JobLane } from "../../src/platform/jobs/kinds";
import type { JobQueues } from "../../src/platform/jobs/queues";
import { type JobRow, jobs } from "../../src/platform/jobs/tables";
import { testDatabase } from "./statements";

/** A context of the service itself, with the real bindings of the test. */
export const systemContext = (more: Partial<Context> = {}): Context => ({
  ...openContext(env, (work) => void work).context,
  ...more,
});

/** The same for each lane. */
export const everyLane = (of: (lane: JobLane) => JobQueues["light"]): JobQueues => ({
  live: of("live"),
  delivery: of("delivery"),
  light: of("light"),
  extraction: of("extraction"),
  verification: of("verification"),
  printing: of("printing"),
  recognition: of("recognition"),
});

/** Queues that only record their messages, for tests that run the jobs themselves. */
export function silentQueues(): { queues: JobQueues; sent: { lane: string; jobId: string; delaySeconds: number }[] } {
  const sent: { lane: string; jobId: string; delaySeconds: number }[] = [];
  const lane = (name: string): JobQueues["light"] => ({
    sendBatch: async (messages) => {
      for (const { body, delaySeconds = 0 } of messages) sent.push({ lane: name, jobId: body.jobId, delaySeconds });
      return { metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } };
    },
    metrics: () => env.JOBS.metrics(),
  });
  return { queues: everyLane(lane), sent };
}

/** The lane of a kind. For an unknown kind, any lane. */
export const laneOf = (kind: string): JobLane => (isJobKind(kind) ? JOB_KINDS[kind].lane : "light");

/** Writes a job like a change, without a message to a queue. Overrides make it older, leased or invalid. */
export async function insertJob(overrides: Partial<typeof jobs.$inferInsert> = {}): Promise<string> {
  const [id, now] = [newId(), Date.now()];
  const row = { id, kind: "expire-requests", payload: {}, status: "queued" as const, requestId: "asked-for-it" };
  await testDatabase()
    .insert(jobs)
    .values({
      ...row,
      lane: laneOf(overrides.kind ?? row.kind),
      runAt: now,
      sentAt: now,
      createdAt: now,
      ...overrides,
    });
  return overrides.id ?? id;
}

/** The context of a job: of the service itself, in the database of its workspace. */
export async function contextOfJob(id: string): Promise<Context> {
  const { tenantId } = await readJobRow(id);
  return tenantId === null ? systemContext() : contextAt(systemContext(), tenantId);
}

/** Whether a job has succeeded: then it has no row. */
export const hasSucceeded = async (id: string): Promise<boolean> =>
  (await testDatabase().$count(jobs, eq(jobs.id, id))) === 0;

export async function readJobRow(id: string): Promise<JobRow> {
  const [row] = await testDatabase().select().from(jobs).where(eq(jobs.id, id));
  if (row === undefined) throw new Error(`there is no job ${id}`);
  return row;
}

/** The real handlers, with another handler for the kind that these tests use. */
export const handlersWith = (handler: JobHandler<"expire-requests">): JobHandlers => ({
  ...jobHandlers,
  "expire-requests": { ...jobHandlers["expire-requests"], ...handler },
});
