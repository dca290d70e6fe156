import { expect, test } from "vitest";
import { timeZoneSchema } from "../../src/platform/time";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

test.each([
  ["Europe/Oslo", "Europe/Oslo"],
  ["europe/oslo", "Europe/Oslo"],
  ["utc", "UTC"],
  ["Etc/UTC", "UTC"],
])("%s is read as %s", (name, canonical) => {
  expect(timeZoneSchema.parse(name)).toBe(canonical);
});

test.each(["+01:00", "-05", "Mars/Olympus", "", " Europe/Oslo", `Europe/${"x".repeat(60)}`])(
  "%j is refused",
  (name) => {
    expect(timeZoneSchema.safeParse(name).success).toBe(false);
  },
);

test("only one file checks the names of time zones", () => {
  const judges = Object.keys(sources).filter((file) =>
    /const timeZoneSchema\b|resolvedOptions\(/.test(sources[file] ?? ""),
  );
  expect(judges).toEqual(["../../src/platform/time.ts"]);
});
