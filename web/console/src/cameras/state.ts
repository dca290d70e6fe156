import { STATE } from "#texts/cameras.ts";
import { byName } from "#texts/language.ts";
import type { WallCamera } from "../../../../client/src/index.ts";
import { afterOpen, isOpen, nextOpening } from "../../../../src/cameras/schedule.ts";
import { roughLengthOf, zonedTimeOf } from "../../../ui/format.ts";
import { isHeard } from "./checks.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Number of intervals without a picture after which a camera is late, and after which it is silent. */
const [INTERVALS_UNTIL_LATE, INTERVALS_UNTIL_SILENT] = [2, 3];
/** Maximum time ahead in which the schedule is searched. */
const HORIZON_MS = 60 * 24 * HOUR_MS;

export type Health = "silent" | "late" | "good" | "calm";

/** The groups that the wall counts: the health of a camera that should work, or the reason why it need not. */
type Kind = Exclude<Health, "calm"> | "retired" | "revoked" | "paused" | "unpaired" | "closed" | "waiting";

export interface CameraState {
  health: Health;
  kind: Kind;
  /** The time of its newest picture, in words. */
  age: string;
  /** The reason why there is no newer picture; null if the camera works. */
  why: string | null;
}

type Known = Pick<
  WallCamera,
  | "captureIntervalMinutes"
  | "captureWindow"
  | "device"
  | "lastCaptureAtUtc"
  | "lastSeenAtUtc"
  | "pairing"
  | "silence"
  | "status"
  | "timeZone"
>;

/** The state of a camera at a moment: the fault in words, or none. */
export function stateOf(camera: Known, now: number): CameraState {
  const { captureWindow, timeZone, silence, status, pairing, device } = camera;
  const last = camera.lastCaptureAtUtc === null ? null : Date.parse(camera.lastCaptureAtUtc);
  const age = last === null ? STATE.noPicture : now - last < 90_000 ? STATE.now : STATE.ago(roughLengthOf(now - last));
  const lastAt = last === null ? STATE.noPicture : STATE.lastAt(zonedTimeOf(last, timeZone, now));
  const calm = (kind: Kind, why: string): CameraState => ({ health: "calm", kind, age: lastAt, why });
  const working = (health: Exclude<Health, "calm">, said: string, why: string | null): CameraState => ({
    health,
    kind: health,
    age: said,
    why,
  });
  const fault = (length: string) => STATE.fault(length, device?.errorCode ?? null);
  const silentFor = isHeard(camera.lastSeenAtUtc, now) ? fault : STATE.offline;
  if (status === "retired") return calm("retired", STATE.retired);
  if (status === "revoked") return calm("revoked", STATE.revoked);
  if (status === "paused") return calm("paused", STATE.paused);
  if (pairing !== "paired" && last === null)
    return calm("unpaired", pairing === "pending" ? STATE.pending : STATE.unpaired);
  if (silence !== null) {
    const length = roughLengthOf(now - Date.parse(silence.sinceUtc));
    return working("silent", lastAt, silence.cause === "offline" ? STATE.offline(length) : fault(length));
  }
  const schedule = { captureWindow, timeZone };
  if (!isOpen(schedule, now)) {
    const opens = nextOpening(schedule, now, HORIZON_MS);
    return calm("closed", STATE.closed(opens === null ? null : zonedTimeOf(opens, timeZone, now)));
  }
  if (last === null) return calm("waiting", STATE.waiting);
  const intervalMs = camera.captureIntervalMinutes * MINUTE_MS;
  const due = (intervals: number) => afterOpen(schedule, last, intervals * intervalMs, HORIZON_MS);
  if (now >= due(INTERVALS_UNTIL_SILENT) && (device?.queueCount ?? 0) === 0)
    return working("silent", lastAt, silentFor(roughLengthOf(now - last)));
  if (now >= due(INTERVALS_UNTIL_LATE)) return working("late", age, STATE.late(device?.queueCount ?? 0));
  return working("good", age, null);
}

const RANK: Record<Health, number> = { silent: 0, late: 1, good: 2, calm: 3 };

/** A camera of a list, with its state at this moment. */
export interface ShownCamera {
  camera: WallCamera;
  state: CameraState;
}

/** Sorts by state: silent cameras first, and cameras of the same state by name. */
export const byTrouble = (a: ShownCamera, b: ShownCamera): number =>
  RANK[a.state.health] - RANK[b.state.health] || byName(a.camera.name, b.camera.name);

export const isTrouble = ({ health }: Pick<CameraState, "health">): boolean => RANK[health] < 2;
