import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { auditStatement, requireAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isKnown, NO_WORKSPACE } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { isJobKind, JOB_KINDS, JOB_LANES, type JobKind, type JobLane } from "../../platform/jobs/kinds";
import { type FailedJob, replaceFailed } from "../../platform/jobs/rerun";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { MAX_COUNTED_JOBS, MAX_RERUN_JOBS } from "../limits";

/**
 * Kinds whose failure the feature stores for the person who waits for the result. The person or the feature starts the
 * work again, so a rerun of the job would find nothing to do.
 */
const ENDED_BY_FAILURE = new Set<JobKind>([
  "verify-upload",
  "recognize-document",
  "derive-images",
  "print-report",
  "prepare-export",
  "prepare-workspace-export",
  "delete-tree",
]);
const canRerun = (kind: string): kind is JobKind => isJobKind(kind) && !ENDED_BY_FAILURE.has(kind);

export const jobKindSchema = z.enum(Object.keys(JOB_KINDS) as [JobKind, ...JobKind[]]);

const laneSchema = z
  .object({
    lane: z.enum(JOB_LANES),
    inLine: z.int().openapi({ description: "Jobs that wait for a slot of their workspace." }),
    inQueue: z.int().openapi({ description: "Jobs that the queue has, and jobs that wait for another try." }),
    running: z.int(),
    failed: z.int(),
    oldestDueAtUtc: utcSchema.nullable().openapi({ description: "Time at which the oldest waiting job was due." }),
    isExact: z.boolean().openapi({
      description: `False if more than ${MAX_COUNTED_JOBS} jobs are in line, are in the queue, run or failed: only so many are read.`,
    }),
  })
  .openapi("JobLane");
export const lanesSchema = z.object({ items: z.array(laneSchema) }).openapi("JobLanes");

