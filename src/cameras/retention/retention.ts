import { and, asc, eq, lte, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { notFound } from "../../platform/errors";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY, HOUR, toUtc } from "../../platform/time";
import { areCaptures, removeCaptures, selectCaptures } from "../capture-rows";
import { retainedAfterOfCamera } from "../captures";
import { announceCamera, requireCapture } from "../find";
import { EXPIRED_CAMERAS_PER_SLICE, EXPIRED_IMAGES_PER_SLICE, LEFTOVER_GRACE_MS } from "../limits";
import { cameraFrames, cameraPlaces, cameras, PART } from "../tables";

/**
 * Deletes an image: it is hidden at once. Its bytes are deleted after CAPTURE_RECOVERY_HOURS, and stop counting in the storage
 * then. Its row stays until its retention ends, so that a repeated upload does not publish it again.
 * @throws DomainError 401, 403, 404.
 */
export async function deleteCapture(context: Context, captureId: string): Promise<void> {
  const { capture, camera, location } = await requireCapture(context, captureId, WRITE);
  const { workspace, now } = context;
  const keptUntil = now + context.settings.CAPTURE_RECOVERY_HOURS * HOUR;
  const change = beginChange(context, camera.tenantId)
    .add(
      workspace
        .update(cameraFrames)
        .set({
          part: PART.aside,
          deletedAt: now,
          dueAt: sql`max(${keptUntil}, ${cameraFrames.finishedAt} + ${LEFTOVER_GRACE_MS})`,
        })
        .where(and(areCaptures([capture.id], false), eq(cameraFrames.part, PART.archive))),
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
  announceCamera(change, camera, location.id);
  await change.commit();
}

/** SQL for the first image of the camera of a statement, deleted or not: two seeks at each of its locations. */
const firstCapture = sql`(SELECT min(at) FROM (
  SELECT (SELECT captured_at FROM camera_frames WHERE place = p.place AND section = 0 ORDER BY captured_at LIMIT 1) AS at
    FROM camera_places AS p WHERE p.camera_id = ${cameras.id}
  UNION ALL
  SELECT (SELECT captured_at FROM camera_frames WHERE place = p.place AND section = 2 AND status = 'completed' ORDER BY captured_at LIMIT 1)
    FROM camera_places AS p WHERE p.camera_id = ${cameras.id}))`;

/**
 * Deletes images that are older than the retention of their camera, by capture time. Each slice deletes a bounded number of
 * images of the cameras whose first image has expired. Nobody sees an expired image, so its objects go before its row.
 */
export const expireCaptures: RecurringHandler<"expire-captures"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${cameras} WHERE ${lte(cameras.expiresAt, now)})`,
  async run(given) {
    const context: Context = { ...given, now: Date.now() };
    const { workspace, now } = context;
    const due = await workspace
      .select({ id: cameras.id, tenantId: cameras.tenantId })
      .from(cameras)
      .where(and(lte(cameras.expiresAt, now), isHere(cameras.tenantId)))
      .orderBy(asc(cameras.expiresAt))
      .limit(EXPIRED_CAMERAS_PER_SLICE);
    if (due.length === 0) return complete();
    const ids = due.map(({ id }) => id);
    const expired = sql`(SELECT ${retainedAfterOfCamera(now)} FROM ${cameras} WHERE ${cameras.id} = ${cameraPlaces.cameraId})`;
    const captures = await selectCaptures(workspace)
      .where(
        and(
          inSet(cameraPlaces.cameraId, ids),
          sql`${cameraFrames.part} IN (0, 2)`,
          lte(cameraFrames.capturedAt, expired),
          eq(cameraFrames.status, "completed"),
        ),
      )
      .limit(EXPIRED_IMAGES_PER_SLICE);
    const change = beginChange(
      context,
      due.map((camera) => camera.tenantId),
    );
    const changed = await removeCaptures(context, change, captures);
    change.add(
      sql`UPDATE ${cameras} SET expires_at = CASE WHEN ${firstCapture} <= ${cameras.expiredUntil} THEN 0
          ELSE ${firstCapture} + ${cameras.retentionDays} * ${DAY} END,
        watermark = watermark + (${inSet(cameras.id, changed)})
        WHERE ${inSet(cameras.id, ids)}`,
    );
    const isAll = due.length < EXPIRED_CAMERAS_PER_SLICE && captures.length < EXPIRED_IMAGES_PER_SLICE;
    return isAll ? complete(change) : continueLater(null, { change });
  },
};
