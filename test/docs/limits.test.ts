import { expect, test } from "vitest";
import page from "../../docs/reference/limits.md?raw";
import type { RateLimit } from "../../src/platform/http/rate-limit";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/platform/time";
import { type Form, flatRows, partsOf } from "../limits/row";
import { limitTables } from "../limits/tables/index";

const count = (n: number): string => n.toLocaleString("en");

function size(bytes: number): string {
  const MIB = 1024 * 1024;
  if (bytes % (1024 * MIB) === 0) return `${bytes / (1024 * MIB)} GiB`;
  if (bytes % MIB === 0) return `${bytes / MIB} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${count(bytes)} bytes`;
}

/** A number of UTF-16 units of a text. */
const characters = (n: number): string => `${size(n).replace("iB", "i")} characters`;

function time(ms: number): string {
  const units = { day: DAY, hour: HOUR, minute: MINUTE, second: SECOND };
  const [unit, length] = Object.entries(units).find(([, each]) => ms % each === 0 && (each !== DAY || ms > DAY)) ?? [
    "",
    1,
  ];
  return `${ms / length} ${unit}${ms === length ? "" : "s"}`;
}

const rate = ({ limit, windowMs }: RateLimit): string => `${count(limit)} in ${time(windowMs)}`;

/** The number of a limit as the page has it. */
function written(form: Form, value: unknown): string {
  if (form === "rate") return rate(value as RateLimit);
  if (typeof value !== "number") throw new Error("a limit is a number or a rate");
  return { count, size, characters, time }[form](value);
}

type Module = Readonly<Record<string, unknown>>;
const modules = import.meta.glob<Module>("../../src/**/{limits,cursor,idempotency,middleware,endpoint}.ts", {
  eager: true,
});

/** Finds a limit by the name of its constant, or of a field in the constant. */
const numberOf = (file: string, name: string): unknown =>
  name.split(".").reduce<unknown>((value, key) => (value as Module | undefined)?.[key], modules[`../../${file}`]);

/** The expected content of the page, by its sections, from the constants that the code enforces. */
const expected: Record<string, Record<string, string>> = {};
for (const [file, rows] of Object.entries(limitTables))
  for (const [name, { page: line, pages = [] }] of flatRows(rows))
    for (const [section, what, form] of (line === undefined ? pages : [line, ...pages]).map(partsOf))
      expected[section] = { ...expected[section], [what]: written(form, numberOf(file, name)) };

test("the page lists each limit, with the number that the code enforces", () => {
  const sections = page.split(/^## /m).slice(1);
  const listed = sections.map((section) => [
    section.slice(0, section.indexOf("\n")),
    Object.fromEntries(
      [...section.matchAll(/^\| (?!What |---)(.+?) \| (.+?) \|$/gm)].map(([, what, limit]) => [what, limit]),
    ),
  ]);
  expect(Object.fromEntries(listed)).toEqual(expected);
});
