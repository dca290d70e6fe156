import { describe, test } from "vitest";
import { boundRows, expectBound } from "./bounds";
import { documentBoundRows } from "./document-bounds";
import { extractionBoundRows } from "./extraction-bounds";
import { liveBoundRows } from "./live-bounds";
import { pdfBoundRows } from "./pdf-bounds";
import { reportBoundRows } from "./report-bounds";

const rows = [
  ...boundRows,
  ...documentBoundRows,
  ...extractionBoundRows,
  ...liveBoundRows,
  ...pdfBoundRows,
  ...reportBoundRows,
];

describe("a limit accepts its number, and nothing beyond it", () => {
  test.each(rows)("$limit", expectBound);
});
