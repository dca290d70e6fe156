import { z } from "@hono/zod-openapi";
import { desc, eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import type { JobKind } from "../../platform/jobs/kinds";
import { JOB_STATUSES, type JobRow, jobs } from "../../platform/jobs/tables";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";

const TASK_KINDS = [
  "backfill-documents",
  "backfill-assets",
  "extract-document",
  "index-document",
] as const satisfies JobKind[];

/** Latest tasks of each kind that the status shows. */
const LATEST = 20;

export const taskSchema = z
  .object({
    id: idSchema,
    kind: z.string(),
    status: z.enum(JOB_STATUSES),
    progress: z.object({ done: z.int(), total: z.int() }),
    error: z.object({ code: z.string(), detail: z.string() }).nullable(),
    createdAtUtc: utcSchema,
    startedAtUtc: utcSchema.nullable(),
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("IndexTask");
export type IndexTask = z.infer<typeof taskSchema>;

const presentTask = (row: JobRow): IndexTask => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  progress: { done: row.progressDone, total: row.progressTotal },
  error:
    row.errorCode === null || row.status === "succeeded"
      ? null
      : { code: row.errorCode, detail: row.errorDetail ?? "" },
  createdAtUtc: toUtc(row.createdAt),
  startedAtUtc: toUtcOrNull(row.startedAt),
  finishedAtUtc: toUtcOrNull(row.finishedAt),
});

/** One task, as it stands. @throws DomainError 404. */
export async function readTask({ db }: Context, jobId: string): Promise<IndexTask> {
  const [row] = await db.select().from(jobs).where(eq(jobs.id, jobId));
  if (row === undefined) throw notFound();
  return presentTask(row);
}

/** The latest tasks of each kind, the newest first. */
export async function latestTasks({ db }: Context): Promise<IndexTask[]> {
  const ofKind = (kind: JobKind) =>
    db.select().from(jobs).where(eq(jobs.kind, kind)).orderBy(desc(jobs.createdAt), sql`id DESC`).limit(LATEST);
  const [first, ...others] = TASK_KINDS.map(ofKind);
  if (first === undefined) return [];
  const rows = await db.batch([first, ...others]);
  return rows
    .flat()
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(presentTask);
}
