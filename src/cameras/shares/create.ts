import { and, eq, sql } from "drizzle-orm";
import { auditStatement, READ, requireLevel, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { randomHex, sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { fewerThan, locationStands, placeOfLocation, requireLocation } from "../../workspace";
import { cameraShares } from "../tables";
import { MOST_ACTIVE_LINKS, type NewShare, presentShare, type ShareRow, writeShareToken } from "./link";
import { isActive, requireCamerasOf, requireEndAhead } from "./rules";

const SECRET_BYTES = 32;

const tooMany = (): DomainError =>
  new DomainError(
    "rule-violated",
    `The location has ${MOST_ACTIVE_LINKS} links in use, which is the most. Revoke one that is no longer needed.`,
  );

/**
 * Makes a link to cameras of a location; its secret is in this answer alone. Takes
 * ExternalShareLinksCreate, and sight of the cluster, the location and its cameras.
 * @throws DomainError 401, 403, 404, 422 rule-violated.
 */
export async function createShare(context: Context, locationId: string, given: NewShare) {
  const { db, now, settings } = context;
  const location = await requireLocation(context, locationId, "ExternalShareLinksCreate", READ);
  const place = placeOfLocation(location);
  for (const capability of ["ClusterView", "LocationView", "LocationCameras"] as const)
    requireLevel(context, place, "ExternalShareLinksCreate", capability, READ);
  // Entitlements give an organization cameras and links: a personal workspace was refused above.
  if (location.organizationId === null) throw notFound();
  requireEndAhead(given.expiresAtUtc, now);
  await requireCamerasOf(context, locationId, given.cameraIds);
  const secret = randomHex(SECRET_BYTES);
  const row: ShareRow = {
    id: newId(),
    tenantId: location.tenantId,
    organizationId: location.organizationId,
    locationId,
    name: given.name,
    cameraIds: given.cameraIds,
    secretHash: await sha256Hex(secret),
    revision: 1,
    createdBy: requireUser(context).userId,
    createdAt: now,
    updatedAt: now,
    expiresAt: given.expiresAtUtc ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  const ofLocation = and(eq(cameraShares.locationId, locationId), isActive(now));
  const others = sql`SELECT 1 FROM ${cameraShares} WHERE ${ofLocation}`;
  await beginChange(context)
    .guard(locationStands(location), notFound())
    .guard(fewerThan(MOST_ACTIVE_LINKS, others), tooMany())
    .add(
      db.insert(cameraShares).values(row),
      auditStatement(context, {
        organizationId: row.organizationId,
        action: "camera-share.created",
        subjectType: "camera-share",
        subjectId: row.id,
        details: { name: row.name, locationId, cameraIds: row.cameraIds, expiresAt: row.expiresAt },
      }),
    )
    .commit();
  const token = writeShareToken(row.id, secret);
  return { ...presentShare(row), token, url: `${settings.PUBLIC_BASE_URL}/s#${token}` };
}
