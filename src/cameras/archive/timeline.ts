import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { DAY, MINUTE } from "../../platform/time";
import type { PublishedCapture } from "../captures";
import { retainedAfter, visibleCaptures } from "../captures";
import { type Cause, causesWithin, conditionsBetween } from "../health";
import { INTERVALS_UNTIL_SILENT, MAX_CACHED_TIMELINES, MAX_TIMELINE_GAPS, TIMELINE_CACHE_LIFETIME_MS } from "../limits";
import { cameraAssignments, cameraCaptures } from "../tables";
import { type Archive, type Range, visibleInRange } from "./archive";

/** Number of equal parts of the last day. */
export const DAY_PARTS = 48;
export const DAY_PART: number = DAY / DAY_PARTS;

/**
 * Length from which a camera's time without images is a gap on the strip of its last day, and in its archive while it
 * lasts: three intervals, and at least half an hour. Milliseconds.
 */
export const leastSilence = (captureIntervalMinutes: number): number =>
  Math.max(DAY_PART, INTERVALS_UNTIL_SILENT * captureIntervalMinutes * MINUTE);

export interface Timeline {
  first: PublishedCapture | null;
  last: PublishedCapture | null;
  /** In order of time, each with its cause. */
  gaps: (Gap & { cause: GapCause })[];
  /** The time from the last capture until now; null unless it is a gap already. */
  openGap: (Gap & { cause: GapCause }) | null;
}

const times = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));
const silences = z.array(z.object({ start: z.int(), end: z.int(), before: times, after: times }));

/**
 * The first and last capture of an archive or of a range of it, and the gaps between them. An archive of any size costs
 * a few thousand index seeks: two at each border between bins, because each gap crosses a border.
 */
export async function readTimeline(
  { workspace, now }: Context,
  archive: Archive,
  range: Range = {},
): Promise<Timeline> {
  const visible = visibleInRange(archive, now, range);
  const end = (order: typeof asc) =>
    workspace
      .select()
      .from(cameraCaptures)
      .where(visible)
      .orderBy(order(cameraCaptures.capturedAt), order(cameraCaptures.id))
      .limit(1);
  const [[first], [last]] = await workspace.batch([end(asc), end(desc)]);
  if (first === undefined || last === undefined) return { first: null, last: null, gaps: [], openGap: null };
  const gaps = largestGaps(await longSilences({ workspace, now }, archive, first.capturedAt, last.capturedAt));
  const isWhole = range.from === undefined && range.to === undefined;
  const silence = isWhole ? presentSilence(archive, last.capturedAt, now) : null;
  const stays = gaps.length > 0 || silence !== null ? await staysAt({ workspace }, archive) : [];
  const open = silence && sinceArrival(silence, archive, stays);
  const explained = await explainGaps({ workspace }, archive, stays, open === null ? gaps : [...gaps, open]);
  return { first, last, gaps: explained.slice(0, gaps.length), openGap: explained[gaps.length] ?? null };
}

/** The time since the last capture if it is a gap; null otherwise, and while nobody expects captures in this archive. */
function presentSilence(archive: Archive, start: number, now: number): Gap | null {
  const silence = { start, end: now };
  return isExpected(archive, now) && isLong(silence, archive) ? silence : null;
}

/** The part of a silence after the camera came to its location; null if it is too short. */
function sinceArrival({ start, end }: Gap, archive: Archive, stays: readonly Stay[]): Gap | null {
  const present = stays.find(({ endedAt }) => endedAt === null);
  if (present === undefined) return null;
  const silence = { start: Math.max(start, present.startedAt), end };
  return isLong(silence, archive) ? silence : null;
}

/** Whether the camera may still take images that this archive shows. */
const isExpected = ({ camera, locationId }: Archive, now: number): boolean =>
  camera.locationId === locationId && camera.retiredAt === null && (camera.shownUntil ?? now) >= now;

const isLong = ({ start, end }: Gap, { camera }: Archive): boolean =>
  end - start >= leastSilence(camera.captureIntervalMinutes);

async function longSilences(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  { camera, locationId }: Archive,
  first: number,
  last: number,
): Promise<Silence[]> {
  if (last - first < MIN_GAP) return [];
  const visible = visibleCaptures(camera, locationId, now);
  const visibleSince = (since: SQL) => visibleCaptures(camera, locationId, now, since);
  const neighbours = (condition: SQL | undefined, order: SQL) => sql`(
    SELECT json_group_array(captured_at) FROM (
      SELECT DISTINCT captured_at FROM ${cameraCaptures} WHERE ${condition} ORDER BY captured_at ${order} LIMIT ${NEIGHBOUR_COUNT}))`;
  const borders = Array.from(
    { length: TIME_BINS - 1 },
    (_, i) => first + Math.floor(((last - first) * (i + 1)) / TIME_BINS),
  );
  const rows = await workspace.all(sql`
    WITH silences AS MATERIALIZED (
      SELECT DISTINCT
        (SELECT captured_at FROM ${cameraCaptures} WHERE ${visible} AND captured_at < value
          ORDER BY captured_at DESC LIMIT 1) AS start,
        (SELECT captured_at FROM ${cameraCaptures} WHERE ${visibleSince(sql`value`)} ORDER BY captured_at LIMIT 1) AS end
      FROM json_each(${JSON.stringify(borders)})
    )
    SELECT start, end, ${neighbours(sql`${visible} AND captured_at <= start`, sql`DESC`)} AS before,
      ${neighbours(visibleSince(sql`end`), sql`ASC`)} AS after
    FROM silences WHERE end - start >= ${MIN_GAP}`);
  return silences.parse(rows);
}

