import { expect, test } from "vitest";
import { CAMERAS } from "../../scripts/seed/harbour/cameras.mjs";
import { gapsOf, timesOf } from "../../scripts/seed/harbour/past.mjs";

const HOUR = 3_600_000;
const crane = CAMERAS.find(({ settings }) => settings.name === "Crane east");

test("the crane's archive has a gap of each cause between its pictures, at any hour at which the demo starts", () => {
  if (crane === undefined) throw new Error("the demo has no crane");
  for (let hour = 0; hour < 24; hour++) {
    const now = Date.UTC(2026, 10, 23, hour, 10);
    const gaps = gapsOf(crane, now);
    expect([hour, gaps.map(({ cause }) => cause).sort()]).toEqual([hour, ["camera-fault", "offline", "paused"]]);
    const times = timesOf(crane, now);
    for (const { from, to } of gaps) {
      expect(times.some((time) => time < from && time > from - HOUR)).toBe(true);
      expect(times.some((time) => time > to && time < to + HOUR)).toBe(true);
    }
  }
});
