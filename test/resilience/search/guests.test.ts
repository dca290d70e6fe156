import { expect, test } from "vitest";
import { guestPlan, throughout } from "../../search/guest-worlds";
import { askedTerms } from "../../search/worlds";
import fc, { scaled } from "../../support/properties";

/** Number of organizations in a run of the suite. `npm run bench:search -- worlds` tries hundreds. */
const WORLDS = scaled(1);

test("the index of a guest gives the same results as the grants one by one, whatever happens to grants and contents", async () => {
  await fc.assert(
    fc.asyncProperty(guestPlan, askedTerms, async (plan, terms) => {
      for (const { quick, slow, after, isIndexed } of await throughout(plan, terms)) {
        expect([after, quick]).toEqual([after, slow]);
        expect(isIndexed || !after.startsWith("built")).toBe(true);
      }
    }),
    { numRuns: WORLDS, endOnFailure: true },
  );
}, 240_000);
