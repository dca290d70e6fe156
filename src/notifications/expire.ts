import { lt } from "drizzle-orm";
import { beginChange } from "../platform/db/change";
import { inSet } from "../platform/db/sets";
import { again, done, type JobHandler } from "../platform/jobs/handlers";
import { DAY } from "../platform/time";
import { notifications } from "./tables";

const EXPIRE_BATCH = 500;

/** Deletes read notifications past their retention, a bounded batch at a time. */
export const expireNotifications: JobHandler<"expire-notifications"> = {
  async run(context) {
    const before = context.now - context.settings.NOTIFICATION_RETENTION_DAYS * DAY;
    const rows = await context.db
      .select({ id: notifications.id })
      .from(notifications)
      .where(lt(notifications.readAt, before))
      .limit(EXPIRE_BATCH);
    if (rows.length === 0) return done();
    const ids = rows.map(({ id }) => id);
    const change = beginChange(context).add(context.db.delete(notifications).where(inSet(notifications.id, ids)));
    return rows.length < EXPIRE_BATCH ? done(change) : again(null, { change });
  },
};
