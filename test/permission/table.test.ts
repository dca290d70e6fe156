import { expect, test } from "vitest";
import { CAPABILITIES, LEVELS, type LevelName, ROLES, type Role } from "../../src/access";
import { compareLevels } from "./compare-levels";
import { type Grant, idOf, type Levels, type Thing, type World } from "./world";

/*
 * One location, one user, and every combination of role × override × grant × ceiling × scope × entitlements.
 * compareLevels tries each capability on the organization and everything in it.
 */

const NOW = 1_000;
const [userId, here, elsewhere] = [idOf("user", 0), idOf("organization", 0), idOf("organization", 1)];
const owner = { organizationId: here };
const cluster: Thing = { kind: "cluster", id: idOf("cluster", 0), parent: null, owner };
const location: Thing = { kind: "location", id: idOf("location", 0), parent: cluster, owner };
const document: Thing = { kind: "document", id: idOf("document", 0), parent: location, owner };
const content: Thing = { kind: "content", id: idOf("content", 0), parent: location, owner };
const things = [cluster, location, document, content];

/** The same level for every capability, or an empty map. */
const everywhere = (level: LevelName | null): Levels =>
  level === null ? {} : Object.fromEntries(CAPABILITIES.map((capability) => [capability, level]));

const roles: readonly (Role | null)[] = [null, ...ROLES];
const named: readonly (LevelName | null)[] = [null, ...LEVELS];
const expiries = [null, NOW - 1, NOW, NOW + 1];
const grants: readonly Grant[][] = [
  [],
  ...[cluster, location, document].flatMap((target) =>
    named.flatMap((level) => expiries.map((expiresAt) => [{ userId, target, levels: everywhere(level), expiresAt }])),
  ),
];
const ceilings: readonly (Levels | null)[] = [null, ...named.map(everywhere)];
const scopes: readonly (string[] | null)[] = [null, [], [here], [elsewhere], [here, elsewhere]];
const credentials = ceilings.flatMap((ceiling) =>
  scopes.map((organizationIds) => ({ userId, organizationIds, ceiling })),
);
const entitlements = [false, true].flatMap((cameras) =>
  [false, true].map((externalShares) => ({ id: here, cameras, externalShares })),
);

function* everyWorld(): Generator<World> {
  for (const role of roles)
    for (const override of role === null ? [null] : named)
      for (const given of grants)
        for (const organization of entitlements)
          yield {
            now: NOW,
            userIds: [userId],
            organizations: [organization],
            memberships: role === null ? [] : [{ userId, organizationId: here, role, overrides: everywhere(override) }],
            things,
            grants: given,
            credentials,
          };
}

test("every combination of role, override, grant, token and entitlement at one location", { timeout: 240_000 }, () => {
  const seen = { decisions: 0, differences: [] as string[] };
  for (const world of everyWorld()) {
    const { decisions, differences } = compareLevels(world);
    seen.decisions += decisions;
    seen.differences.push(...differences);
  }
  expect(seen.differences.slice(0, 10)).toEqual([]);
  expect(seen.decisions).toBe(17 * 49 * 4 * 25 * (CAPABILITIES.length + 2 * (4 * CAPABILITIES.length - 1)));
});
