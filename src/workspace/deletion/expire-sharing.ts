import { and, isNotNull, lte } from "drizzle-orm";
import { grants } from "../../access/tables";
import { beginChange } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { again, done, type JobHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { invitations } from "../tables";

/** Ended grants and invitations stay this long, so that people find and renew them. */
const REMEMBERED = 30 * DAY;
/** Rows of each kind that one slice forgets. */
const SLICE = 500;

/** Forgets grants and invitations that ended long ago: what counts is decided by their times, not by this. */
export const expireSharing: JobHandler<"expire-sharing"> = {
  async run(context) {
    const { db } = context;
    const before = Date.now() - REMEMBERED;
    const endedGrants = db
      .select({ id: grants.id })
      .from(grants)
      .where(and(isNotNull(grants.expiresAt), lte(grants.expiresAt, before)))
      .limit(SLICE);
    const endedInvitations = db
      .select({ id: invitations.id })
      .from(invitations)
      .where(lte(invitations.expiresAt, before))
      .limit(SLICE);
    const [lateGrants, lateInvitations] = await db.batch([endedGrants, endedInvitations]);
    const change = beginChange(context).add(
      db.delete(grants).where(inSet(grants.id, idsOf(lateGrants))),
      db.delete(invitations).where(inSet(invitations.id, idsOf(lateInvitations))),
    );
    const isFull = lateGrants.length === SLICE || lateInvitations.length === SLICE;
    return isFull ? again(null, { change }) : done(change);
  },
};

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
