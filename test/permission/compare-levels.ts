import { CAPABILITIES, type LevelName, levelAt, levelsAt, nameOf } from "../../src/access";
import { factsOf, placeOf } from "./facts";
import { levelOn, levelOnOrganization } from "./reference";
import type { Credential, World } from "./world";

export interface Comparison {
  /** Number of compared answers. */
  decisions: number;
  /** The differences between service and reference, as text for a person. */
  differences: string[];
}

/** Compares every single decision of a world with the reference. */
export function compareLevels(world: World): Comparison {
  const found: Comparison = { decisions: 0, differences: [] };
  const compare = (what: string, decided: LevelName, expected: LevelName) => {
    found.decisions++;
    if (decided !== expected) found.differences.push(`${what}: decided ${decided}, contract ${expected}`);
  };
  const compareAll = (credential: Credential, n: number) => {
    const facts = factsOf(world, credential);
    for (const { id } of world.organizations)
      for (const capability of CAPABILITIES) {
        const decided = nameOf(levelAt(facts, capability, { tenantId: id, organizationId: id }));
        const expected = levelOnOrganization(world, credential, capability, id);
        compare(`credential ${n}, ${capability} on ${id}`, decided, expected);
      }
    for (const thing of world.things) {
      const place = placeOf(thing);
      const all = levelsAt(facts, place);
      for (const capability of CAPABILITIES) {
        // Content has no view capability: its location decides.
        if (thing.kind === "content" && capability === "LocationView") continue;
        const expected = levelOn(world, credential, capability, thing);
        const what = `credential ${n}, ${capability} on ${thing.id}`;
        compare(what, nameOf(levelAt(facts, capability, place)), expected);
        compare(`${what}, among all`, all[capability], expected);
      }
    }
  };
  for (const [n, credential] of world.credentials.entries()) compareAll(credential, n);
  return found;
}
