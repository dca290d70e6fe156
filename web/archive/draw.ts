import { ARCHIVE } from "#texts/archive.ts";
import { lengthOf } from "../ui/format.ts";
import { CAUSES } from "./causes.ts";
import { DAY, HOUR, MINUTE } from "./clock.ts";
import type { Gap } from "./frames.ts";
import { drawScale } from "./scale.ts";
import type { Pen, Scene } from "./scene.ts";

/** Height of the upper zone, pixels. It is dragged to pan. */
export const SCALE_HEIGHT = 42;
const BOTTOM_MARGIN = 6;
/** Minimum number of pixels for each frame at which each frame is one tick. */
const MIN_TICK_SPACING = 5;
const MIN_BIN_WIDTH = 2.5;
const MIN_BIN_FRAMES = 2;
/** Lengths of bins: whole steps of a day, so that the columns do not change during panning. */
const BINS = [1, 2, 5, 10, 20, 30, 60, 120, 240, 480].map((minutes) => minutes * MINUTE);
/** The share of the band that the usual rate fills: twice the rate is twice as high. */
const USUAL_HEIGHT = 0.8;
const MIN_HEIGHT = 0.08;

/** The length of the bins of density at a zoom. */
function binOf(perPixel: number, cadence: number): number {
  const least = Math.max(perPixel * MIN_BIN_WIDTH, cadence * MIN_BIN_FRAMES);
  return BINS.find((bin) => bin >= least) ?? Math.ceil(least / DAY) * DAY;
}

/** The time between two moments without the gaps. Density is measured against it. */
function openTime(gaps: readonly Gap[], from: number, to: number, hint: number): number {
  let open = to - from;
  for (let i = hint; i < gaps.length; i++) {
    const gap = gaps[i];
    if (gap === undefined || gap.start >= to) break;
    open -= Math.max(0, Math.min(gap.end, to) - Math.max(gap.start, from));
  }
  return open;
}

export function drawRuler(pen: Pen, scene: Scene, height: number): void {
  const { frames, view, palette } = scene;
  const { colours } = palette;
  const [top, bottom] = [SCALE_HEIGHT, height - BOTTOM_MARGIN];
  const band = { top, tall: bottom - top };
  const from = Math.max(0, view.x(frames.first));
  const to = Math.min(view.width, view.x(frames.last));
  pen.fillStyle = colours.cover;
  if (to >= from) pen.fillRect(from, top, Math.max(2, to - from), band.tall);
  const cadence = frames.cadenceBetween(view.from, view.to);
  if (cadence / view.perPixel >= MIN_TICK_SPACING) drawTicks(pen, scene, band, cadence);
  else drawDensity(pen, scene, band, cadence);
  const gaps = frames.gaps.filter((gap) => gap.end > view.from && gap.start < view.to);
  for (const gap of gaps) drawGap(pen, scene, gap, band);
  drawScale(pen, scene, top, bottom);
  // The lines of the days are behind the names.
  for (const gap of gaps) nameGap(pen, scene, gap, band);
  drawPointers(pen, scene, band);
}

interface Band {
  top: number;
  tall: number;
}

/** One tick for each frame, and one at most for each pixel. */
function drawTicks(pen: Pen, { frames, view, palette }: Scene, { top, tall }: Band, cadence: number): void {
  pen.fillStyle = palette.colours.tick;
  const wide = cadence / view.perPixel > 14 ? 2 : 1;
  for (let i = frames.lower(view.from); i < frames.count; ) {
    const x = Math.round(view.x(frames.at(i)));
    if (x > view.width) break;
    pen.fillRect(x, top + tall * 0.25, wide, tall * 0.75);
    const next = frames.lower(view.time(x + 0.5));
    i = next > i ? next : i + 1;
  }
}

/** A column for each bin, as high as the bin's rate. */
function drawDensity(pen: Pen, { frames, view, clock, palette }: Scene, { top, tall }: Band, cadence: number): void {
  pen.fillStyle = palette.colours.density;
  const bin = binOf(view.perPixel, cadence);
  const shift = clock.offset(frames.first);
  const begin = Math.max(view.from, frames.first);
  const end = Math.min(view.to, frames.last + 1);
  let hint = 0;
  let at = Math.floor((begin + shift) / bin) * bin - shift;
  let i = frames.lower(at);
  for (; at < end; at += bin) {
    const next = frames.lower(at + bin);
    if (next > i) {
      while ((frames.gaps[hint]?.end ?? Number.POSITIVE_INFINITY) <= at) hint++;
      const [open0, open1] = [Math.max(at, frames.first), Math.min(at + bin, frames.last)];
      const open = Math.max(openTime(frames.gaps, open0, open1, hint), frames.cadence);
      const rate = (next - i) / (open / frames.cadence);
      const high = tall * Math.min(1, Math.max(MIN_HEIGHT, rate * USUAL_HEIGHT));
      const x = Math.floor(view.x(at));
      pen.fillRect(x, top + tall - high, Math.ceil(view.x(at + bin)) - x, high);
    }
    i = next;
  }
}

