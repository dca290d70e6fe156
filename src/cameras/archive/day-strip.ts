import type { Context } from "../../platform/context";
import { daysFrom, type LocalDay, momentOf, nextDay } from "../../platform/local-time";
import type { CaptureRow } from "../find";
import type { Archive } from "./archive";
import { nearestFrames, readFrames } from "./nearest";

/** Days of one strip. */
export const MOST_DAYS = 366;

export interface StripQuery {
  /** IANA name of the zone whose days and clock are meant. */
  timeZone: string;
  /** First and last day, both included. */
  from: LocalDay;
  to: LocalDay;
  /** Minutes after midnight on the clock. */
  minute: number;
}

export interface StripDay {
  day: LocalDay;
  /** When the clock shows the time on that day, milliseconds since the epoch. */
  at: number;
  capture: CaptureRow | null;
}

/**
 * Of each day the frame nearest to a time on the clock, among those of that very day; null of a day without one.
 * Where the clock skips the time, it is moved on by what was skipped; where it shows it twice, the first counts.
 */
export async function readStrip(context: Context, archive: Archive, query: StripQuery): Promise<StripDay[]> {
  const { timeZone, minute } = query;
  const points = daysFrom(query.from, query.to).map((day) => ({
    day,
    at: momentOf(timeZone, day, minute),
    from: momentOf(timeZone, day, 0),
    to: momentOf(timeZone, nextDay(day), 0) - 1,
  }));
  const frames = await nearestFrames(context, archive, points);
  const rows = await readFrames(
    context,
    archive,
    frames.flatMap((frame) => frame?.id ?? []),
  );
  return points.map(({ day, at }, i) => ({ day, at, capture: rows.get(frames[i]?.id ?? "") ?? null }));
}
