import { describe, test } from "vitest";
import { expectBound } from "../../../limits/bounds";
import { slowPdfBoundRows } from "../../../limits/pdf-bounds";

describe("a limit accepts its number, and nothing beyond it", () => {
  test.each(slowPdfBoundRows)("$limit", expectBound);
});
