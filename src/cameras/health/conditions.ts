import { and, asc, eq, gt, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { WorkspaceDatabase } from "../../platform/db/database";
import { MAX_CONDITIONS_PER_KIND, MAX_WINDOW_CAUSE_MS } from "../limits";
import { openPeriods, type Schedule } from "../schedule";
import { CONDITIONS, type ConditionDetail, type ConditionKind, cameraConditions, type Silence } from "../tables";

type Write = Pick<Context, "workspace" | "now">;

/** The settings of a camera that can explain missing images. */
type Expectation = Schedule & { id: string; isPaused: boolean };

/** Records that a condition of a camera began. A repeat changes nothing. */
export function beginCondition(
  { workspace }: Write,
  change: Change,
  cameraId: string,
  kind: ConditionKind,
  startedAt: number,
  detail: ConditionDetail = {},
): void {
  change.add(workspace.insert(cameraConditions).values({ cameraId, kind, startedAt, detail }).onConflictDoNothing());
}

/** Records that a condition of a camera ended. */
export function endCondition(
  { workspace }: Write,
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
  change.add(workspace.update(cameraConditions).set({ endedAt }).where(open));
}

const windowOf = ({ captureWindow, timeZone }: Schedule): ConditionDetail | null =>
  captureWindow === null ? null : { captureWindow, timeZone };

/** Records pauses and capture windows that begin or end with a change of settings. `before` is null for a new camera. */
export function recordSettings(context: Write, change: Change, before: Expectation | null, after: Expectation): void {
  const { now } = context;
  const { id } = after;
  if (after.isPaused && before?.isPaused !== true) beginCondition(context, change, id, "paused", now);
  if (!after.isPaused && before?.isPaused === true) endCondition(context, change, id, "paused", now);
  const [was, is] = [before && windowOf(before), windowOf(after)];
  if (JSON.stringify(was) === JSON.stringify(is)) return;
  if (was !== null) endCondition(context, change, id, "window", now);
  if (is !== null) beginCondition(context, change, id, "window", now, is);
}

/** The reason for missing images in a period; milliseconds since the epoch. */
export interface Cause {
  kind: "paused" | "outside-window" | Silence;
  fromMs: number;
  toMs: number;
  /** The error code that the device reported with a camera fault. */
  errorCode: string | null;
}

type Condition = typeof cameraConditions.$inferSelect;

/**
 * The recorded conditions of a camera between two times: for each kind, the condition that was open at the beginning
 * and the conditions that began later. Each kind costs one index seek and its rows.
 */
export async function conditionsBetween(
  workspace: WorkspaceDatabase,
  { id }: { id: string },
  fromMs: number,
  toMs: number,
): Promise<Condition[]> {
  const of = (kind: ConditionKind) => {
    const mine = and(eq(cameraConditions.cameraId, id), eq(cameraConditions.kind, kind));
    const first = sql`coalesce((SELECT max(earlier.started_at) FROM ${cameraConditions} AS earlier
      WHERE earlier.camera_id = ${id} AND earlier.kind = ${kind} AND earlier.started_at <= ${fromMs}), ${fromMs})`;
    const startsInside = and(gte(cameraConditions.startedAt, first), lt(cameraConditions.startedAt, toMs));
    const isOver = or(isNull(cameraConditions.endedAt), gt(cameraConditions.endedAt, fromMs));
    return workspace
      .select()
      .from(cameraConditions)
      .where(and(mine, startsInside, isOver))
      .orderBy(asc(cameraConditions.startedAt))
      .limit(MAX_CONDITIONS_PER_KIND);
  };
  const found = await workspace.batch([of("paused"), of("window"), of("offline"), of("camera-fault")]);
  return found.flat();
}

/**
 * The recorded conditions of several cameras since a time: for each kind, the condition that was open then and the
 * later conditions.
 */
export async function conditionsOfCameras(
  workspace: WorkspaceDatabase,
  cameraIds: readonly string[],
  fromMs: number,
): Promise<Condition[]> {
  const first = sql`coalesce((SELECT max(earlier.started_at) FROM ${cameraConditions} AS earlier
    WHERE earlier.camera_id = named.value AND earlier.kind = kinds.value AND earlier.started_at <= ${fromMs}), ${fromMs})`;
  const ofKind = and(eq(cameraConditions.cameraId, sql`named.value`), eq(cameraConditions.kind, sql`kinds.value`));
  const rows = await workspace
    .select({ condition: cameraConditions })
    .from(
      sql`json_each(${JSON.stringify(cameraIds)}) AS named CROSS JOIN json_each(${JSON.stringify(CONDITIONS)}) AS kinds`,
    )
    .crossJoin(cameraConditions)
    .where(
      and(
        ofKind,
        gte(cameraConditions.startedAt, first),
        or(isNull(cameraConditions.endedAt), gt(cameraConditions.endedAt, fromMs)),
      ),
    );
  return rows.map(({ condition }) => condition);
}

/** The periods of [from, to) outside a window. */
function* closedPeriods(schedule: Schedule, from: number, to: number): Generator<{ from: number; to: number }> {
  let at = from;
  for (const open of openPeriods(schedule, from, to)) {
    if (open.from > at) yield { from: at, to: open.from };
    at = open.to;
  }
  if (at < to) yield { from: at, to };
}

/** The reasons for missing images in [fromMs, toMs), from recorded conditions, in order of time. Kinds may overlap. */
export function causesWithin(conditions: readonly Condition[], fromMs: number, toMs: number): Cause[] {
  const causes: Cause[] = [];
  for (const { kind, startedAt, endedAt, detail } of conditions) {
    const [from, to] = [Math.max(startedAt, fromMs), Math.min(endedAt ?? toMs, toMs)];
    if (from >= to) continue;
    const { captureWindow, timeZone } = detail;
    if (kind !== "window") {
      causes.push({ kind, fromMs: from, toMs: to, errorCode: detail.errorCode ?? null });
    } else if (captureWindow !== undefined && timeZone !== undefined && to - from <= MAX_WINDOW_CAUSE_MS) {
      for (const closed of closedPeriods({ captureWindow, timeZone }, from, to))
        causes.push({ kind: "outside-window", fromMs: closed.from, toMs: closed.to, errorCode: null });
    }
  }
  return causes.sort((a, b) => a.fromMs - b.fromMs || a.toMs - b.toMs);
}

/**
 * The recorded reasons for missing images of a camera in [fromMs, toMs), in order of time. Kinds may overlap. For many gaps,
 * read `conditionsBetween` once and call `causesWithin` for each gap.
 */
export const causesBetween = async (
  workspace: WorkspaceDatabase,
  camera: { id: string },
  fromMs: number,
  toMs: number,
): Promise<Cause[]> => causesWithin(await conditionsBetween(workspace, camera, fromMs, toMs), fromMs, toMs);
