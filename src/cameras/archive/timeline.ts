import { and, asc, desc, eq, type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../../platform/context";
import { MINUTE, SECOND } from "../../platform/time";
import type { CaptureRow } from "../find";
import { type Cause, causesWithin, conditionsBetween } from "../health";
import { cameraAssignments, cameraCaptures } from "../tables";
import { retainedAfter, visibleCaptures } from "../visibility";
import type { Archive } from "./archive";

export interface Timeline {
  first: CaptureRow | null;
  last: CaptureRow | null;
  /** In order of time, each with what explains it. */
  gaps: (Gap & { cause: GapCause })[];
}

const times = z.string().transform((text) => z.array(z.int()).parse(JSON.parse(text)));
const silences = z.array(z.object({ start: z.int(), end: z.int(), before: times, after: times }));

/**
 * First and last frame of an archive, and its gaps. The cost is that of a few thousand index seeks, whatever
 * the archive's size: two at each border of the bins find every silence that crosses one.
 */
export async function readTimeline({ db, now }: Context, archive: Archive): Promise<Timeline> {
  const { camera, locationId } = archive;
  const visible = visibleCaptures(camera, locationId, now);
  const end = (order: typeof asc) =>
    db
      .select()
      .from(cameraCaptures)
      .where(visible)
      .orderBy(order(cameraCaptures.capturedAt), order(cameraCaptures.id))
      .limit(1);
  const [[first], [last]] = await db.batch([end(asc), end(desc)]);
  if (first === undefined || last === undefined) return { first: null, last: null, gaps: [] };
  const gaps = largestGaps(await longSilences({ db, now }, archive, first.capturedAt, last.capturedAt));
  const causes = await explainGaps({ db }, archive, gaps);
  return { first, last, gaps: gaps.map((gap, i) => ({ ...gap, cause: causes[i] ?? "unknown" })) };
}

async function longSilences(
  { db, now }: Pick<Context, "db" | "now">,
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
  const rows = await db.all(sql`
    WITH silences AS MATERIALIZED (
      SELECT DISTINCT
        (SELECT max(captured_at) FROM ${cameraCaptures} WHERE ${visible} AND captured_at < value) AS start,
        (SELECT min(captured_at) FROM ${cameraCaptures} WHERE ${visibleSince(sql`value`)}) AS end
      FROM json_each(${JSON.stringify(borders)})
    )
    SELECT start, end, ${neighbours(sql`${visible} AND captured_at <= start`, sql`DESC`)} AS before,
      ${neighbours(visibleSince(sql`end`), sql`ASC`)} AS after
    FROM silences WHERE end - start >= ${MIN_GAP}`);
  return silences.parse(rows);
}

/** How long an instance answers with the same timeline, and how many it keeps: each is at most about 10 KB. */
const CACHE_LIFETIME = 30 * SECOND;
const MAX_CACHED_TIMELINES = 500;

const cache = new Map<string, { timeline: Timeline; readAt: number }>();

/** Whatever is published or removed makes a new key, also where it falls into an old gap. */
const keyOf = ({ camera, locationId }: Archive): string =>
  `${camera.id} ${locationId} ${camera.watermark} ${camera.retentionDays}`;

/**
 * The timeline of an archive, at most thirty seconds old, and never older than what was published or removed
 * since. Whoever asks was checked before.
 */
export async function cachedTimeline(context: Context, archive: Archive): Promise<Timeline> {
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

/** Not when its first frame has expired meanwhile. */
const isFresh = ({ timeline, readAt }: { timeline: Timeline; readAt: number }, { camera }: Archive, now: number) =>
  now - readAt < CACHE_LIFETIME && (timeline.first === null || timeline.first.capturedAt > retainedAfter(camera, now));

/** Equal parts of an archive's time; at every border between two the frames before and after it are looked at. */
const TIME_BINS = 512;
/** Gaps that are told, the largest ones. */
const MAX_GAPS = 128;
/** A silence is no gap below this, milliseconds, nor below so many times the usual time between two frames. */
const MIN_GAP = 15 * MINUTE;
const MIN_GAP_CADENCES = 5;
/** Frames on each side of a silence that tell the usual time between two. */
const NEIGHBOUR_COUNT = 6;

/** A silence between two consecutive frames; milliseconds since the epoch. */
export interface Gap {
  start: number;
  end: number;
}

/** A silence with the capture times nearest to it, its own ends among them. */
interface Silence extends Gap {
  before: readonly number[];
  after: readonly number[];
}

/**
 * The usual time between consecutive frames: the median, of which a single outage or burst among them
 * makes nothing else; the slower middle of an even number. Null when no two times are known.
 */
function cadenceOf(times: readonly number[]): number | null {
  const sorted = [...times].sort((a, b) => a - b);
  const steps = sorted.slice(1).map((time, i) => time - (sorted[i] ?? time));
  steps.sort((a, b) => a - b);
  return steps[Math.floor(steps.length / 2)] ?? null;
}

/**
 * Whether a silence is a gap: longer than what is usual on both of its sides, by the slower of them where
 * the interval changed. With a single frame on a side nothing is known of that side, and it is none.
 */
function isGap({ start, end, before, after }: Silence): boolean {
  const [older, newer] = [cadenceOf(before), cadenceOf(after)];
  if (older === null || newer === null) return false;
  return end - start >= Math.max(MIN_GAP, MIN_GAP_CADENCES * Math.max(older, newer));
}

/** The largest gaps among silences, in order of time; of equal ones the earlier go first. */
function largestGaps(silences: readonly Silence[]): Gap[] {
  return silences
    .filter(isGap)
    .sort((a, b) => b.end - b.start - (a.end - a.start) || a.start - b.start)
    .slice(0, MAX_GAPS)
    .sort((a, b) => a.start - b.start)
    .map(({ start, end }) => ({ start, end }));
}

export const GAP_CAUSES = ["paused", "outside-window", "offline", "camera-fault", "unknown"] as const;
type GapCause = (typeof GAP_CAUSES)[number];

/** What a cause must explain of a gap to be told, as a share of its length. */
const MIN_EXPLAINED_SHARE = 0.5;

/** The kind that explains the most of a gap; unknown where none explains at least half of it. */
function causeOf({ start, end }: Gap, causes: readonly Cause[]): GapCause {
  const explained = new Map<GapCause, number>();
  for (const { kind, fromMs, toMs } of causes)
    explained.set(kind, (explained.get(kind) ?? 0) + Math.min(toMs, end) - Math.max(fromMs, start));
  const [most] = [...explained].sort(([, a], [, b]) => b - a);
  return most !== undefined && most[1] >= MIN_EXPLAINED_SHARE * (end - start) ? most[0] : "unknown";
}

/** When a camera stood at a location. */
async function staysAt({ db }: Pick<Context, "db">, { camera, locationId }: Archive) {
  const there = and(eq(cameraAssignments.cameraId, camera.id), eq(cameraAssignments.locationId, locationId));
  return db
    .select({ startedAt: cameraAssignments.startedAt, endedAt: cameraAssignments.endedAt })
    .from(cameraAssignments)
    .where(there);
}

/** Why each gap of an archive is there, as far as it is remembered and was so at its location, in the order of the gaps. */
async function explainGaps(context: Pick<Context, "db">, archive: Archive, gaps: readonly Gap[]): Promise<GapCause[]> {
  const [first, last] = [gaps[0], gaps.at(-1)];
  if (first === undefined || last === undefined) return [];
  const conditions = await conditionsBetween(context.db, archive.camera, first.start, last.end);
  const stays = await staysAt(context, archive);
  return gaps.map((gap) =>
    causeOf(
      gap,
      stays.flatMap(({ startedAt, endedAt }) =>
        causesWithin(conditions, Math.max(gap.start, startedAt), Math.min(gap.end, endedAt ?? gap.end)),
      ),
    ),
  );
}
