import { asc } from "drizzle-orm";
import type { CredentialRef } from "../../access";
import type { Context } from "../../platform/context";
import { daysFrom, type LocalDay, momentOf, nextDay } from "../../platform/time";
import type { PublishedCapture } from "../captures";
import { captureKey } from "../captures";
import { findCameraAt } from "../find";
import { MAX_FRAMES } from "../limits";
import { cameraCaptures } from "../tables";
import { type Archive, filterVisible, mayReadImages, type Range, visibleInRange } from "./archive";
import { type CapturePosition, nearestCaptures, type Point, readCaptures } from "./seek";

/**
 * At most `count` evenly spread captures of a range, in order of time. A range with fewer captures gives all of them.
 * @throws RangeError when `count` is more than MAX_FRAMES.
 */
export async function evenCaptures(
  context: Context,
  archive: Archive,
  range: Range,
  count: number,
): Promise<PublishedCapture[]> {
  const captures = await chooseCaptures(context, archive, range, count);
  const rows = await readCaptures(
    context,
    archive,
    captures.map(({ id }) => id),
  );
  return captures.flatMap(({ id }) => rows.get(id) ?? []);
}

async function chooseCaptures(
  context: Context,
  archive: Archive,
  range: Range,
  count: number,
): Promise<CapturePosition[]> {
  if (count > MAX_FRAMES) throw new RangeError(`${count} captures in one call`);
  const head = await context.workspace
    .select({ id: cameraCaptures.id, capturedAt: cameraCaptures.capturedAt })
    .from(cameraCaptures)
    .where(visibleInRange(archive, context.now, range))
    .orderBy(asc(cameraCaptures.capturedAt), asc(cameraCaptures.id))
    .limit(count + 1);
  const [first] = head;
  if (head.length <= count || first === undefined) return head;
  const find = (points: Parameters<typeof nearestCaptures>[2]) =>
    nearestCaptures(
      context,
      archive,
      points.map((point) => ({ ...range, ...point })),
    );
  const [last] = await find([{ at: range.to ?? Number.MAX_SAFE_INTEGER - 1 }]);
  return spreadCaptures(find, first, last ?? first, count);
}

/** Finds the capture nearest to each of at most a thousand points. */
type CaptureFinder = (points: readonly Point[]) => Promise<readonly (CapturePosition | null)[]>;

/** Rounds of the search for more captures. Each round at least halves the longest span that may contain more. */
const MAX_ROUNDS = 40;

/** `count` evenly spaced moments from `first` to `last`, in whole milliseconds. A single one is in the middle. */
function evenlySpacedTimes(first: number, last: number, count: number): number[] {
  if (count === 1) return [Math.floor((first + last) / 2)];
  return Array.from({ length: count }, (_, i) => Math.round(first + ((last - first) * i) / (count - 1)));
}

/**
 * Chooses `count` captures of an archive that has more, in order of time. First come the captures nearest to evenly spread
 * moments. When a gap made several moments find the same capture, captures in the middle of the longest spans follow. The result
 * is shorter only when fewer captures differ in time.
 */
async function spreadCaptures(
  find: CaptureFinder,
  first: CapturePosition,
  last: CapturePosition,
  count: number,
): Promise<CapturePosition[]> {
  const chosen = new Map<number, CapturePosition>();
  for (const capture of await find(evenlySpacedTimes(first.capturedAt, last.capturedAt, count).map((at) => ({ at }))))
    if (capture !== null) chosen.set(capture.capturedAt, capture);
  /** Beginnings of spans without further captures. */
  const empty = new Set<number>();
  for (let round = 0; round < MAX_ROUNDS && chosen.size < count; round++) {
    const spans = openSpans([...chosen.keys()], empty);
    if (spans.length === 0) break;
    const found = await find(spans.map(([a, b]) => ({ at: Math.floor((a + b) / 2), from: a + 1, to: b - 1 })));
    spans.forEach(([a], i) => {
      const capture = found[i] ?? null;
      if (capture === null) empty.add(a);
      else if (chosen.size < count) chosen.set(capture.capturedAt, capture);
    });
  }
  return [...chosen.values()].sort((a, b) => a.capturedAt - b.capturedAt);
}

/** Spans between chosen captures that may contain more captures, the longest first, then the earliest. */
function openSpans(times: number[], empty: ReadonlySet<number>): (readonly [number, number])[] {
  times.sort((a, b) => a - b);
  return times
    .slice(1)
    .map((b, i) => [times[i] ?? b, b] as const)
    .filter(([a, b]) => b - a > 1 && !empty.has(a))
    .sort(([a, b], [c, d]) => d - c - (b - a) || a - c);
}

