import fc from "fast-check";
import { expect, test } from "vitest";
import { type Comparison, compareLevels } from "../../test/permission/compare-levels";
import { compareSets } from "../../test/permission/compare-sets";
import type { World } from "../../test/permission/world";
import { worlds } from "../../test/permission/worlds";

declare module "vitest" {
  interface TaskMeta {
    worlds?: number;
    decisions?: number;
  }
}

const SINGLE_WORLDS = 50_000;
const SET_WORLDS = 10_000;

async function compareMany(count: number, compare: (world: World) => Comparison | Promise<Comparison>) {
  let decisions = 0;
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const compared = await compare(world);
      decisions += compared.decisions;
      expect(compared.differences).toEqual([]);
    }),
    { numRuns: count },
  );
  return { worlds: count, decisions };
}

test("single decisions", async ({ task }) => {
  Object.assign(task.meta, await compareMany(SINGLE_WORLDS, compareLevels));
});

test("sets, by the condition that D1 runs over real rows", async ({ task }) => {
  Object.assign(task.meta, await compareMany(SET_WORLDS, compareSets));
});
