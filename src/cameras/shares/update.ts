import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, READ } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { locationLives, requireLocation } from "../../workspace";
import { cameraShares } from "../tables";
import { presentShare, type ShareChange, type ShareRow } from "./link";
import { requireShare } from "./require";
import { requireCamerasOf, requireEndAhead } from "./rules";

const hasEnded = (): DomainError =>
  new DomainError("rule-violated", "This link has ended, which is final. Make a new one.");

const auditOf = (row: ShareRow, verb: "updated" | "revoked") => ({
  organizationId: row.organizationId,
  action: `camera-share.${verb}`,
  subjectType: "camera-share",
  subjectId: row.id,
});

/**
 * Changes what a link shows; the link itself stays the same. Cameras can be put in only by who sees them.
 * @throws DomainError 401, 403, 404, 409, 412, 422 rule-violated.
 */
export async function updateShare(context: Context, shareId: string, given: ShareChange, precondition: Precondition) {
  const row = await requireShare(context, shareId);
  checkPrecondition(precondition, row.revision);
  if (row.revokedAt !== null || (row.expiresAt ?? Number.POSITIVE_INFINITY) <= context.now) throw hasEnded();
  requireEndAhead(given.expiresAtUtc, context.now);
  const added = (given.cameraIds ?? []).filter((id) => !row.cameraIds.includes(id));
  if (added.length > 0) {
    await requireLocation(context, row.locationId, "LocationCameras", READ);
    await requireCamerasOf(context, row.locationId, added);
  }
  const written = {
    name: given.name ?? row.name,
    cameraIds: given.cameraIds ?? row.cameraIds,
    expiresAt: given.expiresAtUtc === undefined ? row.expiresAt : given.expiresAtUtc,
    revision: row.revision + 1,
    updatedAt: context.now,
  };
  const { name, cameraIds, expiresAt } = written;
  await write(context, row, written, { ...auditOf(row, "updated"), details: { name, cameraIds, expiresAt } });
  return presentShare({ ...row, ...written });
}

/** Ends a link for good; ending it again changes nothing. @throws DomainError 401, 403, 404, 409, 412. */
export async function revokeShare(context: Context, shareId: string, precondition: Precondition) {
  const row = await requireShare(context, shareId, { whateverEntitled: true });
  if (row.revokedAt !== null) return presentShare(row);
  checkPrecondition(precondition, row.revision);
  const written = { revokedAt: context.now, revision: row.revision + 1, updatedAt: context.now };
  await write(context, row, written, auditOf(row, "revoked"));
  return presentShare({ ...row, ...written });
}

async function write(
  context: Context,
  row: ShareRow,
  written: Partial<ShareRow>,
  entry: Parameters<typeof auditStatement>[1],
): Promise<void> {
  const unchanged = and(
    eq(cameraShares.id, row.id),
    eq(cameraShares.revision, row.revision),
    isNull(cameraShares.revokedAt),
  );
  await beginChange(context)
    .guard(locationLives(row.locationId), notFound())
    .add(context.db.update(cameraShares).set(written).where(unchanged))
    .guardChanged(staleRevision())
    .add(auditStatement(context, entry))
    .commit();
}
