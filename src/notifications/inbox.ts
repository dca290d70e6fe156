import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import {
  type AccessFacts,
  inScope,
  isOutOfScope,
  readAcross,
  readIn,
  requireUser,
  scopeOf,
  type UserCaller,
} from "../access";
import { documents, joinedDocumentExists } from "../documents/tables";
import { NOTIFICATION_TYPES, ORIGIN_TYPES, type OriginType, SEVERITIES } from "../events";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { readCursor, toPage } from "../platform/db/cursor";
import type { WorkspaceDatabase } from "../platform/db/database";
import { areUnmoved, isUnmoved, NO_WORKSPACE, workspaceMoves } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { notFound } from "../platform/errors";
import { idSchema } from "../platform/ids";
import type { ReaderLanguage } from "../platform/languages/languages";
import { readerLanguage } from "../platform/languages/reader";
import { originPath } from "../platform/paths";
import { MINUTE, toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { clusters, locations } from "../workspace/tables";
import { type NotificationKey, notificationId, notificationKey } from "./identity";
import { workspaceOfRow } from "./place";
import { notificationEvents, notifications } from "./tables";

interface InboxQuery {
  offset: number;
  limit: number;
  unreadOnly: boolean;
  /** Only notifications after this `seq`. */
  sinceSeq: number;
  /** The end of the previous page. */
  cursor?: string | undefined;
}

/** A notification with its event. */
type NotificationRow = typeof notifications.$inferSelect & Omit<typeof notificationEvents.$inferSelect, "no">;

const { no: _, ...eventColumns } = getTableColumns(notificationEvents);
const COLUMNS = sql.join(
  Object.entries({ ...getTableColumns(notifications), ...eventColumns }).map(
    ([name, column]) => sql`${column} AS ${sql.identifier(name)}`,
  ),
  sql`, `,
);

/** A notification without its event was deleted with its subject. */
const WITH_EVENT = sql`CROSS JOIN ${notificationEvents} ON ${notificationEvents.no} = ${notifications.eventNo}`;
/** `INDEXED BY`, because SQLite prefers the primary key, which has all notifications, to the index of the unread ones. */
const UNREAD = sql`${notifications} INDEXED BY notifications_unread`;

/** Reads notifications that fit `condition`, newest first. */
async function readRows(
  workspace: WorkspaceDatabase,
  condition: SQL | undefined,
  { unreadOnly, limit, offset }: Pick<InboxQuery, "unreadOnly" | "limit" | "offset">,
): Promise<NotificationRow[]> {
  const rows = await workspace.all<
    Omit<NotificationRow, "originData" | "texts"> & { originData: string; texts: string | null }
  >(
    sql`SELECT ${COLUMNS} FROM ${unreadOnly ? UNREAD : notifications} ${WITH_EVENT} WHERE ${condition}
      ORDER BY ${notifications.seq} DESC LIMIT ${limit} OFFSET ${offset}`,
  );
  return rows.map((row) => ({
    ...row,
    originData: JSON.parse(row.originData) as NotificationRow["originData"],
    texts: row.texts === null ? null : (JSON.parse(row.texts) as NotificationRow["texts"]),
  }));
}

/** Reads the numbers of notifications that fit `condition`, newest first. */
const readNumbers = (workspace: WorkspaceDatabase, condition: SQL | undefined, unreadOnly: boolean, limit: number) =>
  workspace.all<Pick<NotificationKey, "seq">>(
    sql`SELECT ${notifications.seq} AS "seq" FROM ${unreadOnly ? UNREAD : notifications} ${WITH_EVENT} WHERE ${condition}
      ORDER BY ${notifications.seq} DESC LIMIT ${limit}`,
  );

/** The part of a statement after its columns: the unread notifications that fit `condition`. */
const fromUnread = (condition: SQL): SQL =>
  sql`FROM ${UNREAD} ${WITH_EVENT} WHERE ${notifications.readAt} IS NULL AND ${condition}`;

/** The condition for notifications with these public ids. Each id contains the key of its row. */
function hasIdOf(ids: readonly string[]): SQL {
  const keys = ids.flatMap((id) => notificationKey(id) ?? []);
  const numbers = keys.map(({ seq }) => seq);
  const rows = keys.map(({ seq, eventNo }) => `${seq} ${eventNo}`);
  return sql`(${inSet(notifications.seq, numbers)}
    AND ${inSet(sql`(${notifications.seq} || ' ' || ${notifications.eventNo})`, rows)})`;
}

/** The key of a cursor: the `seq` of the last notification of the page. */
const seqKey = z.tuple([z.int().min(0)]);

/** Time before `sinceSeq` whose notifications come again with several databases, milliseconds: their clocks differ. */
const OVERLAP_MS = MINUTE;
const overlapOf = ({ databases }: Pick<Context, "databases">): number =>
  databases.names.length === 1 ? 0 : OVERLAP_MS;

/**
 * Lists one page of the inbox, newest first. Offset and limit count visible notifications only; an offset counts from the
 * cursor. @throws DomainError invalid-cursor.
 */
export async function listInbox(
  context: Context,
  query: InboxQuery,
): Promise<{ items: NotificationDto[]; hasMore: boolean; nextCursor: string | null }> {
  const visible = visibleTo(requireUser(context).facts);
  const [before] = readCursor(query.cursor, seqKey) ?? [];
  if (visible === null) return { items: [], hasMore: false, nextCursor: null };
  const { limit, unreadOnly, sinceSeq } = query;
  const condition = and(
    visible,
    unreadOnly ? isNull(notifications.readAt) : undefined,
    sinceSeq > 0 ? gt(notifications.seq, sinceSeq - overlapOf(context)) : undefined,
    before === undefined ? undefined : lt(notifications.seq, before),
  );
  // One more row shows whether there is a next page.
  const rows = await readPage(context, condition, { ...query, limit: limit + 1 });
  const language = readerLanguage(context);
  const page = toPage(
    rows,
    limit,
    ({ seq }) => [seq],
    (row) => presentNotification(row, language),
  );
  return { ...page, hasMore: page.nextCursor !== null };
}

const newestFirst = <Row extends Pick<NotificationKey, "seq">>(pages: readonly Row[][]): Row[] =>
  pages.flat().sort((a, b) => b.seq - a.seq);

/**
 * Reads one page of the inbox. With several databases it is the newest rows of the pages of all of them: no two databases give one
 * number. An offset counts over all of them, so it is found first.
 */
async function readPage(
  context: Context,
  condition: SQL | undefined,
  query: Pick<InboxQuery, "unreadOnly" | "limit" | "offset">,
): Promise<NotificationRow[]> {
  const { unreadOnly, limit, offset } = query;
  const [, ...others] = context.databases.names;
  if (others.length === 0) return readRows(context.workspace, condition, query);
  const skipped =
    offset === 0
      ? []
      : await readAcross(context, ({ workspace }) => readNumbers(workspace, condition, unreadOnly, offset));
  const last = newestFirst(skipped)[offset - 1];
  if (offset > 0 && last === undefined) return [];
  const rest = and(condition, last && lt(notifications.seq, last.seq));
  const pages = await readAcross(context, ({ workspace }) =>
    readRows(workspace, rest, { unreadOnly, limit, offset: 0 }),
  );
  return newestFirst(pages).slice(0, limit);
}

/** Counts the unread notifications that this credential may see now, with one statement over the unread index of each database. */
export async function countUnread(context: Context): Promise<number> {
  const visible = visibleTo(requireUser(context).facts);
  if (visible === null) return 0;
  const counts = await readAcross(context, ({ workspace }) =>
    workspace.all<{ count: number }>(sql`SELECT count(*) AS "count" ${fromUnread(visible)}`),
  );
  return counts.reduce((sum, [row]) => sum + (row?.count ?? 0), 0);
}

/** Reads the given notifications that this credential may see now in a language, oldest first, for live delivery. */
export async function readVisible(
  context: Context,
  { facts }: Pick<UserCaller, "facts">,
  ids: readonly string[],
  language: ReaderLanguage,
): Promise<NotificationDto[]> {
  const visible = visibleTo(facts);
  if (visible === null) return [];
  const every = { unreadOnly: false, limit: ids.length, offset: 0 };
  const found = await readIn(context, facts.databases, ({ workspace }) =>
    readRows(workspace, and(visible, hasIdOf(ids)), every),
  );
  return newestFirst(found)
    .toReversed()
    .map((row) => presentNotification(row, language));
}

const originSchema = z
  .object({
    type: z.enum(ORIGIN_TYPES),
    id: idSchema,
    url: z.string().openapi({
      description:
        "Path in the console that opens the origin. Resolve it against the address of the service. It grants no access.",
    }),
    organizationId: idSchema.nullable(),
    locationId: idSchema.nullable(),
    documentId: idSchema.nullable(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("NotificationOrigin");

export const notificationSchema = z
  .object({
    id: idSchema,
    seq: z.int().openapi({
      description: "Increases with each notification of this user. Send the largest one that you know as `sinceSeq`.",
    }),
    type: z.enum(NOTIFICATION_TYPES),
    severity: z.enum(SEVERITIES),
    title: z.string().openapi({ description: "In the language of the account, else the first of `Accept-Language`." }),
    body: z.string().openapi({ description: "In the same language." }),
    createdAtUtc: utcSchema,
    readAtUtc: utcSchema.nullable(),
    isRead: z.boolean(),
    origin: originSchema.nullable(),
  })
  .openapi("NotificationDto");
export type NotificationDto = z.infer<typeof notificationSchema>;

/** Presents a notification in a language. An event from before that language has the texts of its row. */
function presentNotification(row: NotificationRow, language: ReaderLanguage): NotificationDto {
  const { title, body } = row.texts?.[language] ?? row;
  const { originType, originId, locationId } = row;
  return {
    id: notificationId(row),
    seq: row.seq,
    type: row.type,
    severity: row.severity,
    title,
    body,
    createdAtUtc: toUtc(row.createdAt),
    readAtUtc: toUtcOrNull(row.readAt),
    isRead: row.readAt !== null,
    origin:
      originType === null || originId === null
        ? null
        : {
            type: originType,
            id: originId,
            url: originPath({
              about: row.type,
              origin: { type: originType, id: originId, locationId, data: row.originData },
            }),
            organizationId: row.organizationId,
            locationId,
            documentId: row.documentId,
            data: row.originData,
          },
  };
}

/** For each kind of origin: the condition under which the user sees it where it is now. Null means that none is visible. */
const CONDITIONS: Readonly<Record<OriginType, (facts: AccessFacts) => SQL | null>> = {
  "spatial-document": (facts) => {
    const scope = scopeOf(facts, "Documents", "document");
    const place = {
      tenantId: documents.tenantId,
      clusterId: locations.clusterId,
      locationId: locations.id,
      documentId: documents.id,
    };
    if (isOutOfScope(scope, place)) return null;
    return sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${locations} ON ${locations.id} = ${documents.locationId}
      WHERE ${documents.id} = ${notificationEvents.documentId} AND ${joinedDocumentExists()}
        AND ${inScope(scope, place)})`;
  },
  location: (facts) => atLocation(facts, "LocationView", "location"),
  cluster: (facts) => {
    const scope = scopeOf(facts, "ClusterView", "cluster");
    const place = { tenantId: clusters.tenantId, clusterId: clusters.id };
    if (isOutOfScope(scope, place)) return null;
    return sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${notificationEvents.clusterId} AND ${clusters.deletedAt} IS NULL
      AND ${inScope(scope, place)})`;
  },
  annotation: (facts) => atLocation(facts, "LocationBundles", "content"),
  report: (facts) => atLocation(facts, "Reports", "content"),
  camera: (facts) => atLocation(facts, "LocationCameras", "content"),
  organization: (facts) => {
    const scope = scopeOf(facts, "OrganizationView", "content", { includeShared: false });
    const place = { tenantId: notificationEvents.organizationId };
    return isOutOfScope(scope, place) ? null : inScope(scope, place);
  },
};

function atLocation(
  facts: AccessFacts,
  capability: "LocationView" | "LocationBundles" | "Reports" | "LocationCameras",
  of: "location" | "content",
): SQL | null {
  const scope = scopeOf(facts, capability, of);
  const place = { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id };
  if (isOutOfScope(scope, place)) return null;
  return sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${notificationEvents.locationId} AND ${locations.deletedAt} IS NULL
    AND ${inScope(scope, place)})`;
}

/**
 * The one predicate of the inbox: the notifications that this credential may see now. List, count, marking as read and
 * live delivery all use it. Null means that the credential can see none.
 */
function visibleTo(facts: AccessFacts): SQL | null {
  const origins = Object.entries(CONDITIONS).flatMap(([origin, conditionFor]) => {
    const condition = conditionFor(facts);
    return condition === null ? [] : [sql`(${notificationEvents.originType} = ${origin} AND ${condition})`];
  });
  // A notification without an origin is about the personal workspace. A token for organizations does not include it.
  if (facts.limits.organizationIds === null) origins.push(isNull(notificationEvents.originType));
  if (origins.length === 0) return null;
  return sql`(${eq(notifications.userId, facts.userId)} AND (${sql.join(origins, sql` OR `)}))`;
}

/** Largest number of changed notifications (the newest) that are sent to the user's other connections. */
const MAX_RESENT = 100;

/** Marks the unread notifications that this caller may see; `only` narrows them to these ids. */
async function markRead(context: Context, only: readonly string[] | null): Promise<number> {
  const { userId, facts } = requireUser(context);
  const visible = visibleTo(facts);
  if (visible === null) return 0;
  const unread = fromUnread(only === null ? visible : sql`${visible} AND ${hasIdOf(only)}`);
  const marked = await readAcross(context, (there) => markThere(there, userId, unread));
  const newest = newestFirst(marked).slice(0, MAX_RESENT);
  if (newest.length > 0) {
    const notificationIds = newest.map(notificationId);
    context.background(context.live.notify([{ userId, notificationIds }]));
  }
  return countUnread(context);
}

/** Marks unread notifications in one database. @returns the newest of them. @throws DomainError workspace-moving */
async function markThere(there: Context, userId: string, unread: SQL): Promise<NotificationKey[]> {
  const { workspace, now, databases } = there;
  const newest = await workspace.all<NotificationKey>(
    sql`SELECT ${notifications.seq} AS "seq", ${notifications.eventNo} AS "eventNo" ${unread}
      ORDER BY ${notifications.seq} DESC LIMIT ${MAX_RESENT}`,
  );
  if (newest.length === 0) return [];
  // In several databases the request has several changes. A repeat marks what is left.
  const idempotency = databases.names.length === 1 ? there.idempotency : null;
  await beginChange({ ...there, idempotency }, NO_WORKSPACE)
    .guard(
      sql`${areUnmoved([userId])} AND NOT EXISTS (SELECT 1 ${unread} AND NOT ${isUnmoved(workspaceOfRow)})`,
      workspaceMoves(),
    )
    .add(
      sql`UPDATE ${notifications} SET read_at = ${now} WHERE user_id = ${userId}
        AND seq IN (SELECT ${notifications.seq} ${unread})`,
    )
    .commit();
  return newest;
}

/** Marks one notification as read. @throws DomainError 404 when it is absent or hidden. */
export async function markOneRead(context: Context, id: string): Promise<number> {
  const shown = await readVisible(context, requireUser(context), [id], readerLanguage(context));
  if (shown.length === 0) throw notFound();
  return markRead(context, [id]);
}

/** Marks the given notifications as read and ignores unknown and hidden ones. Returns the new unread count. */
export const markSomeRead = (context: Context, ids: readonly string[]): Promise<number> => markRead(context, ids);

/** Marks all notifications as read that this credential may see now. Returns the new unread count. */
export const markAllRead = (context: Context): Promise<number> => markRead(context, null);
