import { COMMON } from "#texts/common.ts";
import { dateFormat } from "#texts/language.ts";

/** A time of day always says its clock, because cameras and people can have different ones. */
const TIME = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

const moment = dateFormat({ ...DAY, ...TIME });

/** A moment in the clock of the person: "20 Nov 2026, 15:32 CET". */
export const timeOf = (utc: string): string => moment(new Date(utc));

/** The time of day in the clock of the person: "15:32 CET". */
export const clockOf = dateFormat(TIME);

/** The day in the clock of the person: "20 Nov 2026". */
export const dayOf = dateFormat(DAY);

const inZones = new Map<string, (moment: number) => string>();

/** Writes moments in a time zone. It takes long to make a format, so each is made once. */
function zonedFormat(timeZone: string, parts: Intl.DateTimeFormatOptions): (moment: number) => string {
  const key = `${timeZone} ${Object.keys(parts)}`;
  const made = inZones.get(key) ?? dateFormat({ ...parts, timeZone });
  inZones.set(key, made);
  return made;
}

/** A moment in a time zone: the time and its clock, after the day unless that is today there: "20 Nov, 15:32 CET". */
export function zonedTimeOf(at: number, timeZone: string, now: number): string {
  const dayThere = zonedFormat(timeZone, DAY);
  const isToday = dayThere(at) === dayThere(now);
  return zonedFormat(timeZone, isToday ? TIME : { day: "numeric", month: "short", ...TIME })(at);
}

const MINUTE_MS = 60_000;
const MINUTES_A_DAY = 24 * 60;

/** A length of time in its two largest units: "2 h 40 min". */
export function lengthOf(ms: number): string {
  const minutes = Math.round(ms / MINUTE_MS);
  const { days, hours, minutes: inMinutes, none } = COMMON.length;
  const parts: [number, (count: number) => string][] = [
    [Math.floor(minutes / MINUTES_A_DAY), days],
    [Math.floor(minutes / 60) % 24, hours],
    [minutes % 60, inMinutes],
  ];
  const some = parts.filter(([count]) => count > 0).slice(0, 2);
  return some.map(([count, inWords]) => inWords(count)).join(" ") || none;
}

/** A length of time at a glance, at least a minute: "46 min", "3 h 5 min", "30 h", "2 d". */
export function roughLengthOf(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / MINUTE_MS));
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return COMMON.length.days(Math.floor(hours / 24));
  return hours < 6 ? lengthOf(minutes * MINUTE_MS) : COMMON.length.hours(hours);
}

/** The first letters of a name: "AL" for Ada Lovelace. */
export const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => [...word][0] ?? "")
    .join("")
    .toUpperCase();

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&#x27;": "'",
};

/** The parts of a snippet, which the service gives as escaped HTML with marks. */
export function snippetParts(html: string): { text: string; marked: boolean }[] {
  return html
    .split(/(<mark>.*?<\/mark>)/s)
    .filter((part) => part !== "")
    .map((part) => ({
      marked: part.startsWith("<mark>"),
      text: part
        .replace(/<\/?mark>/g, "")
        .replace(/&(amp|lt|gt|quot|#39|#x27);/g, (entity) => ENTITIES[entity] ?? entity),
    }));
}
