import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import {
  auditStatement,
  beginRemoval,
  type Capability,
  holds,
  idsInScope,
  isOutOfScope,
  isToRemove,
  type KeysetPage,
  pageAcross,
  type ResourcePath,
  requireLevel,
  requireUser,
  scopeOf,
  type UserCaller,
  WRITE,
} from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { pageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { idSchema, newIdIn } from "../../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY, toUtc, utcSchema } from "../../platform/time";
import { queueTreeDeletion } from "../deletion";
import { idKey, organizationIdSchema } from "../fields";
import { queueRemoval } from "../removal/removal";
import { tenantFilter, tenantQuery, within } from "../spatial";
import { clusters, locations, TRASH_KINDS, type TrashKind, trash } from "../tables";

/** Query of a deletion. With `purge` the deletion is final. */
export const deletionQuery = z.object({
  purge: z
    .enum(["true", "false"])
    .default("false")
    .transform((text) => text === "true")
    .openapi({
      type: "boolean",
      description: "Removes the resource immediately and permanently. It can be in the trash. Only owners may do this.",
    }),
});

/** A row that can be deleted and restored. */
interface DeletableRow {
  id: string;
  tenantId: string;
  organizationId: string | null;
  revision: number;
  deletedAt: number | null;
}

/** Selects the row while its revision and its deletion are as they were read. */
export const isAsRead = (
  { id, revision, deletedAt }: Record<"id" | "revision" | "deletedAt", SQLiteColumn>,
  row: Pick<DeletableRow, "id" | "revision" | "deletedAt">,
): SQL | undefined =>
  and(
    eq(id, row.id),
    eq(revision, row.revision),
    row.deletedAt === null ? isNull(deletedAt) : eq(deletedAt, row.deletedAt),
  );

/** A deleted resource in the trash. `id` is the id of the resource, which is also one of the three ids below. */
interface TrashEntry {
  kind: TrashKind;
  id: string;
  tenantId: string;
  organizationId: string | null;
  clusterId: string;
  locationId: string | null;
  documentId: string | null;
  /** The name that people see. */
  name: string;
}

/** Ends a deletion: writes the audit entry, and puts the resource into the trash or queues its removal. */
export function finishDeletion(
  context: Context,
  change: Change,
  isPurged: boolean,
  { id, ...entry }: TrashEntry,
  details: Record<string, unknown> = { name: entry.name },
): void {
  const { workspace, now, settings } = context;
  const { kind, tenantId, organizationId } = entry;
  change.add(
    auditStatement(context, {
      organizationId,
      action: `${kind}.${isPurged ? "purged" : "deleted"}`,
      subjectType: kind,
      subjectId: id,
      details,
    }),
  );
  if (isPurged) {
    change.add(workspace.delete(trash).where(eq(trash.resourceId, id)));
    queueTreeDeletion(change, kind, { id, tenantId });
    return;
  }
  const purgeAt = now + settings.RECOVERY_WINDOW_DAYS * DAY;
  change.add(
    workspace.insert(trash).values({ id: newIdIn(tenantId), resourceId: id, ...entry, deletedAt: now, purgeAt }),
  );
}

const conflict = (detail: string) => new DomainError("conflict", detail);

const isRestorable = (id: string, now: number) => and(eq(trash.resourceId, id), gt(trash.purgeAt, now));

/** Whether the resource can be restored now. */
export async function findInTrash(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  id: string,
): Promise<boolean> {
  const rows = await workspace.select({ id: trash.id }).from(trash).where(isRestorable(id, now));
  return rows.length > 0;
}

/** The error for a restoration of a resource that is not deleted. */
export const notInTrash = (): DomainError => conflict("It is not in the trash, so you cannot restore it.");

/**
 * Refuses the restoration of a resource whose cluster or location is deleted, and names what to restore first.
 * @throws DomainError conflict; 404 when the cluster or location cannot be restored any more.
 */
export async function requireExistingParent(
  context: Context,
  { clusterId, locationId }: { clusterId: string; locationId: string | null },
): Promise<void> {
  const { workspace } = context;
  const [cluster] = await workspace
    .select({ deletedAt: clusters.deletedAt })
    .from(clusters)
    .where(eq(clusters.id, clusterId));
  if (cluster === undefined) throw notFound();
  if (cluster.deletedAt !== null) {
    if (!(await findInTrash(context, clusterId))) throw notFound();
    throw conflict(`Its cluster is deleted. Restore that first: POST /v1/spatial/clusters/${clusterId}/restore.`);
  }
  if (locationId === null) return;
  const [location] = await workspace
    .select({ deletedAt: locations.deletedAt })
    .from(locations)
    .where(eq(locations.id, locationId));
  if (location === undefined) throw notFound();
  if (location.deletedAt === null) return;
  if (!(await findInTrash(context, locationId))) throw notFound();
  throw conflict(`Its location is deleted. Restore that first: POST /v1/spatial/locations/${locationId}/restore.`);
}

/** The error for a restoration whose cluster or location was deleted in the meantime. */
export const parentDeleted = (): DomainError =>
  conflict("Its cluster or location was deleted in the meantime. Restore that first.");

/**
 * Removes the trash entry of a resource that this change restores. The change fails when the entry is gone or its
 * recovery window has ended. So only one of several restorations, a purge and the end of the window succeeds.
 */
export function removeFromTrash({ workspace, now }: Context, change: Change, id: string): void {
  change
    .add(workspace.delete(trash).where(isRestorable(id, now)))
    .guardChanged(
      conflict("It was restored or purged in the meantime, or its recovery window has ended. List the trash again."),
    );
}

export const trashQuery = pageQuery.extend({
  organizationId: tenantQuery,
  kind: z.enum(TRASH_KINDS).optional().openapi({ description: "Lists only resources of this kind." }),
});
type TrashQuery = z.infer<typeof trashQuery>;

export const trashedSchema = z
  .object({
    kind: z.enum(TRASH_KINDS),
    id: idSchema.openapi({ description: "The id of the deleted resource." }),
    name: z.string().openapi({ description: "The name of the resource. For a document: its path and file name." }),
    organizationId: organizationIdSchema,
    clusterId: idSchema,
    locationId: idSchema.nullable(),
    deletedAtUtc: utcSchema,
    purgeAtUtc: utcSchema.openapi({ description: "You can restore it until this time." }),
  })
  .openapi("TrashItem");

const present = (row: typeof trash.$inferSelect): z.infer<typeof trashedSchema> => ({
  kind: row.kind,
  id: row.resourceId,
  name: row.name,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  locationId: row.locationId,
  deletedAtUtc: toUtc(row.deletedAt),
  purgeAtUtc: toUtc(row.purgeAt),
});

/** The capability that a caller needs to delete or restore a resource of each kind. */
const CAPABILITY_TO_DELETE: Readonly<Record<TrashKind, Capability>> = {
  document: "Documents",
  location: "LocationView",
  cluster: "ClusterView",
};

/** The columns that give the path of a resource of each kind. */
const PATH_COLUMNS = {
  cluster: { tenantId: trash.tenantId, clusterId: trash.clusterId },
  location: { tenantId: trash.tenantId, clusterId: trash.clusterId, locationId: trash.locationId },
  document: {
    tenantId: trash.tenantId,
    clusterId: trash.clusterId,
    locationId: trash.locationId,
    documentId: trash.documentId,
  },
} as const;

/** Selects one page of the trash: the entries that the caller may restore. Each kind uses its own index. */
async function selectTrash(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  caller: UserCaller,
  { organizationId, kind }: Pick<TrashQuery, "organizationId" | "kind">,
  page: KeysetPage,
): Promise<(typeof trash.$inferSelect)[]> {
  const arms = (kind === undefined ? TRASH_KINDS : [kind]).flatMap((of): SQL[] => {
    const columns = PATH_COLUMNS[of];
    const scope = within(scopeOf(caller.facts, CAPABILITY_TO_DELETE[of], of, { level: WRITE }), caller, organizationId);
    if (isOutOfScope(scope, columns)) return [];
    const where = and(eq(trash.kind, of), gt(trash.purgeAt, now), tenantFilter(trash, organizationId)) as SQL;
    return [sql`SELECT id FROM (${idsInScope(scope, { table: trash, id: trash.id, columns, where }, page)})`];
  });
  if (arms.length === 0) return [];
  return workspace
    .select()
    .from(trash)
    .where(sql`${trash.id} IN (${sql.join(arms, sql` UNION ALL `)})`)
    .orderBy(asc(trash.id))
    .limit(page.limit);
}

/** Lists the entries that the caller may restore, in the order of their deletion. @throws DomainError 401. */
export async function listTrash(context: Context, query: TrashQuery) {
  requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await pageAcross(context, query.limit + 1, (there) =>
    selectTrash(there, requireUser(there), query, { after, limit: query.limit + 1 }),
  );
  return toPage(rows, query.limit, (row) => [row.id], present);
}

/** Number of entries that one slice of the job removes. */
const ENTRIES_PER_SLICE = 100;

/**
 * Requires the owner of the organization or of the personal workspace, through a credential that has Write.
 * @throws DomainError 401, 403.
 */
function requireOwner(context: Context, tenant: { tenantId: string; organizationId: string | null }): void {
  const caller = requireUser(context);
  const { organizationId, tenantId } = tenant;
  const place = { tenantId, organizationId };
  const isOwner =
    organizationId === null
      ? tenantId === caller.userId
      : caller.facts.memberships.some((m) => m.organizationId === organizationId && m.role === "owner");
  if (isOwner && holds(caller, organizationId === null ? "ClusterView" : "OrganizationView", place, WRITE)) return;
  throw forbidden(
    "Only an owner may purge. Delete without `purge`: the resource is removed when its recovery window ends.",
  );
}

/**
 * Refuses unless the caller may purge the resource. A deleted resource must be in the trash, as the entry `trashedAs`.
 * @throws DomainError 401, 403, 404.
 */
export async function requirePurgeable(
  context: Context,
  row: DeletableRow,
  path: ResourcePath,
  capability: "ClusterView" | "LocationView" | "Documents",
  trashedAs: string = row.id,
): Promise<void> {
  requireLevel(context, path, capability, capability, WRITE);
  if (row.deletedAt !== null && !(await findInTrash(context, trashedAs))) throw notFound();
  requireOwner(context, row);
}

/** Queues the removal of organizations whose recovery window has ended. @returns whether there may be more */
async function beginRemovals(context: Context, now: number): Promise<boolean> {
  const { workspace } = context;
  const due = await workspace
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(isToRemove(now), isHere(organizations.id)))
    .limit(ENTRIES_PER_SLICE);
  if (due.length === 0) return false;
  const ids = due.map(({ id }) => id);
  const change = beginChange(context, ids)
    .add(beginRemoval(context, ids, now))
    .guard(
      sql`changes() = ${ids.length}`,
      new DomainError("conflict", "One of the organizations was restored in the meantime."),
    );
  for (const id of ids) queueRemoval(change, id);
  await change.commit();
  return due.length === ENTRIES_PER_SLICE;
}

/** Queues the removal of resources and organizations whose recovery window has ended. */
export const emptyTrash: RecurringHandler<"empty-trash"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${trash} WHERE ${lte(trash.purgeAt, now)})
    OR EXISTS (SELECT 1 FROM ${organizations} WHERE ${isToRemove(now)})`,
  async run(context) {
    const now = Date.now();
    if (await beginRemovals(context, now)) return continueLater(null);
    const due = await context.workspace
      .select()
      .from(trash)
      .where(and(lte(trash.purgeAt, now), isHere(trash.tenantId)))
      .orderBy(asc(trash.purgeAt))
      .limit(ENTRIES_PER_SLICE);
    if (due.length === 0) return complete();
    const ids = due.map(({ id }) => id);
    const change = beginChange(
      context,
      due.map(({ tenantId }) => tenantId),
    )
      .add(context.workspace.delete(trash).where(inSet(trash.id, ids)))
      .guard(
        sql`changes() = ${ids.length}`,
        new DomainError("conflict", "One of the resources was restored in the meantime."),
      );
    for (const { kind, resourceId, tenantId } of due) queueTreeDeletion(change, kind, { id: resourceId, tenantId });
    return due.length < ENTRIES_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
