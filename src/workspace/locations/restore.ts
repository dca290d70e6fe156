import { and, eq, isNotNull } from "drizzle-orm";
import { auditStatement, requireLevel, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { requireRoom } from "../../uploads";
import { queueAssetIndex } from "../indexing";
import { clusterLives } from "../living";
import { placeOfLocation } from "../places";
import { locations } from "../tables";
import { findInTrash, holderGone, notInTrash, requireLivingHolder, takeOutOfTrash } from "../trash/take";
import { presentLocation } from "./present";

/**
 * Restores a location with all it held; documents that were deleted before by themselves stay deleted.
 * @throws DomainError 401, 403, 404, 409 (what it lies in is deleted, or it is not), 507.
 */
export async function restoreLocation(context: Context, locationId: string) {
  const caller = requireUser(context);
  const { db, now } = context;
  const [row] = await db.select().from(locations).where(eq(locations.id, locationId));
  if (row === undefined) throw notFound();
  requireLevel(context, placeOfLocation(row), "LocationView", "LocationView", WRITE);
  if (row.deletedAt === null) throw notInTrash();
  await requireLivingHolder(context, { clusterId: row.clusterId, locationId: null });
  if (!(await findInTrash(context, row.id))) throw notFound();
  const { tenantId, organizationId, name } = row;
  const next = { ...row, deletedAt: null, revision: row.revision + 1, updatedAt: now };
  const change = beginChange(context);
  takeOutOfTrash(context, change, row.id);
  change
    .guard(clusterLives(row.clusterId), holderGone())
    .add(
      db
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
  requireRoom(context, change, row, 0);
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
