import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm";
import { type SQLiteColumn, unionAll } from "drizzle-orm/sqlite-core";
import {
  actorOf,
  auditStatement,
  beginRemoval,
  holds,
  isToRemove,
  type ResourcePath,
  requireLevel,
  requireUser,
  WRITE,
} from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { inSet } from "../../platform/db/statements";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { newIdIn } from "../../platform/ids";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import { DAY } from "../../platform/time";
import { queueTreeDeletion } from "../deletion";
import { queueRemoval } from "../removal/removal";
import {
  clusters,
  ENTRY_KINDS,
  type EntryKind,
  locations,
  type TrashKind,
  type TreeKind,
  trash,
  trashEntries,
} from "../tables";

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

/** A deleted resource in the trash. `id` is the id of the resource. */
interface TrashedBase {
  id: string;
  tenantId: string;
  organizationId: string | null;
  /** The name that people see. */
  name: string;
}
/** A resource of `trash`. Its id is also one of the three ids below. */
interface TrashedTree extends TrashedBase {
  kind: TreeKind;
  clusterId: string;
  locationId: string | null;
  documentId: string | null;
}
/** A resource of `trash_entries`. */
interface TrashedEntry extends TrashedBase {
  kind: EntryKind;
  clusterId: string | null;
  locationId: string | null;
}

const isTree = (entry: TrashedTree | TrashedEntry): entry is TrashedTree => "documentId" in entry;

/** Ends a deletion: writes the audit entry, and puts the resource into the trash or queues its removal. */
export function finishDeletion(
  context: Context,
  change: Change,
  isPurged: boolean,
  entry: TrashedTree | TrashedEntry,
  details: Record<string, unknown> = { name: entry.name },
): void {
  const { workspace, now, settings } = context;
  const { kind, id, tenantId, organizationId } = entry;
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
    const table = tableOf(kind);
    change.add(workspace.delete(table).where(eq(table.resourceId, id)));
    queueTreeDeletion(change, kind, { id, tenantId });
    return;
  }
  const purgeAt = now + settings.RECOVERY_WINDOW_DAYS * DAY;
  const deletedBy = actorOf(context.caller).userId;
  const row = { id: newIdIn(tenantId), resourceId: id, deletedBy, deletedAt: now, purgeAt };
  change.add(
    isTree(entry)
      ? workspace.insert(trash).values({ ...entry, ...row })
      : workspace.insert(trashEntries).values({ ...entry, ...row }),
  );
}

const conflict = (detail: string) => new DomainError("conflict", detail);

/** The table that holds the entries of a kind. */
const tableOf = (kind: TrashKind): typeof trash | typeof trashEntries =>
  ENTRY_KINDS.some((one) => one === kind) ? trashEntries : trash;

const isRestorable = (table: typeof trash | typeof trashEntries, id: string, now: number) =>
  and(eq(table.resourceId, id), gt(table.purgeAt, now));

/** Whether the resource can be restored now. */
export async function findInTrash(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  id: string,
): Promise<boolean> {
  const inTable = (table: typeof trash | typeof trashEntries) =>
    workspace
      .select({ id: table.id })
      .from(table)
      .where(isRestorable(table, id, now));
  return (await unionAll(inTable(trash), inTable(trashEntries))).length > 0;
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
export function removeFromTrash({ workspace, now }: Context, change: Change, kind: TrashKind, id: string): void {
  const table = tableOf(kind);
  change
    .add(workspace.delete(table).where(isRestorable(table, id, now)))
    .guardChanged(
      conflict("It was restored or purged in the meantime, or its recovery window has ended. List the trash again."),
    );
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
  capability: "ClusterView" | "LocationView" | "Documents" | "Reports",
  trashedAs: string = row.id,
): Promise<void> {
  requireLevel(context, path, capability, capability, WRITE);
  await requireOwnerOf(context, row, trashedAs);
}

/**
 * Refuses unless the caller is an owner, and a deleted resource is in the trash. The caller's right to delete is checked before.
 * @throws DomainError 401, 403, 404.
 */
export async function requireOwnerOf(context: Context, row: DeletableRow, trashedAs: string = row.id): Promise<void> {
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

/** Queues the removal of resources of one table whose recovery window has ended. `change` is null if there are none. */
async function beginPurges(
  context: Context,
  table: typeof trash | typeof trashEntries,
  now: number,
): Promise<{ change: Change; isFull: boolean } | { change: null; isFull: false }> {
  const { workspace } = context;
  const due = await workspace
    .select({ id: table.id, kind: table.kind, resourceId: table.resourceId, tenantId: table.tenantId })
    .from(table)
    .where(and(lte(table.purgeAt, now), isHere(table.tenantId)))
    .orderBy(asc(table.purgeAt))
    .limit(ENTRIES_PER_SLICE);
  if (due.length === 0) return { change: null, isFull: false };
  const ids = due.map(({ id }) => id);
  const change = beginChange(
    context,
    due.map(({ tenantId }) => tenantId),
  )
    .add(workspace.delete(table).where(inSet(table.id, ids)))
    .guard(
      sql`changes() = ${ids.length}`,
      new DomainError("conflict", "One of the resources was restored in the meantime."),
    );
  for (const { kind, resourceId, tenantId } of due) queueTreeDeletion(change, kind, { id: resourceId, tenantId });
  return { change, isFull: due.length === ENTRIES_PER_SLICE };
}

/** Queues the removal of resources and organizations whose recovery window has ended. */
export const emptyTrash: RecurringHandler<"empty-trash"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${trash} WHERE ${lte(trash.purgeAt, now)})
    OR EXISTS (SELECT 1 FROM ${trashEntries} WHERE ${lte(trashEntries.purgeAt, now)})
    OR EXISTS (SELECT 1 FROM ${organizations} WHERE ${isToRemove(now)})`,
  async run(context) {
    const now = Date.now();
    if (await beginRemovals(context, now)) return continueLater(null);
    const trees = await beginPurges(context, trash, now);
    if (trees.isFull) return continueLater(null, { change: trees.change });
    if (trees.change !== null) await trees.change.commit();
    const entries = await beginPurges(context, trashEntries, now);
    if (entries.change === null) return complete();
    return entries.isFull ? continueLater(null, { change: entries.change }) : complete(entries.change);
  },
};
