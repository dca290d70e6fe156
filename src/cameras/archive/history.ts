import { and, desc, lt } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { CaptureRow } from "../find";
import { cameraCaptures } from "../tables";
import { visibleCaptures } from "../visibility";
import type { Archive } from "./archive";
import { beyond } from "./seek";

export const DEFAULT_HISTORY = 50;
export const LARGEST_HISTORY = 200;

export interface HistoryQuery {
  /** Only what was taken before this, milliseconds since the epoch. */
  before?: number | undefined;
  /** With `before` the last item of the page before: what was taken at the same time and comes after it counts, too. */
  beforeId?: string | undefined;
  limit: number;
}

/** One page of an archive, newest first. */
export async function readHistory(
  { db, now }: Context,
  { camera, locationId }: Archive,
  { before, beforeId, limit }: HistoryQuery,
): Promise<{ rows: CaptureRow[]; hasNextPage: boolean }> {
  const after =
    before === undefined
      ? undefined
      : beforeId === undefined
        ? lt(cameraCaptures.capturedAt, before)
        : beyond("older", before, beforeId);
  const rows = await db
    .select()
    .from(cameraCaptures)
    .where(and(visibleCaptures(camera, locationId, now), after))
    .orderBy(desc(cameraCaptures.capturedAt), desc(cameraCaptures.id))
    .limit(limit + 1);
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit };
}
