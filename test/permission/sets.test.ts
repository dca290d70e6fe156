import { expect, test } from "vitest";
import fc from "../support/properties";
import { compareSets } from "./compare-sets";
import { worlds } from "./worlds";

const WORLDS = 100;

test("whole sets: the condition that D1 runs finds exactly the rows of the contract", {
  timeout: 240_000,
}, async () => {
  let decisions = 0;
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const compared = await compareSets(world);
      decisions += compared.decisions;
      expect(compared.differences).toEqual([]);
    }),
    { numRuns: WORLDS },
  );
  expect(decisions).toBeGreaterThanOrEqual(WORLDS * 4 * 144);
});
