import { asc } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { CaptureRow } from "../find";
import { cameraCaptures } from "../tables";
import type { Archive } from "./archive";
import { type Frame, nearestFrames, readFrames } from "./nearest";
import { type Range, visibleInRange } from "./range";
import { spreadFrames } from "./spread";

/** Frames one call chooses. */
export const MOST_FRAMES = 1_000;

/**
 * At most `count` frames of a range, evenly chosen and in order of time; all of them where there are no more.
 * @throws RangeError when `count` is more than MOST_FRAMES.
 */
export async function evenFrames(
  context: Context,
  archive: Archive,
  range: Range,
  count: number,
): Promise<CaptureRow[]> {
  const frames = await chooseFrames(context, archive, range, count);
  const rows = await readFrames(
    context,
    archive,
    frames.map(({ id }) => id),
  );
  return frames.flatMap(({ id }) => rows.get(id) ?? []);
}

async function chooseFrames(context: Context, archive: Archive, range: Range, count: number): Promise<Frame[]> {
  if (count > MOST_FRAMES) throw new RangeError(`${count} frames in one call`);
  const head = await context.db
    .select({ id: cameraCaptures.id, capturedAt: cameraCaptures.capturedAt })
    .from(cameraCaptures)
    .where(visibleInRange(archive, context.now, range))
    .orderBy(asc(cameraCaptures.capturedAt), asc(cameraCaptures.id))
    .limit(count + 1);
  const [first] = head;
  if (head.length <= count || first === undefined) return head;
  const find = (points: Parameters<typeof nearestFrames>[2]) =>
    nearestFrames(
      context,
      archive,
      points.map((point) => ({ ...range, ...point })),
    );
  const [last] = await find([{ at: range.to ?? Number.MAX_SAFE_INTEGER - 1 }]);
  return spreadFrames(find, first, last ?? first, count);
}
