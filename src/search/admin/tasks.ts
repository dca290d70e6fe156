import { z } from "@hono/zod-openapi";
import { and, desc, eq, sql } from "drizzle-orm";
import { readIn, requireAdmin } from "../../access";
import { documentPublished, documents } from "../../documents/tables";
import { type Context, inDatabase } from "../../platform/context";
import { beginChange, inTurn } from "../../platform/db/change";
import { NO_WORKSPACE } from "../../platform/db/residence";
import { notFound } from "../../platform/errors";
import { idSchema, newId } from "../../platform/ids";
import type { JobKind } from "../../platform/jobs/kinds";
import { JOB_STATUSES, type JobRow, jobs } from "../../platform/jobs/tables";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { ASSET_SOURCES, ASSET_TYPES } from "../indexing";

const TASK_KINDS = [
  "backfill-documents",
  "backfill-assets",
  "extract-document",
  "index-document",
] as const satisfies JobKind[];

/** Tasks of each kind in the status. */
const TASKS_PER_KIND = 20;

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
type IndexTask = z.infer<typeof taskSchema>;

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

/** The current state of one task. @throws DomainError 404. */
async function readTask({ workspace }: Context, jobId: string): Promise<IndexTask> {
  const [row] = await workspace.select().from(jobs).where(eq(jobs.id, jobId));
  if (row === undefined) throw notFound();
  return presentTask(row);
}

/** The latest tasks of each kind that an administrator started, or that failed. The newest come first. */
async function latestTasks({ workspace }: Context): Promise<IndexTask[]> {
  const ofKind = (kind: JobKind) =>
    workspace
      .select()
      .from(jobs)
      // In the text of the statement: the index is for this condition only.
      .where(and(eq(jobs.kind, kind), sql`${jobs.isKept} = 1`))
      .orderBy(desc(jobs.createdAt), sql`id DESC`)
      .limit(TASKS_PER_KIND);
  const [first, ...others] = TASK_KINDS.map(ofKind);
  if (first === undefined) return [];
  const rows = await workspace.batch([first, ...others]);
  return rows
    .flat()
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(presentTask);
}

export const indexStatusSchema = z
  .object({
    documents: z.object({
      total: z.int(),
      indexed: z.int().openapi({ description: "Documents that are searchable, or have no text." }),
      pending: z.int(),
      failed: z.int().openapi({
        description: "Documents that are damaged, encrypted, in an unknown charset, or failed for another reason.",
      }),
      unsupported: z
        .int()
        .openapi({ description: "Documents of a format without text extraction. They are found only by name." }),
    }),
    assets: z.object({ total: z.int(), indexed: z.int(), pending: z.int() }),
    tasks: z.array(taskSchema),
  })
  .openapi("IndexStatus");

/** The state of the index of all databases. Reads every document once. @throws DomainError 401, 403. */
export async function readIndexStatus(context: Context): Promise<z.infer<typeof indexStatusSchema>> {
  requireAdmin(context);
  const places = await readIn(context, context.databases.names, async (there) => ({
    ...(await countIn(there)),
    tasks: await latestTasks(there),
  }));
  const sum = (count: (place: (typeof places)[number]) => number) =>
    places.reduce((total, place) => total + count(place), 0);
  return {
    documents: {
      total: sum(({ documents }) => documents.total),
      indexed: sum(({ documents }) => documents.indexed),
      pending: sum(({ documents }) => documents.pending),
      failed: sum(({ documents }) => documents.failed),
      unsupported: sum(({ documents }) => documents.unsupported),
    },
    assets: {
      total: sum(({ assets }) => assets.total),
      indexed: sum(({ assets }) => assets.indexed),
      pending: sum(({ assets }) => assets.pending),
    },
    tasks: tasksOf(places.map(({ tasks }) => tasks)),
  };
}

