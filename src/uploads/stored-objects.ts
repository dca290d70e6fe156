import { asc, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { inSet } from "../platform/db/statements";
import { DomainError } from "../platform/errors";
import { complete, continueLater, type JobHandler } from "../platform/jobs/handlers";
import { storedObjects } from "./tables";

export interface NewStoredObject {
  key: string;
  tenantId: string;
  /** Where it lies, if in a location; of documents the database knows it by itself. */
  locationId?: string;
  /** Counted against the tenant's storage; 0 for derivatives. */
  chargedBytes: number;
}

/** Enters an object in the ledger, in the change whose rows refer to it. */
export function registerObject({ db, now }: Context, change: Change, object: NewStoredObject): void {
  change.add(db.insert(storedObjects).values({ ...object, createdAt: now }));
}

/**
 * Enters objects in the ledger before they are written, in a change of its own: unless `confirmPendingObjects`
 * follows within `forMs`, the purge takes them. So a kill at any line leaves no object unowned.
 */
export function registerPendingObjects(
  { db, now }: Context,
  change: Change,
  objects: readonly NewStoredObject[],
  forMs: number,
) {
  for (const object of objects)
    change.add(
      db
        .insert(storedObjects)
        .values({ ...object, createdAt: now, purgeAfter: now + forMs })
        .onConflictDoUpdate({
          target: storedObjects.key,
          set: { purgeAfter: now + forMs },
          setWhere: isNotNull(storedObjects.purgeAfter),
        }),
    );
}

/**
 * Keeps held objects whose rows refer to them from this change on; where `owned` does not hold when
 * it commits, gives them up. @throws at commit, DomainError unavailable, when the purge took one.
 */
export function confirmPendingObjects({ db, now }: Context, change: Change, keys: readonly string[], owned: SQL): void {
  const held = sql`(SELECT count(*) FROM ${storedObjects} WHERE ${inSet(storedObjects.key, keys)}) = ${keys.length}`;
  change.guard(held, new DomainError("unavailable", "What was written is gone already.")).add(
    db
      .update(storedObjects)
      .set({ purgeAfter: sql`CASE WHEN ${owned} THEN NULL ELSE ${now} END` })
      .where(inSet(storedObjects.key, keys)),
  );
}

/**
 * Gives up the objects whose keys `keys` selects (a subquery of one column): they go with the first purge `afterMs` from
 * now, or earlier where that was decided, and their capacity comes back only once they are gone.
 */
export function releaseObjects({ db, now }: Context, change: Change, keys: SQL, afterMs = 0): void {
  const purgeAfter = now + afterMs;
  change.add(
    db
      .update(storedObjects)
      .set({ purgeAfter: sql`min(coalesce(${storedObjects.purgeAfter}, ${purgeAfter}), ${purgeAfter})` })
      .where(sql`${storedObjects.key} IN (${keys})`),
  );
  if (afterMs === 0) change.job("purge-objects", {}, { dedupeKey: "purge-objects" });
}

/** Objects one slice deletes: a single call to the bucket. */
const OBJECTS_PER_SLICE = 1_000;

/** Deletes given-up objects, then their rows; a kill in between repeats a harmless deletion. */
export const purgeObjects: JobHandler<"purge-objects"> = {
  async run(context) {
    const due = await context.db
      .select({ key: storedObjects.key })
      .from(storedObjects)
      .where(lte(storedObjects.purgeAfter, Date.now()))
      .orderBy(asc(storedObjects.purgeAfter))
      .limit(OBJECTS_PER_SLICE);
    if (due.length === 0) return complete();
    const keys = due.map(({ key }) => key);
    await context.objects.remove(keys);
    const change = beginChange(context).add(context.db.delete(storedObjects).where(inSet(storedObjects.key, keys)));
    return due.length < OBJECTS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
