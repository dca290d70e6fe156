import { and, eq, exists, gt, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { holds, requireUser, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { forbidden } from "../../platform/errors";
import { locationPath } from "../../workspace";
import { locations } from "../../workspace/tables";
import { retainedAfter } from "../captures";
import type { CameraRow } from "../find";
import { cameraAssignments, cameraCaptures } from "../tables";

/**
 * Refuses a shorter retention that ends images at former locations of the camera, unless the caller has Write of
 * LocationCameras there too. @throws DomainError 403.
 */
export async function requireWriteWhereImagesExpire(
  context: Context,
  camera: CameraRow,
  { retentionDays }: Pick<CameraRow, "retentionDays">,
): Promise<void> {
  const { workspace, now } = context;
  const caller = requireUser(context);
  const expires = and(
    eq(cameraCaptures.cameraId, camera.id),
    eq(cameraCaptures.locationId, locations.id),
    gt(cameraCaptures.capturedAt, retainedAfter(camera, now)),
    lte(cameraCaptures.capturedAt, retainedAfter({ ...camera, retentionDays }, now)),
  );
  const former = await workspace
    .selectDistinct({ location: locations })
    .from(cameraAssignments)
    .innerJoin(locations, and(eq(locations.id, cameraAssignments.locationId), isNull(locations.deletedAt)))
    .where(
      and(
        eq(cameraAssignments.cameraId, camera.id),
        isNotNull(cameraAssignments.endedAt),
        exists(workspace.select({ one: sql`1` }).from(cameraCaptures).where(expires)),
      ),
    );
  if (!former.every(({ location }) => holds(caller, "LocationCameras", locationPath(location), WRITE)))
    throw forbidden(
      "Images at a former location of this camera would expire, and you may not change cameras there. Ask a person who may change them at both locations.",
    );
}
