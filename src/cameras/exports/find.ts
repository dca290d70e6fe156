import { and, asc, desc, eq } from "drizzle-orm";
import { requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import type { Archive } from "../archive";
import { type Retention, retainedAfter } from "../visibility";
import type { ExportRow, PageSize } from "./layout";
import { type Member, membersOf } from "./manifest";
import { cameraExportPages, cameraExports } from "./tables";

/** How an export stands now: it also expires when its time is over, or its first image's. */
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
  const [row] = await context.db.select().from(cameraExports).where(mine).orderBy(desc(cameraExports.id)).limit(1);
  if (row === undefined) throw notFound();
  return row;
}

export async function findExport({ db }: Pick<Context, "db">, id: string): Promise<ExportRow | null> {
  const [row] = await db.select().from(cameraExports).where(eq(cameraExports.id, id));
  return row ?? null;
}

/** Sizes of all pages of an export's manifest, in order. */
export async function readPageSizes({ db }: Pick<Context, "db">, exportId: string): Promise<PageSize[]> {
  const { exportId: of, page, imageCount, imageBytes, evidenceBytes, farCount } = cameraExportPages;
  return db
    .select({ exportId: of, page, imageCount, imageBytes, evidenceBytes, farCount })
    .from(cameraExportPages)
    .where(eq(of, exportId))
    .orderBy(asc(page));
}

/** The images of one page of a manifest. @throws when the page is gone. */
export async function readPage({ db }: Pick<Context, "db">, exportId: string, page: number): Promise<Member[]> {
  const [row] = await db
    .select({ members: cameraExportPages.members })
    .from(cameraExportPages)
    .where(and(eq(cameraExportPages.exportId, exportId), eq(cameraExportPages.page, page)));
  if (row === undefined) throw new Error("a page of an export's manifest is gone");
  return membersOf(row.members);
}
