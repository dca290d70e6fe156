import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, inArray, lte, sql } from "drizzle-orm";
import { auditStatement, readerOf, type UserCaller } from "../access";
import { countImagesOfWorkspace } from "../cameras";
import { documentNotDeleted, documents, documentVersions } from "../documents/tables";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { isHere } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { DomainError, notFound } from "../platform/errors";
import { consumeRateLimit } from "../platform/http/rate-limit";
import { orNull } from "../platform/http/router";
import { idSchema, newIdIn } from "../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { readerLanguage, sayTo } from "../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { ticketsFor } from "../platform/zip/ticket";
import { releaseObjects, TEMPORARY_PREFIX } from "../uploads";
import { storedObjects } from "../uploads/tables";
import { type ExportedWorkspace, requireExporter } from "./access";
import {
  DOWNLOAD_ADDRESS_LIFETIME_MS,
  ENDED_EXPORTS_PER_SLICE,
  ENDED_WORKSPACE_EXPORT_RETENTION,
  EXPORT_OBJECTS_GRACE_MS,
  EXPORTS_PER_WORKSPACE,
  MAX_EXPORTED_FILES,
  MAX_PREPARATION_MS,
} from "./limits";
import { WORKSPACE_EXPORT_STATUSES, type WorkspaceExportRow, workspaceExports } from "./tables";

/** The images that an export has: of some cameras or of all, in a range of capture times (milliseconds, both ends included). */
interface ChosenImages {
  cameraIds: string[] | null;
  from: number | null;
  to: number | null;
}

type Status = WorkspaceExportRow["status"] | "expired";

/** The status of an export now. */
export const statusOf = ({ status, expiresAt }: WorkspaceExportRow, now: number): Status =>
  expiresAt <= now && status !== "failed" && status !== "cancelled" && status !== "lost" ? "expired" : status;

/** SQL that is true while an export is in preparation. */
export const isUnfinished = (id: string) =>
  and(eq(workspaceExports.id, id), inArray(workspaceExports.status, ["queued", "preparing"]));

/** The keys of an export's objects begin with it. */
export const prefixOf = ({ id, tenantId }: Pick<WorkspaceExportRow, "id" | "tenantId">): string =>
  `${TEMPORARY_PREFIX}${tenantId}/${id}/`;

/** Releases the objects of an export that has ended, or that ends in `afterMs` milliseconds. */
export function releaseExport(
  context: Context,
  change: Change,
  row: Pick<WorkspaceExportRow, "id" | "tenantId">,
  afterMs = 0,
) {
  const prefix = prefixOf(row);
  const keys = sql`SELECT ${storedObjects.key} FROM ${storedObjects}
    WHERE ${storedObjects.key} >= ${prefix} AND ${storedObjects.key} < ${`${prefix.slice(0, -1)}0`}`;
  releaseObjects(context, change, keys, afterMs + EXPORT_OBJECTS_GRACE_MS);
}

export async function findExport(
  { workspace }: Pick<Context, "workspace">,
  id: string,
): Promise<WorkspaceExportRow | null> {
  const [row] = await workspace.select().from(workspaceExports).where(eq(workspaceExports.id, id));
  return row ?? null;
}

/** Counts the documents with their versions, and sums their bytes. */
async function measureDocuments({ workspace }: Context, tenantId: string): Promise<{ count: number; bytes: number }> {
  const [row] = await workspace.all<{ count: number; bytes: number }>(
    sql`SELECT count(*) AS count, coalesce(sum(size), 0) AS bytes FROM (SELECT ${documentVersions.sizeBytes} AS size
      FROM ${documents} CROSS JOIN ${documentVersions} ON ${documentVersions.documentId} = ${documents.id}
      WHERE ${documents.tenantId} = ${tenantId} AND ${documentNotDeleted()} LIMIT ${MAX_EXPORTED_FILES + 1})`,
  );
  return row ?? { count: 0, bytes: 0 };
}

/** An export that is new or under way: there is one at a time. */
const alreadyUnderWay = () =>
  new DomainError("conflict", "An export of this workspace is being prepared. Wait for it, or cancel it.");

/**
 * Starts an export of a workspace, and queues its preparation.
 * @param images null for an export without images
 * @throws DomainError 401, 403, 404, 409 while another export is prepared, 422 with too many files, 429
 */
