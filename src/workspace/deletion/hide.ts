import { and, eq, or, type SQL, sql } from "drizzle-orm";
import { captureOperations } from "../../cameras/tables";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { uploads } from "../../uploads/tables";
import { locations } from "../tables";

/** Locations that one event names. */
const MOST_NAMED = 500;

/** Has live subscriptions to locations looked at again that this change hides. */
export function announceHidden(change: Change, locationIds: readonly string[], tenantId: string): void {
  for (let at = 0; at < locationIds.length; at += MOST_NAMED)
    change.announce({ type: "location-access-changed", locationIds: locationIds.slice(at, at + MOST_NAMED) }, tenantId);
}

/** Where open uploads lead, by what is deleted. */
const LEADS_TO: Readonly<Record<"cluster" | "location", (id: string) => { document: SQL; operation: SQL }>> = {
  location: (id) => ({
    document: eq(documents.locationId, id),
    operation: eq(captureOperations.locationId, id),
  }),
  cluster: (id) => ({
    document: eq(documents.clusterId, id),
    operation: sql`${captureOperations.locationId} IN (SELECT ${locations.id} FROM ${locations} WHERE ${locations.clusterId} = ${id})`,
  }),
};

/**
 * Has what was announced for a deleted place expire now, so that its reservations are released: the sweep ends it as it
 * ends what was abandoned. The cost follows the tenant's open uploads.
 */
export function expireUploadsIn(
  { db, now }: Context,
  change: Change,
  of: "cluster" | "location",
  { id, tenantId }: { id: string; tenantId: string },
): void {
  const { document, operation } = LEADS_TO[of](id);
  const leads = or(
    sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${uploads.targetId} AND ${document})`,
    sql`EXISTS (SELECT 1 FROM ${captureOperations} WHERE ${captureOperations.id} = ${uploads.id} AND ${operation})`,
  );
  change.add(
    db
      .update(uploads)
      .set({ expiresAt: now })
      .where(and(eq(uploads.tenantId, tenantId), eq(uploads.status, "pending"), leads)),
  );
  change.job("expire-uploads", {}, { dedupeKey: "expire-uploads" });
}
