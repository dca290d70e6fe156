import { expect, test } from "vitest";
import { timeZoneSchema } from "../../src/platform/time";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

test.each([
  ["Europe/Oslo", "Europe/Oslo"],
  ["europe/oslo", "Europe/Oslo"],
  ["utc", "UTC"],
  ["Etc/UTC", "Etc/UTC"],
  // Names that changed: the client's name stays.
  ["Europe/Kyiv", "Europe/Kyiv"],
  ["Europe/Kiev", "Europe/Kiev"],
  ["EUROPE/KYIV", "Europe/Kyiv"],
  ["asia/kolkata", "Asia/Kolkata"],
  ["Asia/Calcutta", "Asia/Calcutta"],
  ["us/eastern", "US/Eastern"],
  ["gb-eire", "GB-Eire"],
  ["AMERICA/PORT_OF_SPAIN", "America/Port_of_Spain"],
  ["america/port-au-prince", "America/Port-au-Prince"],
  ["africa/dar_es_salaam", "Africa/Dar_es_Salaam"],
  ["antarctica/dumontdurville", "Antarctica/DumontDUrville"],
  ["america/knox_in", "America/Knox_IN"],
  ["brazil/denoronha", "Brazil/DeNoronha"],
  ["etc/gmt+5", "Etc/GMT+5"],
  ["america/nuuk", "America/Nuuk"],
  // This is not a name of the IANA database.
  ["JST", "Asia/Tokyo"],
])("%s is read as %s", (name, read) => {
  expect(timeZoneSchema.parse(name)).toBe(read);
});

test("every zone that this machine knows keeps its name, in any case", () => {
  for (const zone of Intl.supportedValuesOf("timeZone"))
    for (const name of [zone, zone.toLowerCase(), zone.toUpperCase()]) expect(timeZoneSchema.parse(name)).toBe(zone);
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
