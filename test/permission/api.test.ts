import { expect, test } from "vitest";
import fc, { scaled } from "../support/properties";
import { compareApi } from "./compare-api";
import type { World } from "./world";
import { worlds } from "./worlds";

const WORLDS = scaled(4);

/** The same world at the current time, with ids that no other world has. */
function broughtToLife(world: World): World {
  const now = Date.now();
  const prefix = crypto.randomUUID().slice(0, 13);
  const fresh = JSON.parse(JSON.stringify(world).replaceAll("00000000-0000", prefix)) as World;
  const grants = fresh.grants.map((grant) => {
    if (grant.expiresAt === null) return grant;
    return { ...grant, expiresAt: grant.expiresAt > world.now ? now + 86_400_000 : now - 1 };
  });
  return { ...fresh, now, grants, credentials: fresh.credentials.slice(-4) };
}

test("the API: every list, search and single read agrees with the contract", { timeout: 240_000 }, async () => {
  let decisions = 0;
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const compared = await compareApi(broughtToLife(world));
      decisions += compared.decisions;
      expect(compared.differences).toEqual([]);
    }),
    { numRuns: WORLDS, endOnFailure: true },
  );
  expect(decisions).toBeGreaterThan(WORLDS * 20);
});
