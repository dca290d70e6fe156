import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { queueTreeDeletion } from "../deletion/queue";
import { queueAssetIndex } from "../indexing";
import { requireLocation } from "../places";
import { locations } from "../tables";

/**
 * Deletes a location and everything in it: invisible from this change on; a job takes the contents
 * away. @throws DomainError 401, 403, 404, 409, 412.
 */
export async function deleteLocation(context: Context, locationId: string, precondition: Precondition): Promise<void> {
  const row = await requireLocation(context, locationId, "LocationView", WRITE);
  checkPrecondition(precondition, row.revision);
  const change = beginChange(context)
    .add(
      context.db
        .update(locations)
        .set({ deletedAt: context.now })
        .where(and(eq(locations.id, row.id), eq(locations.revision, row.revision), isNull(locations.deletedAt))),
    )
    .guardChanged(staleRevision())
    .add(
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "location.deleted",
        subjectType: "location",
        subjectId: row.id,
        details: { name: row.name },
      }),
    );
  change.announce({ type: "location-access-changed", locationIds: [row.id] }, row.tenantId);
  queueAssetIndex(change, "location", row);
  queueTreeDeletion(change, "location", row);
  await change.commit();
}
