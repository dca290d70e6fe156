import { and, eq, isNull, sql } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { HOUR, toUtc } from "../../platform/time";
import { giveUpObjects } from "../../uploads";
import { announceCamera } from "../announce";
import { requireCapture } from "../find";
import { captureKeysOf } from "../keys";
import { cameraCaptures, cameras } from "../tables";

/**
 * Deletes one image: hidden from this change on. Its bytes go after a time that is a setting, and their capacity
 * comes back then; its row stays until its retention ends, so that a repeat of its device brings it back never.
 * @throws DomainError 401, 403, 404.
 */
export async function deleteCapture(context: Context, captureId: string): Promise<void> {
  const { capture, camera, location } = await requireCapture(context, captureId, WRITE);
  const { db, now } = context;
  const change = beginChange(context)
    .add(
      db
        .update(cameraCaptures)
        .set({ deletedAt: now })
        .where(and(eq(cameraCaptures.id, capture.id), isNull(cameraCaptures.deletedAt))),
    )
    .guardChanged(notFound())
    .add(
      db
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
  giveUpObjects(context, change, captureKeysOf(sql`${cameraCaptures.id} = ${capture.id}`), keptMs);
  announceCamera(change, camera, location.id);
  await change.commit();
}
