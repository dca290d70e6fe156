import { beforeAll, describe, expect, test } from "vitest";
import type { Archive } from "../../../src/cameras/archive";
import { nearestCaptures, readHistory, seek } from "../../../src/cameras/archive/seek";
import { readTimeline } from "../../../src/cameras/archive/timeline";
import type { Context } from "../../../src/platform/context";
import { DAY, HOUR, MINUTE } from "../../../src/platform/time";
import { compareAnswers, compareTimelines } from "../../cameras/archive-comparisons";
import { BEGINNING, buildWorlds, KEPT_DAYS, manyShapes } from "../../cameras/archive-worlds";
import { mintArchives, type Taken } from "../../support/archives";
import { mintLocation, mintOrganization } from "../../support/factories";
import { systemContext } from "../../support/jobs";
import fc, { scaled } from "../../support/properties";
import { rowsRead } from "../../support/rows-read";

/*
 * Compares random archives with a plain reading of the rules. `npm run bench:cameras -- reference` compares many
 * more.
 */

let place: { organizationId: string; locationId: string };
beforeAll(async () => {
  const { id: organizationId } = await mintOrganization();
  place = { organizationId, locationId: (await mintLocation({ organizationId })).id };
});

test("timelines match the rules for every silence", { timeout: 240_000 }, async () => {
  let [answers, gaps] = [0, 0];
  await fc.assert(
    fc.asyncProperty(manyShapes, async (shapes) => {
      for (const world of await buildWorlds(place, shapes)) {
        const compared = await compareTimelines(world);
        [answers, gaps] = [answers + compared.answers, gaps + compared.gaps];
      }
    }),
    { numRuns: scaled(6) },
  );
  expect(answers).toBeGreaterThan(200);
  expect(gaps).toBeGreaterThan(200);
});

test("seek, previews, history, frames and day strips match a plain search", { timeout: 240_000 }, async () => {
  let answers = 0;
  await fc.assert(
    fc.asyncProperty(manyShapes, async (shapes) => {
      for (const world of await buildWorlds(place, shapes)) answers += await compareAnswers(world);
    }),
    { numRuns: scaled(3) },
  );
  expect(answers).toBeGreaterThan(1_500);
});

/** Two seeks at each of 511 borders read a few rows each. The neighbours of the silences come in addition. */
const ROWS_OF_A_TIMELINE = 2_500;

describe("the cost", () => {
  /** One frame each minute with ten outages, for an archive of any length. */
  const archiveOf = (count: number): Taken[] =>
    Array.from({ length: count }, (_, i) => ({
      id: crypto.randomUUID(),
      capturedAt: BEGINNING + i * MINUTE + Math.floor((10 * i) / count) * DAY,
    }));
  const sizes = [1_000, 10_000];
  let archives: { archive: Archive; frames: Taken[] }[];
  beforeAll(async () => {
    const lists = sizes.map(archiveOf);
    const made = await mintArchives(place.organizationId, place.locationId, lists, { retentionDays: KEPT_DAYS });
    archives = made.map((archive, i) => ({ archive, frames: lists[i] ?? [] }));
  });
  const costs = (ask: (context: Context, archive: Archive, middle: Taken) => Promise<unknown>) =>
    Promise.all(
      archives.map(({ archive, frames }) =>
        rowsRead((db) => {
          const middle = frames[frames.length >> 1] ?? { id: "", capturedAt: 0 };
          return ask({ ...systemContext(), workspace: db, now: Date.parse("2016-01-01T00:00:00Z") }, archive, middle);
        }),
      ),
    );

  test("of a timeline does not grow with the archive", async () => {
    const gaps: number[] = [];
    const [small = 0, large = 0] = await costs(async (context, archive) => {
      gaps.push((await readTimeline(context, archive)).gaps.length);
    });
    expect(gaps).toEqual([9, 9]);
    expect(small).toBeGreaterThan(1_000);
    // A few more borders are between two frames.
    expect(large).toBeLessThan(1.25 * small);
    expect(large).toBeLessThan(ROWS_OF_A_TIMELINE);
  });

  test.each<[string, Parameters<typeof costs>[0], number]>([
    ["the nearest", (context, archive, { capturedAt: at }) => seek(context, archive, { direction: "nearest", at }), 14],
    ...(["older", "newer"] as const).map((direction): [string, Parameters<typeof costs>[0], number] => [
      direction,
      (context, archive, { id, capturedAt: at }) => seek(context, archive, { direction, at, captureId: id }),
      4,
    ]),
    [
      "a page of history",
      (context, archive, { id, capturedAt: before }) =>
        readHistory(context, archive, { before, beforeId: id, limit: 50 }),
      110,
    ],
    [
      "32 moments",
      (context, archive, { capturedAt }) =>
        nearestCaptures(
          context,
          archive,
          Array.from({ length: 32 }, (_, i) => ({ at: capturedAt + i * HOUR })),
        ),
      320,
    ],
  ])("of seeking %s is a few rows", async (_, ask, most) => {
    const [small = 0, large = 0] = await costs(ask);
    expect(large).toBeGreaterThan(0);
    expect(large).toBeLessThanOrEqual(small + 2);
    expect(large).toBeLessThanOrEqual(most);
  });
});
