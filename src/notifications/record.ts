import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, gte, inArray, lt, type SQL, sql } from "drizzle-orm";
import { type AccessFacts, groupByPlace, levelAt, READ, readIn, userRef } from "../access";
import { grants, memberships, people } from "../access/tables";
import type { Audience, Message, Messages, Subscriber } from "../events";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { areUnmoved, isUnmoved, NO_WORKSPACE, workspaceMoves } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import type { WorkspaceEvent } from "../platform/events";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { DEFAULT_LANGUAGE, LANGUAGES } from "../platform/languages/languages";
import { describeFailure, log } from "../platform/log";
import type { UserNotifications } from "../platform/ports";
import { DAY } from "../platform/time";
import { loadAccessAtLocation } from "../workspace";
import { notificationId } from "./identity";
import { MAX_NOTIFICATIONS_PER_USER } from "./limits";
import { advanceClock, workspaceOf, workspaceOfRow } from "./place";
import { notificationClock, notificationEvents, notificationPreferences, notifications } from "./tables";

interface Recorded {
  /** The notifications of this page, for live delivery. */
  notifications: UserNotifications[];
  /** The last user id of this page; null after the last page. */
  next: string | null;
}

/**
 * Writes a notification into the inboxes of one page of its audience. The event keeps where its last page ended, so a repeat
 * of a page changes nothing and finds its notifications. Commits before any live delivery.
 */
async function recordPage(context: Context, eventId: string, message: Message, after: string): Promise<Recorded> {
  const { userIds, next } = await audiencePage(context, message, after);
  if (userIds.length === 0) return { notifications: [], next };
  await writePage(context, eventId, message, { after, next, userIds });
  const [event] = await context.workspace
    .select()
    .from(notificationEvents)
    .where(eq(notificationEvents.eventId, eventId));
  if (event === undefined) return { notifications: [], next };
  const { no: eventNo, pageAfter, pageNext } = event;
  // Every page of the event has a later number than its first page, so earlier notifications need not be read.
  const written = await context.workspace
    .select({ userId: notifications.userId, seq: notifications.seq })
    .from(notifications)
    .where(
      and(inSet(notifications.userId, userIds), gte(notifications.seq, eventNo), eq(notifications.eventNo, eventNo)),
    );
  return {
    notifications: written.map(({ userId, seq }) => ({ userId, notificationIds: [notificationId({ seq, eventNo })] })),
    // The audience may have changed since the page was written.
    next: pageAfter === after ? pageNext : next,
  };
}

interface Page {
  after: string;
  next: string | null;
  userIds: readonly string[];
}

/** Writes a page, unless it was written before: the event, and a row for each recipient. */
async function writePage(context: Context, eventId: string, message: Message, page: Page): Promise<void> {
  const { type, severity, origin, organizationId, clusterId, locationId, documentId } = message;
  // All readers share the row of the event, so it has the texts of every language.
  const texts = Object.fromEntries(LANGUAGES.map((language) => [language, message.text(language)]));
  const { title, body } = message.text(DEFAULT_LANGUAGE);
  const seq = sql`(SELECT seq FROM ${notificationClock} WHERE one = 1)`;
  const recipients = sql`json_each(${JSON.stringify(page.userIds)}) AS r CROSS JOIN ${people} ON ${people.id} = r.value
    AND ${people.deletedAt} IS NULL`;
  const about = workspaceOf({ organizationId, locationId, clusterId, userId: page.userIds[0] ?? "" });
  // A person who is deleted, or not copied to this database yet, gets none. A workspace that moves puts the page off.
  await beginChange(context, NO_WORKSPACE)
    .guard(sql`${areUnmoved(page.userIds)} AND ${isUnmoved(about)}`, workspaceMoves())
    .add(
      advanceClock(context),
      sql`INSERT INTO ${notificationEvents} (no, event_id, type, severity, title, body, texts, origin_type, origin_id, origin_data,
          organization_id, cluster_id, location_id, document_id, created_at, page_after, page_next, page_seq, recipients)
        SELECT ${seq}, ${eventId}, ${type}, ${severity}, ${title}, ${body}, ${JSON.stringify(texts)}, ${origin?.type ?? null}, ${origin?.id ?? null},
          ${JSON.stringify(origin?.data ?? {})}, ${organizationId}, ${clusterId}, ${locationId}, ${documentId}, ${context.now},
          ${page.after}, ${page.next}, ${seq}, (SELECT count(*) FROM ${recipients})
        WHERE true
        ON CONFLICT (event_id) DO UPDATE SET page_after = excluded.page_after, page_next = excluded.page_next,
          page_seq = excluded.page_seq, recipients = recipients + excluded.recipients
        WHERE page_next <= excluded.page_after`,
      // This writes rows only if the statement before it wrote the page of this clock.
      sql`INSERT INTO ${notifications} (user_id, seq, event_no) SELECT ${people.id}, event.page_seq, event.no
        FROM ${notificationEvents} AS event CROSS JOIN ${recipients}
        WHERE event.event_id = ${eventId} AND event.page_seq = ${seq}`,
    )
    .commit();
}

