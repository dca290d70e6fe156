import { type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { giveUpObjects } from "../../uploads";
import { captureKeysOf } from "../keys";
import { cameraCaptures, cameras } from "../tables";

/**
 * Takes away the images that `where` selects when the change commits: their objects are given up, and
 * their capacity comes back once those are gone.
 */
export function removeCaptures(context: Context, change: Change, where: SQL): void {
  giveUpObjects(context, change, captureKeysOf(where));
  change.add(
    sql`UPDATE ${cameras} SET watermark = watermark + 1
      WHERE id IN (SELECT ${cameraCaptures.cameraId} FROM ${cameraCaptures} WHERE ${where})`,
    sql`DELETE FROM ${cameraCaptures} WHERE ${where}`,
  );
}
