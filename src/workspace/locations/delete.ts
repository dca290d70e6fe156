import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { announceHidden, expireUploadsIn } from "../deletion/hide";
import { queueAssetIndex } from "../indexing";
import { type LocationRow, placeOfLocation, requireLocation } from "../places";
import { locations } from "../tables";
import { purge, requireOwner } from "../trash/purge";
import { putInTrash } from "../trash/put";
import { findInTrash } from "../trash/take";

/**
 * A location that its owner may purge: one that lives, or is in the trash, by itself or with its cluster.
 * @throws DomainError 401, 403, 404.
 */
async function requirePurgeable(context: Context, locationId: string): Promise<LocationRow> {
  requireUser(context);
  const [row] = await context.db.select().from(locations).where(eq(locations.id, locationId));
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfLocation(row), "LocationView", "LocationView", WRITE);
  if (row.deletedAt !== null && !(await findInTrash(context, row.deletedWith ?? row.id))) throw notFound();
  requireOwner(context, row);
  return row;
}

/**
 * Deletes a location and everything in it: invisible from this change on, and not counted. It stays in the trash for
 * the recovery window, unless it is purged. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteLocation(
  context: Context,
  locationId: string,
  precondition: Precondition,
  isPurged: boolean,
): Promise<void> {
  const row = isPurged
    ? await requirePurgeable(context, locationId)
    : await requireLocation(context, locationId, "LocationView", WRITE);
  checkPrecondition(precondition, row.revision);
  const { id, tenantId, organizationId, clusterId, name, deletedAt } = row;
  const asRead = deletedAt === null ? isNull(locations.deletedAt) : eq(locations.deletedAt, deletedAt);
  const change = beginChange(context)
    .add(
      context.db
        .update(locations)
        .set({ deletedAt: deletedAt ?? context.now, deletedWith: null })
        .where(and(eq(locations.id, id), eq(locations.revision, row.revision), asRead)),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId,
        action: isPurged ? "location.purged" : "location.deleted",
        subjectType: "location",
        subjectId: id,
        details: { name },
      }),
    );
  if (deletedAt === null) {
    expireUploadsIn(context, change, "location", row);
    announceHidden(change, [id], tenantId);
    queueAssetIndex(change, "location", row);
  }
  if (isPurged) purge(context, change, "location", row);
  else
    putInTrash(context, change, {
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
