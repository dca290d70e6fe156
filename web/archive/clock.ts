import { dateFormat } from "#texts/language.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Clocks change only at whole quarters of an hour. Within a quarter, the offset is constant. */
const QUARTER = HOUR / 4;
const MAX_KNOWN_OFFSETS = 50_000;

const FORMATS = {
  time: { hour: "2-digit", minute: "2-digit" },
  exact: { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  day: { weekday: "short", day: "numeric", month: "short" },
  shortDay: { day: "numeric", month: "short" },
  date: { weekday: "short", day: "numeric", month: "short", year: "numeric" },
  month: { month: "short" },
  monthYear: { month: "long", year: "numeric" },
  year: { year: "numeric" },
} satisfies Record<string, Intl.DateTimeFormatOptions>;

export type TimeFormat = keyof typeof FORMATS;

/** Writes times by one clock: a time zone of the camera or of the viewer. All times are milliseconds since the epoch. */
export class Clock {
  readonly timeZone: string;
  readonly #formats = new Map<TimeFormat, (moment: number) => string>();
  readonly #parts: Intl.DateTimeFormat;
  readonly #offsets = new Map<number, number>();

  /** Without a time zone, the clock uses the zone of the device. */
  constructor(timeZone?: string) {
    this.timeZone = timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
    this.#parts = new Intl.DateTimeFormat("en-GB", {
      timeZone: this.timeZone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
  }

  /** Writes a moment. A time of day within an hour of a change of the clock has its offset, because it can occur twice. */
  say(ms: number, what: TimeFormat): string {
    const said = this.#write(ms, what);
    return (what === "time" || what === "exact") && this.isNearChange(ms) ? `${said} ${this.#offsetOf(ms)}` : said;
  }

  /** Whether the clock is set forward or back within an hour before or after a moment. */
  isNearChange(ms: number): boolean {
    return this.offset(ms - HOUR) !== this.offset(ms + HOUR - 1);
  }

  /** The offset in words: "UTC+2", "UTC−3:30". */
  #offsetOf(ms: number): string {
    const minutes = Math.round(this.offset(ms) / MINUTE);
    const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
    return `UTC${minutes < 0 ? "−" : "+"}${hours}${rest === 0 ? "" : `:${String(rest).padStart(2, "0")}`}`;
  }

  #write(ms: number, what: TimeFormat): string {
    let format = this.#formats.get(what);
    if (format === undefined) {
      format = dateFormat({ timeZone: this.timeZone, hourCycle: "h23", ...FORMATS[what] });
      this.#formats.set(what, format);
    }
    return format(ms);
  }

  /** The whole time: "Fri, 20 Nov 2026, 09:30:00". */
  full(ms: number): string {
    return `${this.say(ms, "date")}, ${this.say(ms, "exact")}`;
  }

  /** The difference between the clock and UTC at a moment, in milliseconds. It is positive east of Greenwich. */
  offset(ms: number): number {
    const quarter = Math.floor(ms / QUARTER) * QUARTER;
    const known = this.#offsets.get(quarter);
    if (known !== undefined) return known;
    const at = Object.fromEntries(this.#parts.formatToParts(quarter).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = at;
    const offset = Date.UTC(year, month - 1, day, hour, minute, second) - quarter;
    if (this.#offsets.size >= MAX_KNOWN_OFFSETS) this.#offsets.clear();
    this.#offsets.set(quarter, offset);
    return offset;
  }

  /** The reading of the clock at a moment, as if it were UTC. */
  local(ms: number): number {
    return ms + this.offset(ms);
  }

  /**
   * The moment at which the clock shows a local time. If there are two such moments, it is the first. If the local time
   * is skipped, it is the moment of the change.
   */
  at(local: number): number {
    const [before, after] = [this.offset(local - DAY), this.offset(local + DAY)];
    const early = local - Math.max(before, after);
    if (this.local(early) === local) return early;
    const late = local - Math.min(before, after);
    return this.local(late) === local ? late : this.next(local - before - HOUR, HOUR / 4);
  }

  /** The beginning of the local day of a moment. */
  dayStart(ms: number): number {
    return this.at(Math.floor(this.local(ms) / DAY) * DAY);
  }

  /** The same local time some days later. */
  sameTime(ms: number, days: number): number {
    return this.at(this.local(ms) + days * DAY);
  }

  /** The beginning of the local month that begins `months` after the month of a moment. */
  monthStart(ms: number, months: number): number {
    const local = new Date(this.local(ms));
    return this.at(Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + months, 1));
  }

  /**
   * The first whole step of the local clock after a moment. Steps divide a day, or are days. If the clock is set
   * forward over a step, it is the moment of that change.
   */
  next(ms: number, step: number): number {
    for (let from = ms; ; ) {
      const offset = this.offset(from);
      const passed = Math.floor((from + offset) / step);
      const whole = (passed + 1) * step - offset;
      if (this.offset(whole) === offset) return whole;
      const change = this.#changeBetween(from, whole, offset);
      const local = change + this.offset(change);
      if (local % step === 0 || Math.floor(local / step) > passed) return change;
      from = change;
    }
  }

  /** The next moment at which a clock with this offset gets another offset. Clocks change at whole seconds. */
  #changeBetween(from: number, to: number, offset: number): number {
    let [before, after] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offset(middle * 1000) === offset) before = middle;
      else after = middle;
    }
    return after * 1000;
  }
}

/** A time of day in the format of a browser's field: "07:30". `minutes` are counted from midnight. */
export const clockOf = (minutes: number): string => new Date(minutes * MINUTE).toISOString().slice(11, 16);

/** The minutes after midnight of a field; null if the field is incomplete. */
export function minutesOf(value: string): number | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)/.exec(value) ?? [];
  return minute === undefined ? null : Number(hour) * 60 + Number(minute);
}
