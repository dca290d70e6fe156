import { and, asc, eq, inArray, isNotNull, isNull, lte, notInArray, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Context } from "../platform/context";
import { beginChange, type Change } from "../platform/db/change";
import { isHere } from "../platform/db/residence";
import { inSet } from "../platform/db/statements";
import { complete, continueLater, type RecurringHandler } from "../platform/jobs/handlers";
import { log } from "../platform/log";
import { ENDED_UPLOAD_RETENTION_MS, TRANSFER_GRACE_MS, VERIFICATION_GRACE_MS } from "./limits";
import { stagedKeys } from "./parts";
import { purposeOf, type UploadPurpose, type UploadRow } from "./purpose";
import { storageUsage, uploads } from "./tables";

/** Number of uploads that one slice expires, cleans up and deletes. */
const UPLOADS_PER_SLICE = 200;

const OPEN_STATUSES = ["pending", "verifying"] as const;

/** Uploads of the targets that a subquery of one column selects, or uploads by their ids. */
type SelectedUploads = { targetIds: SQL } | { ids: readonly string[] };

/** Every open upload is in the indexes under this condition. */
const isOpen = isNull(uploads.finishedAt);
const isWaiting = (now: number) => and(isOpen, eq(uploads.status, "pending"), lte(uploads.expiresAt, now));
const isStuck = (now: number) =>
  and(isOpen, eq(uploads.status, "verifying"), lte(uploads.expiresAt, now - VERIFICATION_GRACE_MS));
const isUnclean = (now: number) =>
  and(isNotNull(uploads.finishedAt), isNull(uploads.cleanedAt), lte(uploads.urlExpiresAt, now - TRANSFER_GRACE_MS));

/** Expires abandoned uploads, deletes leftover objects when no address can write them again, and deletes old rows. */
export const expireUploads = (purposes: readonly UploadPurpose[]): RecurringHandler<"expire-uploads"> => ({
  hasWork({ now }) {
    // An upload of an unknown purpose waits for another version: it is no work.
    const known = inArray(
      uploads.purpose,
      purposes.map(({ name }) => name),
    );
    const looks = [isWaiting(now), isStuck(now), isUnclean(now), lte(uploads.forgetAfter, now)].map(
      (due) => sql`EXISTS (SELECT 1 FROM ${uploads} WHERE ${and(due, known)})`,
    );
    return sql.join(looks, sql` OR `);
  },
  async run(context) {
    const now = Date.now();
    const names = purposes.map(({ name }) => name);
    const known = inArray(uploads.purpose, names);
    await reportUnknown(context, names, now);
    const waiting = and(isWaiting(now), known);
    const stuck = and(isStuck(now), known);
    const late = [
      ...(await findUploads(context, waiting, uploads.expiresAt)),
      ...(await findUploads(context, stuck, uploads.expiresAt)),
    ];
    const unclean = await findUploads(context, and(isUnclean(now), known), uploads.urlExpiresAt);
    const old = await findUploads(context, and(lte(uploads.forgetAfter, now), known), uploads.forgetAfter);
    const change = beginChange(
      context,
      [...late, ...unclean, ...old].map(({ tenantId }) => tenantId),
    );
    const expired = late.map(({ id }) => id);
    change.add(
      context.workspace
        .update(uploads)
        .set({ status: "expired", finishedAt: now })
        // An upload that was completed in the meantime continues.
        .where(and(inSet(uploads.id, expired), or(waiting, stuck))),
    );
    for (const upload of late) {
      const purpose = purposeOf(purposes, upload);
      purpose.abandoned?.(context, change, purpose.subject.parse(upload.subject), upload);
    }
    await removeLeftovers(context, purposes, unclean);
    markCleaned(context, change, unclean, now);
    change.add(
      context.workspace.delete(uploads).where(
        inSet(
          uploads.id,
          old.map(({ id }) => id),
        ),
      ),
    );
    // The next slice cleans up the uploads that expire now, after this change is committed.
    const more = late.length > 0 || unclean.length === UPLOADS_PER_SLICE || old.length === UPLOADS_PER_SLICE;
    return more ? continueLater(null, { change }) : complete(change);
  },
});

