import { env } from "cloudflare:workers";
import fc from "fast-check";
import { test } from "vitest";
import { compareAnswers, compareTimelines } from "../../test/cameras/archive-comparisons";
import { buildWorlds, manyShapes } from "../../test/cameras/archive-worlds";
import { mintLocation, mintOrganization } from "../../test/support/factories";

/** Number of runs with up to 25 archives each; BENCH_RUNS changes it. */
const RUNS = 1_000;

test("archives against a plain reading", async ({ task }) => {
  const { id: organizationId } = await mintOrganization();
  const place = { organizationId, locationId: (await mintLocation({ organizationId })).id };
  const counted = { archives: 0, timelines: 0, gaps: 0, answers: 0 };
  await fc.assert(
    fc.asyncProperty(manyShapes, async (shapes) => {
      for (const world of await buildWorlds(place, shapes)) {
        const { answers, gaps } = await compareTimelines(world);
        counted.archives++;
        counted.timelines += answers;
        counted.gaps += gaps;
        counted.answers += await compareAnswers(world);
      }
    }),
    { numRuns: Number((env as { BENCH_RUNS?: string }).BENCH_RUNS || RUNS) },
  );
  task.meta.counted = counted;
});
