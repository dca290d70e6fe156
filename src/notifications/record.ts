import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { inSet } from "../platform/db/sets";
import { newId } from "../platform/ids";
import type { UserNotifications } from "../platform/live";
import { audiencePage } from "./audience";
import type { Draft } from "./draft";
import { notificationSequences, notifications } from "./tables";

/** Notifications one inbox keeps: the newest, read or not. What is older goes as new ones come. */
export const MOST_KEPT = 10_000;

export interface Recorded {
  /** Rows of this page, for live delivery. */
  notifications: UserNotifications[];
  /** Where the next page goes on; null after the last. */
  next: string | null;
}

/**
 * Writes a notification into the inboxes of one page of its audience. `eventId` makes a repeat harmless:
 * who has the event's row keeps it, with its read state. A full inbox lets its oldest go. Commits on its own, before
 * any live delivery.
 */
export async function recordPage(context: Context, eventId: string, draft: Draft, after: string): Promise<Recorded> {
  const { userIds, next } = await audiencePage(context, draft, after);
  if (userIds.length === 0) return { notifications: [], next };
  const rows = JSON.stringify(userIds.map((userId) => ({ userId, id: newId() })));
  const missing = sql`json_each(${rows}) AS r
    WHERE NOT EXISTS (SELECT 1 FROM ${notifications} WHERE user_id = r.value ->> 'userId' AND event_id = ${eventId})
      AND EXISTS (SELECT 1 FROM users WHERE id = r.value ->> 'userId')`;
  const { origin } = draft;
  await beginChange(context)
    .add(
      sql`INSERT INTO ${notificationSequences} (user_id, last_seq) SELECT r.value ->> 'userId', 1 FROM ${missing}
        ON CONFLICT (user_id) DO UPDATE SET last_seq = last_seq + 1`,
      sql`INSERT INTO ${notifications} (id, user_id, seq, event_id, type, severity, title, body, origin_type, origin_id, origin_data,
          organization_id, cluster_id, location_id, document_id, created_at)
        SELECT r.value ->> 'id', r.value ->> 'userId',
          (SELECT last_seq FROM ${notificationSequences} WHERE user_id = r.value ->> 'userId'),
          ${eventId}, ${draft.type}, ${draft.severity}, ${draft.title}, ${draft.body}, ${origin?.type ?? null}, ${origin?.id ?? null},
          ${JSON.stringify(origin?.data ?? {})}, ${draft.organizationId}, ${draft.clusterId}, ${draft.locationId}, ${draft.documentId},
          ${context.now}
        FROM ${missing}`,
      sql`DELETE FROM ${notifications} WHERE id IN (SELECT n.id FROM json_each(${rows}) AS r
        CROSS JOIN ${notificationSequences} AS s ON s.user_id = r.value ->> 'userId'
        CROSS JOIN ${notifications} AS n ON n.user_id = s.user_id AND n.seq <= s.last_seq - ${MOST_KEPT})`,
    )
    .commit();
  const written = await context.db
    .select({ id: notifications.id, userId: notifications.userId })
    .from(notifications)
    .where(and(inSet(notifications.userId, userIds), eq(notifications.eventId, eventId)));
  return { notifications: written.map(({ id, userId }) => ({ userId, notificationIds: [id] })), next };
}