/** Deletes the staging objects of ended uploads, and objects that an interrupted verification left at their final keys. */
export async function removeLeftovers(
  { objects }: Pick<Context, "objects">,
  purposes: readonly UploadPurpose[],
  ended: readonly UploadRow[],
): Promise<void> {
  await objects.remove(
    ended.flatMap((upload) => {
      const purpose = purposeOf(purposes, upload);
      const subject = purpose.subject.parse(upload.subject);
      return upload.status === "completed"
        ? stagedKeys(upload)
        : [...stagedKeys(upload), purpose.finalKey(subject, upload)];
    }),
  );
}

/** Ends open uploads. This change releases their reservations, and a running verification publishes nothing. */
function endUploads(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  change: Change,
  which: SelectedUploads,
): void {
  const open = and(isSelected(which), isOpen, inArray(uploads.status, [...OPEN_STATUSES]));
  change.add(workspace.update(uploads).set({ status: "expired", finishedAt: now }).where(open));
}

/** Ends the open uploads of targets that are being removed, and deletes the rows of uploads that are cleaned up already. */
export function cancelUploads(context: Context, change: Change, which: SelectedUploads): void {
  endUploads(context, change, which);
  change.add(context.workspace.delete(uploads).where(and(isSelected(which), isNotNull(uploads.cleanedAt))));
}

/**
 * Expires the open uploads into the locations that a subquery selects. The job `expire-uploads` then ends them and
 * releases their reserved bytes. The cost grows with the number of the tenant's open uploads.
 */
export function expireUploadsIn(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  change: Change,
  tenantId: string,
  locationIds: SQL,
): void {
  const open = and(eq(uploads.tenantId, tenantId), isOpen, eq(uploads.status, "pending"));
  change.add(
    workspace
      .update(uploads)
      .set({ expiresAt: now })
      .where(and(open, sql`${uploads.locationId} IN (${locationIds})`)),
  );
  change.job("expire-uploads", {}, { dedupeKey: "expire-uploads" });
}

/** Expires all open uploads of a workspace that is being removed. The job `expire-uploads` ends them. */
export function expireTenantUploads(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  change: Change,
  tenantId: string,
): void {
  const open = and(eq(uploads.tenantId, tenantId), isOpen, eq(uploads.status, "pending"));
  change.add(workspace.update(uploads).set({ expiresAt: now }).where(open));
  change.job("expire-uploads", {}, { dedupeKey: "expire-uploads" });
}

/** Records the new location of targets whose open uploads move with them. */
export function moveUploads(
  { workspace }: Pick<Context, "workspace">,
  change: Change,
  targetIds: readonly string[],
  locationId: string,
): void {
  change.add(
    workspace
      .update(uploads)
      .set({ locationId })
      .where(and(inSet(uploads.targetId, targetIds), isOpen, inArray(uploads.status, [...OPEN_STATUSES]))),
  );
}

/** Removes the uploads and the counts of a workspace that is empty. */
export const removeTenantUploads = ({ workspace }: Pick<Context, "workspace">, tenantId: string) => [
  workspace.delete(uploads).where(eq(uploads.tenantId, tenantId)),
  workspace.delete(storageUsage).where(eq(storageUsage.tenantId, tenantId)),
];

const isSelected = (which: SelectedUploads): SQL =>
  "ids" in which ? inSet(uploads.id, which.ids) : sql`${uploads.targetId} IN (${which.targetIds})`;

/** Marks ended uploads as cleaned up, and sets the end of their retention. */
function markCleaned({ workspace }: Context, change: Change, cleaned: readonly UploadRow[], now: number): void {
  const ids = cleaned.map(({ id }) => id);
  const forgetAfter = now + ENDED_UPLOAD_RETENTION_MS;
  change.add(workspace.update(uploads).set({ cleanedAt: now, forgetAfter }).where(inSet(uploads.id, ids)));
}

const findUploads = (context: Context, where: SQL | undefined, by: SQLiteColumn) =>
  context.workspace
    .select()
    .from(uploads)
    .where(and(where, isHere(uploads.tenantId)))
    .orderBy(asc(by))
    .limit(UPLOADS_PER_SLICE);

/** Logs uploads whose purpose is unknown, for example after a rollback. These uploads wait for a version of the service that knows the purpose. */
async function reportUnknown({ workspace }: Context, names: readonly string[], now: number): Promise<void> {
  const [unknown] = await workspace
    .select({ purpose: uploads.purpose })
    .from(uploads)
    .where(and(isWaiting(now), notInArray(uploads.purpose, [...names])))
    .limit(1);
  if (unknown !== undefined) log("warn", "uploads.purpose-unknown", { purpose: unknown.purpose });
}
