import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runWorld, type Tally } from "../../cameras/simulator/world";
import { scaled } from "../../support/properties";

/** Devices with a fault plan each, in worlds that share a clock, a server and its restarts. */
const WORLDS = 2;
const SEEDS_PER_WORLD = scaled(30);
const ALL_MS = 600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  // The log has thousands of lines that this test does not need.
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test(
  "no frame is lost or doubled when requests, answers and devices fail",
  async () => {
    const total: Tally = { devices: 0, frames: 0, requests: 0, completed: 0, rejected: 0, held: 0 };
    for (let n = 0; n < WORLDS; n++) {
      const tally = await runWorld(Array.from({ length: SEEDS_PER_WORLD }, (_, i) => 1 + n * SEEDS_PER_WORLD + i));
      for (const name of Object.keys(total) as (keyof Tally)[]) total[name] += tally[name];
    }
    expect(total.completed + total.rejected + total.held).toBe(total.frames);
    // With these plans, images end in every possible way.
    for (const end of ["completed", "rejected", "held"] as const) expect(total[end]).toBeGreaterThan(5);
  },
  ALL_MS,
);
