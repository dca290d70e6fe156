import { and, eq, gt, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { DomainError } from "../../platform/errors";
import { cameraAssignments, cameraShares } from "../tables";

/** Links that neither were revoked nor have expired. */
export const isActive = (now: number): SQL | undefined =>
  and(isNull(cameraShares.revokedAt), or(isNull(cameraShares.expiresAt), gt(cameraShares.expiresAt, now)));

const notOfLocation = (): DomainError =>
  new DomainError(
    "rule-violated",
    "A link shows cameras that stand or stood at its location. Take the others out of `cameraIds`.",
  );

/** Refuses cameras that never stood at the location; what exists elsewhere is not told. @throws DomainError 422. */
export async function requireCamerasOf(
  { db }: Context,
  locationId: string,
  cameraIds: readonly string[],
): Promise<void> {
  const [found] = await db
    .select({ cameras: sql<number>`count(DISTINCT ${cameraAssignments.cameraId})` })
    .from(cameraAssignments)
    .where(and(eq(cameraAssignments.locationId, locationId), inSet(cameraAssignments.cameraId, cameraIds)));
  if (found?.cameras !== cameraIds.length) throw notOfLocation();
}

/** An end that lies ahead, or none. @throws DomainError 422 rule-violated. */
export function requireEndAhead(expiresAt: number | null | undefined, now: number): void {
  if (expiresAt != null && expiresAt <= now)
    throw new DomainError("rule-violated", "`expiresAtUtc` has passed. Name a time that lies ahead, or null.");
}
