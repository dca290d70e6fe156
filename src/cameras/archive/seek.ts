import { and, asc, desc, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { CaptureRow } from "../find";
import { cameraCaptures } from "../tables";
import { visibleCaptures } from "../visibility";
import type { Archive } from "./archive";
import { nearestFrames, readFrames } from "./nearest";

export const DIRECTIONS = ["nearest", "older", "newer"] as const;

/** Where to look from: a moment, or a frame by its time and id to step away from; milliseconds since the epoch. */
export type Seek =
  | { direction: "nearest"; at: number }
  | { direction: "older" | "newer"; at: number; captureId: string };

/** The nearest frame, or the next one in a direction; null in an empty archive and beyond its edges. */
export async function seek(context: Context, archive: Archive, seek: Seek): Promise<CaptureRow | null> {
  if (seek.direction !== "nearest") return step(context, archive, seek);
  const [frame] = await nearestFrames(context, archive, [seek]);
  if (!frame) return null;
  return (await readFrames(context, archive, [frame.id])).get(frame.id) ?? null;
}

/** Archives are ordered by capture time, then id: this compares with one place in that order. */
export const beyond = (direction: "older" | "newer", at: number, captureId: string): SQL => {
  const place = sql`(${cameraCaptures.capturedAt}, ${cameraCaptures.id})`;
  return direction === "older" ? sql`${place} < (${at}, ${captureId})` : sql`${place} > (${at}, ${captureId})`;
};

async function step(
  { db, now }: Context,
  { camera, locationId }: Archive,
  { direction, at, captureId }: Seek & { direction: "older" | "newer" },
): Promise<CaptureRow | null> {
  const [order, since] = direction === "older" ? [desc, undefined] : [asc, at];
  const [row] = await db
    .select()
    .from(cameraCaptures)
    .where(and(visibleCaptures(camera, locationId, now, since), beyond(direction, at, captureId)))
    .orderBy(order(cameraCaptures.capturedAt), order(cameraCaptures.id))
    .limit(1);
  return row ?? null;
}
