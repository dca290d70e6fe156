import { and, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { newId } from "../../platform/ids";
import { cameraCleanups } from "./tables";

/** What a slice took of one camera at one place. */
export interface Receipt {
  organizationId: string;
  locationId: string;
  locationName: string;
  cameraId: string;
  cameraName: string;
  requestedAt: number;
  retired: boolean;
  capturesRemoved: number;
  bytesRemoved: number;
}

/** Writes what was taken away into the receipts of each camera at each place. */
export function writeReceipts({ db }: Context, change: Change, receipts: readonly Receipt[]): void {
  for (const receipt of receipts)
    change.add(
      db
        .insert(cameraCleanups)
        .values({ id: newId(), ...receipt })
        .onConflictDoUpdate({
          target: [cameraCleanups.locationId, cameraCleanups.cameraId],
          set: {
            capturesRemoved: sql`${cameraCleanups.capturesRemoved} + excluded.captures_removed`,
            bytesRemoved: sql`${cameraCleanups.bytesRemoved} + excluded.bytes_removed`,
          },
        }),
    );
}

/** A receipt that counts nothing yet. */
export const receiptOf = (
  camera: { id: string; name: string; organizationId: string },
  location: { id: string; name: string; deletedAt: number | null },
  now: number,
): Receipt => ({
  organizationId: camera.organizationId,
  locationId: location.id,
  locationName: location.name,
  cameraId: camera.id,
  cameraName: camera.name,
  requestedAt: location.deletedAt ?? now,
  retired: false,
  capturesRemoved: 0,
  bytesRemoved: 0,
});

/** Ends the receipts once everything is gone. */
export async function finishReceipts({ db, now }: Context, gone: SQL, change: Change, limit: number): Promise<number> {
  const open = await db
    .select({ id: cameraCleanups.id })
    .from(cameraCleanups)
    .where(and(sql`${cameraCleanups.locationId} IN (${gone})`, isNull(cameraCleanups.finishedAt)))
    .limit(limit);
  const ids = open.map(({ id }) => id);
  if (ids.length > 0)
    change.add(db.update(cameraCleanups).set({ finishedAt: now }).where(inSet(cameraCleanups.id, ids)));
  return ids.length;
}
