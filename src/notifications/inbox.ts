import { z } from "@hono/zod-openapi";
import { and, eq, getTableColumns, gt, isNotNull, isNull, lt, type SQL, sql } from "drizzle-orm";
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
import { readCursor, toPage } from "../platform/db/cursor";
import type { WorkspaceDatabase } from "../platform/db/database";
import { inSet } from "../platform/db/statements";
import { idSchema } from "../platform/ids";
import type { ReaderLanguage } from "../platform/languages/languages";
import { readerLanguage } from "../platform/languages/reader";
import { originPath } from "../platform/paths";
import { MINUTE, toUtc, toUtcOrNull, utcSchema } from "../platform/time";
import { clusters, locations, trashEntries } from "../workspace/tables";
import { type NotificationKey, notificationId, notificationKey } from "./identity";
import { notificationEvents, notifications } from "./tables";

interface InboxQuery {
  offset: number;
  limit: number;
  unreadOnly: boolean;
  /** Only notifications after this `seq`. */
  sinceSeq: number;
  /** Only notifications before this `seq`. */
  beforeSeq?: number | undefined;
  order: "newest" | "oldest";
  /** The archived notifications instead of the inbox. */
  archived: boolean;
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
const ARCHIVED = sql`${notifications} INDEXED BY notifications_archived`;

/** The notifications that a page is read from, and their order. */
type Source = Pick<InboxQuery, "unreadOnly" | "archived" | "order">;
const tableOf = ({ unreadOnly, archived }: Source): SQL =>
  archived ? ARCHIVED : unreadOnly ? UNREAD : sql`${notifications}`;
const directionOf = ({ order }: Source): SQL => (order === "newest" ? sql`DESC` : sql`ASC`);

/** Reads notifications that fit `condition`, in the order of the query. */
async function readRows(
  workspace: WorkspaceDatabase,
  condition: SQL | undefined,
  query: Source & Pick<InboxQuery, "limit" | "offset">,
): Promise<NotificationRow[]> {
  const rows = await workspace.all<
    Omit<NotificationRow, "originData" | "texts"> & { originData: string; texts: string | null }
  >(
    sql`SELECT ${COLUMNS} FROM ${tableOf(query)} ${WITH_EVENT} WHERE ${condition}
      ORDER BY ${notifications.seq} ${directionOf(query)} LIMIT ${query.limit} OFFSET ${query.offset}`,
  );
  return rows.map((row) => ({
    ...row,
    originData: JSON.parse(row.originData) as NotificationRow["originData"],
    texts: row.texts === null ? null : (JSON.parse(row.texts) as NotificationRow["texts"]),
  }));
}

/** Reads the numbers of notifications that fit `condition`, in the order of the query. */
const readNumbers = (workspace: WorkspaceDatabase, condition: SQL | undefined, source: Source, limit: number) =>
  workspace.all<Pick<NotificationKey, "seq">>(
    sql`SELECT ${notifications.seq} AS "seq" FROM ${tableOf(source)} ${WITH_EVENT} WHERE ${condition}
      ORDER BY ${notifications.seq} ${directionOf(source)} LIMIT ${limit}`,
  );

/** The part of a statement after its columns: the unread notifications that fit `condition`. */
export const fromUnread = (condition: SQL): SQL =>
  sql`FROM ${UNREAD} ${WITH_EVENT} WHERE ${notifications.readAt} IS NULL AND ${condition}`;

/** The part of a statement after its columns: the notifications that fit `condition`. */
export const fromAll = (condition: SQL): SQL => sql`FROM ${notifications} ${WITH_EVENT} WHERE ${condition}`;

/** The condition for notifications with these public ids. Each id contains the key of its row. */
export function hasIdOf(ids: readonly string[]): SQL {
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
 * Lists one page of the inbox, or of the archived notifications. Offset and limit count visible notifications only; an offset counts
 * from the cursor. @throws DomainError invalid-cursor.
 */
export async function listInbox(
  context: Context,
  query: InboxQuery,
): Promise<{ items: NotificationDto[]; hasMore: boolean; nextCursor: string | null }> {
  const visible = visibleTo(requireUser(context).facts);
  const [last] = readCursor(query.cursor, seqKey) ?? [];
  if (visible === null) return { items: [], hasMore: false, nextCursor: null };
  const { limit, unreadOnly, sinceSeq, beforeSeq, archived, order } = query;
  const condition = and(
    visible,
    unreadOnly ? isNull(notifications.readAt) : undefined,
    archived ? isNotNull(notifications.archivedAt) : isNull(notifications.archivedAt),
    sinceSeq > 0 ? gt(notifications.seq, sinceSeq - overlapOf(context)) : undefined,
    beforeSeq === undefined ? undefined : lt(notifications.seq, beforeSeq),
    last === undefined ? undefined : beyond(last, order),
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

/** The condition for notifications that come after `seq` in an order. */
const beyond = (seq: number, order: InboxQuery["order"]): SQL =>
  order === "newest" ? lt(notifications.seq, seq) : gt(notifications.seq, seq);

export const newestFirst = <Row extends Pick<NotificationKey, "seq">>(pages: readonly Row[][]): Row[] =>
  pages.flat().sort((a, b) => b.seq - a.seq);
const inOrder = <Row extends Pick<NotificationKey, "seq">>(
  pages: readonly Row[][],
  order: InboxQuery["order"],
): Row[] => (order === "newest" ? newestFirst(pages) : newestFirst(pages).reverse());

/**
 * Reads one page of the inbox. With several databases it is the first rows of the pages of all of them: no two databases give one
 * number. An offset counts over all of them, so it is found first.
 */
async function readPage(
  context: Context,
  condition: SQL | undefined,
  query: Source & Pick<InboxQuery, "limit" | "offset">,
): Promise<NotificationRow[]> {
  const { limit, offset, order } = query;
  const [, ...others] = context.databases.names;
  if (others.length === 0) return readRows(context.workspace, condition, query);
  const skipped =
    offset === 0 ? [] : await readAcross(context, ({ workspace }) => readNumbers(workspace, condition, query, offset));
  const last = inOrder(skipped, order)[offset - 1];
  if (offset > 0 && last === undefined) return [];
  const rest = and(condition, last && beyond(last.seq, order));
  const pages = await readAcross(context, ({ workspace }) => readRows(workspace, rest, { ...query, offset: 0 }));
  return inOrder(pages, order).slice(0, limit);
}

/** Counts the unread notifications that this credential may see now, with one statement over the unread index of each database. */
export const countUnread = (context: Context): Promise<number> =>
  countFor(requireUser(context), (read) => readAcross(context, read));

/** Counts the unread notifications that a credential of a live connection may see now. */
export const countVisible = (context: Context, caller: Pick<UserCaller, "facts">): Promise<number> =>
  countFor(caller, (read) => readIn(context, caller.facts.databases, read));

type Rows = Promise<{ count: number }[]>;

async function countFor(
  { facts }: Pick<UserCaller, "facts">,
  inEach: (read: (there: Context) => Rows) => Promise<Awaited<Rows>[]>,
): Promise<number> {
  const visible = visibleTo(facts);
  if (visible === null) return 0;
  const counts = await inEach(({ workspace }) => workspace.all(sql`SELECT count(*) AS "count" ${fromUnread(visible)}`));
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
  const every = { unreadOnly: false, archived: false, order: "newest", limit: ids.length, offset: 0 } as const;
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
    archivedAtUtc: utcSchema
      .nullable()
      .openapi({ description: "An archived notification is read, and not in the inbox." }),
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
    archivedAtUtc: toUtcOrNull(row.archivedAt),
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
  // An event ends with its report. Until then, the report may be in the trash.
  report: (facts) => {
    const there = atLocation(facts, "Reports", "content");
    return (
      there &&
      sql`${there} AND NOT EXISTS (SELECT 1 FROM ${trashEntries} WHERE ${trashEntries.resourceId} = ${notificationEvents.originId})`
    );
  },
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
export function visibleTo(facts: AccessFacts): SQL | null {
  const origins = Object.entries(CONDITIONS).flatMap(([origin, conditionFor]) => {
    const condition = conditionFor(facts);
    return condition === null ? [] : [sql`(${notificationEvents.originType} = ${origin} AND ${condition})`];
  });
  // A notification without an origin is about the personal workspace. A token for organizations does not include it.
  if (facts.limits.organizationIds === null) origins.push(isNull(notificationEvents.originType));
  if (origins.length === 0) return null;
  return sql`(${eq(notifications.userId, facts.userId)} AND (${sql.join(origins, sql` OR `)}))`;
}
