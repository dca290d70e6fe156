import { expect, test } from "vitest";
import fc from "../support/properties";
import { compareLevels } from "./compare-levels";
import { worlds } from "./worlds";

const WORLDS = 500;

test("single decisions: the evaluator and the reference of the contract agree", () => {
  let decisions = 0;
  fc.assert(
    fc.property(worlds, (world) => {
      const compared = compareLevels(world);
      decisions += compared.decisions;
      expect(compared.differences).toEqual([]);
    }),
    { numRuns: WORLDS },
  );
  expect(decisions).toBeGreaterThan(WORLDS * 100);
});
