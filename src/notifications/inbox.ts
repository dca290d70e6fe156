import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { type AccessFacts, inScope, isOutOfScope, requireUser, scopeOf, type UserCaller } from "../access";
import { documents, joinedDocumentExists } from "../documents/tables";
import { NOTIFICATION_TYPES, ORIGIN_TYPES, type OriginType, SEVERITIES } from "../events";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import type { Database } from "../platform/db/database";
import { inSet } from "../platform/db/statements";
import { notFound } from "../platform/errors";
import { idSchema } from "../platform/ids";
import { toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { clusters, locations } from "../workspace/tables";
import { notifications } from "./tables";

interface InboxQuery {
  offset: number;
  limit: number;
  unreadOnly: boolean;
  /** Only notifications after this `seq`. */
  sinceSeq: number;
}

/** Lists one page of the inbox, newest first. Offset and limit count visible notifications only. */
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

/** Counts the unread notifications that this credential may see now, with one statement over the unread index. */
export async function countUnread(db: Database, { facts }: Pick<UserCaller, "facts">): Promise<number> {
  const visible = visibleTo(facts);
  if (visible === null) return 0;
  const [row] = await db
    .select({ count: sql<number>`count(*)` })
    .from(notifications)
    .where(and(visible, isNull(notifications.readAt)));
  return row?.count ?? 0;
}

/** Reads those of the given notifications that this credential may see now, for live delivery. */
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

/** Selects the ids of the unread notifications that this caller may see; `only` narrows them. Null means none. */
function unreadVisibleIds(db: Database, { facts }: Pick<UserCaller, "facts">, only: readonly string[] | null) {
  const visible = visibleTo(facts);
  if (visible === null) return null;
  return db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(visible, isNull(notifications.readAt), only === null ? undefined : inSet(notifications.id, only)));
}

/** Whether this caller may see the notification now. */
async function isVisible(db: Database, { facts }: Pick<UserCaller, "facts">, id: string): Promise<boolean> {
  const visible = visibleTo(facts);
  if (visible === null) return false;
  const rows = await db
    .select({ id: notifications.id })
    .from(notifications)
    .where(and(visible, eq(notifications.id, id)));
  return rows.length > 0;
}

type NotificationRow = typeof notifications.$inferSelect;

const originSchema = z
  .object({
    type: z.enum(ORIGIN_TYPES),
    id: idSchema,
    url: z
      .string()
      .openapi({ description: "Relative path in the console. It is a navigation hint and grants no access." }),
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
    title: z.string(),
    body: z.string(),
    createdAtUtc: utcSchema,
    readAtUtc: utcSchema.nullable(),
    isRead: z.boolean(),
    origin: originSchema.nullable(),
  })
  .openapi("NotificationDto");
export type NotificationDto = z.infer<typeof notificationSchema>;

/** The path in the console of a notification's origin. */
function urlOf(row: NotificationRow): string {
  const { originType, originId, locationId } = row;
  const at = locationId === null ? "" : `/locations/${locationId}`;
  switch (originType) {
    case "spatial-document":
      return `${at}/documents/${originId}`;
    case "location":
      return `/locations/${originId}`;
    case "cluster":
      return `/clusters/${originId}`;
    case "annotation":
      return `${at}/annotations/${originId}`;
    case "report":
      return `${at}/reports/${originId}`;
    case "camera":
      return `${at}/cameras/${originId}`;
    case "organization":
      return `/organizations/${originId}`;
    case null:
      return "/";
  }
}

/** Presents a notification. */
function presentNotification(row: NotificationRow): NotificationDto {
  const { originType, originId } = row;
  return {
    id: row.id,
    seq: row.seq,
    type: row.type,
    severity: row.severity,
    title: row.title,
    body: row.body,
    createdAtUtc: toUtc(row.createdAt),
    readAtUtc: toUtcOrNull(row.readAt),
    isRead: row.readAt !== null,
    origin:
      originType === null || originId === null
        ? null
        : {
            type: originType,
            id: originId,
            url: urlOf(row),
            organizationId: row.organizationId,
            locationId: row.locationId,
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
      WHERE ${documents.id} = ${notifications.documentId} AND ${joinedDocumentExists()}
        AND ${inScope(scope, place)})`;
  },
  location: (facts) => atLocation(facts, "LocationView", "location"),
  cluster: (facts) => {
    const scope = scopeOf(facts, "ClusterView", "cluster");
    const place = { tenantId: clusters.tenantId, clusterId: clusters.id };
    if (isOutOfScope(scope, place)) return null;
    return sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${notifications.clusterId} AND ${clusters.deletedAt} IS NULL
      AND ${inScope(scope, place)})`;
  },
  annotation: (facts) => atLocation(facts, "LocationBundles", "content"),
  report: (facts) => atLocation(facts, "Reports", "content"),
  camera: (facts) => atLocation(facts, "LocationCameras", "content"),
  organization: (facts) => {
    const scope = scopeOf(facts, "OrganizationView", "content", { includeShared: false });
    const place = { tenantId: notifications.organizationId };
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
  return sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${notifications.locationId} AND ${locations.deletedAt} IS NULL
    AND ${inScope(scope, place)})`;
}

/**
 * The one predicate of the inbox: the notifications that this credential may see now. List, count, marking as read and
 * live delivery all use it. Null means that the credential can see none.
 */
function visibleTo(facts: AccessFacts): SQL | null {
  const origins = Object.entries(CONDITIONS).flatMap(([origin, conditionFor]) => {
    const condition = conditionFor(facts);
    return condition === null ? [] : [sql`(${notifications.originType} = ${origin} AND ${condition})`];
  });
  // A notification without an origin is about the personal workspace. A token for organizations does not include it.
  if (facts.limits.organizationIds === null) origins.push(isNull(notifications.originType));
  if (origins.length === 0) return null;
  return sql`(${eq(notifications.userId, facts.userId)} AND (${sql.join(origins, sql` OR `)}))`;
}

/** Largest number of changed notifications (the newest) that are sent to the user's other connections. */
const MAX_RESENT = 100;

async function markRead(context: Context, only: readonly string[] | null): Promise<number> {
  const caller = requireUser(context);
  const unread = () => unreadVisibleIds(context.db, caller, only);
  const [newest, all] = [unread(), unread()];
  if (newest === null || all === null) return 0;
  const changed = await newest.orderBy(desc(notifications.seq)).limit(MAX_RESENT);
  if (changed.length > 0) {
    await beginChange(context)
      .add(context.db.update(notifications).set({ readAt: context.now }).where(inArray(notifications.id, all)))
      .commit();
    const ids = changed.map(({ id }) => id);
    context.background(context.live.notify([{ userId: caller.userId, notificationIds: ids }]));
  }
  return countUnread(context.db, caller);
}

/** Marks one notification as read. @throws DomainError 404 when it is absent or hidden. */
export async function markOneRead(context: Context, notificationId: string): Promise<number> {
  if (!(await isVisible(context.db, requireUser(context), notificationId))) throw notFound();
  return markRead(context, [notificationId]);
}

/** Marks the given notifications as read and ignores unknown and hidden ones. Returns the new unread count. */
export const markSomeRead = (context: Context, ids: readonly string[]): Promise<number> => markRead(context, ids);

/** Marks all notifications as read that this credential may see now. Returns the new unread count. */
export const markAllRead = (context: Context): Promise<number> => markRead(context, null);
