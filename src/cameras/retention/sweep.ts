import { asc, lte, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { complete, continueLater, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { cameraCaptures, cameras } from "../tables";
import { retainedAfterOfCamera } from "../visibility";
import { removeCaptures } from "./remove";

/** Cameras one slice looks at, and images it takes away. */
const CAMERAS_A_SLICE = 50;
const IMAGES_A_SLICE = 200;

/**
 * Takes away what is older than its camera's retention, by capture time: a bounded number of images a slice,
 * of the cameras whose first one has expired.
 */
export const expireCaptures: JobHandler<"expire-captures"> = {
  async run(context) {
    const { db } = context;
    const now = Date.now();
    const due = await db
      .select({ id: cameras.id })
      .from(cameras)
      .where(lte(cameras.expiresAt, now))
      .orderBy(asc(cameras.expiresAt))
      .limit(CAMERAS_A_SLICE);
    if (due.length === 0) return complete();
    const ids = due.map(({ id }) => id);
    const images = await db.all<{ id: string }>(
      sql`SELECT ${cameraCaptures.id} AS id FROM ${cameras} CROSS JOIN ${cameraCaptures}
        WHERE ${inSet(cameras.id, ids)} AND ${cameraCaptures.cameraId} = ${cameras.id}
          AND ${cameraCaptures.capturedAt} <= ${retainedAfterOfCamera(now)} LIMIT ${IMAGES_A_SLICE}`,
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
