import { expect, test } from "vitest";
import { CONDITIONS } from "../../gateway/src/camera/health";
import { faultInWords } from "../../src/cameras/faults";
import { FAULTS } from "../../src/cameras/messages/en";
import { JOB_KINDS } from "../../src/platform/jobs/kinds";
import { formsOf } from "../../src/platform/languages/forms";
import { formatOf } from "../../web/console/src/documents/format";
import { ADMIN } from "../../web/texts/en/admin";
import { clockOf, dayOf, lengthOf, roughLengthOf, timeOf, zonedTimeOf } from "../../web/ui/format";

/* The words of the console for times, formats of files and faults of devices. */

const AT = Date.UTC(2026, 8, 5, 13, 4);

test("a time says its clock, and every month has three letters", () => {
  const zone = /(UTC|GMT|[A-Z]{3,4})([+-][\d:]+)?$/;
  expect(timeOf(new Date(AT).toISOString())).toMatch(zone);
  expect(clockOf(AT)).toMatch(zone);
  expect(dayOf(AT)).toBe("5 Sep 2026");
});

test("a time of another zone has its day, unless that is today there", () => {
  const hour = 3_600_000;
  expect(zonedTimeOf(AT, "Europe/Oslo", AT + hour)).toBe("15:04 CEST");
  expect(zonedTimeOf(AT, "Europe/Oslo", AT + 24 * hour)).toBe("5 Sep, 15:04 CEST");
  expect(zonedTimeOf(AT, "Asia/Kolkata", AT + hour)).toBe("18:34 GMT+5:30");
  expect(zonedTimeOf(AT, "Pacific/Kiritimati", AT - 4 * hour)).toBe("6 Sep, 03:04 GMT+14");
});

test("the format of a file is in words, never a content type", () => {
  const office = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const named = (contentType: string, fileName = "file") => formatOf({ contentType, fileName });
  expect(named("application/pdf")).toBe("PDF");
  expect(named(office)).toBe("Word document");
  expect(named("text/html; charset=utf-8")).toBe("Web page");
  expect(named("IMAGE/SVG+XML")).toBe("Picture (SVG)");
  expect(named("application/octet-stream", "Survey 2.dwg")).toBe("DWG file");
  expect(named("application/octet-stream")).toBe("File");
});

test("each fault of the gateway is a sentence, and the fault of another device has words", () => {
  for (const code of [...CONDITIONS, "camera-open-failed"])
    expect(faultInWords(FAULTS, code)).toMatch(/^(The|Two) [^:]+\.$/);
  expect(faultInWords(FAULTS, "usb_read_timeout")).toBe("The device says: usb read timeout");
  expect(faultInWords(FAULTS, "E42.sensor:hot")).toBe("The device says: E42 sensor hot");
});

test("numbers, plurals, sizes and lists have the forms of their language", () => {
  const [english, polish, french] = [formsOf("en-GB"), formsOf("pl"), formsOf("fr")];
  expect([0, 1, 2, 12_345].map((n) => english.some(n, "gap", "gaps"))).toEqual([
    "0 gaps",
    "1 gap",
    "2 gaps",
    "12,345 gaps",
  ]);
  const forms = { few: "luki", many: "luk" };
  expect([1, 2, 5, 22].map((n) => polish.some(n, "luka", "luki", forms))).toEqual([
    "1 luka",
    "2 luki",
    "5 luk",
    "22 luki",
  ]);
  expect([0, 1, 2].map((n) => french.plural(n, "image", "images"))).toEqual(["image", "image", "images"]);
  expect([0, 999, 8_400, 84_000_000, 3e12].map(english.sizeOf)).toEqual([
    "0 bytes",
    "999 bytes",
    "8.4 kB",
    "84 MB",
    "3,000 GB",
  ]);
  expect(french.sizeOf(8_400)).toBe("8,4\u202fko");
  expect(english.percent(0.65)).toBe("65%");
  expect(english.list(["Ada", "Grace", "Hedy"])).toBe("Ada, Grace, Hedy");
  expect(["Quay 10", "quay 2", "Åre"].sort(english.byName)).toEqual(["Åre", "quay 2", "Quay 10"]);
});

test("a length of time has two units at most, and its short form has one", () => {
  const MINUTE = 60_000;
  const lengths = [0, 46, 160, 6 * 60 + 59, 30 * 60, 50 * 60].map((minutes) => minutes * MINUTE);
  expect(lengths.map(lengthOf)).toEqual([
    "less than a minute",
    "46 min",
    "2 h 40 min",
    "6 h 59 min",
    "1 d 6 h",
    "2 d 2 h",
  ]);
  expect(lengths.map(roughLengthOf)).toEqual(["1 min", "46 min", "2 h 40 min", "6 h", "30 h", "2 d"]);
});

test("each kind of job has a name in the administration", () => {
  expect(Object.keys(JOB_KINDS).filter((kind) => !Object.hasOwn(ADMIN.kinds, kind))).toEqual([]);
});
