import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { getTimes } from "suncalc";
import { afterAll, describe, expect, test } from "vitest";
import { Clock } from "../../../gateway/src/clock";
import { isNight, whyNotDue } from "../../../gateway/src/schedule";
import { Board } from "./board";

const HOUR = 3_600_000;
const root = mkdtempSync(join(tmpdir(), "clock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const NOW = Date.UTC(2026, 10, 23, 12);
const newFolder = () => mkdtempSync(join(root, "state-"));

describe("the clock", () => {
  test("jumps of the wall clock change no anchored time", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ pass: fc.nat(HOUR), jump: fc.integer({ min: -1e12, max: 1e12 }) })), (steps) => {
        const board = new Board();
        const clock = new Clock(newFolder(), board);
        clock.told(NOW, 0);
        let passed = 0;
        for (const { pass, jump } of steps) {
          board.pass(pass);
          board.wall += jump;
          passed += pass;
          expect(clock.now()).toBe(NOW + passed);
          expect(clock.takenAgo(500)).toEqual({ quality: "synchronized", at: NOW + passed - 500 });
        }
      }),
      { numRuns: 30 },
    );
  });

  test("stores the clock values until the time is known, and converts them once and correctly", () => {
    const board = new Board();
    const folder = newFolder();
    const early = new Clock(folder, board).takenAgo(0);
    if (early.quality !== "unresolved") throw new Error("the time was not known");
    expect(new Clock(folder, board).resolve(early.reading)).toBeNull();
    board.pass(HOUR);
    // A restart of the gateway, not of the machine.
    const clock = new Clock(folder, board);
    clock.told(NOW, 200);
    expect(clock.resolve(early.reading)).toEqual({ quality: "synchronized", at: NOW + 100 - HOUR });
    // The next start of the machine does not know the time, but the time of the previous start is stored.
    board.reboot();
    expect(new Clock(folder, board).resolve(early.reading)).toEqual({ quality: "synchronized", at: NOW + 100 - HOUR });
  });

  test("estimates only times of a run that ended before the time was known, between the last known time and its end", () => {
    const board = new Board();
    const folder = newFolder();
    const first = new Clock(folder, board);
    first.told(NOW, 0);
    board.reboot();
    const rewound = new Clock(folder, board).takenAgo(0);
    board.wall = NOW + HOUR;
    const close = new Clock(folder, board).takenAgo(0);
    board.wall = NOW + 1e9;
    const ahead = new Clock(folder, board).takenAgo(0);
    board.reboot();
    const clock = new Clock(folder, board);
    const resolve = (taken: typeof rewound) => {
      if (taken.quality !== "unresolved") throw new Error("the time was not known");
      return clock.resolve(taken.reading);
    };
    expect(resolve(rewound)).toBeNull();
    clock.told(NOW + 2 * HOUR, 0);
    expect(resolve(rewound)).toEqual({ quality: "estimated", at: NOW });
    expect(resolve(close)).toEqual({ quality: "estimated", at: NOW + HOUR });
    expect(resolve(ahead)).toEqual({ quality: "estimated", at: NOW + 2 * HOUR - 1_000 });
  });

  test("trusts the wall clock only if it is synchronized, and an answer only if it was quick", () => {
    const board = new Board();
    const clock = new Clock(newFolder(), board);
    clock.told(NOW, 60_000);
    expect(clock.now()).toBeNull();
    board.pass(20_000);
    board.wall = NOW;
    board.synchronized = true;
    expect(clock.now()).toBe(NOW);
    board.wall = 0;
    expect(clock.now()).toBe(NOW);
    clock.told(NOW + 60_000, 0);
    expect(clock.now()).toBe(NOW + 60_000);
  });
});

const always = {
  isPaused: false,
  captureWindow: null,
  timeZone: "UTC",
  locationLatitude: null,
  locationLongitude: null,
};
const noNights = { skip: false, sunBelowDegrees: 0 };

describe("the schedule", () => {
  test("respects windows over midnight, on days, and at clock changes", () => {
    const window = { start: "22:00", end: "06:00", daysOfWeek: [6] };
    const due = (utc: string, timeZone: string, captureWindow = window as typeof window | null) =>
      whyNotDue({ ...always, timeZone, captureWindow }, noNights, Date.parse(utc));
    // Saturday evening to Sunday morning in Berlin; clocks go back on 25 October 2026 at 03:00.
    expect(due("2026-10-24T19:59:00Z", "Europe/Berlin")).toBe("outside-window");
    expect(due("2026-10-24T20:00:00Z", "Europe/Berlin")).toBeNull();
    expect(due("2026-10-25T04:59:00Z", "Europe/Berlin")).toBeNull();
    expect(due("2026-10-25T05:00:00Z", "Europe/Berlin")).toBe("outside-window");
    expect(due("2026-10-25T21:00:00Z", "Europe/Berlin")).toBe("outside-window");
    expect(due("2026-10-25T21:00:00Z", "Europe/Berlin", null)).toBeNull();
  });

  test("takes images while the time or the zone is not known, unless it is paused", () => {
    const window = { start: "10:00", end: "10:01" };
    const later = { ...always, captureWindow: window, timeZone: "Europe/Newtown" };
    expect(whyNotDue(later, noNights, 0)).toBeNull();
    const nights = { skip: true, sunBelowDegrees: 0, latitude: 80, longitude: 0 };
    expect(whyNotDue({ ...always, captureWindow: window }, nights, null)).toBeNull();
    expect(whyNotDue({ ...always, isPaused: true }, nights, null)).toBe("paused");
  });

  test("skips nights by the location's coordinates, else by the coordinates in the settings", () => {
    const at = Date.UTC(2026, 5, 21, 0);
    const here = { skip: true, sunBelowDegrees: 0, latitude: 48, longitude: 11 };
    expect(whyNotDue(always, here, at)).toBe("night");
    // Midnight sun.
    expect(whyNotDue({ ...always, locationLatitude: 70, locationLongitude: 25 }, here, at)).toBeNull();
    expect(whyNotDue({ ...always, locationLatitude: 70 }, here, at)).toBe("night");
    expect(whyNotDue(always, { skip: true, sunBelowDegrees: 0 }, at)).toBeNull();
    expect(whyNotDue(always, { ...here, skip: false }, at)).toBeNull();
  });

  test("agrees with the almanac on sunrise and sunset, within minutes, and knows polar day and night", () => {
    const place = fc.record({
      latitude: fc.double({ min: -60, max: 60, noNaN: true }),
      longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    });
    fc.assert(
      fc.property(
        place,
        fc.integer({ min: Date.UTC(2024, 0), max: Date.UTC(2035, 0) }),
        ({ latitude, longitude }, at) => {
          const { sunrise, sunset } = getTimes(new Date(at), latitude, longitude);
          const night = (time: Date | null, minutes: number) =>
            isNight(time!.getTime() + minutes * 60_000, latitude, longitude, 0);
          expect([night(sunrise, -6), night(sunrise, 6), night(sunset, -6), night(sunset, 6)]).toEqual([
            true,
            false,
            false,
            true,
          ]);
        },
      ),
      { numRuns: 300 },
    );
    for (let hour = 0; hour < 24; hour++) {
      expect(isNight(Date.UTC(2026, 5, 21, hour), 78, 15, 0)).toBe(false);
      expect(isNight(Date.UTC(2026, 11, 21, hour), 78, 15, 0)).toBe(true);
    }
  });
});