/** Users that one slice of the job checks. */
export const AUDIENCE_PAGE = 200;

/**
 * Reads the next users of an audience after `after`, ordered by user id: at most `AUDIENCE_PAGE`. Their access is not
 * checked yet. Large organizations take several pages.
 */
async function candidates({ workspace }: Context, audience: Audience, after: string): Promise<string[]> {
  switch (audience.kind) {
    case "users":
      return audience.userIds
        .filter((id) => id > after)
        .sort()
        .slice(0, AUDIENCE_PAGE);
    case "administrators": {
      const rows = await workspace
        .select({ userId: memberships.userId })
        .from(memberships)
        .where(
          and(
            eq(memberships.organizationId, audience.organizationId),
            gt(memberships.userId, after),
            inArray(memberships.role, ["owner", "admin"]),
          ),
        )
        .orderBy(asc(memberships.userId))
        .limit(AUDIENCE_PAGE);
      return rows.map((row) => row.userId);
    }
    case "location":
    case "document": {
      const within = audience.kind === "document" ? [audience.documentId] : [];
      const named = inSet(grants.targetId, [...within, audience.locationId, audience.clusterId]);
      const members: SQL = sql`SELECT ${memberships.userId} AS user_id FROM ${memberships}
        WHERE ${memberships.organizationId} = ${audience.organizationId} AND ${memberships.userId} > ${after}`;
      const outsiders: SQL = sql`SELECT ${grants.userId} AS user_id FROM ${grants} WHERE ${named} AND ${grants.userId} > ${after}`;
      const rows = await workspace.all<{ user_id: string }>(
        sql`${members} UNION ${outsiders} UNION SELECT ${audience.tenantId} AS user_id
          WHERE ${audience.organizationId} IS NULL AND ${audience.tenantId} > ${after} ORDER BY user_id LIMIT ${AUDIENCE_PAGE}`,
      );
      return rows.map((row) => row.user_id);
    }
  }
}

/** The users who may see the message now. The check uses their full rights, not the rights of a token. */
async function allowed(context: Context, message: Message, userIds: readonly string[]): Promise<string[]> {
  const { audience } = message;
  if (audience.kind === "users" || audience.kind === "administrators") return [...userIds];
  const isDocument = audience.kind === "document";
  const [capability, level] = isDocument ? (["Documents", READ] as const) : [audience.capability, audience.level];
  const { held } = await loadAccessAtLocation(
    context,
    userIds.map(userRef),
    audience.locationId,
    isDocument ? [audience.documentId] : [],
    context.now,
  );
  const mayRead = (found: AccessFacts | undefined) =>
    found !== undefined && levelAt(found, capability, audience) >= level;
  return userIds.filter((_, i) => mayRead(held[i]?.facts));
}

/** The people who have turned this type off. Preferences are with the personal workspace of each person. */
async function declinedBy(context: Context, userIds: readonly string[], type: Message["type"]): Promise<Set<string>> {
  const homes = await groupByPlace(context, userIds);
  const off = await readIn(context, [...homes.keys()], ({ workspace }, name) =>
    workspace
      .select({ userId: notificationPreferences.userId })
      .from(notificationPreferences)
      .where(
        and(
          inSet(notificationPreferences.userId, homes.get(name) ?? []),
          eq(notificationPreferences.type, type),
          eq(notificationPreferences.inApp, false),
        ),
      ),
  );
  return new Set(off.flat().map((row) => row.userId));
}

interface AudiencePage {
  userIds: string[];
  /** The last user id of this page; null after the last page. */
  next: string | null;
}

/** One page of the recipients: users who may see the notification, have not turned it off and did not cause it. */
async function audiencePage(context: Context, message: Message, after: string): Promise<AudiencePage> {
  const found = await candidates(context, message.audience, after);
  const others = found.filter((id) => id !== message.actorUserId);
  const may = await allowed(context, message, others);
  const declined = await declinedBy(context, may, message.type);
  return {
    userIds: may.filter((id) => !declined.has(id)),
    next: found.length === AUDIENCE_PAGE ? (found.at(-1) ?? null) : null,
  };
}

