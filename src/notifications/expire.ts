import { z } from "@hono/zod-openapi";
import { and, eq, lt, sql } from "drizzle-orm";
import { beginChange } from "../platform/db/change";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { DAY } from "../platform/time";
import { MAX_NOTIFICATIONS_PER_USER } from "./limits";
import { notificationEvents, notifications } from "./tables";

/** Rows of inboxes that one slice reads. */
const ROWS_PER_SLICE = 20_000;

const position = z.strictObject({ userId: z.string(), seq: z.int() });
type Position = z.infer<typeof position>;

/** The last notification of the slice before. */
const stateSchema = position.nullable();
/** Before all inboxes. */
const START: Position = { userId: "", seq: 0 };

/**
 * Goes through all inboxes once a day, in their order, because notifications have no index for their end. It deletes read
 * notifications after their retention, those whose event was deleted with its subject, and the oldest of a full inbox.
 */
export const expireNotifications: RecurringHandler<"expire-notifications"> = {
  hasWork: () => sql`EXISTS (SELECT 1 FROM ${notifications} WHERE user_id > ${START.userId})`,
  async run(context, job) {
    const { db, now, settings } = context;
    const start = stateSchema.parse(job.state) ?? START;
    const rest = sql`(user_id, seq) > (${start.userId}, ${start.seq})`;
    const [end = null] = await db.all<Position>(sql`SELECT user_id AS "userId", seq AS "seq" FROM ${notifications}
      WHERE ${rest} ORDER BY user_id, seq LIMIT 1 OFFSET ${ROWS_PER_SLICE - 1}`);
    const slice = end === null ? rest : sql`${rest} AND (user_id, seq) <= (${end.userId}, ${end.seq})`;
    const full = await db.all<{ userId: string; least: number }>(sql`SELECT user_id AS "userId", least AS "least" FROM (
      SELECT user_id, (SELECT one.seq FROM ${notifications} AS one WHERE one.user_id = each.user_id
        ORDER BY one.seq DESC LIMIT 1 OFFSET ${MAX_NOTIFICATIONS_PER_USER - 1}) AS least
      FROM (SELECT DISTINCT user_id FROM ${notifications} WHERE ${slice}) AS each) WHERE least IS NOT NULL`);
    const before = now - settings.NOTIFICATION_RETENTION_DAYS * DAY;
    const change = beginChange(context).add(
      sql`DELETE FROM ${notifications} WHERE ${slice} AND (read_at < ${before}
        OR NOT EXISTS (SELECT 1 FROM ${notificationEvents} AS event WHERE event.no = event_no))`,
      ...full.map(({ userId, least }) =>
        db.delete(notifications).where(and(eq(notifications.userId, userId), lt(notifications.seq, least))),
      ),
    );
    return end === null ? complete(change) : continueLater(end, { change });
  },
};
