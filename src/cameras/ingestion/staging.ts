import { gt, sql } from "drizzle-orm";
import { z } from "zod";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { STAGING_PREFIX } from "../captures";
import { STAGING_RETENTION_MS } from "../limits";
import { cameraPlaces } from "../tables";

const cursor = z.string().nullable();

/**
 * Deletes staged bytes that nobody needs any more. A verification deletes the bytes of its image. Bytes stay only if
 * its worker died directly after the verdict, or if the device sent them once more. The bucket itself lists them, so
 * that a usual image needs no row and no second look. One slice reads one page of the list.
 */
export const clearStaging: RecurringHandler<"clear-staging"> = {
  hasWork: () => sql`EXISTS (SELECT 1 FROM ${cameraPlaces} WHERE ${gt(cameraPlaces.locationId, "")})`,
  async run({ objects, now }, { state }) {
    const page = await objects.list(STAGING_PREFIX, cursor.parse(state));
    const old = page.objects.filter(({ writtenAt }) => writtenAt <= now - STAGING_RETENTION_MS);
    await objects.remove(old.map(({ key }) => key));
    return page.next === null ? complete() : continueLater(page.next);
  },
};
