import { and, asc, eq, gt, lte, or, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { complete, continueLater, type RecurringHandler } from "../../platform/jobs/handlers";
import {
  abandonCaptures,
  allKeys,
  areCaptures,
  formKeys,
  keyOf,
  type PlacedCapture,
  removeCaptures,
  selectCaptures,
} from "../capture-rows";
import { rejectedKey, STAGING_PREFIX, stagingKey } from "../captures";
import {
  ENDED_OPERATION_RETENTION,
  FRAMES_CLEANED_PER_SLICE,
  GIVEN_UP_AFTER_MS,
  REJECTED_RETENTION,
  STAGING_RETENTION_MS,
} from "../limits";
import { cameraFrames, cameraPlaces } from "../tables";

/** The work on a capture when its time has come. */
type Step =
  /** The operation of the capture ends without a verdict. */
  | { kind: "end" }
  /** The capture and its objects are deleted. */
  | { kind: "remove" }
  /** The objects with these keys are deleted. Then nothing is left to do until `dueAt`. */
  | { kind: "clean"; keys: readonly string[]; dueAt: number | null; isGone: boolean };

const isDue = (now: number): SQL => lte(cameraFrames.dueAt, now);

/** The next step of a capture that is due at `now`, milliseconds since the epoch. */
function stepOf(found: PlacedCapture, now: number): Step {
  const { status, receivedAt, finishedAt, deletedAt } = found.capture;
  const ended = finishedAt ?? now;
  const clean = (keys: readonly string[], dueAt: number | null = null, isGone = false): Step =>
    now < (dueAt ?? Number.POSITIVE_INFINITY) ? { kind: "clean", keys, dueAt, isGone } : { kind: "remove" };
  switch (status) {
    case "pending":
      return { kind: "end" };
    case "verifying":
      return now < receivedAt + GIVEN_UP_AFTER_MS ? clean([], receivedAt + GIVEN_UP_AFTER_MS) : { kind: "end" };
    case "completed":
      return deletedAt === null
        ? clean([stagingKey(keyOf(found)), rejectedKey(keyOf(found))])
        : clean(allKeys(found), null, true);
    case "rejected":
      return clean([stagingKey(keyOf(found)), ...formKeys(found)], ended + REJECTED_RETENTION);
    default:
      return clean(allKeys(found), ended + ENDED_OPERATION_RETENTION);
  }
}

/** Adds the end of cleaned captures to `change`. A capture that has changed meanwhile keeps its time and is looked at again. */
function recordCleaned(
  change: Change,
  cleaned: readonly { capture: PlacedCapture["capture"]; step: Step & { kind: "clean" } }[],
) {
  for (const isAbandoned of [false, true]) {
    const rows = cleaned.filter(({ capture }) => capture.isAbandoned === isAbandoned);
    if (rows.length === 0) continue;
    const ids = rows.map(({ capture }) => capture.id);
    const next = rows.map(({ capture, step }) => [capture.id, capture.dueAt, step.dueAt, step.isGone ? 1 : 0]);
    // Only a deleted image stops counting: a statement that names the bytes would run the triggers for the others too.
    for (const isGone of [0, 1]) {
      const part = next.filter(([, , , gone]) => gone === isGone);
      if (part.length === 0) continue;
      change.add(sql`UPDATE ${cameraFrames} SET due_at = j.value ->> 2 ${isGone === 1 ? sql`, charged_bytes = 0` : sql``}
        FROM json_each(${JSON.stringify(part)}) AS j
        WHERE ${areCaptures(ids, isAbandoned)} AND ${cameraFrames.id} = j.value ->> 0 AND ${cameraFrames.dueAt} = j.value ->> 1`);
    }
  }
}

/**
 * Looks at the captures that are due: it ends operations that waited too long, deletes what addresses and workers left in the
 * bucket, and forgets rejected and abandoned captures when their retention ends. A usual capture is never due.
 */
export const cleanCaptures: RecurringHandler<"clean-frames"> = {
  hasWork: ({ now }) => sql`EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${isDue(now)})`,
  async run(given) {
    const context: Context = { ...given, now: Date.now() };
    const { now, objects } = context;
    const due = await selectCaptures(context.workspace)
      .where(and(isDue(now), isHere(cameraPlaces.tenantId)))
      .orderBy(asc(cameraFrames.dueAt))
      .limit(FRAMES_CLEANED_PER_SLICE);
    if (due.length === 0) return complete();
    const steps = due.map((found) => ({ ...found, step: stepOf(found, now) }));
    const ending = steps.filter(({ step }) => step.kind === "end").map(({ capture }) => capture.id);
    const cleaned = steps.flatMap(({ capture, step }) => (step.kind === "clean" ? [{ capture, step }] : []));
    const change = beginChange(
      context,
      due.map(({ place }) => place.tenantId),
    );
    await objects.remove(cleaned.flatMap(({ step }) => step.keys));
    recordCleaned(change, cleaned);
    // An operation that was completed in the meantime continues.
    const isStillLate = or(eq(cameraFrames.status, "pending"), lte(cameraFrames.receivedAt, now - GIVEN_UP_AFTER_MS));
    if (ending.length > 0) abandonCaptures(context, change, and(areCaptures(ending, false), isStillLate), "expired");
    await removeCaptures(
      context,
      change,
      steps.filter(({ step }) => step.kind === "remove"),
    );
    return due.length < FRAMES_CLEANED_PER_SLICE ? complete(change) : continueLater(null, { change });
  },
};

const stagingCursor = z.string().nullable();

/**
 * Deletes staged bytes that nobody needs any more. A verification deletes the bytes of its image. Bytes stay only if
 * its worker died directly after the verdict, or if the device sent them once more. The bucket itself lists them, so
 * that a usual image needs no row and no second look. One slice reads one page of the list.
 */
export const clearStaging: RecurringHandler<"clear-staging"> = {
  // A workspace that has moved can leave bytes in a bucket of its former database.
  hasWork: ({ stores }) =>
    stores.all.length > 1
      ? sql`1`
      : sql`EXISTS (SELECT 1 FROM ${cameraPlaces} WHERE ${gt(cameraPlaces.locationId, "")})`,
  async run({ objects, now }, { state }) {
    const page = await objects.list(STAGING_PREFIX, stagingCursor.parse(state));
    const old = page.objects.filter(({ writtenAt }) => writtenAt <= now - STAGING_RETENTION_MS);
    await objects.remove(old.map(({ key }) => key));
    return page.next === null ? complete() : continueLater(page.next);
  },
};
