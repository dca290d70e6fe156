import { z } from "@hono/zod-openapi";

import { DAY, HOUR, MINUTE, SECOND } from "./duration";

export { DAY, HOUR, MINUTE, SECOND };

/** Converts milliseconds since the epoch, the database's form of times, to ISO 8601, the API's form. */
export const toUtc = (ms: number): string => new Date(ms).toISOString();

/** The same for a time that can be null. */
export const toUtcOrNull = (ms: number | null | undefined): string | null => (ms == null ? null : toUtc(ms));

/** A time in an answer: ISO 8601, `Z`, milliseconds. */
export const utcSchema = z.iso.datetime({ precision: 3 }).openapi({ example: "2026-11-20T09:30:00.000Z" });

/** A time in a request: ISO 8601 with any offset, parsed to milliseconds since the epoch. */
export const instantSchema = z.iso
  .datetime({ offset: true })
  .transform((text) => Date.parse(text))
  .openapi({ type: "string", format: "date-time", example: "2026-11-20T09:30:00.000Z" });

/** The same for a time that can be removed with null. The explicit type keeps null in the API description. */
export const instantOrNullSchema = instantSchema.nullable().openapi({ type: ["string", "null"] });

/** A calendar day without a time zone, such as `2026-03-29`. */
export type LocalDay = string;

export const localDaySchema = z.iso.date().openapi({ example: "2026-03-29" });

/** A local time in a request, such as `07:30`, parsed to minutes after midnight. */
export const clockTimeSchema = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "must be a local time such as 07:30")
  .transform((text) => 60 * Number(text.slice(0, 2)) + Number(text.slice(3)))
  .openapi({ type: "string", example: "07:30" });

/** Formatters by time zone. It takes long to create one, and requests use few zones. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 100;

/** @throws RangeError for an unknown zone */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const fields = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  const made = new Intl.DateTimeFormat("en-US", { timeZone, calendar: "gregory", ...fields, ...clock });
  if (formatters.size >= MAX_FORMATTERS) formatters.clear();
  formatters.set(timeZone, made);
  return made;
}

/** Words of zone names that do not have one capital at their beginning. */
const CAPITALS = new Set(
  "ACT CET CHAT EET EST GB GMT HST IN LHI MET MST NSW NZ PRC ROC ROK SU UCT US UTC W WET".split(" "),
);
const MIXED_WORDS = "of es au BajaNorte BajaSur ComodRivadavia DeNoronha DumontDUrville EasterIsland McMurdo".split(
  " ",
);
const MIXED = new Map(MIXED_WORDS.map((word) => [word.toLowerCase(), word]));

/** The name of a zone in the case of the IANA database, which has about 600 names; `Intl` knows it by any case. */
const inIanaCase = (name: string): string =>
  name
    .split(/([/_+-])/)
    .map((word) => {
      const [lower, upper] = [word.toLowerCase(), word.toUpperCase()];
      if (/\d/.test(word) || CAPITALS.has(upper)) return upper;
      return MIXED.get(lower) ?? `${upper.slice(0, 1)}${lower.slice(1)}`;
    })
    .join("");

/** Names that are not of the IANA database, such as `JST`. `Intl` reads them, and other programs do not. */
const FOREIGN_NAME = /^(?!(?:cet|eet|est|gmt|hst|met|mst|prc|roc|rok|uct|utc|wet)$)[a-z]{3}$/i;

/**
 * The name of a time zone as it was sent, in the right case: `Europe/Oslo` for `europe/oslo`, and `Europe/Kyiv` although
 * `Intl` still calls that zone `Europe/Kiev`. Null for an unknown zone and for an offset such as `+01:00`, which has no
 * daylight saving time.
 */
function timeZoneNamed(name: string): string | null {
  if (!/^[A-Za-z]/.test(name)) return null;
  try {
    const canonical = formatterOf(name).resolvedOptions().timeZone;
    const isCanonical = canonical.toLowerCase() === name.toLowerCase();
    return isCanonical || FOREIGN_NAME.test(name) ? canonical : inIanaCase(name);
  } catch {
    return null;
  }
}

/** A time zone in a request, by its IANA name in any case. */
export const timeZoneSchema = z
  .string()
  .max(64)
  .transform((name, context) => {
    const zone = timeZoneNamed(name);
    if (zone !== null) return zone;
    context.addIssue({ code: "custom", message: "must be the IANA name of a time zone, such as Europe/Oslo" });
    return z.NEVER;
  })
  .openapi({ type: "string", example: "Europe/Oslo" });

/** The UTC offset of a time zone at a moment, milliseconds; east of Greenwich it is positive. */
function offsetAt(timeZone: string, at: number): number {
  const parts = Object.fromEntries(
    formatterOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1_000) * 1_000;
}

/**
 * The moment of a local time in a zone, milliseconds since the epoch. `minute` counts from midnight. If the local time
 * occurs twice, the earlier moment counts. A skipped time moves forward by the length of the gap (RFC 5545, 3.3.5).
 */
export function momentOf(timeZone: string, day: LocalDay, minute: number): number {
  const shown = Date.parse(`${day}T00:00:00Z`) + minute * MINUTE;
  const [before, after] = [offsetAt(timeZone, shown - DAY), offsetAt(timeZone, shown + DAY)];
  const right = [shown - before, shown - after].filter((at) => at + offsetAt(timeZone, at) === shown);
  return right.length === 0 ? shown - before : Math.min(...right);
}

export const nextDay = (day: LocalDay): LocalDay =>
  new Date(Date.parse(`${day}T00:00:00Z`) + DAY).toISOString().slice(0, 10);

/** The number of days in a range, both ends included; 0 or less if it ends before it begins. */
export const dayCount = (from: LocalDay, to: LocalDay): number => (Date.parse(to) - Date.parse(from)) / DAY + 1;

/** All days of a range, both ends included. */
export const daysFrom = (from: LocalDay, to: LocalDay): LocalDay[] =>
  Array.from({ length: Math.max(0, dayCount(from, to)) }, (_, i) =>
    new Date(Date.parse(from) + i * DAY).toISOString().slice(0, 10),
  );
