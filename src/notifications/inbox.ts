import { and, desc, eq, gt, isNull, sql } from "drizzle-orm";
import { requireUser, type UserCaller } from "../access";
import type { Context } from "../platform/context";
import type { Database } from "../platform/db/database";
import { inSet } from "../platform/db/sets";
import { type NotificationDto, presentNotification } from "./present";
import { notifications } from "./tables";
import { visibleTo } from "./visibility";

export interface InboxQuery {
  offset: number;
  limit: number;
  unreadOnly: boolean;
  /** Only what came after the notification with this `seq`. */
  sinceSeq: number;
}

/** One page of the inbox, newest first; hidden ones are left out before offset and limit count. */
export async function listInbox(
  context: Context,
  query: InboxQuery,
): Promise<{ items: NotificationDto[]; hasMore: boolean }> {
  const visible = visibleTo(requireUser(context).facts);
  if (visible === null) return { items: [], hasMore: false };
  const rows = await context.db
    .select()
    .from(notifications)
    .where(
      and(
        visible,
        query.unreadOnly ? isNull(notifications.readAt) : undefined,
        query.sinceSeq > 0 ? gt(notifications.seq, query.sinceSeq) : undefined,
      ),
    )
    .orderBy(desc(notifications.seq))
    .limit(query.limit + 1)
    .offset(query.offset);
  return { items: rows.slice(0, query.limit).map(presentNotification), hasMore: rows.length > query.limit };
}

/** How many unread notifications this very credential may see now: one statement over the unread index. */
export async function countUnread(db: Database, { facts }: Pick<UserCaller, "facts">): Promise<number> {
  const visible = visibleTo(facts);
  if (visible === null) return 0;
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(notifications)
    .where(and(visible, isNull(notifications.readAt)));
  return row?.count ?? 0;
}

/** Those of the given notifications that this credential may see now, for live delivery. */
export async function readVisible(
  db: Database,
  { facts }: Pick<UserCaller, "facts">,
  ids: readonly string[],
): Promise<NotificationDto[]> {
  const visible = visibleTo(facts);
  if (visible === null) return [];
  const rows = await db
    .select()
    .from(notifications)
    .where(and(visible, inSet(notifications.id, ids)))
    .orderBy(notifications.seq);
  return rows.map(presentNotification);
}

/** Ids of the unread notifications this caller may see; `only` narrows them. Null when none can be. */
export function unreadVisibleIds(db: Database, { facts }: Pick<UserCaller, "facts">, only: readonly string[] | null) {
  const visible = visibleTo(facts);
  if (visible === null) return null;
  return db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(visible, isNull(notifications.readAt), only === null ? undefined : inSet(notifications.id, only)));
}

/** Whether this caller may see the notification now, read or not. */
export async function isVisible(db: Database, { facts }: Pick<UserCaller, "facts">, id: string): Promise<boolean> {
  const visible = visibleTo(facts);
  if (visible === null) return false;
  const rows = await db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(visible, eq(notifications.id, id)));
  return rows.length > 0;
}
