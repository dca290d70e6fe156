import { sql } from "drizzle-orm";
import { auditStatement, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { DAY, toUtcOrNull } from "../../platform/time";
import { chargeJob } from "../../workspace";
import { type Archive, type Range, visibleInRange } from "../archive";
import { cameraCaptures } from "../tables";
import { retainedAfter } from "../visibility";
import type { ExportRow } from "./layout";
import { MOST_IMAGES } from "./limits";
import { cameraExports } from "./tables";

/** A preparation that has not ended by then is given up. */
const LONGEST_PREPARATION = 2 * DAY;

/** How many images an export would have, counted up to one more than it may have. */
async function countImages({ db, now }: Context, archive: Archive, range: Range): Promise<number> {
  const [row] = await db.all<{ count: number }>(sql`SELECT count(*) AS count FROM (SELECT 1 FROM ${cameraCaptures}
    WHERE ${visibleInRange(archive, now, range)} LIMIT ${MOST_IMAGES + 1})`);
  return row?.count ?? 0;
}

/**
 * Freezes the images of a range as they are published now, and queues the preparation of their export.
 * @throws DomainError 401, 422 when there are none or too many, or the month's jobs are used up.
 */
export async function startExport(context: Context, archive: Archive, range: Range): Promise<ExportRow> {
  const { userId } = requireUser(context);
  const { camera, locationId } = archive;
  const expectedCount = await countImages(context, archive, range);
  if (expectedCount === 0) throw new DomainError("rule-violated", "There are no images in this range to export.");
  if (expectedCount > MOST_IMAGES)
    throw new DomainError("rule-violated", `An export has at most ${MOST_IMAGES} images. Ask for shorter ranges.`);
  const id = newId();
  const { tenantId, organizationId } = camera;
  const [fromAt, toAt] = [range.from ?? null, range.to ?? null];
  const row = {
    ...{ id, tenantId, organizationId, cameraId: camera.id, locationId, userId, fromAt, toAt, expectedCount },
    retainedAfter: retainedAfter(camera, context.now),
    status: "queued" as const,
    createdAt: context.now,
    expiresAt: context.now + LONGEST_PREPARATION,
  };
  const change = beginChange(context);
  chargeJob(context, change, organizationId);
  change.add(context.db.insert(cameraExports).values(row));
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
