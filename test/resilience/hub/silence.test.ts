import { expect, test } from "vitest";
import { apply, changes } from "../../hub/silence/changes";
import { bursts, heardBy, notificationsOf, revocationsOf, send, sendDuring, upload } from "../../hub/silence/events";
import { join, open, settle, type Universe } from "../../hub/silence/universe";
import { worlds } from "../../permission/worlds";
import fc, { scaled } from "../../support/properties";

/** Number of worlds. `PROPERTY_SEED` selects others. */
const WORLDS = scaled(6);

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: bursts.map((burst) => ({ step: "send" as const, burst })) },
    { weight: 4, arbitrary: changes.map((change) => ({ step: "change" as const, change })) },
    {
      weight: 2,
      arbitrary: fc.record({ step: fc.constant("race" as const), change: changes, burst: bursts }),
    },
    { weight: 1, arbitrary: fc.nat().map((pick) => ({ step: "upload" as const, pick })) },
    {
      weight: 2,
      arbitrary: fc.record({ step: fc.constant("join" as const), listener: fc.nat(), location: fc.nat() }),
    },
  ),
  { minLength: 6, maxLength: 16 },
);
type Step = typeof steps extends fc.Arbitrary<(infer T)[]> ? T : never;

const withLocations = worlds.filter(({ things }) => things.some(({ kind }) => kind === "location"));

const total = { heard: 0, withheld: 0, revoked: 0, notified: 0 };

/** Runs one step. Returns the differences from the contract. */
async function run(universe: Universe, step: Step): Promise<string[]> {
  switch (step.step) {
    case "send": {
      const { heard, withheld } = await send(universe, step.burst);
      total.heard += heard;
      total.withheld += withheld;
      return [];
    }
    case "change": {
      const { commit, lookAgain } = apply(universe, step.change);
      await commit();
      if (step.change.lookAgain) await lookAgain();
      return [];
    }
    case "race":
      return sendDuring(universe, step.burst, () => apply(universe, step.change));
    case "upload":
      await upload(universe, step.pick);
      return [];
    case "join": {
      const listener = universe.listeners[step.listener % universe.listeners.length];
      const location = universe.locations[step.location % universe.locations.length];
      if (listener === undefined || location === undefined) return [];
      const wrong = await join(universe, listener, location);
      return wrong === null ? [] : [wrong];
    }
  }
}

test("a credential gets exactly the events that it may see", {
  timeout: 30_000 + WORLDS * 10_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(withLocations, steps, async (world, planned) => {
      const universe = await open(world);
      const { listeners, locations } = universe;
      try {
        const refused = await Promise.all(
          listeners.flatMap((listener) => locations.map((location) => join(universe, listener, location))),
        );
        expect(refused.filter((wrong) => wrong !== null)).toEqual([]);
        for (const step of planned) {
          expect(await run(universe, step)).toEqual([]);
          await settle(universe);
          for (const [n, listener] of listeners.entries()) {
            const told = { n, heard: heardBy(listener), notified: notificationsOf(listener) };
            expect(told).toEqual({ n, heard: listener.expected, notified: listener.notified });
            expect({ n, revoked: revocationsOf(listener).sort() }).toEqual({ n, revoked: listener.revoked.toSorted() });
          }
        }
        for (const { revoked, notified } of listeners) {
          total.revoked += revoked.length;
          total.notified += notified.length;
        }
      } finally {
        for (const { client } of listeners) client.close();
      }
    }),
    { numRuns: WORLDS, endOnFailure: true },
  );
  for (const count of Object.values(total)) expect(count).toBeGreaterThan(WORLDS / 4);
});
