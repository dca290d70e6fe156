import type { CameraTimeline } from "../../client/src/index.ts";
import { DAY } from "./clock.ts";
import { Frames, findGaps, type Gap, gapsOf, joined, lowerBound, timesOf } from "./frames.ts";
import type { ArchivePort } from "./port.ts";

/**
 * New frames can be older than the latest one, because a device sends frames that it kept during an outage. This time
 * is read again.
 */
const RECENT_MS = 7 * DAY;

/** Time around a gap that contains enough frames to decide whether it is a gap. */
const CONTEXT_MS = DAY;

/** Number of parts into which the service divides a range. */
const TIMELINE_BINS = 512;

const utc = (ms: number): string => new Date(ms).toISOString();

/** Reads the capture times and gaps of one archive, and their changes. */
export class Loader {
  #timeline: CameraTimeline | null = null;
  /** All times that the service returned, including those of dropped frames. */
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

  /** The archive in its present state; the same object if nothing changed. */
  async refresh(): Promise<Frames | null> {
    const before = this.#timeline;
    const timeline = await this.port.timeline();
    const isSame = before?.watermark === timeline.watermark && before.first?.id === timeline.first?.id;
    if (isSame) return this.#known;
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

  #known: Frames | null = null;
  #frames(): Frames | null {
    const listed = this.#timeline === null ? [] : gapsOf(this.#timeline);
    for (const { start } of listed) this.#explained.add(start);
    const times = this.#dropped.size === 0 ? this.#times : this.#times.filter((time) => !this.#dropped.has(time));
    const gaps = findGaps(times, [...this.#details, ...listed]);
    this.#known = times.length === 0 ? null : new Frames(times, gaps, this.#hasOlder);
    return this.#known;
  }

  /** Requested gaps by their beginnings, with the service's answers for gaps that its list left out. */
  readonly #explained = new Set<number>();
  #details: Gap[] = [];

  /** The archive with the causes of the gaps in a part; null if nothing new is known. */
  async explain(from: number, to: number): Promise<Frames | null> {
    const gaps = this.#known?.gaps ?? [];
    const open = gaps.filter(({ start, end }) => end > from && start < to && !this.#explained.has(start));
    const [first, last] = [open[0], open.at(-1)];
    if (first === undefined || last === undefined) return null;
    const range = { from: first.start - CONTEXT_MS, to: last.end + CONTEXT_MS };
    // The service divides the range, and finds every gap that is longer than a part of it.
    const found = open.filter(({ start, end }) => end - start > (range.to - range.from) / TIMELINE_BINS);
    if (found.length === 0) return null;
    for (const { start } of found) this.#explained.add(start);
    this.#details.push(...gapsOf(await this.port.timeline({ fromUtc: utc(range.from), toUtc: utc(range.to) })));
    return this.#frames();
  }
}

/** Late frames change the old gaps. */
const signature = ({ gaps }: CameraTimeline, before: number): string =>
  JSON.stringify(gaps.filter(({ startUtc }) => Date.parse(startUtc) < before));
