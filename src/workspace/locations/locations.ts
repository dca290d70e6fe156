import { z } from "@hono/zod-openapi";
import { and, asc, eq, gt, isNotNull, type SQL, sql } from "drizzle-orm";
import {
  auditStatement,
  idsInScope,
  inScope,
  type KeysetPage,
  levelsAt,
  pageAcross,
  requireLevel,
  requireUser,
  type UserCaller,
  WRITE,
} from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { readCursor, toPage } from "../../platform/db/cursor";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { DomainError, notFound } from "../../platform/errors";
import { textSchema } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema, newIdIn } from "../../platform/ids";
import { timeZoneSchema, toUtc } from "../../platform/time";
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
import { fewerThan, limitReached, MAX_LOCATIONS } from "../limits";
import {
  clusterExists,
  type LocationRow,
  locationPath,
  queueAssetIndex,
  queueSharedIndex,
  requireCluster,
  requireLocation,
  type SpatialQuery,
  spatialScope,
} from "../spatial";
import { locations } from "../tables";
import {
  findInTrash,
  finishDeletion,
  isAsRead,
  notInTrash,
  parentDeleted,
  removeFromTrash,
  requireExistingParent,
  requirePurgeable,
} from "../trash/trash";

/** Fields of a location that a client writes. Coordinates are WGS 84 degrees; send both or none. */
export const locationFields = {
  clusterId: idSchema,
  name: nameSchema,
  description: descriptionSchema,
  address: textSchema(500).nullable(),
  latitude: z.number().min(-90).max(90).nullable(),
  longitude: z.number().min(-180).max(180).nullable(),
  timeZone: timeZoneSchema
    .nullable()
    .openapi({ type: ["string", "null"], description: "The time zone of the dates in its reports; null is UTC." }),
  metadata: metadataSchema,
};

export const locationSchema = z
  .object({
    id: idSchema,
    organizationId: organizationIdSchema,
    ...locationFields,
    capabilities: levelsSchema,
    ...editableFields,
  })
  .openapi("Location");