/**
 * A choice of captures of a camera: the capture nearest to a moment, or evenly spread captures. Milliseconds since the epoch.
 */
type CaptureChoice = { cameraId: string; at: number } | { cameraId: string; from: number; to: number; count: number };

/** A capture whose bytes can be read from the object store. */
export interface ChosenCapture {
  captureId: string;
  cameraId: string;
  /** Milliseconds since the epoch. */
  capturedAt: number;
  /** Pixels of the upright original. */
  width: number;
  height: number;
  /** Bytes of the original. */
  sizeBytes: number;
  /** Keys of JPEG files: the original (at most 8 MiB), and the thumbnail (at most 640 pixels an edge). */
  keys: { original: string; thumbnail: string };
}

const pictureOf = (row: PublishedCapture): ChosenCapture => ({
  captureId: row.id,
  cameraId: row.cameraId,
  capturedAt: row.capturedAt,
  width: row.width,
  height: row.height,
  sizeBytes: row.sizeBytes,
  keys: { original: captureKey(row, "original"), thumbnail: captureKey(row, "thumbnail") },
});

/** Adds the captures of one camera to `found`, at the index of the choice that they belong to. */
async function addPictures(
  context: Context,
  archive: Archive,
  choices: readonly CaptureChoice[],
  found: ChosenCapture[][],
): Promise<void> {
  const mine = choices.flatMap((choice, n) => (choice.cameraId === archive.camera.id ? [{ ...choice, n }] : []));
  const moments = mine.filter((choice) => "at" in choice);
  const captures = await nearestCaptures(context, archive, moments);
  const ids = captures.flatMap((capture) => capture?.id ?? []);
  const rows = ids.length === 0 ? new Map<string, PublishedCapture>() : await readCaptures(context, archive, ids);
  for (const [i, { n }] of moments.entries()) {
    const row = rows.get(captures[i]?.id ?? "");
    if (row !== undefined) found[n] = [pictureOf(row)];
  }
  for (const choice of mine)
    if ("count" in choice)
      found[choice.n] = (await evenCaptures(context, archive, choice, choice.count)).map(pictureOf);
}

/**
 * Captures of cameras at a location, read with the access of `reader`: for each choice a list in order of time. It is empty
 * when `reader` has no access now, or the camera was never there. All moments of a camera cost one query.
 * @throws RangeError for more than 1,000 moments, or captures of a period.
 */
export async function readChosenCaptures(
  context: Context,
  reader: CredentialRef,
  locationId: string,
  choices: readonly CaptureChoice[],
): Promise<ChosenCapture[][]> {
  const found = choices.map((): ChosenCapture[] => []);
  if (choices.length === 0 || !(await mayReadImages(context, reader, locationId))) return found;
  for (const cameraId of new Set(choices.map((choice) => choice.cameraId))) {
    const camera = await findCameraAt(context, cameraId, locationId);
    if (camera !== null) await addPictures(context, { camera, locationId }, choices, found);
  }
  return found;
}

/** The ids of these images that `reader` may still see. Call it after slow work, before the result is shown. */
export const filterReadable = async (
  context: Pick<Context, "directory" | "workspace">,
  reader: CredentialRef,
  locationId: string,
  captureIds: readonly string[],
): Promise<Set<string>> =>
  (await mayReadImages(context, reader, locationId)) ? filterVisible(context, captureIds) : new Set<string>();

interface StripQuery {
  /** IANA name of the time zone of the days and the time. */
  timeZone: string;
  /** First and last day, both included. */
  from: LocalDay;
  to: LocalDay;
  /** Minutes after midnight on the clock. */
  minute: number;
}

export interface StripDay {
  day: LocalDay;
  /** The moment at which local clocks show the time on that day, milliseconds since the epoch. */
  at: number;
  capture: PublishedCapture | null;
}

/**
 * For each day, the capture of that day nearest to a local time; null for a day without captures. A time that the clock
 * skips moves forward by the skipped interval. If a time occurs twice, the first counts.
 */
export async function readStrip(context: Context, archive: Archive, query: StripQuery): Promise<StripDay[]> {
  const { timeZone, minute } = query;
  const points = daysFrom(query.from, query.to).map((day) => ({
    day,
    at: momentOf(timeZone, day, minute),
    from: momentOf(timeZone, day, 0),
    to: momentOf(timeZone, nextDay(day), 0) - 1,
  }));
  const captures = await nearestCaptures(context, archive, points);
  const rows = await readCaptures(
    context,
    archive,
    captures.flatMap((capture) => capture?.id ?? []),
  );
  return points.map(({ day, at }, i) => ({ day, at, capture: rows.get(captures[i]?.id ?? "") ?? null }));
}
