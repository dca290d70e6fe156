import { type SQL, sql } from "drizzle-orm";
import { readAcross, requireUser } from "../access";
import type { Context } from "../platform/context";
import { beginChange, inTurn } from "../platform/db/change";
import { areUnmoved, isUnmoved, NO_WORKSPACE, workspaceMoves } from "../platform/db/residence";
import { notFound } from "../platform/errors";
import { readerLanguage } from "../platform/languages/reader";
import { describeFailure, log } from "../platform/log";
import { type NotificationKey, notificationId } from "./identity";
import { countUnread, fromAll, fromUnread, hasIdOf, newestFirst, readVisible, visibleTo } from "./inbox";
import { workspaceOfRow } from "./place";
import { notifications } from "./tables";

/** What a person does with notifications. */
type Mark = "read" | "unread" | "archived" | "unarchived";

/** Some notifications by their ids, or all up to one. */
export type Marked = { notificationIds: readonly string[] } | { all: true; upToSeq?: number | undefined };

/** For each mark: the notifications that it changes, and how. */
const MARKS: Readonly<Record<Mark, { from: (condition: SQL) => SQL; set: (now: number) => SQL }>> = {
  read: { from: fromUnread, set: (now) => sql`read_at = ${now}` },
  unread: {
    from: (condition) => fromAll(sql`read_at IS NOT NULL AND archived_at IS NULL AND ${condition}`),
    set: () => sql`read_at = NULL`,
  },
  archived: {
    from: (condition) => fromAll(sql`archived_at IS NULL AND ${condition}`),
    set: (now) => sql`archived_at = ${now}, read_at = coalesce(read_at, ${now})`,
  },
  unarchived: {
    from: (condition) => fromAll(sql`archived_at IS NOT NULL AND ${condition}`),
    // It is as it was: `archived` has read it at the same moment if it was unread.
    set: () => sql`archived_at = NULL, read_at = CASE WHEN read_at = archived_at THEN NULL ELSE read_at END`,
  },
};

/** Largest number of changed notifications (the newest) that are sent to the user's other connections. Each has the unread count. */
const MAX_RESENT = 100;

/**
 * Marks the notifications of a selection that this caller may see, and ignores unknown and hidden ones.
 * @returns the unread count
 * @throws DomainError workspace-moving
 */
export async function markNotifications(context: Context, mark: Mark, marked: Marked): Promise<number> {
  const { userId, facts } = requireUser(context);
  const visible = visibleTo(facts);
  if (visible === null) return 0;
  const { from, set } = MARKS[mark];
  const changed = from(sql`${visible} AND ${selected(marked)}`);
  const found = await readAcross(context, async (there) => ({ there, keys: await newestOf(there, changed) }));
  const toChange = found.flatMap(({ there, keys }) => (keys.length === 0 ? [] : [there]));
  for (const there of inTurn(toChange)) await markThere(there, userId, changed, set(there.now));
  const newest = newestFirst(found.map(({ keys }) => keys)).slice(0, MAX_RESENT);
  if (newest.length > 0) {
    const notificationIds = newest.map(notificationId);
    context.background(
      context.live.notify([{ userId, notificationIds }]).catch((thrown: unknown) => {
        log("warn", "event.delivery-failed", { subscriber: "live-connections", ...describeFailure(thrown) });
      }),
    );
  }
  return countUnread(context);
}

function selected(marked: Marked): SQL {
  if ("notificationIds" in marked) return hasIdOf(marked.notificationIds);
  return marked.upToSeq === undefined ? sql`true` : sql`${notifications.seq} <= ${marked.upToSeq}`;
}

/** The newest notifications of one database that a mark changes. */
const newestOf = ({ workspace }: Context, changed: SQL): Promise<NotificationKey[]> =>
  workspace.all<NotificationKey>(
    sql`SELECT ${notifications.seq} AS "seq", ${notifications.eventNo} AS "eventNo" ${changed}
      ORDER BY ${notifications.seq} DESC LIMIT ${MAX_RESENT}`,
  );

/** Marks notifications in one database. @throws DomainError workspace-moving */
async function markThere(there: Context, userId: string, changed: SQL, set: SQL): Promise<void> {
  await beginChange(there, NO_WORKSPACE)
    .guard(
      sql`${areUnmoved([userId])} AND NOT EXISTS (SELECT 1 ${changed} AND NOT ${isUnmoved(workspaceOfRow)})`,
      workspaceMoves(),
    )
    .add(
      sql`UPDATE ${notifications} SET ${set} WHERE user_id = ${userId}
        AND seq IN (SELECT ${notifications.seq} ${changed})`,
    )
    .commit();
}

/** Marks one notification as read. @throws DomainError 404 when it is absent or hidden. */
export async function markOneRead(context: Context, id: string): Promise<number> {
  const shown = await readVisible(context, requireUser(context), [id], readerLanguage(context));
  if (shown.length === 0) throw notFound();
  return markNotifications(context, "read", { notificationIds: [id] });
}