/** Presents a location, with the caller's capabilities. */
export const presentLocation = (caller: UserCaller, row: LocationRow): z.infer<typeof locationSchema> => ({
  id: row.id,
  organizationId: row.organizationId,
  clusterId: row.clusterId,
  name: row.name,
  description: row.description,
  address: row.address,
  latitude: row.latitude,
  longitude: row.longitude,
  timeZone: row.timeZone,
  metadata: row.metadata,
  capabilities: levelsAt(caller.facts, locationPath(row)),
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** Refuses a latitude without a longitude, and the reverse. @throws DomainError rule-violated. */
function requirePair({ latitude, longitude }: { latitude: number | null; longitude: number | null }): void {
  if ((latitude === null) !== (longitude === null))
    throw new DomainError("rule-violated", "Send latitude and longitude together, or neither.");
}

/** Guard: the cluster has capacity for one more location. */
const hasCapacity = (clusterId: string): SQL =>
  fewerThan(MAX_LOCATIONS, sql`SELECT 1 FROM ${locations} WHERE ${locations.clusterId} = ${clusterId}`);

interface NewLocation {
  clusterId: string;
  name: string;
  description?: string | undefined;
  address?: string | null | undefined;
  latitude?: number | null | undefined;
  longitude?: number | null | undefined;
  timeZone?: string | null | undefined;
  metadata?: Record<string, unknown> | undefined;
}

/** Creates a location in a cluster where the caller may write locations. @throws DomainError 401, 403, 404, 422. */
export async function createLocation(context: Context, given: NewLocation) {
  const cluster = await requireCluster(context, given.clusterId, "LocationView", WRITE);
  const caller = requireUser(context);
  const row: LocationRow = {
    id: newIdIn(cluster.tenantId),
    tenantId: cluster.tenantId,
    organizationId: cluster.organizationId,
    clusterId: cluster.id,
    name: given.name,
    description: given.description ?? "",
    address: given.address ?? null,
    latitude: given.latitude ?? null,
    longitude: given.longitude ?? null,
    timeZone: given.timeZone ?? null,
    metadata: given.metadata ?? {},
    revision: 1,
    createdBy: caller.userId,
    createdAt: context.now,
    updatedAt: context.now,
    deletedAt: null,
    deletedWith: null,
  };
  requirePair(row);
  const change = beginChange(context, cluster.tenantId)
    .guard(clusterExists(cluster.id), notFound())
    .guard(hasCapacity(cluster.id), limitReached("This cluster", MAX_LOCATIONS))
    .add(context.workspace.insert(locations).values(row));
  queueAssetIndex(change, "location", row);
  await change.commit();
  return presentLocation(caller, row);
}

type LocationQuery = SpatialQuery & { clusterId?: string | undefined };

/** Selects one page of locations: the locations of one cluster when the query names it, else of the caller's scope. */
export function selectLocations(
  workspace: WorkspaceDatabase,
  caller: UserCaller,
  query: Pick<LocationQuery, "includeShared" | "organizationId" | "clusterId">,
  page: KeysetPage,
) {
  const { scope, where } = spatialScope(caller, "location", locations, query);
  const columns = { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id };
  const { clusterId } = query;
  const condition =
    clusterId === undefined
      ? sql`${locations.id} IN (${idsInScope(scope, { table: locations, id: locations.id, columns, where }, page)})`
      : and(eq(locations.clusterId, clusterId), gt(locations.id, page.after ?? ""), where, inScope(scope, columns));
  return workspace.select().from(locations).where(condition).orderBy(asc(locations.id)).limit(page.limit);
}

/** Lists the locations that the caller may see, ordered by id. */
export async function listLocations(context: Context, query: LocationQuery) {
  const caller = requireUser(context);
  const [after] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await pageAcross(context, query.limit + 1, (there) =>
    selectLocations(there.workspace, requireUser(there), query, { after, limit: query.limit + 1 }),
  );
  return toPage(
    rows,
    query.limit,
    (row) => [row.id],
    (row) => presentLocation(caller, row),
  );
}

/** Checks the cluster that a location moves to: it has the same tenant, and the caller may write locations there. */
async function requireTarget(context: Context, row: LocationRow, clusterId: string): Promise<void> {
  const target = await requireCluster(context, clusterId, "LocationView", WRITE);
  if (target.tenantId !== row.tenantId)
    throw new DomainError("rule-violated", "A location moves only between clusters of the same workspace.");
}

/**
 * Changes a location's fields, or moves it and its contents to another cluster.
 * @throws DomainError 401, 403, 404, 409, 412, 422.
 */
export async function updateLocation(
  context: Context,
  locationId: string,
  given: Partial<NewLocation>,
  precondition: Precondition,
) {
  const row = await requireLocation(context, locationId, "LocationView", WRITE);
  checkPrecondition(precondition, row.revision);
  const next: LocationRow = {
    ...row,
    clusterId: given.clusterId ?? row.clusterId,
    name: given.name ?? row.name,
    description: given.description ?? row.description,
    address: given.address === undefined ? row.address : given.address,
    latitude: given.latitude === undefined ? row.latitude : given.latitude,
    longitude: given.longitude === undefined ? row.longitude : given.longitude,
    timeZone: given.timeZone === undefined ? row.timeZone : given.timeZone,
    metadata: given.metadata ?? row.metadata,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  requirePair(next);
  const moves = next.clusterId !== row.clusterId;
  if (moves) await requireTarget(context, row, next.clusterId);
  const change = beginChange(context, row.tenantId);
  if (moves)
    change
      .guard(clusterExists(next.clusterId), notFound())
      .guard(hasCapacity(next.clusterId), limitReached("That cluster", MAX_LOCATIONS))
      .add(
        auditStatement(context, {
          organizationId: row.organizationId,
          action: "location.moved",
          subjectType: "location",
          subjectId: row.id,
          details: { fromClusterId: row.clusterId, toClusterId: next.clusterId },
        }),
      );
  change
    .add(context.workspace.update(locations).set(next).where(isAsRead(locations, row)))
    .guardChanged(staleRevision());
  const { tenantId } = row;
  change.announce(
    {
      type: "state-updated",
      locationId,
      subject: "location",
      subjectId: locationId,
      action: "updated",
      revision: next.revision,
    },
    tenantId,
  );
  if (moves) {
    announceHidden(change, [locationId], tenantId);
    announceEnd(change, await loadGuests(context, sql`SELECT ${row.clusterId}`), tenantId);
  }
  queueAssetIndex(change, "location", row);
  if (moves) queueSharedIndex(change, "location", row, true);
  await change.commit();
  return presentLocation(requireUser(context), next);
}

/**
 * Reads a location that its owner may purge. It may be in the trash, by itself or with its cluster.
 * @throws DomainError 401, 403, 404.
 */
async function findPurgeable(context: Context, locationId: string): Promise<LocationRow> {
  requireUser(context);
  const [row] = await context.workspace.select().from(locations).where(eq(locations.id, locationId));
  if (row === undefined) throw notFound();
  await requirePurgeable(context, row, locationPath(row), "LocationView", row.deletedWith ?? row.id);
  return row;
}

/**
 * Deletes a location and everything in it. From this change on, it is invisible and its bytes are not counted. It
 * stays in the trash for the recovery window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteLocation(
  context: Context,
  locationId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await findPurgeable(context, locationId)
    : await requireLocation(context, locationId, "LocationView", WRITE);
  checkPrecondition(precondition, row.revision);
  const { id, tenantId, organizationId, clusterId, name, deletedAt } = row;
  const change = beginChange(context, tenantId)
    .guard(
      sql`EXISTS (SELECT 1 FROM ${locations} WHERE ${locations.id} = ${id} AND ${locations.deletedAt} IS ${deletedAt})`,
      notFound(),
    )
    .add(
      context.workspace
        .update(locations)
        .set({ deletedAt: deletedAt ?? context.now, deletedWith: null })
        .where(isAsRead(locations, row)),
    )
    .guardChanged(staleRevision());
  if (deletedAt === null) {
    expireUploadsIn(context, change, tenantId, sql`SELECT ${id}`);
    announceHidden(change, [id], tenantId);
    announceEnd(change, await loadGuests(context, sql`SELECT ${id}`), tenantId);
    queueAssetIndex(change, "location", row);
  }
  finishDeletion(context, change, isPurged, {
    kind: "location",
    id,
    tenantId,
    organizationId,
    clusterId,
    locationId: id,
    documentId: null,
    name,
  });
  await change.commit();
}

/**
 * Restores a location and its contents. Documents that were deleted separately stay deleted.
 * @throws DomainError 401, 403, 404, 409 (its cluster is deleted, or the location is not), 507.
 */
export async function restoreLocation(context: Context, locationId: string) {
  const caller = requireUser(context);
  const { workspace, now } = context;
  const [row] = await workspace.select().from(locations).where(eq(locations.id, locationId));
  if (row === undefined) throw notFound();
  requireLevel(context, locationPath(row), "LocationView", "LocationView", WRITE);
  if (row.deletedAt === null) throw notInTrash();
  await requireExistingParent(context, { clusterId: row.clusterId, locationId: null });
  if (!(await findInTrash(context, row.id))) throw notFound();
  const { tenantId, organizationId, name } = row;
  const next = { ...row, deletedAt: null, revision: row.revision + 1, updatedAt: now };
  const change = beginChange(context, tenantId);
  removeFromTrash(context, change, "location", row.id);
  change
    .guard(clusterExists(row.clusterId), parentDeleted())
    .add(
      workspace
        .update(locations)
        .set(next)
        .where(and(eq(locations.id, row.id), isNotNull(locations.deletedAt))),
    )
    .add(
      auditStatement(context, {
        organizationId,
        action: "location.restored",
        subjectType: "location",
        subjectId: row.id,
        details: { name },
      }),
    );
  requireFreeStorage(context, change, row, 0);
  const { revision } = next;
  change.announce(
    {
      type: "state-updated",
      locationId: row.id,
      subject: "location",
      subjectId: row.id,
      action: "created",
      revision,
    },
    tenantId,
  );
  queueAssetIndex(change, "location", row);
  await change.commit();
  return presentLocation(caller, next);
}
