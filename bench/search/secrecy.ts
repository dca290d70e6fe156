import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { askedTerms, learntThroughout, worldPlan } from "../../test/search/worlds";

const WORLDS = Number(process.env.BENCH_WORLDS ?? 5_000);
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
