import { z } from "@hono/zod-openapi";
import { type SQL, sql } from "drizzle-orm";
import { auditStatement, requireAdmin } from "../../access";
import { type Context, ownDatabase } from "../../platform/context";
import { type AnyChange, beginChange, beginDirectoryChange, inTurn } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import type { AnyDatabase } from "../../platform/db/database";
import { isKnown, NO_WORKSPACE } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { JOB_KINDS, JOB_LANES, type JobKind, type JobLane } from "../../platform/jobs/kinds";
import { type FailedJob, replaceFailed } from "../../platform/jobs/rerun";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { inEachDatabase } from "../databases";
import { MAX_COUNTED_JOBS, MAX_RERUN_JOBS } from "../limits";
import { canRerun } from "./rerunnable";

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
export const IN_LINE = sql`status = 'queued' AND sent_at IS NULL`;
export const IN_QUEUE = sql`status = 'queued' AND sent_at IS NOT NULL`;
export const RUNNING = sql`lease_until > 0`;
export const FAILED = sql`status = 'failed' AND finished_at IS NOT NULL`;

interface Counted {
  lane: string;
  status: string;
  count: number;
  dueAt: number;
}

/** Counts jobs of one database by lane: failed ones, running ones, and for each lane those in line and those in the queue. */
function countIn(database: AnyDatabase): Promise<Counted[][]> {
  const first = (set: SQL) => sql`(SELECT lane, status, run_at FROM jobs WHERE ${set} LIMIT ${MAX_COUNTED_JOBS + 1})`;
  const counted = (set: SQL) =>
    database.all<Counted>(
      sql`SELECT lane, status, count(*) AS "count", min(run_at) AS "dueAt" FROM ${first(set)} GROUP BY lane, status`,
    );
  return Promise.all([
    counted(sql`${FAILED} ORDER BY finished_at DESC`),
    counted(RUNNING),
    ...JOB_LANES.flatMap((lane) => [
      counted(sql`lane = ${lane} AND ${IN_LINE}`),
      counted(sql`lane = ${lane} AND ${IN_QUEUE}`),
    ]),
  ]);
}

/** Counts the open and the failed jobs of each lane: at most MAX_COUNTED_JOBS of each set in each database. @throws DomainError 401, 403. */
export async function readLanes(context: Context): Promise<z.infer<typeof lanesSchema>> {
  requireAdmin(context);
  const places = await inEachDatabase(context, (there) => countIn(ownDatabase(there)));
  const sum = (rows: readonly Counted[]) => rows.reduce((total, { count }) => total + count, 0);
  const items = JOB_LANES.map((lane, index) => {
    const [failures, running, inLine, inQueue] = [0, 1, 2 + 2 * index, 3 + 2 * index].map((set) =>
      places.map((sets) => sets[set] ?? []),
    ) as [Counted[][], Counted[][], Counted[][], Counted[][]];
    const shown = (sets: readonly Counted[][]) =>
      Math.min(MAX_COUNTED_JOBS, sum(sets.flat().filter((row) => row.lane === lane)));
    const dueAt = [...inLine, ...inQueue].flat().map((row) => row.dueAt);
    return {
      lane,
      inLine: shown(inLine),
      inQueue: shown(inQueue),
      running: shown(running),
      failed: shown(failures),
      oldestDueAtUtc: toUtcOrNull(dueAt.length === 0 ? null : Math.min(...dueAt)),
      isExact: [failures, running, inLine, inQueue].every(
        (sets) => sets.every((rows) => sum(rows) <= MAX_COUNTED_JOBS) && sum(sets.flat()) <= MAX_COUNTED_JOBS,
      ),
    };
  });
  return { items };
}

interface JobFilter {
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

/**
 * Lists failed jobs, the newest failure first, or open jobs in the order in which they are due: the first ones of all databases.
 * @throws DomainError 401, 403.
 */
export async function listJobs(context: Context, { cursor, ...query }: PageQuery & JobFilter) {
  requireAdmin(context);
  const after = readCursor(cursor, jobKey);
  const isFailed = query.state === "failed";
  const timeOf = (row: FoundJob) => (isFailed ? (row.finishedAt ?? 0) : row.runAt);
  const pages = await inEachDatabase(context, (there) => readJobs(ownDatabase(there), query, after));
  const sign = isFailed ? -1 : 1;
  const rows = pages.flat().sort((a, b) => sign * (timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1)));
  return toPage(rows.slice(0, query.limit + 1), query.limit, (row) => [timeOf(row), row.id], presentJob);
}

/** The first jobs of one database after a key, and one more than the page has. They can be in any order. */
async function readJobs(
  database: AnyDatabase,
  { state, lane, kind, limit }: Omit<PageQuery, "cursor"> & JobFilter,
  after: z.infer<typeof jobKey> | null,
): Promise<FoundJob[]> {
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
    return database.all<FoundJob>(sql`${found} ORDER BY j.finished_at DESC, j.id DESC`);
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
  return (await Promise.all(parts.map((part) => database.all<FoundJob>(part)))).flat();
}

const selectFailed = (where: SQL, limit: number) =>
  sql`SELECT id AS "id", kind AS "kind", tenant_id AS "tenantId", payload AS "payload", finished_at AS "finishedAt" FROM jobs
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
  type Found = FailedJob & { finishedAt: number; there: Context };
  const inEach = await inEachDatabase(context, async (there) => {
    const rows = await ownDatabase(there).all<Omit<Found, "there">>(selectFailed(where, MAX_RERUN_JOBS + 1));
    return rows.map((row): Found => ({ ...row, there }));
  });
  const found = inEach.flat().sort((a, b) => a.finishedAt - b.finishedAt || (a.id < b.id ? -1 : 1));
  if ((kind !== undefined && !canRerun(kind)) || found.some((job) => !canRerun(job.kind)))
    throw new DomainError(
      "rule-violated",
      "Jobs of this kind cannot run again. The people who need their results start them again.",
    );
  let rerun = 0;
  const byDatabase = [...Map.groupBy(found.slice(0, MAX_RERUN_JOBS), (job) => job.there)];
  for (const [n, there] of inTurn(byDatabase.map(([context]) => context)).entries())
    rerun += await rerunIn(there, byDatabase[n]?.[1] ?? [], userId, kind);
  return { rerun, remaining: found.length > MAX_RERUN_JOBS };
}

/** Runs failed jobs of one database again, in one change. @returns their number */
async function rerunIn(there: Context, failed: readonly FailedJob[], userId: string, kind: JobKind | undefined) {
  // It concerns the workspaces of the jobs that it queues.
  const isOfWorkspaces = there.databases.names.includes(there.database);
  const change: AnyChange = isOfWorkspaces ? beginChange(there, NO_WORKSPACE) : beginDirectoryChange(there);
  const jobs = replaceFailed(change, failed, userId);
  const [first] = jobs;
  if (first === undefined) return 0;
  const subject = kind === undefined ? { type: "job", id: first.jobId } : { type: "job-kind", id: kind };
  const entry = { organizationId: null, action: "jobs.rerun", subjectType: subject.type, subjectId: subject.id };
  await change.add(auditStatement(there, { ...entry, details: { jobs } })).commit();
  return jobs.length;
}
