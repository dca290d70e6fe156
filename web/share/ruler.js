import { DAY } from "./times.js";

const HOUR = DAY / 24;
/** Steps between marks, milliseconds; the smallest that leaves room for its label is drawn. */
const STEPS = [
  HOUR / 12,
  HOUR / 4,
  HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
  28 * DAY,
  91 * DAY,
  364 * DAY,
];
const LABEL_WIDTH = 72;
/** Closest zoom: one hour across. */
const SHORTEST_SPAN = HOUR;

/** The time ruler of one camera: where frames are, where none are, and where one looks. */
export class Ruler {
  #canvas;
  /** Span that is drawn, and the archive's own; milliseconds. */
  from = 0;
  to = 1;
  /** The archive's first and last frame, null while there is none; and how far one can look. */
  #begin = null;
  #end = null;
  #first = 0;
  #last = 1;
  #gaps = [];
  #at = null;
  #clock = null;

  constructor(canvas) {
    this.#canvas = canvas;
  }

  /** Shows an archive whole; a later one of the same camera keeps the zoom. */
  setArchive(first, last, gaps, keepZoom) {
    const margin = Math.max((last - first) * 0.01, HOUR / 4);
    [this.#begin, this.#end] = [first, last];
    this.#first = first - margin;
    this.#last = last + margin;
    this.#gaps = gaps;
    if (!keepZoom) [this.from, this.to] = [this.#first, this.#last];
    this.draw();
  }

  /** Shows nothing: of an archive that is empty, or not here yet. */
  clear() {
    this.#begin = null;
    this.#end = null;
    this.#at = null;
    this.draw();
  }

  setClock(clock) {
    this.#clock = clock;
    this.draw();
  }

  /** Marks a moment and brings it into view. */
  setAt(ms) {
    this.#at = ms;
    const span = this.to - this.from;
    if (ms !== null && (ms < this.from || ms > this.to)) this.#show(ms - span / 2, span);
    this.draw();
  }

  get width() {
    return this.#canvas.clientWidth;
  }

  timeAt(x) {
    return this.from + ((this.to - this.from) * x) / Math.max(1, this.width);
  }

  xOf(ms) {
    return ((ms - this.from) / (this.to - this.from)) * this.width;
  }

  gapAt(ms) {
    return this.#gaps.find((gap) => ms > gap.start && ms < gap.end) ?? null;
  }

  /** Zooms about a moment, which stays where it is. */
  zoom(factor, about) {
    const span = Math.min(Math.max((this.to - this.from) * factor, SHORTEST_SPAN), this.#last - this.#first);
    const share = (about - this.from) / (this.to - this.from);
    this.#show(about - share * span, span);
    this.draw();
  }

  pan(ms) {
    this.#show(this.from + ms, this.to - this.from);
    this.draw();
  }

  #show(from, span) {
    const within = Math.min(span, this.#last - this.#first);
    this.from = Math.min(Math.max(from, this.#first), this.#last - within);
    this.to = this.from + within;
  }

  draw() {
    const canvas = this.#canvas;
    const [width, height, ratio] = [canvas.clientWidth, canvas.clientHeight, globalThis.devicePixelRatio || 1];
    if (width === 0 || this.#clock === null) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    if (this.#begin === null) return;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    this.#drawCoverage(pen, width);
    this.#drawMarks(pen, width, height);
    if (this.#at === null) return;
    pen.fillStyle = "#6fb1ff";
    pen.fillRect(this.xOf(this.#at) - 1, 0, 2, 36);
  }

  /** Frames as a band, gaps as open, hatched places in it. */
  #drawCoverage(pen, width) {
    const clip = (ms) => Math.min(Math.max(this.xOf(ms), 0), width);
    pen.fillStyle = "#3d6a8f";
    const [begin, end] = [clip(this.#begin), clip(this.#end)];
    pen.fillRect(begin, 8, Math.max(1, end - begin), 24);
    for (const gap of this.#gaps) {
      const [left, right] = [clip(gap.start), clip(gap.end)];
      if (right <= 0 || left >= width) continue;
      const wide = Math.max(1, right - left);
      pen.fillStyle = "#101214";
      pen.fillRect(left, 8, wide, 24);
      pen.save();
      pen.beginPath();
      pen.rect(left, 8, wide, 24);
      pen.clip();
      pen.strokeStyle = "#6b5a3a";
      pen.beginPath();
      for (let x = left - 24; x < right; x += 6) {
        pen.moveTo(x, 32);
        pen.lineTo(x + 24, 8);
      }
      pen.stroke();
      pen.restore();
      pen.strokeStyle = "#ffca6b";
      pen.strokeRect(left + 0.5, 8.5, Math.max(0, wide - 1), 23);
    }
  }

  #drawMarks(pen, width, height) {
    const perPixel = (this.to - this.from) / width;
    const step = STEPS.find((candidate) => candidate / perPixel >= LABEL_WIDTH) ?? STEPS[STEPS.length - 1];
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "bottom";
    let before = "";
    for (let at = this.#clock.next(this.from, step); at < this.to; at = this.#clock.next(at, step)) {
      const x = this.xOf(at);
      const hour = this.#clock.hour(at);
      const isDay = hour === "00:00" || step >= DAY;
      pen.fillStyle = isDay ? "#a3abb3" : "#5a6269";
      pen.fillRect(x, isDay ? 4 : 28, 1, isDay ? 36 : 12);
      const label = isDay ? this.#clock.day(at) : hour;
      if (label !== before && x + LABEL_WIDTH / 2 < width) pen.fillText(label, x + 4, height - 2);
      before = label;
    }
  }
}
