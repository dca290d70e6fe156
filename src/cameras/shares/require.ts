import { and, eq, isNull } from "drizzle-orm";
import { READ, requireLevel, requireUser } from "../../access";
import type { Context } from "../../context";
import { notFound } from "../../platform/errors";
import { placeOfLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { cameraShares } from "../tables";
import type { ShareRow } from "./link";

/**
 * A link that the caller may edit and revoke: ExternalShareLinksManage at its location. To whom
 * cannot even see the cameras there it is absent. @throws DomainError 401, 403, 404.
 */
export async function requireShare(context: Context, shareId: string): Promise<ShareRow> {
  requireUser(context);
  const [found] = await context.db
    .select({ share: cameraShares, location: locations })
    .from(cameraShares)
    .innerJoin(locations, and(eq(locations.id, cameraShares.locationId), isNull(locations.deletedAt)))
    .where(eq(cameraShares.id, shareId));
  if (found === undefined) throw notFound();
  requireLevel(context, placeOfLocation(found.location), "LocationCameras", "ExternalShareLinksManage", READ);
  return found.share;
}
