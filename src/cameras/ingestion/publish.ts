import { eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { locationLives, type UploadRow } from "../../workspace";
import { announceCamera } from "../announce";
import { cameraCaptures, cameras, captureOperations } from "../tables";
import type { ExaminedImage } from "./examine";
import { type OperationRow, otherCaptureId } from "./operation";

/** Adds the row of a verified image, and what the camera shows of it, to the change that completes its operation. */
export async function publishCapture(
  { db }: Context,
  change: Change,
  operation: OperationRow,
  upload: UploadRow,
  image: ExaminedImage,
  at: number,
): Promise<void> {
  const { id: operationId, cameraId, captureId, capturedAt, locationId } = operation;
  const { checksumSha256 } = upload;
  const [camera] = await db.select().from(cameras).where(eq(cameras.id, cameraId));
  if (camera === undefined) throw new Error("an operation's camera is gone");
  const isNewest = sql`${capturedAt} >= coalesce(${cameras.lastCaptureAt}, 0)`;
  const repeatsNewest = sql`${checksumSha256} = (SELECT ${cameraCaptures.checksumSha256} FROM ${cameraCaptures}
    WHERE ${cameraCaptures.cameraId} = ${cameraId} ORDER BY ${cameraCaptures.capturedAt} DESC LIMIT 1)`;
  const isTaken = sql`EXISTS (SELECT 1 FROM ${cameraCaptures} AS taken WHERE taken.id = ${captureId})`;
  change.guard(locationLives(locationId), new DomainError("conflict", "The location was deleted in the meantime.")).add(
    db
      .update(cameras)
      .set({
        watermark: sql`${cameras.watermark} + 1`,
        identicalFrames: sql`CASE WHEN NOT ${isNewest} THEN ${cameras.identicalFrames}
            WHEN ${repeatsNewest} THEN ${cameras.identicalFrames} + 1 ELSE 0 END`,
        lastCaptureAt: sql`max(coalesce(${cameras.lastCaptureAt}, 0), ${capturedAt})`,
      })
      .where(eq(cameras.id, cameraId)),
    db.insert(cameraCaptures).values({
      id: sql`CASE WHEN ${isTaken} THEN ${otherCaptureId(cameraId, captureId)} ELSE ${captureId} END`,
      tenantId: operation.tenantId,
      organizationId: operation.tenantId,
      cameraId,
      locationId,
      assignmentGeneration: operation.assignmentGeneration,
      operationId,
      capturedAt,
      receivedAt: operation.createdAt,
      completedAt: at,
      clockQuality: operation.clockQuality,
      sizeBytes: upload.sizeBytes,
      checksumSha256,
      crc32: image.crc32,
      width: image.width,
      height: image.height,
      previewWidth: image.preview.width,
      previewHeight: image.preview.height,
      tolerated: image.tolerated,
    }),
    db
      .update(captureOperations)
      .set({ heldAt: null, heldCode: null, heldDetail: null })
      .where(eq(captureOperations.id, operationId)),
  );
  announceCamera(change, camera, locationId);
}
