const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Words for a length of time, in its two largest units. */
export function length(ms) {
  const minutes = Math.round(ms / MINUTE);
  const parts = [
    [Math.floor(minutes / 1440), "d"],
    [Math.floor(minutes / 60) % 24, "h"],
    [minutes % 60, "min"],
  ].filter(([n]) => n > 0);
  return (
    parts
      .slice(0, 2)
      .map(([n, unit]) => `${n} ${unit}`)
      .join(" ") || "less than a minute"
  );
}

/** Writes times by one clock: a time zone of the camera or of the viewer. */
export class Clock {
  #full;
  #day;
  #hour;
  #parts;

  constructor(timeZone) {
    this.timeZone = timeZone;
    const format = (options) => new Intl.DateTimeFormat("en-GB", { timeZone, hourCycle: "h23", ...options });
    const date = { day: "numeric", month: "short", year: "numeric" };
    const time = { hour: "2-digit", minute: "2-digit" };
    this.#full = format({ weekday: "short", ...date, ...time, second: "2-digit" });
    this.#day = format({ day: "numeric", month: "short" });
    this.#hour = format(time);
    this.#parts = format({ ...date, month: "numeric", ...time, second: "2-digit" });
  }

  full(ms) {
    return this.#full.format(ms);
  }

  day(ms) {
    return this.#day.format(ms);
  }

  hour(ms) {
    return this.#hour.format(ms);
  }

  /** How far the clock is ahead of UTC at a moment, milliseconds. */
  offset(ms) {
    const at = Object.fromEntries(this.#parts.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(at.year, at.month - 1, at.day, at.hour, at.minute, at.second) - Math.floor(ms / 1000) * 1000;
  }

  /**
   * The first whole step of the local clock after a moment: steps divide a day, or are days. Where the clock is set
   * forward over a step, it is the moment of that change.
   */
  next(ms, step) {
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

  /** When a clock that has this offset first is set to another; clocks change at whole seconds. */
  #changeBetween(from, to, offset) {
    let [before, after] = [Math.floor(from / 1000), Math.ceil(to / 1000)];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (this.offset(middle * 1000) === offset) before = middle;
      else after = middle;
    }
    return after * 1000;
  }
}