const cache = new Map<string, { timeline: Timeline; readAt: number }>();

/** Each publication and removal changes the watermark, and so the key. */
const keyOf = ({ camera, locationId }: Archive): string =>
  `${camera.id} ${locationId} ${camera.watermark} ${camera.retentionDays} ${camera.expiredUntil} ${camera.shownUntil ?? ""}`;

/** The timeline of an archive, or of a range of it. The caller's access was checked. */
export const timelineOf = (context: Context, archive: Archive, { from, to }: Range): Promise<Timeline> =>
  from === undefined && to === undefined
    ? cachedTimeline(context, archive)
    : readTimeline(context, archive, { from, to });

/** The timeline of an archive, cached for at most thirty seconds. A publication or removal ends the cached copy. */
async function cachedTimeline(context: Context, archive: Archive): Promise<Timeline> {
  const key = keyOf(archive);
  const found = cache.get(key);
  if (found !== undefined && isFresh(found, archive, context.now)) return found.timeline;
  const timeline = await readTimeline(context, archive);
  cache.delete(key);
  const [oldest] = cache.keys();
  if (cache.size >= MAX_CACHED_TIMELINES && oldest !== undefined) cache.delete(oldest);
  cache.set(key, { timeline, readAt: context.now });
  return timeline;
}

/** A cached timeline also ends when its first capture expires. */
const isFresh = ({ timeline, readAt }: { timeline: Timeline; readAt: number }, { camera }: Archive, now: number) =>
  now - readAt < TIMELINE_CACHE_LIFETIME_MS &&
  (timeline.first === null || timeline.first.capturedAt > retainedAfter(camera, now));

/** Equal parts of an archive's time. The captures before and after each border between two parts are looked up. */
const TIME_BINS = 512;
/** A gap lasts at least this many milliseconds, and at least MIN_GAP_CADENCES times the usual interval. */
const MIN_GAP = 15 * MINUTE;
const MIN_GAP_CADENCES = 5;
/** Captures on each side of a silence from which the usual interval is computed. */
const NEIGHBOUR_COUNT = 6;

/** A silence between two consecutive captures; milliseconds since the epoch. */
export interface Gap {
  start: number;
  end: number;
}

/** A silence with the capture times nearest to it, including its own ends. */
interface Silence extends Gap {
  before: readonly number[];
  after: readonly number[];
}

/**
 * The usual interval between consecutive captures: the median, which a single outage or burst does not change. For an even
 * number of intervals it is the longer middle one. Null with fewer than two times.
 */
function cadenceOf(times: readonly number[]): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const steps = sorted.slice(1).map((time, i) => time - (sorted[i] ?? time));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? null;
}

/**
 * Whether a silence is a gap: clearly longer than the usual interval on both sides. When the interval changed, the
 * longer one counts. With a single capture on one side its interval is unknown, and the silence is no gap.
 */
function isGap({ start, end, before, after }: Silence): boolean {
  const [older, newer] = [cadenceOf(before), cadenceOf(after)];
  if (older === null || newer === null) return false;
  return end - start >= Math.max(MIN_GAP, MIN_GAP_CADENCES * Math.max(older, newer));
}

/** The largest gaps among silences, in order of time. If gaps are equally long, the earlier gaps are kept. */
function largestGaps(silences: readonly Silence[]): Gap[] {
  return silences
    .filter(isGap)
    .sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
    .slice(0, MAX_TIMELINE_GAPS)
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => ({ start, end }));
}

export const GAP_CAUSES = ["paused", "outside-window", "offline", "camera-fault", "unknown"] as const;
export type GapCause = (typeof GAP_CAUSES)[number];

/** The share of a gap's length that a cause must explain to be named. */
const MIN_EXPLAINED_SHARE = 0.5;

/** The cause that explains the largest part of a gap, or `unknown` when none explains at least half of it. */
export function causeOf({ start, end }: Gap, causes: readonly Cause[]): GapCause {
  const explained = new Map<GapCause, number>();
  for (const { kind, fromMs, toMs } of causes)
    explained.set(kind, (explained.get(kind) ?? 0) + Math.min(toMs, end) - Math.max(fromMs, start));
  const [most] = [...explained].sort(([, a], [, b]) => b - a);
  return most !== undefined && most[1] >= MIN_EXPLAINED_SHARE * (end - start) ? most[0] : "unknown";
}

type Stay = Pick<typeof cameraAssignments.$inferSelect, "startedAt" | "endedAt">;

/** The periods in which a camera was assigned to a location. */
async function staysAt(
  { workspace }: Pick<Context, "workspace">,
  { camera, locationId }: Archive,
): Promise<readonly Stay[]> {
  const there = and(eq(cameraAssignments.cameraId, camera.id), eq(cameraAssignments.locationId, locationId));
  return workspace
    .select({ startedAt: cameraAssignments.startedAt, endedAt: cameraAssignments.endedAt })
    .from(cameraAssignments)
    .where(there);
}

/** The gaps with their causes, from the conditions recorded while the camera was at the location. */
async function explainGaps(
  { workspace }: Pick<Context, "workspace">,
  { camera }: Archive,
  stays: readonly Stay[],
  gaps: readonly Gap[],
): Promise<Timeline["gaps"]> {
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const conditions = await conditionsBetween(workspace, camera, first.start, last.end);
  return gaps.map((gap) => {
    const causes = stays.flatMap(({ startedAt, endedAt }) =>
      causesWithin(conditions, Math.max(gap.start, startedAt), Math.min(gap.end, endedAt ?? gap.end)),
    );
    return { ...gap, cause: causeOf(gap, causes) };
  });
}
