import { describe, expect, test } from "vitest";
import { boundRows } from "./bounds";
import { documentBoundRows } from "./document-bounds";
import { extractionBoundRows } from "./extraction-bounds";
import { liveBoundRows } from "./live-bounds";
import { reportBoundRows } from "./report-bounds";

describe("a limit accepts its number, and nothing beyond it", () => {
  test.each([...boundRows, ...documentBoundRows, ...extractionBoundRows, ...liveBoundRows, ...reportBoundRows])(
    "$limit",
    async ({ value, isMinimum, step = 1, accepts }) => {
      expect([value, await accepts(value)]).toEqual([value, true]);
      const beyond = isMinimum ? value - step : value + step;
      expect([beyond, await accepts(beyond)]).toEqual([beyond, false]);
    },
  );
});
