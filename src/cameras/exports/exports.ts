import { z } from "@hono/zod-openapi";
import { and, asc, desc, eq, lte, sql } from "drizzle-orm";
import { auditStatement, readerOf, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, notFound } from "../../platform/errors";
import { orNull } from "../../platform/http/router";
import { idSchema, newIdIn } from "../../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { sayTo } from "../../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import { ticketsFor } from "../../platform/zip/ticket";
import { chargeJobs } from "../../workspace";
import { type Archive, type Range, visibleInRange } from "../archive";
import { type Retention, retainedAfter } from "../captures";
import type { CameraRow } from "../find";
import {
  ENDED_EXPORT_RETENTION,
  EXPORT_ADDRESS_LIFETIME_MS,
  EXPORTS_DELETED_PER_SLICE,
  MAX_EXPORT_IMAGES,
  MAX_EXPORT_PREPARATION_MS,
} from "../limits";
import { cameraCaptures } from "../tables";
import { type Member, membersOf } from "./manifest";
import { cameraExportPages, cameraExports, EXPORT_STATUSES } from "./tables";
import type { ExportRow, PageSize } from "./zip";

/** The status of an export now. It expires when its lifetime or the lifetime of its first image ends. */
export function statusOf(row: ExportRow, camera: Retention, now: number): ExportRow["status"] {
  if (row.status === "failed") return row.status;
  const lost = row.firstCapturedAt !== null && row.firstCapturedAt <= retainedAfter(camera, now);
  return lost || row.expiresAt <= now ? "expired" : row.status;
}

/** The caller's own export of an archive. @throws DomainError 401, 404. */
export async function requireExport(context: Context, { camera, locationId }: Archive, id: string): Promise<ExportRow> {
  const { userId } = requireUser(context);
  const row = await findExport(context, id);
  if (row === null || row.userId !== userId || row.cameraId !== camera.id || row.locationId !== locationId)
    throw notFound();
  return row;
}

/** The caller's latest export of an archive. @throws DomainError 401, 404 when there is none. */
export async function requireLatestExport(context: Context, { camera, locationId }: Archive): Promise<ExportRow> {
  const { userId } = requireUser(context);
  const mine = and(
    eq(cameraExports.userId, userId),
    eq(cameraExports.cameraId, camera.id),
    eq(cameraExports.locationId, locationId),
  );
  const [row] = await context.workspace
    .select()
    .from(cameraExports)
    .where(mine)
    .orderBy(desc(cameraExports.id))
    .limit(1);
  if (row === undefined) throw notFound();
  return row;
}

export async function findExport({ workspace }: Pick<Context, "workspace">, id: string): Promise<ExportRow | null> {
  const [row] = await workspace.select().from(cameraExports).where(eq(cameraExports.id, id));
  return row ?? null;
}

/** Sizes of all pages of an export's manifest, in order. */
export async function readPageSizes({ workspace }: Pick<Context, "workspace">, exportId: string): Promise<PageSize[]> {
  const { exportId: of, page, imageCount, imageBytes, evidenceBytes, farCount } = cameraExportPages;
  return workspace
    .select({ exportId: of, page, imageCount, imageBytes, evidenceBytes, farCount })
    .from(cameraExportPages)
    .where(eq(of, exportId))
    .orderBy(asc(page));
}

/** The images of one page of a manifest. @throws when the page does not exist. */
export async function readPage(
  { workspace }: Pick<Context, "workspace">,
  exportId: string,
  page: number,
): Promise<Member[]> {
  const [row] = await workspace
    .select({ members: cameraExportPages.members })
    .from(cameraExportPages)
    .where(and(eq(cameraExportPages.exportId, exportId), eq(cameraExportPages.page, page)));
  if (row === undefined) throw new Error("a page of an export's manifest is missing");
  return membersOf(row.members);
}

