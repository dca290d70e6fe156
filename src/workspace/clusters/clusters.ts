import { z } from "@hono/zod-openapi";
import { and, asc, eq, isNotNull, isNull, sql } from "drizzle-orm";
import {
  auditStatement,
  idsInScope,
  type KeysetPage,
  levelsAt,
  pageAcross,
  type ResourcePath,
  requireLevel,
  requireUser,
  type UserCaller,
  WRITE,
} from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newIdIn } from "../../platform/ids";
import { toUtc } from "../../platform/time";
import { expireUploadsIn, requireFreeStorage } from "../../uploads";
import { announceEnd, announceHidden, loadGuests } from "../deletion";
import {
  descriptionSchema,
  editableFields,
  idKey,
  levelsSchema,
  metadataSchema,
  nameSchema,
  organizationIdSchema,
} from "../fields";
import { fewerThan, limitReached, MAX_CLUSTERS } from "../limits";
import {
  type ClusterRow,
  clusterPath,
  organizationExists,
  organizationPath,
  queueAssetIndex,
  requireCluster,
  type SpatialQuery,
  spatialScope,
} from "../spatial";
import { clusters, locations } from "../tables";
import { findInTrash, finishDeletion, isAsRead, notInTrash, removeFromTrash, requirePurgeable } from "../trash/trash";

/** Fields of a cluster that a client writes. */
export const clusterFields = { name: nameSchema, description: descriptionSchema, metadata: metadataSchema };

export const clusterSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    ...clusterFields,
    capabilities: levelsSchema,
    ...editableFields,
  })
  .openapi("Cluster");

/** Presents a cluster, with the caller's capabilities. */
export const presentCluster = (caller: UserCaller, row: ClusterRow): z.infer<typeof clusterSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  name: row.name,
  description: row.description,
  metadata: row.metadata,
  capabilities: levelsAt(caller.facts, clusterPath(row)),
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

