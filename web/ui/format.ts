const UNITS = ["B", "kB", "MB", "GB"];

/** A size for people: "8.4 MB". */
export function sizeOf(bytes: number): string {
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit > 0 && value < 10 ? 1 : 0;
  return `${value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

/** A time of day always says its clock, because cameras and people can have different ones. */
const TIME = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" } as const;
const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

/** Browsers abbreviate September with four letters, and all other months with three. The whole name stays. */
export const shortSeptember = (text: string): string => text.replace(/\bSept\b/, "Sep");

const formatter = (parts: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat("en-GB", parts);
  return (moment: number | Date): string => shortSeptember(format.format(moment));
};
const moment = formatter({ ...DAY, ...TIME });

/** A moment in the clock of the person: "20 Nov 2026, 15:32 CET". */
export const timeOf = (utc: string): string => moment(new Date(utc));

/** The time of day in the clock of the person: "15:32 CET". */
export const clockOf = formatter(TIME);

/** The day in the clock of the person: "20 Nov 2026". */
export const dayOf = formatter(DAY);

const inZones = new Map<string, (moment: number) => string>();

/** A moment in a time zone: the time and its clock, after the day unless that is today there: "20 Nov, 15:32 CET". */
export function zonedTimeOf(at: number, timeZone: string, now: number): string {
  const dayThere = new Intl.DateTimeFormat("en-CA", { timeZone });
  const isToday = dayThere.format(at) === dayThere.format(now);
  const key = `${timeZone} ${isToday}`;
  const made =
    inZones.get(key) ?? formatter({ ...(!isToday && { day: "numeric", month: "short" }), ...TIME, timeZone });
  inZones.set(key, made);
  return made(at);
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

const natural = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** Orders names as people do: "Quay 2" before "Quay 10", without regard to case and accents. */
export const byName = (a: string, b: string): number => natural.compare(a, b);
