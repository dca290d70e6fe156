import type { Archive } from "../../src/cameras/archive";
import type { Context } from "../../src/platform/context";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/platform/time";
import { mintArchives, type Taken } from "../support/archives";
import { systemContext } from "../support/jobs";
import fc from "../support/properties";
import { inOrder } from "./reference";

/* Random archives. Each is written with one statement, and many queries read it. */

/** Frames at an interval after a silence. Some arrive late, in bursts or at the same moment, and some were deleted. */
const run = fc.record({
  silence: fc.oneof(
    fc.constant(0),
    fc.integer({ min: 1, max: 3 * HOUR }),
    fc.integer({ min: HOUR, max: 20 * DAY }),
    fc.integer({ min: 300 * DAY, max: 1_500 * DAY }),
  ),
  interval: fc.constantFrom(SECOND, MINUTE, 3 * MINUTE, 5 * MINUTE, 20 * MINUTE, HOUR, DAY),
  jitter: fc.constantFrom(0, 0, 0.1, 0.9),
  burst: fc.constantFrom(1, 1, 1, 2, 4),
  within: fc.constantFrom(0, 1, 2 * SECOND),
  frames: fc.integer({ min: 1, max: 40 }),
  deleted: fc.constantFrom(0, 0, 0.2),
});
export const BEGINNING = Date.parse("2015-03-01T00:00:00Z");
const shape = fc.record({
  runs: fc.array(run, { maxLength: 6 }),
  beginning: fc.integer({ min: 0, max: 400 * DAY }),
  seed: fc.integer(),
  /** Share of the archive's time that has expired. */
  expired: fc.constantFrom(0, 0, 0, 0.3, 1),
});
export type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

/** A small random generator with a seed, so that a failing world can be repeated. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function framesOf({ runs, beginning, seed }: Shape, random: () => number): Taken[] {
  let at = BEGINNING + beginning + (seed & 1023);
  return runs.flatMap(({ silence, interval, jitter, burst, within, frames, deleted }) => {
    at += silence;
    return Array.from({ length: frames }, (_, i) => {
      if (i > 0) at += i % burst === 0 ? Math.round(interval * (1 + jitter * random())) : within;
      return { id: crypto.randomUUID(), capturedAt: at, deleted: random() < deleted };
    });
  });
}

/** A random archive in the database, with the part of it that is visible at one time. */
export interface World {
  context: Context;
  archive: Archive;
  /**
   * All frames, the frames that are not deleted, and the frames that are neither deleted nor expired at the world's
   * time.
   */
  all: Taken[];
  kept: Taken[];
  visible: Taken[];
  random: () => number;
  /** A random moment: near a frame, in the middle between two frames, or anywhere. */
  moment: () => number;
}

/** The world's time: a part of the archive has just expired, and its last frame is taken at this moment. */
function expiryOf(all: readonly Taken[], share: number): number {
  const [first, last] = [all[0]?.capturedAt ?? BEGINNING, all.at(-1)?.capturedAt ?? BEGINNING];
  if (share === 0) return first - 1;
  const oldest = first + (last - first) * share;
  return all.find((frame) => frame.capturedAt >= oldest)?.capturedAt ?? last;
}

const RETENTION_DAYS = 30;
export const KEPT_DAYS = 36_500;

/** The same world at another time, at which this share of its archive's time has expired. */
export function worldAt(world: World, share: number): World {
  const expired = expiryOf(world.all, share);
  const visible = world.kept.filter((frame) => frame.capturedAt > expired);
  return { ...world, visible, context: { ...world.context, now: expired + RETENTION_DAYS * DAY } };
}

/** Writes archives of these shapes at a location, each of a separate camera. */
export async function buildWorlds(
  { organizationId, locationId }: { organizationId: string; locationId: string },
  shapes: readonly Shape[],
): Promise<World[]> {
  const drawn = shapes.map((given) => {
    const random = randomOf(given.seed);
    return { given, random, all: inOrder(framesOf(given, random)) as Taken[] };
  });
  const lists = drawn.map(({ all }) => all);
  // The retention has no end in the database. Otherwise a job would delete images of these years during the test.
  const archives = await mintArchives(organizationId, locationId, lists, { retentionDays: KEPT_DAYS });
  return drawn.flatMap(({ given, random, all }, i) => {
    const made = archives[i];
    if (made === undefined) return [];
    const archive = { ...made, camera: { ...made.camera, retentionDays: RETENTION_DAYS } };
    const kept = all.filter((frame) => frame.deleted !== true);
    const world = { context: systemContext(), archive, all, kept, visible: [], random, moment: momentsOf(all, random) };
    return [worldAt(world, given.expired)];
  });
}

function momentsOf(all: readonly Taken[], random: () => number): () => number {
  const [first, last] = [all[0]?.capturedAt ?? BEGINNING, all.at(-1)?.capturedAt ?? BEGINNING];
  return () => {
    const frame = all[Math.floor(random() * all.length)]?.capturedAt ?? BEGINNING;
    const next = all.find((f) => f.capturedAt > frame)?.capturedAt ?? frame + DAY;
    const kind = Math.floor(random() * 5);
    if (kind === 0) return frame;
    if (kind === 1) return Math.floor((frame + next) / 2);
    if (kind === 2) return frame + Math.round((random() - 0.5) * HOUR);
    return Math.round(first - DAY + (last - first + 2 * DAY) * random());
  };
}

const ARCHIVES_A_WORLD = 25;
/** Shapes of archives that are written in one call. */
export const manyShapes = fc.array(shape, { minLength: 1, maxLength: ARCHIVES_A_WORLD, size: "max" });
