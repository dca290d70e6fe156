import { lte } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { cameraExports } from "./tables";

/** How long an ended export is still known, so that who asks learns that it has expired. */
const REMEMBERED = 7 * DAY;
/** Exports that one slice deletes; their manifests go with them. */
const SLICE = 20;

/** Deletes exports whose time has been over for a while. */
export const expireExports: JobHandler<"expire-exports"> = {
  async run(context) {
    const { db, now } = context;
    const old = await db
      .select({ id: cameraExports.id })
      .from(cameraExports)
      .where(lte(cameraExports.expiresAt, now - REMEMBERED))
      .limit(SLICE);
    if (old.length === 0) return done();
    const ids = old.map(({ id }) => id);
    const change = beginChange(context).add(db.delete(cameraExports).where(inSet(cameraExports.id, ids)));
    return old.length < SLICE ? done(change) : again(null, { change });
  },
};
