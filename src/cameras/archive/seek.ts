import { and, asc, desc, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { type PresentedCapture, type PublishedCapture, presentedColumns, visibleCaptures } from "../captures";
import { MAX_SEEK_POINTS } from "../limits";
import { cameraCaptures } from "../tables";
import type { Archive } from "./archive";

export const DIRECTIONS = ["nearest", "older", "newer"] as const;

/** The start of a search: a moment, or a capture, by time and id, from which to step. Milliseconds since the epoch. */
export type Seek =
  | { direction: "nearest"; at: number }
  | { direction: "older" | "newer"; at: number; captureId: string };

/** The nearest capture, or the next one in a direction; null when there is none. */
export async function seek(context: Context, archive: Archive, seek: Seek): Promise<PresentedCapture | null> {
  if (seek.direction !== "nearest") return step(context, archive, seek);
  const [capture] = await nearestCaptures(context, archive, [seek]);
  if (!capture) return null;
  const { workspace, now } = context;
  const [row] = await workspace
    .select(presentedColumns)
    .from(cameraCaptures)
    .where(
      and(
        visibleCaptures(archive.camera, archive.locationId, now),
        eq(cameraCaptures.capturedAt, capture.capturedAt),
        eq(cameraCaptures.id, capture.id),
      ),
    );
  return row ?? null;
}

/** SQL that compares with a position in the archive's order: capture time, then id. */
export const isBeyond = (direction: "older" | "newer", at: number, captureId: string): SQL => {
  const place = sql`(${cameraCaptures.capturedAt}, ${cameraCaptures.id})`;
  return direction === "older" ? sql`${place} < (${at}, ${captureId})` : sql`${place} > (${at}, ${captureId})`;
};

async function step(
  { workspace, now }: Context,
  { camera, locationId }: Archive,
  { direction, at, captureId }: Seek & { direction: "older" | "newer" },
): Promise<PresentedCapture | null> {
  const [order, since] = direction === "older" ? [desc, undefined] : [asc, at];
  const [row] = await workspace
    .select(presentedColumns)
    .from(cameraCaptures)
    .where(and(visibleCaptures(camera, locationId, now, since), isBeyond(direction, at, captureId)))
    .orderBy(order(cameraCaptures.capturedAt), order(cameraCaptures.id))
    .limit(1);
  return row ?? null;
}

/** A moment, and the range of capture times (both ends included) to search for the nearest capture; milliseconds since the epoch. */
export interface Point {
  at: number;
  from?: number | undefined;
  to?: number | undefined;
}

/** A capture by its position in the archive's order. */
export interface CapturePosition {
  id: string;
  capturedAt: number;
}

const EARLIEST = Number.MIN_SAFE_INTEGER;
const LATEST = Number.MAX_SAFE_INTEGER;

/**
 * The capture nearest to each point, in the order of the points; null when there is none. If two captures are equally near,
 * the earlier counts; if captures have the same time, the lowest id counts.
 * @throws RangeError for more than MAX_SEEK_POINTS.
 */
export async function nearestCaptures(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  { camera, locationId }: Archive,
  points: readonly Point[],
): Promise<(CapturePosition | null)[]> {
  if (points.length > MAX_SEEK_POINTS) throw new RangeError(`${points.length} points in one statement`);
  const visibleSince = (since: SQL) => visibleCaptures(camera, locationId, now, since);
  const wanted = JSON.stringify(points.map(({ at, from = EARLIEST, to = LATEST }) => [at, from, to]));
  const rows = await workspace.all<{ i: number; id: string; found: number }>(sql`
    WITH points AS MATERIALIZED (
      SELECT key AS i, value ->> 0 AS at, value ->> 1 AS lo, value ->> 2 AS hi FROM json_each(${wanted})
    ), sides AS MATERIALIZED (
      SELECT i, at,
        (SELECT captured_at FROM ${cameraCaptures} WHERE ${visibleSince(sql`lo`)} AND captured_at <= min(at, hi)
          ORDER BY captured_at DESC LIMIT 1) AS older,
        (SELECT captured_at FROM ${cameraCaptures} WHERE ${visibleSince(sql`max(at + 1, lo)`)} AND captured_at <= hi
          ORDER BY captured_at LIMIT 1) AS newer
      FROM points
    ), nearest AS MATERIALIZED (
      SELECT i, CASE WHEN newer IS NULL OR at - older <= newer - at THEN older ELSE newer END AS found FROM sides
    )
    SELECT i, found, (SELECT id FROM ${cameraCaptures} WHERE ${visibleSince(sql`found`)} AND captured_at = found ORDER BY id LIMIT 1) AS id
    FROM nearest WHERE found IS NOT NULL`);
  const captures: (CapturePosition | null)[] = points.map(() => null);
  for (const { i, id, found } of rows) captures[i] = { id, capturedAt: found };
  return captures;
}

/** The rows of captures by id. Captures that are no longer visible are left out. */
export async function readCaptures(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  { camera, locationId }: Archive,
  ids: readonly string[],
): Promise<Map<string, PublishedCapture>> {
  // The order of this cross join makes the planner look ids up instead of scanning the archive.
  const wanted = sql`json_each(${JSON.stringify(ids)}) AS wanted`;
  const rows = await workspace
    .select(getTableColumns(cameraCaptures))
    .from(wanted)
    .crossJoin(cameraCaptures)
    .where(and(sql`${cameraCaptures.id} = wanted.value`, visibleCaptures(camera, locationId, now)));
  return new Map(rows.map((row) => [row.id, row]));
}

interface HistoryQuery {
  /** Only images taken before this time, milliseconds since the epoch. */
  before?: number | undefined;
  /** With `before`, the last item of the previous page. The page then includes images of the same time that follow it. */
  beforeId?: string | undefined;
  limit: number;
}

/** One page of an archive, newest first. */
export async function readHistory(
  { workspace, now }: Context,
  { camera, locationId }: Archive,
  { before, beforeId, limit }: HistoryQuery,
): Promise<{ rows: PresentedCapture[]; hasNextPage: boolean }> {
  const after =
    before === undefined
      ? undefined
      : beforeId === undefined
        ? lt(cameraCaptures.capturedAt, before)
        : isBeyond("older", before, beforeId);
  const rows = await workspace
    .select(presentedColumns)
    .from(cameraCaptures)
    .where(and(visibleCaptures(camera, locationId, now), after))
    .orderBy(desc(cameraCaptures.capturedAt), desc(cameraCaptures.id))
    .limit(limit + 1);
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit };
}
