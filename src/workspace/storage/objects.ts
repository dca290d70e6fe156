import { and, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../context";
import type { Change } from "../../platform/db/change";
import { inSet } from "../../platform/db/sets";
import { DomainError } from "../../platform/errors";
import { storedObjects } from "../tables";

export interface NewStoredObject {
  key: string;
  tenantId: string;
  /** Counted against the tenant's storage; 0 for derivatives. */
  chargedBytes: number;
}

/** Enters an object in the ledger, in the change whose rows refer to it. */
export function keepObject({ db, now }: Context, change: Change, object: NewStoredObject): void {
  change.add(db.insert(storedObjects).values({ ...object, createdAt: now }));
}

/**
 * Enters objects in the ledger before they are written, in a change of its own: unless `keepHeld`
 * follows within `forMs`, the purge takes them. So a kill at any line leaves no object unowned.
 */
export function holdObjects({ db, now }: Context, change: Change, objects: readonly NewStoredObject[], forMs: number) {
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
export function keepHeld({ db, now }: Context, change: Change, keys: readonly string[], owned: SQL): void {
  const held = sql`(SELECT count(*) FROM ${storedObjects} WHERE ${inSet(storedObjects.key, keys)}) = ${keys.length}`;
  change.guard(held, new DomainError("unavailable", "What was written is gone already.")).add(
    db
      .update(storedObjects)
      .set({ purgeAfter: sql`CASE WHEN ${owned} THEN NULL ELSE ${now} END` })
      .where(inSet(storedObjects.key, keys)),
  );
}

/**
 * Gives up the objects whose keys `keys` selects (a subquery of one column): they go with the next
 * purge, and their capacity comes back only once they are gone.
 */
export function giveUpObjects({ db, now }: Context, change: Change, keys: SQL): void {
  change.add(
    db
      .update(storedObjects)
      .set({ purgeAfter: now })
      .where(and(sql`${storedObjects.key} IN (${keys})`, isNull(storedObjects.purgeAfter))),
  );
  change.job("purge-objects", {}, { dedupeKey: "purge-objects" });
}
