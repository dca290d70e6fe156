import { describe, expect, test } from "vitest";
import fc from "../support/properties";
import { askedTerms, learntThroughout, worldPlan } from "./worlds";

/** Worlds a run of the suite makes; `npm run bench:search -- worlds` makes thousands. */
const WORLDS = 20;

describe("what a caller learns from search", () => {
  test("is the same with hidden things and without them, with other organizations and without, and indexed again", async () => {
    await fc.assert(
      fc.asyncProperty(worldPlan, askedTerms, async (plan, asked) => {
        const { alone, beside, without, again } = await learntThroughout(plan, asked);
        expect(beside).toEqual(alone);
        expect(without).toEqual(alone);
        expect(again).toEqual(alone);
      }),
      { numRuns: WORLDS, endOnFailure: true },
    );
  }, 240_000);
});
