import { env } from "cloudflare:workers";
import { test, vi } from "vitest";
import { runWorld } from "../../test/cameras/simulator/world";

/** Devices that share a clock and a server. */
const SEEDS_PER_WORLD = 100;

test("devices with faults", async ({ task }) => {
  const seeds = Number((env as { BENCH_SEEDS?: string }).BENCH_SEEDS || 10_000);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  for (const level of ["info", "warn", "error"] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const counted: Record<string, number> = {};
  for (let first = 1; first <= seeds; first += SEEDS_PER_WORLD) {
    const tally = await runWorld(
      Array.from({ length: Math.min(SEEDS_PER_WORLD, seeds - first + 1) }, (_, i) => first + i),
    );
    for (const [name, value] of Object.entries(tally)) counted[name] = (counted[name] ?? 0) + value;
  }
  task.meta.counted = counted;
});
