import { and, asc, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { isHere } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { DomainError } from "../platform/errors";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { storedObjects } from "./tables";

/**
 * The keys of objects that are made again on request begin with it. Backups do not copy them. They are always registered as
 * pending, so the purge deletes them at their time.
 */
export const TEMPORARY_PREFIX = "exports/";

interface NewStoredObject {
  key: string;
  tenantId: string;
  /** Bytes that count against the tenant's storage. 0 for derivatives. */
  chargedBytes: number;
}

/** Registers an object, in the change whose rows refer to it. */
export function registerObject({ workspace, now }: Context, change: Change, object: NewStoredObject): void {
  change.add(workspace.insert(storedObjects).values({ ...object, createdAt: now }));
}

/**
 * Registers objects before they are written, in a separate change. Unless `confirmPendingObjects` follows within `forMs`
 * milliseconds, the purge deletes them. So a worker that is killed at any point leaves no object without an owner.
 */
export function registerPendingObjects(
  { workspace, now }: Context,
  change: Change,
  objects: readonly NewStoredObject[],
  forMs: number,
) {
  for (const object of objects)
    change.add(
      workspace
        .insert(storedObjects)
        .values({ ...object, createdAt: now, purgeAfter: now + forMs })
        .onConflictDoUpdate({
          target: storedObjects.key,
          set: { purgeAfter: now + forMs },
          setWhere: isNotNull(storedObjects.purgeAfter),
        }),
    );
}

/** Forgets a pending object whose key is written again, so that its bytes are not counted twice. */
export const forgetPendingObject = ({ workspace }: Pick<Context, "workspace">, key: string) =>
  workspace.delete(storedObjects).where(and(eq(storedObjects.key, key), isNotNull(storedObjects.purgeAfter)));

/**
 * Keeps pending objects, because rows of this change refer to them. If the condition `owned` is false at commit, it
 * releases them instead. @throws DomainError unavailable, at commit, if the purge has deleted one of them.
 */
export function confirmPendingObjects(
  { workspace, now }: Context,
  change: Change,
  keys: readonly string[],
  owned: SQL,
): void {
  const held = sql`(SELECT count(*) FROM ${storedObjects} WHERE ${inSet(storedObjects.key, keys)}) = ${keys.length}`;
  change.guard(held, new DomainError("unavailable", "The written files have expired. Try again.")).add(
    workspace
      .update(storedObjects)
      .set({ purgeAfter: sql`CASE WHEN ${owned} THEN NULL ELSE ${now} END` })
      .where(inSet(storedObjects.key, keys)),
  );
}

/**
 * Releases the objects whose keys the subquery `keys` selects. The first purge after `afterMs` milliseconds deletes them,
 * or an earlier one if they were released before. Their bytes count until they are deleted.
 */
export function releaseObjects({ workspace, now }: Context, change: Change, keys: SQL, afterMs = 0): void {
  const purgeAfter = now + afterMs;
  change.add(
    workspace
      .update(storedObjects)
      .set({ purgeAfter: sql`min(coalesce(${storedObjects.purgeAfter}, ${purgeAfter}), ${purgeAfter})` })
      .where(sql`${storedObjects.key} IN (${keys})`),
  );
  if (afterMs === 0) change.job("purge-objects", {}, { dedupeKey: "purge-objects" });
}

/** Number of rows whose objects one slice deletes, in one or two calls to the bucket. */
const OBJECTS_PER_SLICE = 1_000;

/**
 * Objects of one database that wait for their deletion: how many, how many of them are due, and since when the oldest of these
 * is due, milliseconds since the epoch. Reads at most `most` of them.
 */
export const countToPurge = (now: number, most: number): SQL =>
  sql`SELECT count(*) AS "waiting", coalesce(sum(purge_after <= ${now}), 0) AS "due", min(purge_after) AS "first" FROM
    (SELECT purge_after FROM stored_objects WHERE purge_after IS NOT NULL ORDER BY purge_after LIMIT ${most})`;

/** Deletes released objects, then their rows. After a kill between the two, the deletion of the objects is repeated. */
export const purgeObjects: RecurringHandler<"purge-objects"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${storedObjects} WHERE ${lte(storedObjects.purgeAfter, now)})`,
  async run(context) {
    const due = await context.workspace
      .select({ key: storedObjects.key, tenantId: storedObjects.tenantId })
      .from(storedObjects)
      .where(and(lte(storedObjects.purgeAfter, Date.now()), isHere(storedObjects.tenantId)))
      .orderBy(asc(storedObjects.purgeAfter))
      .limit(OBJECTS_PER_SLICE);
    if (due.length === 0) return complete();
    const keys = due.map(({ key }) => key);
    await context.objects.remove(keys);
    const change = beginChange(
      context,
      due.map(({ tenantId }) => tenantId),
    ).add(context.workspace.delete(storedObjects).where(inSet(storedObjects.key, keys)));
    return due.length < OBJECTS_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};
