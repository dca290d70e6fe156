import { describe, expect, test } from "vitest";
import fc, { scaled } from "../support/properties";
import { askedTerms, learntThroughout, worldPlan } from "./worlds";

/** Number of worlds in a run of the suite. `npm run bench:search -- worlds` tries thousands. */
const WORLDS = scaled(5);

describe("everything that a caller learns from search", () => {
  test("stays the same with and without hidden resources, with and without other organizations, and after indexing again", async () => {
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
