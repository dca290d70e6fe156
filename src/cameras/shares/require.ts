import { and, eq, isNull } from "drizzle-orm";
import { type AccessFacts, levelAt, READ, requireLevel, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { placeOfLocation } from "../../workspace";
import { locations } from "../../workspace/tables";
import { cameraShares } from "../tables";
import type { ShareRow } from "./link";

const entitled = { externalShares: true };
const asThoughEntitled = (facts: AccessFacts): AccessFacts => ({
  ...facts,
  memberships: facts.memberships.map((membership) => ({ ...membership, ...entitled })),
  grants: facts.grants.map((grant) => ({ ...grant, ...entitled })),
});

/**
 * A link that the caller may edit and revoke: ExternalShareLinksManage at its location. To whom
 * cannot even see the cameras there it is absent. `whateverEntitled`: also while the organization may not share with
 * strangers, so that what it shared before can be ended. @throws DomainError 401, 403, 404.
 */
export async function requireShare(
  context: Context,
  shareId: string,
  { whateverEntitled = false } = {},
): Promise<ShareRow> {
  const { facts } = requireUser(context);
  const [found] = await context.db
    .select({ share: cameraShares, location: locations })
    .from(cameraShares)
    .innerJoin(locations, and(eq(locations.id, cameraShares.locationId), isNull(locations.deletedAt)))
    .where(eq(cameraShares.id, shareId));
  if (found === undefined) throw notFound();
  const place = placeOfLocation(found.location);
  const manages = levelAt(asThoughEntitled(facts), "ExternalShareLinksManage", place) >= READ;
  const sees = levelAt(facts, "LocationCameras", place) >= READ;
  if (!(whateverEntitled && manages && sees))
    requireLevel(context, place, "LocationCameras", "ExternalShareLinksManage", READ);
  return found.share;
}
