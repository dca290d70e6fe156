import { and, asc, eq, isNull, lte, type SQL, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY, HOUR, toUtc } from "../../platform/time";
import { releaseObjects } from "../../uploads";
import { originalKeysOf, retainedAfterOfCamera } from "../captures";
import { announceCamera, requireCapture } from "../find";
import { EXPIRED_CAMERAS_PER_SLICE, EXPIRED_IMAGES_PER_SLICE } from "../limits";
import { cameraCaptures, cameras } from "../tables";

/**
 * Deletes an image: it is hidden at once. Its bytes are deleted after CAPTURE_RECOVERY_HOURS, and stop counting in the storage
 * then. Its row stays until its retention ends, so that a repeated upload does not publish it again.
 * @throws DomainError 401, 403, 404.
 */
export async function deleteCapture(context: Context, captureId: string): Promise<void> {
  const { capture, camera, location } = await requireCapture(context, captureId, WRITE);
  const { workspace, now } = context;
  const change = beginChange(context)
    .add(
      workspace
        .update(cameraCaptures)
        .set({ deletedAt: now })
        .where(and(eq(cameraCaptures.id, capture.id), isNull(cameraCaptures.deletedAt))),
    )
    .guardChanged(notFound())
    .add(
      workspace
        .update(cameras)
        .set({ watermark: sql`${cameras.watermark} + 1` })
        .where(eq(cameras.id, camera.id)),
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "capture.deleted",
        subjectType: "capture",
        subjectId: capture.id,
        details: { cameraId: camera.id, locationId: location.id, capturedAtUtc: toUtc(capture.capturedAt) },
      }),
    );
  const keptMs = context.settings.CAPTURE_RECOVERY_HOURS * HOUR;
  releaseObjects(context, change, originalKeysOf(sql`${cameraCaptures.id} = ${capture.id}`), keptMs);
  announceCamera(change, camera, location.id);
  await change.commit();
}

/**
 * Deletes images that are older than the retention of their camera, by capture time. Each slice deletes a bounded number of
 * images of the cameras whose first image has expired.
 */
export const expireCaptures: RecurringHandler<"expire-captures"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${cameras} WHERE ${lte(cameras.expiresAt, now)})`,
  async run(context) {
    const { workspace } = context;
    const now = Date.now();
    const due = await workspace
      .select({ id: cameras.id })
      .from(cameras)
      .where(lte(cameras.expiresAt, now))
      .orderBy(asc(cameras.expiresAt))
      .limit(EXPIRED_CAMERAS_PER_SLICE);
    if (due.length === 0) return complete();
    const ids = due.map(({ id }) => id);
    const images = await workspace.all<{ id: string }>(
      sql`SELECT ${cameraCaptures.id} AS id FROM ${cameras} CROSS JOIN ${cameraCaptures}
        WHERE ${inSet(cameras.id, ids)} AND ${cameraCaptures.cameraId} = ${cameras.id}
          AND ${cameraCaptures.capturedAt} <= ${retainedAfterOfCamera(now)} LIMIT ${EXPIRED_IMAGES_PER_SLICE}`,
    );
    const imageIds = images.map(({ id }) => id);
    const change = beginChange(context);
    if (imageIds.length > 0) removeCaptures(context, change, inSet(cameraCaptures.id, imageIds));
    const first = sql`(SELECT min(${cameraCaptures.capturedAt}) FROM ${cameraCaptures} WHERE ${cameraCaptures.cameraId} = ${cameras.id})`;
    change.add(
      sql`UPDATE ${cameras} SET expires_at = CASE WHEN ${first} <= ${cameras.expiredUntil} THEN 0
        ELSE ${first} + ${cameras.retentionDays} * ${DAY} END WHERE ${inSet(cameras.id, ids)}`,
    );
    return continueLater(null, { change });
  },
};

/**
 * Deletes the images that `where` selects when the change commits. Their objects are released, and stop counting in the
 * storage when they are deleted.
 */
export function removeCaptures(context: Context, change: Change, where: SQL): void {
  releaseObjects(context, change, originalKeysOf(where));
  change.add(
    sql`UPDATE ${cameras} SET watermark = watermark + 1
      WHERE id IN (SELECT ${cameraCaptures.cameraId} FROM ${cameraCaptures} WHERE ${where})`,
    sql`DELETE FROM ${cameraCaptures} WHERE ${where}`,
  );
}
