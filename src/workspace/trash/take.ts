import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { clusters, locations, trash } from "../tables";

/** Holds while the thing is in the trash by a deletion of its own. */
export const isInTrash = (id: string): SQL => sql`EXISTS (SELECT 1 FROM ${trash} WHERE ${trash.resourceId} = ${id})`;

const conflict = (detail: string) => new DomainError("conflict", detail);

const isRestorable = (id: string, now: number) => and(eq(trash.resourceId, id), gt(trash.purgeAt, now));

/** Whether the thing can still be restored, for all that is known now. */
export async function findInTrash({ db, now }: Pick<Context, "db" | "now">, id: string): Promise<boolean> {
  const rows = await db.select({ id: trash.id }).from(trash).where(isRestorable(id, now));
  return rows.length > 0;
}

/** Refuses a restoration of what lives. */
export const notInTrash = (): DomainError => conflict("It is not in the trash: there is nothing to restore.");

/**
 * Refuses the restoration of what lies in something that is deleted, and says what to restore first.
 * @throws DomainError conflict; 404 when that cannot be restored any more.
 */
export async function requireLivingHolder(
  context: Context,
  { clusterId, locationId }: { clusterId: string; locationId: string | null },
): Promise<void> {
  const { db } = context;
  const [cluster] = await db.select({ deletedAt: clusters.deletedAt }).from(clusters).where(eq(clusters.id, clusterId));
  if (cluster === undefined) throw notFound();
  if (cluster.deletedAt !== null) {
    if (!(await findInTrash(context, clusterId))) throw notFound();
    throw conflict(`Its cluster is deleted. Restore that first: POST /v1/spatial/clusters/${clusterId}/restore.`);
  }
  if (locationId === null) return;
  const [location] = await db
    .select({ deletedAt: locations.deletedAt })
    .from(locations)
    .where(eq(locations.id, locationId));
  if (location === undefined) throw notFound();
  if (location.deletedAt === null) return;
  if (!(await findInTrash(context, locationId))) throw notFound();
  throw conflict(`Its location is deleted. Restore that first: POST /v1/spatial/locations/${locationId}/restore.`);
}

/** The refusal of a restoration whose holder was deleted meanwhile. */
export const holderGone = (): DomainError =>
  conflict("What it lies in was deleted in the meantime. Restore that first.");

/**
 * Takes a thing out of the trash with this change, which restores it: undone unless the thing is still there and its
 * window has not ended. So of several restorations, a purge and the end of the window one alone happens.
 */
export function takeOutOfTrash({ db, now }: Context, change: Change, id: string): void {
  change
    .add(db.delete(trash).where(isRestorable(id, now)))
    .guardChanged(conflict("It was restored or purged in the meantime, or its window has ended."));
}
