import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { Schedule } from "../schedule";
import { type ConditionDetail, type ConditionKind, cameraConditions } from "./tables";

type Write = Pick<Context, "db" | "now">;

/** What of a camera's settings explains that no images come. */
export type Expectation = Schedule & { id: string; isPaused: boolean };

/** Remembers a condition of a camera from `startedAt` on, unless it is remembered already. */
export function beginCondition(
  { db }: Write,
  change: Change,
  cameraId: string,
  kind: ConditionKind,
  startedAt: number,
  detail: ConditionDetail = {},
): void {
  change.add(db.insert(cameraConditions).values({ cameraId, kind, startedAt, detail }).onConflictDoNothing());
}

/** Remembers that a condition of a camera is over since `endedAt`. */
export function endCondition(
  { db }: Write,
  change: Change,
  cameraId: string,
  kind: ConditionKind,
  endedAt: number,
): void {
  const open = and(
    eq(cameraConditions.cameraId, cameraId),
    eq(cameraConditions.kind, kind),
    isNull(cameraConditions.endedAt),
  );
  change.add(db.update(cameraConditions).set({ endedAt }).where(open));
}

const windowOf = ({ captureWindow, timeZone }: Schedule): ConditionDetail | null =>
  captureWindow === null ? null : { captureWindow, timeZone };

/** Remembers with this change what a camera's settings say of when images are due; `before` is null for a new camera. */
export function rememberSettings(context: Write, change: Change, before: Expectation | null, after: Expectation): void {
  const { now } = context;
  const { id } = after;
  if (after.isPaused && before?.isPaused !== true) beginCondition(context, change, id, "paused", now);
  if (!after.isPaused && before?.isPaused === true) endCondition(context, change, id, "paused", now);
  const [was, is] = [before && windowOf(before), windowOf(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return;
  if (was !== null) endCondition(context, change, id, "window", now);
  if (is !== null) beginCondition(context, change, id, "window", now, is);
}
