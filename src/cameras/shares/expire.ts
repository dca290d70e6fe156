import { or, sql } from "drizzle-orm";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { cameraShares } from "../tables";

/** Ended links stay this long, so that people see what was shared. */
const REMEMBERED = 180 * DAY;
/** Links that one slice forgets, of each kind. */
const SLICE = 200;

/** Forgets links that ended long ago: what counts is decided by their times, not by this. */
export const expireShares: JobHandler<"expire-camera-shares"> = {
  async run(context) {
    const { db } = context;
    const before = Date.now() - REMEMBERED;
    const ended = (time: typeof cameraShares.revokedAt | typeof cameraShares.expiresAt) =>
      db.select({ id: cameraShares.id }).from(cameraShares).where(sql`${time} <= ${before}`).limit(SLICE);
    const [revoked, expired] = await db.batch([ended(cameraShares.revokedAt), ended(cameraShares.expiresAt)]);
    const change = beginChange(context).add(
      db.delete(cameraShares).where(or(inSet(cameraShares.id, idsOf(revoked)), inSet(cameraShares.id, idsOf(expired)))),
    );
    return revoked.length === SLICE || expired.length === SLICE ? again(null, { change }) : done(change);
  },
};

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
