import { describe, expect, test, vi } from "vitest";
import { stopClock } from "../support/patience";
import { cameraHealthLifetimeRows } from "./camera-health-lifetimes";
import { cameraLifetimeRows } from "./camera-lifetimes";
import { exportLifetimeRows } from "./export-lifetimes";
import { lifetimeRows } from "./lifetimes";

describe("a time ends exactly", () => {
  test.each([...lifetimeRows, ...cameraLifetimeRows, ...cameraHealthLifetimeRows, ...exportLifetimeRows])(
    "$limit",
    async ({ ms, begin, before, after, slack = 1 }) => {
      const startedAt = stopClock();
      for (const [elapsed, state] of [
        [ms - slack, before],
        [ms + slack - 1, after],
      ] as const) {
        vi.setSystemTime(startedAt);
        const asked = await begin();
        vi.setSystemTime(startedAt + elapsed);
        expect([elapsed, await asked()]).toEqual([elapsed, state]);
      }
    },
  );
});
