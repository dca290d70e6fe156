import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { DAY, MINUTE } from "../../platform/time";
import { retainedAfterOfCamera } from "../captures";
import { causesWithin, conditionsOfCameras } from "../health";
import { INTERVALS_UNTIL_SILENT } from "../limits";
import { cameraAssignments, cameraCaptures, cameras } from "../tables";
import { causeOf, DAY_PART, DAY_PARTS, type Gap, type GapCause, leastSilence } from "./timeline";

const ends = z.array(z.object({ camera: z.string(), interval: z.int(), start: z.int(), end: z.int() }));

/** The time without images of one camera in the last 24 hours. */
export interface LastDay {
  from: number;
  to: number;
  gaps: (Gap & { cause: GapCause })[];
}

/**
 * The gaps in the last 24 hours of cameras at their current locations, by camera id. Two index seeks at each border
 * between two parts of the day find every silence that is as long as a part; a camera whose gaps are always longer is
 * looked up only at every second or third border. The time before the camera came to its location is no gap. Access was
 * checked.
 */
export async function lastDayOf(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  cameraIds: readonly string[],
): Promise<Map<string, LastDay>> {
  const from = now - DAY;
  const borders = Array.from({ length: DAY_PARTS + 1 }, (_, i) => from + i * DAY_PART);
  const visible = and(eq(cameraCaptures.cameraId, cameras.id), eq(cameraCaptures.locationId, cameras.locationId));
  const begin = sql`max(${cameraAssignments.startedAt}, ${from})`;
  const since = sql`max(${retainedAfterOfCamera(now)}, ${from} - 1)`;
  const leastGap = sql`max(${DAY_PART}, ${INTERVALS_UNTIL_SILENT * MINUTE} * ${cameras.captureIntervalMinutes})`;
  const found = await workspace.all(sql`
    SELECT DISTINCT ${cameras.id} AS camera, ${cameras.captureIntervalMinutes} AS interval,
      max(${begin}, coalesce((SELECT max(captured_at) FROM ${cameraCaptures} WHERE ${visible}
        AND captured_at > ${since} AND captured_at < borders.value), 0)) AS start,
      coalesce((SELECT min(captured_at) FROM ${cameraCaptures} WHERE ${visible}
        AND captured_at > max(${since}, borders.value - 1)), ${now}) AS end
    FROM ${cameras} CROSS JOIN ${cameraAssignments} CROSS JOIN json_each(${JSON.stringify(borders)}) AS borders
    WHERE ${inSet(cameras.id, cameraIds)} AND ${cameraAssignments.cameraId} = ${cameras.id}
      AND ${cameraAssignments.generation} = ${cameras.assignmentGeneration}
      AND borders.key % (${leastGap} / ${DAY_PART}) = 0`);
  const conditions = Map.groupBy(await conditionsOfCameras(workspace, cameraIds, from), ({ cameraId }) => cameraId);
  const days = new Map<string, LastDay>(cameraIds.map((id) => [id, { from, to: now, gaps: [] }]));
  for (const { camera, interval, start, end } of ends.parse(found)) {
    if (end - start < leastSilence(interval)) continue;
    const cause = causeOf({ start, end }, causesWithin(conditions.get(camera) ?? [], start, end));
    days.get(camera)?.gaps.push({ start, end, cause });
  }
  for (const { gaps } of days.values()) gaps.sort((a, b) => a.start - b.start);
  return days;
}