/** Counts the documents and the other resources of one database. */
async function countIn({ workspace }: Context): Promise<Omit<z.infer<typeof indexStatusSchema>, "tasks">> {
  const rows = await workspace.all<{ state: "indexed" | "pending" | "failed" | "unsupported"; count: number }>(sql`
    SELECT CASE WHEN d.text_status IN ('indexed', 'empty', 'recognized', 'illegible') THEN iif(e.key IS NULL, 'pending', 'indexed')
        WHEN d.text_status IN ('pending', 'recognizing') THEN 'pending'
        WHEN d.text_status IN ('failed', 'damaged', 'encrypted', 'unknown-charset') THEN 'failed' ELSE 'unsupported' END AS "state", count(*) AS "count"
    FROM documents d LEFT JOIN search_entries e
      ON e.resource_id = d.id AND e.type = 'text' AND e.version = d.text_version AND e.live = 1
    WHERE ${documentPublished("d")} GROUP BY 1`);
  const of = (state: string) => rows.find((row) => row.state === state)?.count ?? 0;
  const parts = ASSET_TYPES.map((type) => {
    const { table, notDeleted } = ASSET_SOURCES[type];
    return sql`SELECT count(*) AS total, count(e.key) AS indexed FROM ${table} a
      LEFT JOIN search_entries e ON e.resource_id = a.id AND e.type = ${type} AND e.live = 1 WHERE ${notDeleted}`;
  });
  const [assets] = await workspace.all<{ total: number; indexed: number }>(
    sql`SELECT sum(total) AS "total", sum(indexed) AS "indexed" FROM (${sql.join(parts, sql` UNION ALL `)})`,
  );
  const [total, indexed] = [assets?.total ?? 0, assets?.indexed ?? 0];
  return {
    documents: {
      total: rows.reduce((sum, { count }) => sum + count, 0),
      indexed: of("indexed"),
      pending: of("pending"),
      failed: of("failed"),
      unsupported: of("unsupported"),
    },
    assets: { total, indexed, pending: total - indexed },
  };
}

/**
 * Indexes one document again. Extracts the text first when the extracted text is not current, or on request.
 * @throws DomainError 401, 403, 404.
 */
export async function reindexDocument(
  context: Context,
  documentId: string,
  { readTextAgain }: { readTextAgain: boolean },
): Promise<IndexTask> {
  const { userId } = requireAdmin(context);
  const [document] = await context.workspace
    .select()
    .from(documents)
    .where(and(eq(documents.id, documentId), documentPublished()));
  if (document === undefined) throw notFound();
  const { tenantId, latestVersion, textVersion, textStatus } = document;
  const options = { tenantId, requestedBy: userId, isKept: true };
  const change = beginChange(context, tenantId);
  const current =
    !readTextAgain &&
    textVersion === latestVersion &&
    ["indexed", "empty", "recognized", "illegible"].includes(textStatus);
  // No dedupe key: each caller gets a separate task to follow.
  const id = current
    ? change.job("index-document", { documentId }, options)
    : change.job(
        "extract-document",
        { documentId, version: latestVersion, ...(readTextAgain && { recognizesAgain: true }) },
        options,
      );
  change.job("index-asset", { type: "document", id: documentId }, { tenantId, requestedBy: userId });
  await change.commit();
  return readTask(context, id);
}

/**
 * Queues a backfill in each database, under one id. `readTextAgain` extracts the texts of documents again before.
 * @throws DomainError 401, 403.
 */
export async function startBackfill(
  context: Context,
  kind: "backfill-documents" | "backfill-assets",
  payload: { readTextAgain?: boolean } = {},
): Promise<IndexTask> {
  const { userId } = requireAdmin(context);
  const id = newId();
  const { names } = context.databases;
  for (const there of inTurn(names.map((name) => inDatabase(context, name)))) {
    const change = beginChange(there, NO_WORKSPACE);
    change.job(kind, payload, { id, requestedBy: userId, isKept: true });
    await change.commit();
  }
  const tasks = await readIn(context, names, async (there) => [await readTask(there, id)]);
  return tasksOf(tasks)[0] as IndexTask;
}

/** The states of a task from the one that decides to the one that decides last, if databases differ. */
const DECIDING: readonly IndexTask["status"][] = ["running", "queued", "failed", "succeeded"];

/** The tasks of all databases, the newest first. Parts under one id are one task. */
function tasksOf(places: readonly IndexTask[][]): IndexTask[] {
  const [only, ...others] = places;
  if (only !== undefined && others.length === 0) return only;
  const tasks = [...Map.groupBy(places.flat(), ({ id }) => id).values()].map((parts): IndexTask => {
    const [first, ...rest] = parts.toSorted((a, b) => DECIDING.indexOf(a.status) - DECIDING.indexOf(b.status));
    const progress = { done: 0, total: 0 };
    for (const part of parts) {
      progress.done += part.progress.done;
      progress.total += part.progress.total;
    }
    const error = [first, ...rest].find((part) => part?.error != null)?.error ?? null;
    return { ...(first as IndexTask), progress, error };
  });
  return tasks.sort((a, b) =>
    a.createdAtUtc === b.createdAtUtc ? (a.id < b.id ? 1 : -1) : a.createdAtUtc < b.createdAtUtc ? 1 : -1,
  );
}