interface NewCluster {
  /** Null for the caller's personal workspace. */
  organizationId: string | null;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Creates a cluster in an organization or in the caller's personal workspace. @throws DomainError 401, 403, 404. */
export async function createCluster(context: Context, given: NewCluster) {
  const caller = requireUser(context);
  const { organizationId } = given;
  const place: ResourcePath =
    organizationId === null ? { tenantId: caller.userId, organizationId } : organizationPath(organizationId);
  requireLevel(context, place, organizationId === null ? "ClusterView" : "OrganizationView", "ClusterView", WRITE);
  const row: ClusterRow = {
    id: newIdIn(place.tenantId),
    tenantId: place.tenantId,
    organizationId,
    name: given.name,
    description: given.description ?? "",
    metadata: given.metadata ?? {},
    revision: 1,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
  };
  const change = beginChange(context, place.tenantId);
  if (organizationId !== null) change.guard(organizationExists(organizationId), notFound());
  const others = sql`SELECT 1 FROM ${clusters} WHERE ${clusters.tenantId} = ${row.tenantId}`;
  change
    .guard(fewerThan(MAX_CLUSTERS, others), limitReached("This workspace", MAX_CLUSTERS))
    .add(context.workspace.insert(clusters).values(row));
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(caller, row);
}

/** Selects one page of clusters. */
export function selectClusters(
  workspace: WorkspaceDatabase,
  caller: UserCaller,
  query: Pick<SpatialQuery, "includeShared" | "organizationId">,
  page: KeysetPage,
) {
  const { scope, where } = spatialScope(caller, "cluster", clusters, query);
  const columns = { tenantId: clusters.tenantId, clusterId: clusters.id };
  const ids = idsInScope(scope, { table: clusters, id: clusters.id, columns, where }, page);
  return workspace.select().from(clusters).where(sql`${clusters.id} IN (${ids})`).orderBy(asc(clusters.id));
}

/** Lists the clusters that the caller may see, ordered by id. */
export async function listClusters(context: Context, query: SpatialQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await pageAcross(context, query.limit + 1, (there) =>
    selectClusters(there.workspace, requireUser(there), query, { after, limit: query.limit + 1 }),
  );
  return toPage(
    rows,
    query.limit,
    (row) => [row.id],
    (row) => presentCluster(caller, row),
  );
}

type ClusterChange = { [K in "name" | "description" | "metadata"]?: ClusterRow[K] | undefined };

/** Changes a cluster's own fields. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateCluster(
  context: Context,
  clusterId: string,
  { name, description, metadata }: ClusterChange,
  precondition: Precondition,
) {
  const row = await requireCluster(context, clusterId, "ClusterView", WRITE);
  checkPrecondition(precondition, row.revision);
  const next: ClusterRow = {
    ...row,
    name: name ?? row.name,
    description: description ?? row.description,
    metadata: metadata ?? row.metadata,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const change = beginChange(context, row.tenantId)
    .add(context.workspace.update(clusters).set(next).where(isAsRead(clusters, row)))
    .guardChanged(staleRevision());
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(requireUser(context), next);
}

/** Reads a cluster that its owner may purge, in the trash or not. @throws DomainError 401, 403, 404. */
async function findPurgeable(context: Context, clusterId: string): Promise<ClusterRow> {
  requireUser(context);
  const [row] = await context.workspace.select().from(clusters).where(eq(clusters.id, clusterId));
  if (row === undefined) throw notFound();
  await requirePurgeable(context, row, clusterPath(row), "ClusterView");
  return row;
}

/**
 * Deletes a cluster and everything in it. From this change on, the cluster and its locations are invisible and their
 * bytes are not counted. The cluster stays in the trash for the recovery window, unless it is purged.
 * @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteCluster(
  context: Context,
  clusterId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await findPurgeable(context, clusterId)
    : await requireCluster(context, clusterId, "ClusterView", WRITE);
  checkPrecondition(precondition, row.revision);
  const { workspace, now } = context;
  const { id, tenantId, organizationId, name, deletedAt } = row;
  const living = and(eq(locations.clusterId, id), isNull(locations.deletedAt));
  const held = deletedAt === null ? await workspace.select({ id: locations.id }).from(locations).where(living) : [];
  const change = beginChange(context, tenantId)
    .guard(
      sql`EXISTS (SELECT 1 FROM ${clusters} WHERE ${clusters.id} = ${id} AND ${clusters.deletedAt} IS ${deletedAt})`,
      notFound(),
    )
    .add(
      workspace
        .update(clusters)
        .set({ deletedAt: deletedAt ?? now })
        .where(isAsRead(clusters, row)),
    )
    .guardChanged(staleRevision())
    .add(workspace.update(locations).set({ deletedAt: now, deletedWith: id }).where(living));
  if (deletedAt === null) {
    expireUploadsIn(
      context,
      change,
      tenantId,
      sql`SELECT ${locations.id} FROM ${locations} WHERE ${locations.clusterId} = ${id}`,
    );
    announceHidden(
      change,
      held.map((location) => location.id),
      tenantId,
    );
    const targets = sql`SELECT ${id} UNION ALL SELECT ${locations.id} FROM ${locations} WHERE ${living}`;
    announceEnd(change, await loadGuests(context, targets), tenantId);
    queueAssetIndex(change, "cluster", row);
  }
  finishDeletion(context, change, isPurged, {
    kind: "cluster",
    id,
    tenantId,
    organizationId,
    clusterId: id,
    locationId: null,
    documentId: null,
    name,
  });
  await change.commit();
}

/**
 * Restores a cluster and the locations that were deleted with it. Locations that were deleted separately stay deleted.
 * @throws DomainError 401, 403, 404, 409, 507.
 */
export async function restoreCluster(context: Context, clusterId: string) {
  const caller = requireUser(context);
  const { workspace, now } = context;
  const [row] = await workspace.select().from(clusters).where(eq(clusters.id, clusterId));
  if (row === undefined) throw notFound();
  requireLevel(context, clusterPath(row), "ClusterView", "ClusterView", WRITE);
  if (row.deletedAt === null) throw notInTrash();
  if (!(await findInTrash(context, row.id))) throw notFound();
  const next = { ...row, deletedAt: null, revision: row.revision + 1, updatedAt: now };
  const change = beginChange(context, row.tenantId);
  removeFromTrash(context, change, "cluster", row.id);
  change.add(
    workspace
      .update(clusters)
      .set(next)
      .where(and(eq(clusters.id, row.id), isNotNull(clusters.deletedAt))),
    workspace
      .update(locations)
      .set({ deletedAt: null, deletedWith: null, revision: sql`${locations.revision} + 1` })
      .where(and(eq(locations.clusterId, row.id), eq(locations.deletedWith, row.id))),
  );
  requireFreeStorage(context, change, row, 0);
  change.add(
    auditStatement(context, {
      organizationId: row.organizationId,
      action: "cluster.restored",
      subjectType: "cluster",
      subjectId: row.id,
      details: { name: row.name },
    }),
  );
  queueAssetIndex(change, "cluster", row);
  await change.commit();
  return presentCluster(caller, next);
}
