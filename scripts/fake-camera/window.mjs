const formats = new Map();

/** The local clock of a time zone at an instant: minutes since midnight, and the day of the week (1 is Monday). */
function localTime(timeZone, at) {
  const options = { timeZone, weekday: "short", hour: "numeric", minute: "numeric", hourCycle: "h23" };
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat("en-US", options);
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const day = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(parts.weekday) + 1;
  return { minute: Number(parts.hour) * 60 + Number(parts.minute), day };
}

const minuteOf = (clock) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));

/**
 * Whether a camera takes an image now: not while it is paused, and not outside its window. A window that ends before it
 * begins passes midnight and belongs to the day of its beginning.
 * @param {{ isPaused: boolean, timeZone: string, captureWindow: null | { start: string, end: string, daysOfWeek?:
 * number[] } }} configuration
 * @param {number} at milliseconds since the epoch
 */
export function isDue({ isPaused, timeZone, captureWindow }, at) {
  if (isPaused || captureWindow === null) return !isPaused;
  const { minute, day } = localTime(timeZone, at);
  const [start, end] = [minuteOf(captureWindow.start), minuteOf(captureWindow.end)];
  const begins = (on) => captureWindow.daysOfWeek?.includes(on) ?? true;
  if (start < end) return minute >= start && minute < end && begins(day);
  const yesterday = day === 1 ? 7 : day - 1;
  return (minute >= start && begins(day)) || (minute < end && begins(yesterday));
}
