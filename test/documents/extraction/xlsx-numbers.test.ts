import { expect, test } from "vitest";
import { kindOfFormat, showNumber } from "../../../src/documents/extraction/formats/xlsx-styles";

test.each([
  ["General", "number"],
  ["0.00", "number"],
  ["#,##0.00\\ [$€-407]", "number"],
  ['0 "days"', "number"],
  ["0.0%", "percent"],
  ["yyyy\\-mm\\-dd", "date"],
  ["[$-409]mmmm\\ d\\,\\ yyyy;@", "date"],
  ["mmm-yy", "date"],
  ["h:mm AM/PM", "time"],
  ["mm:ss.0", "time"],
  ["m/d/yy h:mm", "datetime"],
  ["[h]:mm:ss", "duration"],
  ['[Red]-0;[Blue]"minus" yyyy', "number"],
] as const)("the number format %s is a %s", (code, kind) => {
  expect(kindOfFormat(code)).toBe(kind);
});

test.each([
  [0.1 + 0.2, "number", "0.3"],
  [123456789012345, "number", "123456789012345"],
  [-1.5, "number", "-1.5"],
  [0.125, "percent", "12.5%"],
  [0.07 * 3, "percent", "21%"],
  [1, "date", "1900-01-01"],
  [59, "date", "1900-02-28"],
  [60, "date", "1900-02-29"],
  [61, "date", "1900-03-01"],
  [46_095, "date", "2026-03-14"],
  [46_096.770_833_333, "datetime", "2026-03-15 18:30"],
  [46_096, "datetime", "2026-03-15"],
  [0.5, "time", "12:00"],
  [1.5, "duration", "36:00:00"],
  [2_958_465, "date", "9999-12-31"],
  [-3, "date", "-3"],
  [1e300, "date", "1e+300"],
  [Number.NaN, "number", ""],
] as const)("%s shown as a %s is %j", (value, kind, expected) => {
  expect(showNumber(value, kind, false)).toBe(expected);
});

test("workbooks of the 1904 date system begin four years later", () => {
  expect(showNumber(0, "date", true)).toBe("1904-01-01");
  expect(showNumber(44_633, "date", true)).toBe("2026-03-14");
});
