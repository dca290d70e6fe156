import { HOUR, MINUTE } from "./clock.ts";

/** The closest zoom. */
const MIN_SPAN = 30 * MINUTE;

/** The part of an archive that the ruler shows, and how times become pixels. */
export class RulerView {
  from = 0;
  to = HOUR;
  /** Width of the ruler, pixels. */
  width = 1;
  #first = 0;
  #last = HOUR;

  /** The range that can be shown: the archive, and a margin. */
  setLimits(first: number, last: number): void {
    const edge = Math.min(2 * HOUR, Math.max(15 * MINUTE, (last - first) * 0.05));
    this.#first = first - edge;
    this.#last = last + edge;
  }

  get span(): number {
    return this.to - this.from;
  }

  get maxSpan(): number {
    return this.#last - this.#first;
  }

  get perPixel(): number {
    return this.span / Math.max(1, this.width);
  }

  x(ms: number): number {
    return ((ms - this.from) / this.span) * this.width;
  }

  time(x: number): number {
    return this.from + (x / Math.max(1, this.width)) * this.span;
  }

  /** Shows this part, within the limits of the zoom and the archive. */
  show(from: number, to: number): void {
    const span = Math.min(Math.max(to - from, MIN_SPAN), Math.max(this.maxSpan, MIN_SPAN));
    const middle = (from + to) / 2;
    this.from = Math.max(Math.min(middle - span / 2, this.#last - span), this.#first);
    this.to = this.from + span;
  }

  pan(ms: number): void {
    this.show(this.from + ms, this.to + ms);
  }

  /** Zooms about a moment, whose position does not change. */
  zoom(factor: number, about: number): void {
    const span = Math.min(Math.max(this.span * factor, MIN_SPAN), Math.max(this.maxSpan, MIN_SPAN));
    const share = (about - this.from) / this.span;
    this.show(about - span * share, about + span * (1 - share));
  }

  /** Shows a span around a moment, with more of the time before it. */
  setSpan(span: number, around: number): void {
    const to = Math.min(around + span * 0.35, this.#last);
    this.show(to - span, to);
  }

  /** Moves so that a moment is in view. */
  reveal(ms: number): void {
    const margin = this.span * 0.02;
    if (ms < this.from + margin || ms > this.to - margin) this.show(ms - this.span / 2, ms + this.span / 2);
  }
}
