import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { guestPlan, throughout } from "../../test/search/guest-worlds";
import { askedTerms, learntThroughout, worldPlan } from "../../test/search/worlds";

const WORLDS = Number(process.env.BENCH_WORLDS ?? 5_000);
/** Each is asked up to 14 times, and its index is built up to five times. */
const GUEST_WORLDS = Math.ceil(WORLDS / 50);
const SEED = Number(process.env.BENCH_SEED ?? Date.now() % 2 ** 31);

/**
 * Checks the secrecy property in thousands of random worlds. @throws if a caller learns anything about hidden
 * resources.
 */
export async function measureSecrecy(): Promise<string> {
  const started = performance.now();
  const { info } = console;
  console.info = () => {};
  let [results, suggestions, corrections] = [0, 0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(worldPlan, askedTerms, async (plan, asked) => {
        const { alone, beside, without, again } = await learntThroughout(plan, asked);
        for (const learnt of alone) {
          results += learnt.results.length;
          suggestions += learnt.suggestions.length;
          corrections += learnt.correctedTerm === null ? 0 : 1;
        }
        return [beside, without, again].every((other) => isDeepStrictEqual(other, alone));
      }),
      { numRuns: WORLDS, seed: SEED, endOnFailure: true },
    );
  } finally {
    console.info = info;
  }
  const count = (n: number) => n.toLocaleString("en");
  return `${count(WORLDS)} random worlds (seed ${SEED}), each an organization with a guest, built twice, with what the guest may not see and
without it, and asked three terms of every form through the whole Worker in one process, over SQLite of Node: results, order,
scores, snippets, corrections and suggestions were the same in all of them, alone and beside the other, and again when that was gone
and everything indexed again.
${count(results)} results, ${count(suggestions)} suggestions and ${count(corrections)} corrections compared; ${Math.round((performance.now() - started) / 1_000)} s.`;
}

/** Checks in random organizations that a guest learns the same from the index of the guest as from the grants. @throws if anything differs. */
export async function measureGuestWorlds(): Promise<string> {
  const { info } = console;
  console.info = () => {};
  let [asked, indexed, results] = [0, 0, 0];
  try {
    await fc.assert(
      fc.asyncProperty(guestPlan, askedTerms, async (plan, terms) => {
        const learnt = await throughout(plan, terms);
        asked += learnt.length * terms.length;
        indexed += learnt.filter(({ isIndexed }) => isIndexed).length * terms.length;
        results += learnt.flatMap(({ quick }) => quick.flatMap((answer) => answer.results)).length;
        return learnt.every(
          ({ quick, slow, after, isIndexed }) =>
            isDeepStrictEqual(quick, slow) && (isIndexed || !after.startsWith("built")),
        );
      }),
      { numRuns: GUEST_WORLDS, seed: SEED, endOnFailure: true },
    );
  } finally {
    console.info = info;
  }
  const count = (n: number) => n.toLocaleString("en");
  return `${count(GUEST_WORLDS)} random organizations with a guest who has many grants, changed in up to four steps each: grants, their ends, moves, deletions and new
texts. ${count(asked)} questions, ${count(indexed)} of them through the index of the guest, had the same ${count(results)} results as with the grants one by one.`;
}
