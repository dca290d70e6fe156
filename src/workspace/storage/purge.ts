import { asc, lte } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { storedObjects } from "../tables";

/** Objects one slice deletes: a single call to the bucket. */
const SLICE = 1_000;

/** Deletes given-up objects, then their rows; a kill in between repeats a harmless deletion. */
export const purgeObjects: JobHandler<"purge-objects"> = {
  async run(context) {
    const due = await context.db
      .select({ key: storedObjects.key })
      .from(storedObjects)
      .where(lte(storedObjects.purgeAfter, Date.now()))
      .orderBy(asc(storedObjects.purgeAfter))
      .limit(SLICE);
    if (due.length === 0) return done();
    const keys = due.map(({ key }) => key);
    await context.objects.remove(keys);
    const change = beginChange(context).add(context.db.delete(storedObjects).where(inSet(storedObjects.key, keys)));
    return due.length < SLICE ? done(change) : again(null, { change });
  },
};