/** The cursor of an event's delivery to inboxes. */
const cursorSchema = z.strictObject({
  /** The last user of the previous page. */
  after: z.string(),
  /** Start of the first page that was written but not sent to connections; null when every page was sent. */
  unsent: z.string().nullable(),
  /** Whether pages that were not sent are being sent again. */
  isRepeat: z.boolean(),
});
const FIRST_PAGE: z.infer<typeof cursorSchema> = { after: "", unsent: null, isRepeat: false };

/**
 * The inbox: writes the message of an event for the users who may see it, page by page, and sends each page to their
 * connections. When a page cannot be sent, the next pages are written all the same; then the unsent ones are repeated.
 */
export const inbox = (messages: Messages): Subscriber => ({
  name: "inbox",
  async deliver(context, event, eventId, cursor) {
    // Each entry accepts only the event of its type.
    const messageOf = messages[event.type] as
      | ((context: Context, event: WorkspaceEvent) => Promise<Message | null>)
      | undefined;
    const message = (await messageOf?.(context, event)) ?? null;
    if (message === null) return null;
    const page = cursor === null ? FIRST_PAGE : cursorSchema.parse(JSON.parse(cursor));
    const { notifications, next } = await recordPage(context, eventId, message, page.after);
    let { unsent } = page;
    try {
      await context.live.notify(notifications);
    } catch (thrown) {
      if (page.isRepeat) throw thrown;
      log("warn", "event.delivery-failed", { jobId: eventId, subscriber: "inbox", ...describeFailure(thrown) });
      unsent ??= page.after;
    }
    if (next !== null) return JSON.stringify({ ...page, after: next, unsent });
    return unsent === null ? null : JSON.stringify({ after: unsent, unsent: null, isRepeat: true });
  },
});

/** Rows of inboxes that one slice reads. */
const ROWS_PER_SLICE = 20_000;

const position = z.strictObject({ userId: z.string(), seq: z.int() });
type Position = z.infer<typeof position>;

/** The last notification of the slice before. */
const stateSchema = position.nullable();
/** Condition: no move and no backup holds the workspace that the notification is about. */
const isToDelete = sql`NOT EXISTS (SELECT 1 FROM ${notificationEvents}
  WHERE ${notificationEvents.no} = ${notifications.eventNo} AND NOT ${isUnmoved(workspaceOfRow)})`;

/** Before all inboxes. */
const START: Position = { userId: "", seq: 0 };

/**
 * Goes through all inboxes once a day, in their order, because notifications have no index for their end. It deletes
 * read notifications after their retention, notifications whose event was deleted with its subject, and the oldest
 * notifications of a full inbox.
 */
export const expireNotifications: RecurringHandler<"expire-notifications"> = {
  hasWork: () => sql`EXISTS (SELECT 1 FROM ${notifications} WHERE user_id > ${START.userId})`,
  async run(context, job) {
    const { workspace, now, settings } = context;
    const start = stateSchema.parse(job.state) ?? START;
    const rest = sql`(user_id, seq) > (${start.userId}, ${start.seq})`;
    const [end = null] =
      await workspace.all<Position>(sql`SELECT user_id AS "userId", seq AS "seq" FROM ${notifications}
      WHERE ${rest} ORDER BY user_id, seq LIMIT 1 OFFSET ${ROWS_PER_SLICE - 1}`);
    const slice = end === null ? rest : sql`${rest} AND (user_id, seq) <= (${end.userId}, ${end.seq})`;
    const full = await workspace.all<{
      userId: string;
      least: number;
    }>(sql`SELECT user_id AS "userId", least AS "least" FROM (
      SELECT user_id, (SELECT one.seq FROM ${notifications} AS one WHERE one.user_id = each.user_id
        ORDER BY one.seq DESC LIMIT 1 OFFSET ${MAX_NOTIFICATIONS_PER_USER - 1}) AS least
      FROM (SELECT DISTINCT user_id FROM ${notifications} WHERE ${slice}) AS each) WHERE least IS NOT NULL`);
    const before = now - settings.NOTIFICATION_RETENTION_DAYS * DAY;
    const change = beginChange(context, NO_WORKSPACE).add(
      sql`DELETE FROM ${notifications} WHERE ${slice} AND (read_at < ${before} AND ${isToDelete}
        OR NOT EXISTS (SELECT 1 FROM ${notificationEvents} AS event WHERE event.no = event_no))`,
      ...full.map(({ userId, least }) =>
        workspace
          .delete(notifications)
          .where(and(eq(notifications.userId, userId), lt(notifications.seq, least), isToDelete)),
      ),
    );
    return end === null ? complete(change) : continueLater(end, { change });
  },
};