export const administeredJobSchema = z
  .object({
    id: idSchema,
    kind: z.string(),
    lane: z.enum(JOB_LANES),
    status: z.enum(["queued", "running", "failed"]),
    attempts: z.int(),
    progress: z.object({ done: z.int(), total: z.int() }),
    error: z
      .object({ code: z.string(), detail: z.string() })
      .nullable()
      .openapi({ description: "The reason why the job, or its last try, failed." }),
    organization: z
      .object({ id: idSchema, name: z.string() })
      .nullable()
      .openapi({ description: "Null for work of the whole service and of personal workspaces." }),
    canRerun: z.boolean().openapi({
      description: "Whether it failed and can run again. Other kinds are started again by the person who needs them.",
    }),
    createdAtUtc: utcSchema,
    dueAtUtc: utcSchema,
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("AdministeredJob");

interface FoundJob {
  id: string;
  kind: string;
  lane: (typeof JOB_LANES)[number];
  status: "queued" | "running" | "failed";
  attempts: number;
  done: number;
  total: number;
  errorCode: string | null;
  errorDetail: string | null;
  organizationId: string | null;
  organizationName: string | null;
  createdAt: number;
  runAt: number;
  finishedAt: number | null;
}

const presentJob = (row: FoundJob): z.infer<typeof administeredJobSchema> => ({
  id: row.id,
  kind: row.kind,
  lane: row.lane,
  status: row.status,
  attempts: row.attempts,
  progress: { done: row.done, total: row.total },
  error: row.errorCode === null ? null : { code: row.errorCode, detail: row.errorDetail ?? "" },
  organization:
    row.organizationId === null || row.organizationName === null
      ? null
      : { id: row.organizationId, name: row.organizationName },
  canRerun: row.status === "failed" && canRerun(row.kind),
  createdAtUtc: toUtc(row.createdAt),
  dueAtUtc: toUtc(row.runAt),
  finishedAtUtc: toUtcOrNull(row.finishedAt),
});

/** The sets of open jobs, each with its own index: jobs in line, in a queue, and running. Then the failed jobs. */
const IN_LINE = sql`status = 'queued' AND sent_at IS NULL`;
const IN_QUEUE = sql`status = 'queued' AND sent_at IS NOT NULL`;
const RUNNING = sql`lease_until > 0`;
const FAILED = sql`status = 'failed' AND finished_at IS NOT NULL`;

/** Counts the open and the failed jobs of each lane: at most MAX_COUNTED_JOBS of each set. @throws DomainError 401, 403. */
export async function readLanes(context: Context): Promise<z.infer<typeof lanesSchema>> {
  requireAdmin(context);
  interface Counted {
    lane: string;
    status: string;
    count: number;
    dueAt: number;
  }
  const first = (set: SQL) => sql`(SELECT lane, status, run_at FROM jobs WHERE ${set} LIMIT ${MAX_COUNTED_JOBS + 1})`;
  const counted = (set: SQL) =>
    context.workspace.all<Counted>(
      sql`SELECT lane, status, count(*) AS "count", min(run_at) AS "dueAt" FROM ${first(set)} GROUP BY lane, status`,
    );
  const [failures, running, ...ofLanes] = await Promise.all([
    counted(sql`${FAILED} ORDER BY finished_at DESC`),
    counted(RUNNING),
    ...JOB_LANES.flatMap((lane) => [
      counted(sql`lane = ${lane} AND ${IN_LINE}`),
      counted(sql`lane = ${lane} AND ${IN_QUEUE}`),
    ]),
  ]);
  const sum = (rows: readonly Counted[]) => rows.reduce((total, { count }) => total + count, 0);
  const shown = (rows: readonly Counted[]) => Math.min(MAX_COUNTED_JOBS, sum(rows));
  const items = JOB_LANES.map((lane, index) => {
    const [inLine = [], inQueue = []] = ofLanes.slice(2 * index, 2 * index + 2);
    const dueAt = [...inLine, ...inQueue].map((row) => row.dueAt);
    return {
      lane,
      inLine: shown(inLine),
      inQueue: shown(inQueue),
      running: shown(running.filter((row) => row.lane === lane)),
      failed: shown(failures.filter((row) => row.lane === lane)),
      oldestDueAtUtc: toUtcOrNull(dueAt.length === 0 ? null : Math.min(...dueAt)),
      isExact: [failures, running, inLine, inQueue].every((rows) => sum(rows) <= MAX_COUNTED_JOBS),
    };
  });
  return { items };
}

export interface JobFilter {
  state: "failed" | "open";
  lane?: (typeof JOB_LANES)[number] | undefined;
  kind?: JobKind | undefined;
}

const COLUMNS = [
  ...["id", "kind", "lane", "tenant_id", "status", "attempts", "progress_done", "progress_total"],
  ...["error_code", "error_detail", "created_at", "run_at", "finished_at"],
];
const columnsOf = (table: string): SQL => sql.raw(COLUMNS.map((name) => `${table}.${name}`).join(", "));
const jobKey = z.tuple([z.int(), idSchema]);

const withOrganization = (found: SQL) =>
  sql`SELECT j.id AS "id", j.kind AS "kind", j.lane AS "lane", j.status AS "status", j.attempts AS "attempts",
    j.progress_done AS "done", j.progress_total AS "total", j.error_code AS "errorCode",
    j.error_detail AS "errorDetail", o.id AS "organizationId", o.name AS "organizationName",
    j.created_at AS "createdAt", j.run_at AS "runAt", j.finished_at AS "finishedAt"
  FROM (${found}) j LEFT JOIN organizations o ON o.id = j.tenant_id`;

/**
 * The first jobs of each workspace that wait in line in a lane. It finds the workspaces one by one in the index, so
 * that the cost grows with the number of waiting workspaces, and not with the number of their jobs.
 */
const firstInLine = (lane: JobLane, filters: readonly SQL[], count: number): SQL => {
  const waits = sql`lane = ${lane} AND ${IN_LINE}`;
  const ids = sql`SELECT id FROM jobs WHERE ${sql.join([waits, sql`tenant_id = workspaces.id`, ...filters], sql` AND `)}
    ORDER BY run_at, id LIMIT ${count}`;
  return sql`WITH RECURSIVE workspaces (id) AS (
      SELECT min(tenant_id) FROM jobs WHERE ${waits}
      UNION ALL SELECT (SELECT min(tenant_id) FROM jobs WHERE ${waits} AND tenant_id > workspaces.id)
        FROM workspaces WHERE workspaces.id IS NOT NULL)
    SELECT ${columnsOf("jobs")} FROM workspaces CROSS JOIN jobs WHERE jobs.id IN (${ids})`;
};

/** Lists failed jobs, the newest failure first, or open jobs in the order in which they are due. @throws DomainError 401, 403. */
export async function listJobs(context: Context, { state, lane, kind, limit, cursor }: PageQuery & JobFilter) {
  requireAdmin(context);
  const after = readCursor(cursor, jobKey);
  const isFailed = state === "failed";
  const count = limit + 1;
  const filters = [
    ...(lane === undefined ? [] : [sql`lane = ${lane}`]),
    ...(kind === undefined ? [] : [sql`kind = ${kind}`]),
    ...(after === null
      ? []
      : [
          isFailed
            ? sql`(finished_at, id) < (${after[0]}, ${after[1]})`
            : sql`(run_at, id) > (${after[0]}, ${after[1]})`,
        ]),
  ];
  const select = (set: SQL) =>
    sql`SELECT ${columnsOf("jobs")} FROM jobs WHERE ${sql.join([set, ...filters], sql` AND `)}`;
  if (isFailed) {
    const found = withOrganization(sql`${select(FAILED)} ORDER BY finished_at DESC, id DESC LIMIT ${count}`);
    const rows = await context.workspace.all<FoundJob>(sql`${found} ORDER BY j.finished_at DESC, j.id DESC`);
    return toPage(rows, limit, (row) => [row.finishedAt ?? 0, row.id], presentJob);
  }
  const lanes = JOB_LANES.filter((each) =>
    [lane ?? each, kind === undefined ? each : JOB_KINDS[kind].lane].every((only) => only === each),
  );
  const parts = [
    ...[IN_QUEUE, RUNNING].map((set) =>
      withOrganization(sql`${select(sql`${inSet(sql`lane`, lanes)} AND ${set}`)} ORDER BY run_at, id LIMIT ${count}`),
    ),
    ...lanes.map((each) => withOrganization(firstInLine(each, filters, count))),
  ];
  const rows = (await Promise.all(parts.map((part) => context.workspace.all<FoundJob>(part))))
    .flat()
    .sort((a, b) => a.runAt - b.runAt || (a.id < b.id ? -1 : 1));
  return toPage(rows.slice(0, count), limit, (row) => [row.runAt, row.id], presentJob);
}

const selectFailed = (where: SQL, limit: number) =>
  sql`SELECT id AS "id", kind AS "kind", tenant_id AS "tenantId", payload AS "payload" FROM jobs
    WHERE ${FAILED} AND ${where} AND (tenant_id IS NULL OR ${isKnown(sql`tenant_id`)}) ORDER BY finished_at, id LIMIT ${limit}`;

/** The failed jobs that run again: the jobs with these ids, or all jobs of a kind. */
export const rerunSchema = z
  .strictObject({
    jobIds: z.array(idSchema).min(1).max(MAX_RERUN_JOBS).optional(),
    kind: jobKindSchema.optional(),
  })
  .refine(({ jobIds, kind }) => (jobIds === undefined) !== (kind === undefined), "name either jobIds or kind")
  .openapi("RerunJobsRequest", { example: { kind: "index-asset" } });

/**
 * Runs failed jobs again, up to MAX_RERUN_JOBS, oldest failure first. Jobs that did not fail, and jobs of deleted workspaces, are left alone. `remaining`:
 * whether more failed jobs of the kind are left. @throws DomainError 401, 403, 409, 422.
 */
export async function rerunJobs(context: Context, { jobIds, kind }: z.infer<typeof rerunSchema>) {
  const { userId } = requireAdmin(context);
  const where = kind === undefined ? inSet(sql`id`, jobIds ?? []) : sql`kind = ${kind}`;
  const found = await context.workspace.all<FailedJob>(selectFailed(where, MAX_RERUN_JOBS + 1));
  if ((kind !== undefined && !canRerun(kind)) || found.some((job) => !canRerun(job.kind)))
    throw new DomainError(
      "rule-violated",
      "Jobs of this kind cannot run again. The people who need their results start them again.",
    );
  // This change has no workspace itself. Each job that it queues has one.
  const change = beginChange(context, NO_WORKSPACE);
  const jobs = replaceFailed(change, found.slice(0, MAX_RERUN_JOBS), userId);
  const [first] = jobs;
  if (first !== undefined) {
    const subject = kind === undefined ? { type: "job", id: first.jobId } : { type: "job-kind", id: kind };
    const entry = { organizationId: null, action: "jobs.rerun", subjectType: subject.type, subjectId: subject.id };
    await change.add(auditStatement(context, { ...entry, details: { jobs } })).commit();
  }
  return { rerun: jobs.length, remaining: found.length > MAX_RERUN_JOBS };
}