export async function startExport(
  context: Context,
  exported: ExportedWorkspace,
  images: ChosenImages | null,
): Promise<WorkspaceExportRow> {
  const { userId } = requireExporter(context, exported, images !== null);
  const { tenantId } = exported;
  await consumeRateLimit(context, `workspace-export:${tenantId}`, EXPORTS_PER_WORKSPACE);
  const ofDocuments = await measureDocuments(context, tenantId);
  const ofImages =
    images === null
      ? { count: 0, bytes: 0 }
      : await countImagesOfWorkspace(context, tenantId, images, MAX_EXPORTED_FILES);
  const expectedFiles = ofDocuments.count + ofImages.count;
  if (expectedFiles > MAX_EXPORTED_FILES)
    throw new DomainError(
      "rule-violated",
      `An export has at most ${MAX_EXPORTED_FILES} documents, versions and images. Request a shorter range of images.`,
    );
  const row: WorkspaceExportRow = {
    ...{ id: newIdIn(tenantId), ...exported, userId, language: readerLanguage(context), status: "queued", done: 0 },
    ...{ hasImages: images !== null, cameraIds: images?.cameraIds ?? null },
    ...{ fromAt: images?.from ?? null, toAt: images?.to ?? null },
    ...{ expectedFiles, expectedBytes: ofDocuments.bytes + ofImages.bytes },
    ...{ fileCount: null, totalBytes: null, errorCode: null, errorDetail: null, readyAt: null },
    createdAt: context.now,
    expiresAt: context.now + MAX_PREPARATION_MS,
  };
  const change = beginChange(context, tenantId);
  // One that was given up is not under way any more.
  change.add(
    context.workspace
      .update(workspaceExports)
      .set({ status: "failed", errorCode: "given-up", errorDetail: "The preparation took too long." })
      .where(
        and(
          eq(workspaceExports.tenantId, tenantId),
          inArray(workspaceExports.status, ["queued", "preparing"]),
          lte(workspaceExports.expiresAt, context.now),
        ),
      ),
  );
  change.guard(
    sql`NOT EXISTS (SELECT 1 FROM ${workspaceExports} WHERE ${workspaceExports.tenantId} = ${tenantId}
      AND ${workspaceExports.status} IN ('queued', 'preparing'))`,
    alreadyUnderWay(),
  );
  change.add(context.workspace.insert(workspaceExports).values(row));
  change.job("prepare-workspace-export", { exportId: row.id }, { tenantId, requestedBy: userId });
  change.add(
    auditStatement(context, {
      organizationId: exported.organizationId,
      action: "workspace-export.requested",
      subjectType: exported.organizationId === null ? "user" : "organization",
      subjectId: tenantId,
      details: { operationId: row.id, hasImages: row.hasImages },
    }),
  );
  await change.commit();
  return row;
}

/** The export of this id of a workspace. @throws DomainError 401, 403, 404 */
export async function requireExport(
  context: Context,
  exported: ExportedWorkspace,
  id: string,
): Promise<WorkspaceExportRow> {
  requireExporter(context, exported, false);
  const row = await findExport(context, id);
  if (row === null || row.tenantId !== exported.tenantId) throw notFound();
  requireExporter(context, exported, row.hasImages);
  return row;
}

/** The latest export of a workspace. @throws DomainError 401, 403, 404 when there is none */
export async function requireLatestExport(context: Context, exported: ExportedWorkspace): Promise<WorkspaceExportRow> {
  requireExporter(context, exported, false);
  const [row] = await context.workspace
    .select()
    .from(workspaceExports)
    .where(eq(workspaceExports.tenantId, exported.tenantId))
    .orderBy(desc(workspaceExports.id))
    .limit(1);
  if (row === undefined) throw notFound();
  requireExporter(context, exported, row.hasImages);
  return row;
}

/**
 * Cancels an export that is prepared or ready, and removes what it wrote. One that has ended keeps its status.
 * @throws DomainError 401, 403, 404 also when it has ended
 */
export async function cancelExport(context: Context, exported: ExportedWorkspace, id: string): Promise<void> {
  const row = await requireExport(context, exported, id);
  const isOpen = and(
    eq(workspaceExports.id, id),
    inArray(workspaceExports.status, ["queued", "preparing", "ready"]),
    gt(workspaceExports.expiresAt, context.now),
  );
  const change = beginChange(context, exported.tenantId)
    .add(context.workspace.update(workspaceExports).set({ status: "cancelled" }).where(isOpen))
    .guardChanged(notFound())
    .add(
      auditStatement(context, {
        organizationId: exported.organizationId,
        action: "workspace-export.cancelled",
        subjectType: exported.organizationId === null ? "user" : "organization",
        subjectId: exported.tenantId,
        details: { operationId: id },
      }),
    );
  releaseExport(context, change, row);
  await change.commit();
}

