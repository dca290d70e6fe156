import type { NumberKind } from "./xlsx-styles";

const DAY_MS = 86_400_000;
/** 1970-01-01 as a serial day of each date system (ECMA-376 part 1, 18.17.4.1). */
const EPOCH_1900 = 25_569;
const EPOCH_1904 = 24_107;
/** The last serial that is a date: 9999-12-31. */
const LAST_DAY = 2_958_465.999_99;

/** A number as its cell shows it: dates and times in ISO form, percentages with their sign, fifteen digits as in Excel. */
export function showNumber(value: number, kind: NumberKind, date1904: boolean): string {
  if (!Number.isFinite(value)) return "";
  if (kind === "percent") return `${digits(value * 100)}%`;
  if (kind === "duration") return duration(value);
  if (kind === "number" || value < 0 || value > LAST_DAY) return digits(value);
  return date(value, kind, date1904);
}

/** Excel keeps and shows fifteen significant digits: 0.1 + 0.2 is 0.3 there. */
const digits = (value: number): string => String(Number(value.toPrecision(15)));

function duration(value: number): string {
  const seconds = Math.round(Math.abs(value) * 86_400);
  const two = (n: number) => String(n).padStart(2, "0");
  const sign = value < 0 ? "-" : "";
  return `${sign}${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function date(serial: number, kind: "date" | "time" | "datetime", date1904: boolean): string {
  // Excel believes in 29 February 1900, serial 60: days before it are one later than they seem.
  const days = date1904 ? serial - EPOCH_1904 : serial - EPOCH_1900 + (serial < 60 ? 1 : 0);
  const iso = new Date(Math.round((days * DAY_MS) / 1_000) * 1_000).toISOString();
  const [day, time] = [iso.slice(0, 10), iso.slice(11, iso.slice(17, 19) === "00" ? 16 : 19)];
  if (kind === "time" && serial < 1) return time;
  if (!date1904 && Math.floor(serial) === 60) return "1900-02-29";
  return kind === "date" || (time === "00:00" && Number.isInteger(serial)) ? day : `${day} ${time}`;
}
