import { expect, test } from "vitest";
import { slugOf } from "../../../src/reports/printing/jobs/print";

test("every title gives a valid name of a report's document", () => {
  expect(slugOf("Prüfbericht  Süd – 2026/11")).toBe("prufbericht-sud-2026-11");
  expect(slugOf("../../etc/passwd")).toBe("etc-passwd");
  expect(slugOf("岸壁の点検")).toBe("岸壁の点検");
  expect(slugOf("  ‒ ")).toBe("report");
  expect(slugOf("x".repeat(500))).toHaveLength(80);
});