export const TICKETS = ticketsFor("workspace-export");

export const workspaceExportSchema = z
  .object({
    operationId: idSchema,
    status: z.enum([...WORKSPACE_EXPORT_STATUSES, "expired"]).openapi({
      description: "`lost` means that a file of the export was deleted meanwhile. Start a new export.",
    }),
    requestedBy: idSchema,
    images: orNull(
      z.object({ cameraIds: z.array(idSchema).nullable(), fromUtc: utcSchema.nullable(), toUtc: utcSchema.nullable() }),
    ).openapi({ description: "The images of cameras in it. Null for an export without images." }),
    expectedBytes: z.int().openapi({ description: "Bytes of the files when the export was requested." }),
    fileCount: z.int().nullable().openapi({ description: "Null until the export is ready, like the size of the ZIP." }),
    totalBytes: z.int().nullable(),
    progress: z.object({ done: z.int(), total: z.int() }),
    downloadUrl: z.string().nullable().openapi({
      description:
        "An address that is valid for six hours. Access is checked on every use, and while the bytes are sent. It supports Range and If-Range.",
    }),
    expiresAtUtc: utcSchema.nullable(),
    createdAtUtc: utcSchema,
    error: orNull(z.object({ code: z.string(), detail: z.string() })),
  })
  .openapi("WorkspaceExport");

/** An export on the wire, with a download address for the caller when it is ready. */
export async function presentExport(
  context: Context,
  row: WorkspaceExportRow,
): Promise<z.infer<typeof workspaceExportSchema>> {
  const status = statusOf(row, context.now);
  const isReady = status === "ready";
  const { cameraIds, fromAt, toAt } = row;
  return {
    operationId: row.id,
    status,
    requestedBy: row.userId,
    images: row.hasImages ? { cameraIds, fromUtc: toUtcOrNull(fromAt), toUtc: toUtcOrNull(toAt) } : null,
    expectedBytes: row.expectedBytes,
    fileCount: row.fileCount,
    totalBytes: row.totalBytes,
    progress: { done: row.done, total: isReady ? row.done : Math.max(row.done, row.expectedFiles) },
    downloadUrl: isReady ? await addressOf(context, row) : null,
    expiresAtUtc: isReady ? toUtc(row.expiresAt) : null,
    createdAtUtc: toUtc(row.createdAt),
    error: row.errorCode === null ? null : { code: row.errorCode, detail: sayTo(context, row.errorDetail ?? "") },
  };
}

async function addressOf(context: Context, { id, expiresAt }: WorkspaceExportRow): Promise<string> {
  const { settings, now } = context;
  const ticket = await TICKETS.write(settings.OBJECT_SIGNING_SECRET, {
    exportId: id,
    reader: readerOf(context),
    expiresAt: Math.min(expiresAt, now + DOWNLOAD_ADDRESS_LIFETIME_MS),
  });
  const url = new URL(`/v1/workspace-exports/${id}/download`, settings.PUBLIC_BASE_URL);
  url.searchParams.set("ticket", ticket);
  return url.href;
}

/** The workspace of the caller's own data. */
export const personal = ({ userId }: UserCaller): ExportedWorkspace => ({ tenantId: userId, organizationId: null });

/** Deletes exports that ended long ago. The purge deletes their objects at their own time. */
export const expireWorkspaceExports: RecurringHandler<"expire-workspace-exports"> = {
  hasWork: ({ now }) =>
    sql`EXISTS (SELECT 1 FROM ${workspaceExports} WHERE ${lte(workspaceExports.expiresAt, now - ENDED_WORKSPACE_EXPORT_RETENTION)})`,
  async run(context) {
    const { workspace, now } = context;
    const old = await workspace
      .select({ id: workspaceExports.id, tenantId: workspaceExports.tenantId })
      .from(workspaceExports)
      .where(
        and(lte(workspaceExports.expiresAt, now - ENDED_WORKSPACE_EXPORT_RETENTION), isHere(workspaceExports.tenantId)),
      )
      .limit(ENDED_EXPORTS_PER_SLICE);
    if (old.length === 0) return complete();
    const change = beginChange(
      context,
      old.map(({ tenantId }) => tenantId),
    ).add(
      workspace.delete(workspaceExports).where(
        inSet(
          workspaceExports.id,
          old.map(({ id }) => id),
        ),
      ),
    );
    return old.length < ENDED_EXPORTS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