/** The number of images in a range, counted up to one more than an export may have. */
async function countImages({ workspace, now }: Context, archive: Archive, range: Range): Promise<number> {
  const [row] = await workspace.all<{
    count: number;
  }>(sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${cameraCaptures}
    WHERE ${visibleInRange(archive, now, range)} LIMIT ${MAX_EXPORT_IMAGES + 1})`);
  return row?.count ?? 0;
}

/**
 * Starts an export of the images of a range that are published now, and queues its preparation.
 * @throws DomainError 401, 422 when there are no images or too many, or when the month's jobs are used up.
 */
export async function startExport(context: Context, archive: Archive, range: Range): Promise<ExportRow> {
  const { userId } = requireUser(context);
  const { camera, locationId } = archive;
  const expectedCount = await countImages(context, archive, range);
  if (expectedCount === 0) throw new DomainError("rule-violated", "There are no images in this range to export.");
  if (expectedCount > MAX_EXPORT_IMAGES)
    throw new DomainError(
      "rule-violated",
      `An export has at most ${MAX_EXPORT_IMAGES} images. Request shorter ranges.`,
    );
  const id = newIdIn(camera.tenantId);
  const { tenantId, organizationId } = camera;
  const [fromAt, toAt] = [range.from ?? null, range.to ?? null];
  const row = {
    ...{ id, tenantId, organizationId, cameraId: camera.id, locationId, userId, fromAt, toAt, expectedCount },
    retainedAfter: retainedAfter(camera, context.now),
    status: "queued" as const,
    createdAt: context.now,
    expiresAt: context.now + MAX_EXPORT_PREPARATION_MS,
  };
  const change = beginChange(context, tenantId);
  chargeJobs(context, change, organizationId);
  change.add(context.workspace.insert(cameraExports).values(row));
  change.job("prepare-export", { exportId: id }, { tenantId, requestedBy: userId, progressTotal: expectedCount });
  change.add(
    auditStatement(context, {
      organizationId,
      action: "camera-export.requested",
      subjectType: "camera",
      subjectId: camera.id,
      details: { operationId: id, locationId, fromUtc: toUtcOrNull(fromAt), toUtc: toUtcOrNull(toAt) },
    }),
  );
  await change.commit();
  const nothingYet = { imageCount: 0, totalBytes: null, firstCapturedAt: null, lastCapturedAt: null, readyAt: null };
  return {
    ...row,
    ...nothingYet,
    evidenceCrc32: 0,
    evidenceSha256: null,
    checksumsCrc32: 0,
    errorCode: null,
    errorDetail: null,
  };
}

const errorSchema = z.object({ code: z.string(), detail: z.string() });

export const exportSchema = z
  .object({
    operationId: idSchema,
    status: z.enum(EXPORT_STATUSES),
    fromUtc: utcSchema.nullable(),
    toUtc: utcSchema.nullable(),
    imageCount: z
      .int()
      .nullable()
      .openapi({ description: "Number of images. Null until the export is ready, like the size of the ZIP." }),
    totalBytes: z.int().nullable(),
    progress: z.object({ done: z.int(), total: z.int() }),
    downloadUrl: z.string().nullable().openapi({
      description:
        "An address that is valid for six hours. Access is checked on every use. It supports Range and If-Range.",
    }),
    expiresAtUtc: utcSchema.nullable().openapi({ description: "The latest time at which the export itself expires." }),
    createdAtUtc: utcSchema,
    error: orNull(errorSchema),
  })
  .openapi("CameraExport");

/** An export on the wire, with a download address for the caller when it is ready. */
export async function presentExport(
  context: Context,
  camera: CameraRow,
  row: ExportRow,
): Promise<z.infer<typeof exportSchema>> {
  const status = statusOf(row, camera, context.now);
  const isReady = status === "ready";
  const { imageCount: done, expectedCount } = row;
  return {
    operationId: row.id,
    status,
    fromUtc: toUtcOrNull(row.fromAt),
    toUtc: toUtcOrNull(row.toAt),
    imageCount: isReady ? row.imageCount : null,
    totalBytes: isReady ? row.totalBytes : null,
    progress: { done, total: isReady ? done : Math.max(done, expectedCount) },
    downloadUrl: isReady ? await addressOf(context, row) : null,
    expiresAtUtc: isReady ? toUtc(row.expiresAt) : null,
    createdAtUtc: toUtc(row.createdAt),
    error: row.errorCode === null ? null : { code: row.errorCode, detail: sayTo(context, row.errorDetail ?? "") },
  };
}

async function addressOf(context: Context, { id, expiresAt }: ExportRow): Promise<string> {
  const { settings, now } = context;
  const ticket = await TICKETS.write(settings.OBJECT_SIGNING_SECRET, {
    exportId: id,
    reader: readerOf(context),
    expiresAt: Math.min(expiresAt, now + EXPORT_ADDRESS_LIFETIME_MS),
  });
  const url = new URL(`/v1/camera-exports/${id}/download`, settings.PUBLIC_BASE_URL);
  url.searchParams.set("ticket", ticket);
  return url.href;
}

export const TICKETS = ticketsFor("camera-export");

/** Deletes exports that ended more than ENDED_EXPORT_RETENTION ago. */
export const expireExports: RecurringHandler<"expire-exports"> = {
  hasWork: ({ now }) =>
    sql`EXISTS (SELECT 1 FROM ${cameraExports} WHERE ${lte(cameraExports.expiresAt, now - ENDED_EXPORT_RETENTION)})`,
  async run(context) {
    const { workspace, now } = context;
    const old = await workspace
      .select({ id: cameraExports.id, tenantId: cameraExports.tenantId })
      .from(cameraExports)
      .where(and(lte(cameraExports.expiresAt, now - ENDED_EXPORT_RETENTION), isHere(cameraExports.tenantId)))
      .limit(EXPORTS_DELETED_PER_SLICE);
    if (old.length === 0) return complete();
    const ids = old.map(({ id }) => id);
    const change = beginChange(
      context,
      old.map((row) => row.tenantId),
    ).add(workspace.delete(cameraExports).where(inSet(cameraExports.id, ids)));
    return old.length < EXPORTS_DELETED_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
