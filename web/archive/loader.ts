import type { SharedCameraTimeline } from "../../client/src/index.ts";
import { DAY } from "./clock.ts";
import { Frames, findGaps, type Gap, gapsOf, joined, lowerBound, openGapOf, timesOf } from "./frames.ts";
import type { ArchivePort } from "./port.ts";

/**
 * New frames can be older than the latest one, because a device sends frames that it kept during an outage. This time
 * is read again.
 */
const RECENT_MS = 7 * DAY;

/** Time around a gap that contains enough frames to decide whether it is a gap. */
const CONTEXT_MS = DAY;

/** Number of parts into which the service divides a range. It finds each gap that is longer than a part. */
const TIMELINE_BINS = 512;
/** Maximum number of gaps that one range is read for. The service lists 128 gaps of a range. */
const MAX_GAPS_READ = 64;
/** Maximum number of ranges that are read at once for the causes of gaps. */
const MAX_RANGES = 8;

interface Range {
  from: number;
  to: number;
}

/** Ranges in which the service finds all these gaps. The gaps are in order. */
function rangesOf(gaps: readonly Gap[]): Range[] {
  const ranges: (Range & { shortest: number; count: number })[] = [];
  for (const { start, end } of gaps) {
    const [from, to, length] = [start - CONTEXT_MS, end + CONTEXT_MS, end - start];
    const before = ranges.at(-1);
    const shortest = Math.min(before?.shortest ?? length, length);
    const isFound = before !== undefined && shortest > (to - before.from) / TIMELINE_BINS;
    if (isFound && before.count < MAX_GAPS_READ) Object.assign(before, { to, shortest, count: before.count + 1 });
    else ranges.push({ from, to, shortest: length, count: 1 });
  }
  return ranges;
}

const utc = (ms: number): string => new Date(ms).toISOString();

/** Reads the capture times and gaps of one archive, and their changes. */
export class Loader {
  #timeline: SharedCameraTimeline | null = null;
  /** All times that the service returned, including the times of dropped frames. */
  #times: Float64Array = new Float64Array();
  readonly #dropped = new Set<number>();
  #hasOlder = false;

  constructor(private readonly port: ArchivePort) {}

  /** The archive, at least back to a moment; null when it is empty. */
  async load(back: number | null): Promise<Frames | null> {
    const [timeline, times] = await Promise.all([this.port.timeline(), this.port.times({})]);
    this.#timeline = timeline;
    this.#times = timesOf(times);
    this.#hasOlder = times.hasOlder;
    let frames = this.#frames();
    while (back !== null && frames?.partial && back < frames.first) frames = await this.older();
    return frames;
  }

  /** The archive with one more page of older times. */
  async older(): Promise<Frames | null> {
    const page = await this.port.times({ toUtc: utc((this.#times[0] ?? 0) - 1) });
    this.#times = joined(timesOf(page), this.#times);
    this.#hasOlder = page.hasOlder;
    return this.#frames();
  }

  /** The archive in its current state; the same object if nothing changed. */
  async refresh(): Promise<Frames | null> {
    const before = this.#timeline;
    const timeline = await this.port.timeline();
    const isSame = before?.watermark === timeline.watermark && before.first?.id === timeline.first?.id;
    if (isSame) return this.#withOpenGap(timeline);
    if (before === null || timeline.first === null || this.#times.length === 0) return this.load(null);
    const from = (this.#times.at(-1) ?? 0) - RECENT_MS;
    const isOldChanged = signature(before, from) !== signature(timeline, from);
    if (isOldChanged) return this.load(null);
    const page = await this.port.times({ fromUtc: utc(from) });
    if (page.hasOlder) return this.load(null);
    const begin = Date.parse(timeline.first.capturedAtUtc);
    const older = this.#times.slice(lowerBound(this.#times, begin), lowerBound(this.#times, from));
    this.#timeline = timeline;
    this.#times = joined(older, timesOf(page));
    return this.#frames();
  }

  /** The archive without a frame, which no later reading brings back. */
  drop(time: number): Frames | null {
    this.#dropped.add(time);
    return this.#frames();
  }

  /** The archive with a removed frame added again. */
  restore(time: number): Frames | null {
    this.#dropped.delete(time);
    const at = lowerBound(this.#times, time);
    if (this.#times[at] !== time)
      this.#times = joined(this.#times.slice(0, at), Float64Array.of(time), this.#times.slice(at));
    return this.#frames();
  }

  /** The known archive, whose last gap may have begun, grown or ended. */
  #withOpenGap(timeline: SharedCameraTimeline): Frames | null {
    const isGrown = JSON.stringify(this.#timeline?.openGap) !== JSON.stringify(timeline.openGap);
    this.#timeline = timeline;
    return isGrown ? this.#frames() : this.#known;
  }

  #known: Frames | null = null;
  #frames(): Frames | null {
    const listed = this.#timeline === null ? [] : gapsOf(this.#timeline);
    for (const { start } of listed) this.#explained.add(start);
    const times = this.#dropped.size === 0 ? this.#times : this.#times.filter((time) => !this.#dropped.has(time));
    const gaps = findGaps(times, [...this.#details, ...listed]);
    if (this.#timeline !== null) gaps.push(...openGapOf(this.#timeline, times.at(-1) ?? 0));
    this.#known = times.length === 0 ? null : new Frames(times, gaps, this.#hasOlder);
    return this.#known;
  }

  /** Gaps by their beginnings whose causes the service was asked for, and its answers for gaps that its list left out. */
  readonly #explained = new Set<number>();
  #details: Gap[] = [];

  /**
   * The archive with the causes of the gaps in a part (of the newest gaps if there are many); null if nothing new is
   * known.
   */
  async explain(from: number, to: number): Promise<Frames | null> {
    const gaps = this.#known?.gaps ?? [];
    const unexplained = gaps.filter(
      ({ start, end, isOpen }) => !isOpen && end > from && start < to && !this.#explained.has(start),
    );
    const ranges = rangesOf(unexplained).slice(-MAX_RANGES);
    if (ranges.length === 0) return null;
    for (const range of ranges) {
      const found = await this.port.timeline({ fromUtc: utc(range.from), toUtc: utc(range.to) });
      this.#details.push(...gapsOf(found));
      for (const { start, end } of unexplained) if (start > range.from && end < range.to) this.#explained.add(start);
    }
    return this.#frames();
  }
}

/** Late frames change the old gaps. */
const signature = ({ gaps }: SharedCameraTimeline, before: number): string =>
  JSON.stringify(gaps.filter(({ startUtc }) => Date.parse(startUtc) < before));
