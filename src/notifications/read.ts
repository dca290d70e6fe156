import { desc, inArray } from "drizzle-orm";
import { requireUser } from "../access";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { notFound } from "../platform/errors";
import { countUnread, isVisible, unreadVisibleIds } from "./inbox";
import { notifications } from "./tables";

/** Changed notifications, the newest, that are sent again to the user's other connections; a longer list is read by REST. */
const MOST_RESENT = 100;

async function markRead(context: Context, only: readonly string[] | null): Promise<number> {
  const caller = requireUser(context);
  const unread = () => unreadVisibleIds(context.db, caller, only);
  const [newest, all] = [unread(), unread()];
  if (newest === null || all === null) return 0;
  const changed = await newest.orderBy(desc(notifications.seq)).limit(MOST_RESENT);
  if (changed.length > 0) {
    await beginChange(context)
      .add(context.db.update(notifications).set({ readAt: context.now }).where(inArray(notifications.id, all)))
      .commit();
    const ids = changed.map(({ id }) => id);
    context.background(context.live.notify([{ userId: caller.userId, notificationIds: ids }]));
  }
  return countUnread(context.db, caller);
}

/** Marks one notification read. @throws DomainError 404 when it is absent or hidden now. */
export async function markOneRead(context: Context, notificationId: string): Promise<number> {
  if (!(await isVisible(context.db, requireUser(context), notificationId))) throw notFound();
  return markRead(context, [notificationId]);
}

/** Marks the given ones read; unknown and hidden ones change nothing. Answers the new unread count. */
export const markSomeRead = (context: Context, ids: readonly string[]): Promise<number> => markRead(context, ids);

/** Marks everything read that this credential may see now. */
export const markAllRead = (context: Context): Promise<number> => markRead(context, null);
