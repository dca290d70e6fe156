import { tooLarge } from "../extracted";
import { attribute, readXml } from "../xml";
import type { Archive } from "../zip/archive";

/** The kind of a cell's number, which its number format decides. */
export type NumberKind = "number" | "percent" | "date" | "time" | "datetime" | "duration";

/** Maximum number of cell formats and of custom number formats. Excel's own limit is 65,490. */
const MAX_FORMATS = 70_000;

/** The built-in number formats (ECMA-376 part 1, 18.8.30), including the formats of East Asian languages. */
const BUILT_IN = new Map<number, NumberKind>([
  ...[9, 10].map((id) => [id, "percent"] as const),
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, "date"] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, "time"] as const),
  [22, "datetime"],
  [46, "duration"],
]);

/** The kind of a built-in number format. */
export const kindOfFormatId = (id: number): NumberKind => BUILT_IN.get(id) ?? "number";

/**
 * The kind of a number format code, from its first section. `[h]:mm` is a duration. `m` means months beside days, and
 * minutes beside hours.
 */
export function kindOfFormat(code: string): NumberKind {
  const first = code.replace(/"[^"]*"|\\.|_.|\*./g, "").split(";", 1)[0] ?? "";
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return "duration";
  const letters = first.replace(/\[[^\]]*\]/g, "").replace(/AM\/PM|A\/P/gi, "h");
  if (/general/i.test(letters)) return "number";
  const time = /[hs]/i.test(letters);
  const day = /[yde]/i.test(letters) || (/m/i.test(letters) && !time);
  if (time && day) return "datetime";
  if (time) return "time";
  if (day && !/[0#?]/.test(letters)) return "date";
  return letters.includes("%") ? "percent" : "number";
}

/** Reads the number kind of each cell style of a workbook, by the index of the style. */
export async function readNumberKinds(archive: Archive, part: string): Promise<NumberKind[]> {
  const custom = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let inCellFormats = false;
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "numFmt")
        custom.set(Number(attribute(attributes, "numFmtId")), kindOfFormat(attribute(attributes, "formatCode") ?? ""));
      else if (name === "cellXfs") inCellFormats = true;
      else if (name === "xf" && inCellFormats) {
        const id = Number(attribute(attributes, "numFmtId") ?? 0);
        kinds.push(custom.get(id) ?? kindOfFormatId(id));
      }
      if (kinds.length > MAX_FORMATS || custom.size > MAX_FORMATS)
        throw tooLarge("The workbook has more formats than Excel allows.");
    },
    close(name) {
      if (name === "cellXfs") inCellFormats = false;
    },
  });
  return kinds;
}

const DAY_MS = 86_400_000;
/** 1970-01-01 as a serial day of each date system (ECMA-376 part 1, 18.17.4.1). */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
/** The last serial that is a date: 9999-12-31. */
const LAST_DAY = 2_958_465.999_99;

/** Formats a number: dates and times in ISO form, percentages with their sign, and fifteen digits like Excel. */
export function showNumber(value: number, kind: NumberKind, date1904: boolean): string {
  if (!Number.isFinite(value)) return "";
  if (kind === "percent") return `${digits(value * 100)}%`;
  if (kind === "duration") return duration(value);
  if (kind === "number" || value < 0 || value > LAST_DAY) return digits(value);
  return date(value, kind, date1904);
}

/** Rounds to fifteen significant digits like Excel, where 0.1 + 0.2 is 0.3. */
const digits = (value: number): string => String(Number(value.toPrecision(15)));

function duration(value: number): string {
  const seconds = Math.round(Math.abs(value) * 86_400);
  const two = (n: number) => String(n).padStart(2, "0");
  const sign = value < 0 ? "-" : "";
  return `${sign}${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function date(serial: number, kind: "date" | "time" | "datetime", date1904: boolean): string {
  // Excel has a day that never existed: 29 February 1900, serial 60. So earlier serials are one day off.
  const days = date1904 ? serial - EPOCH_1904 : serial - EPOCH_1900 + (serial < 60 ? 1 : 0);
  const iso = new Date(Math.round((days * DAY_MS) / 1_000) * 1_000).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, iso.slice(17, 19) === "00" ? 16 : 19)];
  if (kind === "time" && serial < 1) return time;
  if (!date1904 && Math.floor(serial) === 60) return "1900-02-29";
  return kind === "date" || (time === "00:00" && Number.isInteger(serial)) ? day : `${day} ${time}`;
}