/** A gap is empty ground with two edges. It is hatched by its cause. */
function drawGap(pen: Pen, { view, palette }: Scene, gap: Gap, { top, tall }: Band): void {
  const { colours, hatches } = palette;
  const colour = colours[CAUSES[gap.cause].colour];
  const x = view.x(gap.start);
  const wide = Math.max(2, view.x(gap.end) - x);
  pen.fillStyle = colours.gap;
  pen.fillRect(x, top, wide, tall);
  pen.fillStyle = wide < 4 ? colour : hatches[gap.cause];
  pen.fillRect(x, top, wide, tall);
  if (wide <= 5) return;
  pen.fillStyle = colour;
  pen.fillRect(x, top, 1.5, tall);
  pen.fillRect(x + wide - 1.5, top, 1.5, tall);
}

/** The cause and the length of a gap if there is space, else its length. */
function nameGap(pen: Pen, { view, palette }: Scene, gap: Gap, { top, tall }: Band): void {
  const { colours, font } = palette;
  const left = Math.max(view.x(gap.start), 0);
  const room = Math.min(view.x(gap.end), view.width) - left;
  if (room < 60) return;
  pen.font = `550 12px ${font}`;
  const long = lengthOf(gap.end - gap.start);
  for (const words of [`${ARCHIVE.causes[gap.cause]} · ${long}`, long]) {
    const text = pen.measureText(words).width;
    if (text + 28 >= room) continue;
    const at = left + (room - text) / 2;
    pen.fillStyle = colours.gap;
    pen.fillRect(at - 6, top + tall / 2 - 10, text + 12, 20);
    pen.fillStyle = colours.text;
    pen.fillText(words, at, top + tall / 2 + 1);
    return;
  }
}

function drawPointers(pen: Pen, { view, palette, at, hover }: Scene, { top, tall }: Band): void {
  const { colours } = palette;
  if (hover !== null) {
    pen.fillStyle = colours["text-3"];
    pen.fillRect(Math.round(hover), top - 8, 1, tall + 8);
  }
  if (at === null) return;
  const x = view.x(at);
  if (x < -6 || x > view.width + 6) return;
  pen.fillStyle = colours.surface;
  pen.fillRect(x - 2.5, top - 6, 5, tall + 12);
  pen.fillStyle = colours.text;
  pen.fillRect(x - 1, top - 6, 2, tall + 12);
  pen.beginPath();
  pen.roundRect(x - 6, top - 12, 12, 12, [3, 3, 6, 6]);
  pen.fill();
}

/** Minimum width of a column of the minimap, pixels. */
const MIN_MINI_COLUMN = 3;

/** The whole archive, and the part that the ruler shows. */
export function drawMini(pen: Pen, { frames, view, palette, at }: Scene, width: number, height: number): void {
  const { colours } = palette;
  const whole = Math.max(frames.end - frames.first, HOUR);
  const x = (ms: number) => ((ms - frames.first) / whole) * width;
  const tall = height - 8;
  pen.fillStyle = colours.cover;
  pen.fillRect(0, 4, width, tall);
  pen.fillStyle = colours.density;
  // A column has several frames, even in a short archive: columns without a frame would look like gaps.
  const column = Math.max(MIN_MINI_COLUMN, Math.ceil(((MIN_BIN_FRAMES * frames.cadence) / whole) * width));
  const step = (column / width) * whole;
  let i = 0;
  for (let left = 0; left < width; left += column) {
    const next = frames.lower(frames.first + ((left + column) / width) * whole);
    const high = tall * Math.min(1, Math.max(MIN_HEIGHT, ((next - i) / (step / frames.cadence)) * USUAL_HEIGHT));
    if (next > i) pen.fillRect(left, height - 4 - high, column, high);
    i = next;
  }
  for (const gap of frames.gaps) {
    if (gap.cause === "outside-window") continue;
    const wide = x(gap.end) - x(gap.start);
    pen.fillStyle = colours.gap;
    pen.fillRect(x(gap.start) - 0.5, 4, Math.max(2, wide) + 1, tall);
    pen.fillStyle = colours[CAUSES[gap.cause].colour];
    pen.fillRect(x(gap.start), 4, Math.max(1.5, wide), tall);
  }
  const left = Math.max(0, x(view.from));
  const right = Math.max(left + 6, Math.min(width, x(view.to)));
  pen.globalAlpha = 0.42;
  pen.fillStyle = colours.surface;
  pen.fillRect(0, 0, left, height);
  pen.fillRect(right, 0, width - right, height);
  pen.globalAlpha = 1;
  pen.strokeStyle = colours.text;
  pen.lineWidth = 1.5;
  pen.strokeRect(left + 0.75, 1.5, right - left - 1.5, height - 3);
  if (at === null) return;
  pen.fillStyle = colours.text;
  pen.fillRect(x(at) - 1, 0, 2, height);
}
