import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/statements";
import { cancelUploads, endUploads, releaseObjects } from "../../uploads";
import { uploads } from "../../uploads/tables";
import type { DeletedTree, DeletionStep } from "../../workspace";
import { locations } from "../../workspace/tables";
import { rejectedKey } from "../captures";
import { cameraAssignments, captureOperations } from "../tables";
import { CAPTURE_PURPOSE, isUnfinished } from "./operations";

/** SQL that holds while a camera has an operation that is not finished, to be guarded on in a change. */
export const hasPendingOperations = ({ now }: Pick<Context, "now">, { id }: { id: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${uploads} WHERE ${uploads.targetId} = ${id} AND ${uploads.purpose} = ${CAPTURE_PURPOSE}
    AND ${isUnfinished(now)})`;

/**
 * Cancels the unfinished operations of a camera with this change. Images in verification are not published, and the
 * device may announce again the images that it still has.
 */
export const cancelOperations = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => endUploads(context, change, { targetIds: sql`SELECT ${id}` });

/** Cancels with this change the operations of a camera that have not reached verification. */
export const cancelTransfers = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => endUploads(context, change, { targetIds: sql`SELECT ${id}` }, ["pending"]);

/** The operations of a deleted tree. */
function operationsOfTree({ workspace }: Pick<Context, "workspace">, { type, id }: DeletedTree): SQL | undefined {
  if (type === "document") return undefined;
  const place = type === "location" ? eq(locations.id, id) : eq(locations.clusterId, id);
  const gone = workspace
    .select({ id: locations.id })
    .from(locations)
    .where(and(place, isNotNull(locations.deletedAt)));
  const cameraIds = workspace
    .select({ id: cameraAssignments.cameraId })
    .from(cameraAssignments)
    .where(sql`${cameraAssignments.locationId} IN ${gone}`);
  return and(sql`${captureOperations.cameraId} IN ${cameraIds}`, sql`${captureOperations.locationId} IN ${gone}`);
}

/**
 * Removes operations of captures at a deleted location: unfinished ones end, and rejected images are deleted. Their
 * upload rows stay until no signed address can write bytes again.
 */
export const captureOperationDeletion: DeletionStep = {
  name: "capture-operations",
  async deleteRows(context, tree, change, limit) {
    const { workspace } = context;
    const condition = operationsOfTree(context, tree);
    if (condition === undefined) return 0;
    const rows = await workspace
      .select({
        id: captureOperations.id,
        cameraId: captureOperations.cameraId,
        organizationId: captureOperations.tenantId,
      })
      .from(captureOperations)
      .where(condition)
      .limit(limit);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return 0;
    const keys = rows.map(({ id: operationId, cameraId, organizationId }) =>
      rejectedKey({ organizationId, cameraId, operationId }),
    );
    releaseObjects(context, change, sql`SELECT value FROM json_each(${JSON.stringify(keys)})`);
    change.add(workspace.delete(captureOperations).where(inSet(captureOperations.id, ids)));
    cancelUploads(context, change, { ids });
    return ids.length;
  },
};
