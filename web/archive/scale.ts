import { DAY, HOUR, MINUTE, type TimeFormat } from "./clock.ts";
import type { Pen, Scene } from "./scene.ts";

const HOUR_STEPS = [5 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR];
const MONTH_STEPS = [1, 3, 6, 12, 24, 60];
/**
 * Minimum number of pixels for each day at which days and hours have labels. Below it, months and dates have labels.
 */
const MIN_DAY_WIDTH = 64;
const MIN_HOUR_LABEL = 56;
const MIN_MONTH_LABEL = 44;

/** Widths of texts that were measured, by font and text. */
const widths = new Map<string, number>();
const MAX_KNOWN_WIDTHS = 2_000;

function widthOf(pen: Pen, text: string): number {
  const key = `${pen.font} ${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size >= MAX_KNOWN_WIDTHS) widths.clear();
    width = pen.measureText(text).width;
    widths.set(key, width);
  }
  return width;
}

/** Labels and borders of days, hours, months and years, above the band. */
export function drawScale(pen: Pen, scene: Scene, top: number, bottom: number): void {
  const dayWidth = DAY / scene.view.perPixel;
  if (dayWidth >= MIN_DAY_WIDTH) drawDays(pen, scene, top, bottom);
  else drawMonths(pen, scene, top, bottom, dayWidth);
}

function drawDays(pen: Pen, { view, clock, palette }: Scene, top: number, bottom: number): void {
  const { colours, font } = palette;
  const step = HOUR_STEPS.find((one) => one / view.perPixel >= MIN_HOUR_LABEL) ?? DAY;
  for (let day = clock.dayStart(view.from); day < view.to; day = clock.next(day, DAY)) {
    const x = view.x(day);
    const next = clock.next(day, DAY);
    pen.fillStyle = colours["line-strong"];
    pen.fillRect(Math.round(x), 2, 1, bottom - 2);
    pen.font = `600 12px ${font}`;
    const left = Math.max(x, 0) + 6;
    // The year matters where the view begins, and where the year does.
    const isDated = x <= 0 || clock.say(day, "year") !== clock.say(day - DAY, "year");
    const forms: TimeFormat[] = isDated ? ["date", "day", "shortDay"] : ["day", "shortDay"];
    const room = Math.min(view.x(next), view.width) - left;
    const text = forms.map((form) => clock.say(day, form)).find((words) => widthOf(pen, words) + 8 < room);
    pen.fillStyle = colours.text;
    if (text !== undefined) pen.fillText(text, left, 10);
    if (step < DAY) drawHours(pen, { view, clock, palette }, { from: day, to: next, step }, top);
  }
}

function drawHours(
  pen: Pen,
  { view, clock, palette }: Pick<Scene, "view" | "clock" | "palette">,
  { from, to, step }: { from: number; to: number; step: number },
  top: number,
): void {
  const { colours, font } = palette;
  pen.font = `400 12px ${font}`;
  const begin = Math.max(from, view.from - step);
  let free = Number.NEGATIVE_INFINITY;
  for (let at = clock.next(begin, step); at < Math.min(to, view.to); at = clock.next(at, step)) {
    const x = view.x(at);
    if (x < 0 || x > view.width - 18) continue;
    pen.fillStyle = colours["line-strong"];
    pen.fillRect(Math.round(x), top - 5, 1, 5);
    pen.fillStyle = colours["text-2"];
    // A time near a change of the clock is longer, and can leave no room for the next one.
    if (x - 16 < free) continue;
    const text = clock.say(at, "time");
    pen.fillText(text, x - 16, top - 17);
    free = x - 16 + widthOf(pen, text) + 6;
  }
}

/** Months, with the year where it begins or the view begins; and dates if there is space. */
function drawMonths(pen: Pen, { view, clock, palette }: Scene, top: number, bottom: number, dayWidth: number): void {
  const { colours, font } = palette;
  const monthWidth = dayWidth * 30;
  const step = MONTH_STEPS.find((one) => one * monthWidth >= MIN_MONTH_LABEL) ?? 120;
  const localMonth = new Date(clock.local(view.from)).getUTCMonth();
  const begin = step >= 12 ? -localMonth : -(localMonth % step);
  let free = 0;
  for (let months = begin; ; months += step) {
    const at = clock.monthStart(view.from, months);
    if (at >= view.to) break;
    const x = view.x(at);
    pen.font = `600 12px ${font}`;
    if (x >= 0) {
      pen.fillStyle = colours["line-strong"];
      pen.fillRect(Math.round(x), 2, 1, bottom - 2);
    }
    const next = view.x(clock.monthStart(view.from, months + step));
    const left = Math.max(x, free) + 6;
    const isYear = step >= 12 || new Date(clock.local(at)).getUTCMonth() === 0;
    const long = clock.say(at, step >= 12 ? "year" : "monthYear");
    const short = isYear ? clock.say(at, "year") : clock.say(at, "month");
    const room = Math.min(next, view.width) - left;
    const text = [long, short].find((words) => widthOf(pen, words) + 8 < room);
    pen.fillStyle = colours.text;
    if (text !== undefined) {
      pen.fillText(text, left, 10);
      free = left + widthOf(pen, text);
    }
    if (step === 1) drawDates(pen, { view, clock, palette }, { from: at, to: clock.monthStart(at, 1) }, top, dayWidth);
  }
}

function drawDates(
  pen: Pen,
  { view, clock, palette }: Pick<Scene, "view" | "clock" | "palette">,
  { from, to }: { from: number; to: number },
  top: number,
  dayWidth: number,
): void {
  const { colours, font } = palette;
  const every = dayWidth > 26 ? 1 : dayWidth > 7 ? 7 : dayWidth > 3.5 ? 14 : null;
  if (every === null) return;
  pen.font = `400 12px ${font}`;
  for (let date = 1; date <= 31; date += every) {
    const at = clock.at(Math.floor(clock.local(from) / DAY) * DAY + (date - 1) * DAY);
    const x = view.x(at);
    if (at >= to || (every > 1 && date > 29 - every)) break;
    if (x <= 0 || x >= view.width - 12) continue;
    pen.fillStyle = colours["line-strong"];
    pen.fillRect(Math.round(x), top - 5, 1, 5);
    pen.fillStyle = colours["text-2"];
    pen.fillText(String(date), x + 4, top - 17);
  }
}
