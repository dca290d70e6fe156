import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { History } from "../../../gateway/src/camera/history";
import { Clock } from "../../../gateway/src/clock";
import type { Configuration } from "../../../gateway/src/service/answers";
import { Board } from "./board";
import { configuration } from "./stub-service";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Noon of a Monday. */
const NOW = Date.UTC(2026, 10, 23, 12);
const root = mkdtempSync(join(tmpdir(), "history-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const noNights = { skip: false, sunBelowDegrees: 0 };
const settings = (revision: number, given: Partial<Configuration> = {}): Configuration => ({
  ...configuration(revision),
  isPaused: false,
  ...given,
});

/** A gateway whose machine and starts the test controls. */
class Bench {
  readonly folder = mkdtempSync(join(root, "camera-"));
  readonly board = new Board();
  history: History;
  #clock: Clock;
  #first = NOW - this.board.uptime;

  constructor() {
    [this.#clock, this.history] = this.#start();
    this.#clock.told(NOW, 0);
  }
  #start(nights = noNights): [Clock, History] {
    const clock = new Clock(this.folder, this.board);
    return [clock, new History(this.folder, clock, nights)];
  }
  get now(): number {
    return this.#first + this.board.uptime;
  }
  pass(ms: number): void {
    this.board.pass(ms);
  }
  /** Starts the program again, by the settings that it has stored. */
  restart(stored: Configuration, nights = noNights): void {
    [this.#clock, this.history] = this.#start(nights);
    this.history.follow(stored, false);
  }
  reboot(): void {
    this.#first = this.now - 1_000;
    this.board.reboot();
  }
  told(): void {
    this.#clock.told(this.now, 0);
  }
  /** Why no image was due at a time. */
  judge(at: number) {
    return this.history.notDueThen(this.now - at);
  }
}

let bench: Bench;
beforeEach(() => {
  bench = new Bench();
});

describe("an image that arrives late is judged by the settings of its time", () => {
  test("a pause: from before it, from it, and from after it", () => {
    const { history } = bench;
    history.follow(settings(1), true);
    bench.pass(HOUR);
    history.follow(settings(2, { isPaused: true }), true);
    bench.pass(HOUR);
    expect([bench.judge(NOW + HOUR - 1), bench.judge(NOW + HOUR), bench.judge(bench.now)]).toEqual([
      null,
      "paused",
      "paused",
    ]);
    history.follow(settings(3), true);
    bench.pass(HOUR);
    expect([bench.judge(NOW + HOUR - 1), bench.judge(NOW + 1.5 * HOUR), bench.judge(bench.now)]).toEqual([
      null,
      "paused",
      null,
    ]);
  });

  test("a narrower capture window, and a changed zone", () => {
    const { history } = bench;
    const day = { start: "07:00", end: "19:00" };
    history.follow(settings(1, { captureWindow: day, timeZone: "UTC" }), true);
    bench.pass(MINUTE);
    history.follow(settings(2, { captureWindow: { start: "16:00", end: "17:00" }, timeZone: "UTC" }), true);
    expect([bench.judge(NOW), bench.judge(bench.now)]).toEqual([null, "outside-window"]);
    bench.pass(MINUTE);
    history.follow(settings(3, { captureWindow: day, timeZone: "Asia/Tokyo" }), true);
    bench.pass(MINUTE);
    // It is 21:00 in Tokyo.
    expect([bench.judge(NOW), bench.judge(bench.now)]).toEqual([null, "outside-window"]);
    bench.pass(MINUTE);
    history.follow(settings(4, { captureWindow: day, timeZone: "Europe/Oslo" }), true);
    expect([bench.judge(bench.now - 1), bench.judge(bench.now)]).toEqual(["outside-window", null]);
  });

  test("nights of the gateway's settings, which change with a restart", () => {
    const here = { latitude: 0, longitude: 180 };
    bench.restart(settings(1));
    bench.pass(MINUTE);
    bench.restart(settings(1), { ...noNights, ...here, skip: true });
    bench.pass(MINUTE);
    expect([bench.judge(NOW), bench.judge(bench.now)]).toEqual([null, "night"]);
  });

  test("of the time before the first known settings, every image is kept", () => {
    bench.history.follow(settings(1, { isPaused: true }), true);
    expect([bench.judge(NOW - 1), bench.judge(NOW)]).toEqual([null, "paused"]);
  });
});

describe("after a restart", () => {
  test("the settings of before count for images of before", () => {
    bench.history.follow(settings(1, { isPaused: true }), true);
    bench.pass(2 * HOUR);
    bench.history.follow(settings(1, { isPaused: true }), true);
    bench.history.follow(settings(2), true);
    bench.pass(MINUTE);
    bench.restart(settings(2));
    expect([bench.judge(NOW - 1), bench.judge(NOW + HOUR), bench.judge(bench.now)]).toEqual([null, "paused", null]);
  });

  test("an image from while the gateway did not run is kept, until the service confirms that nothing changed", () => {
    const paused = settings(1, { isPaused: true });
    bench.history.follow(paused, true);
    bench.pass(HOUR);
    bench.restart(paused);
    bench.pass(MINUTE);
    expect([bench.judge(NOW + HOUR / 2), bench.judge(bench.now)]).toEqual([null, "paused"]);
    bench.history.follow(paused, true);
    expect([bench.judge(NOW - 1), bench.judge(NOW + HOUR / 2), bench.judge(bench.now)]).toEqual([
      null,
      "paused",
      "paused",
    ]);
  });

  test("a pause that ended and began again in the meantime is not one pause", () => {
    bench.history.follow(settings(1, { isPaused: true }), true);
    bench.pass(HOUR);
    bench.restart(settings(1, { isPaused: true }));
    bench.history.follow(settings(3, { isPaused: true }), true);
    expect([bench.judge(NOW), bench.judge(NOW + HOUR / 2), bench.judge(bench.now)]).toEqual(["paused", null, "paused"]);
  });

  test("of the machine without the time, only the current pause counts", () => {
    bench.history.follow(settings(1, { isPaused: true }), true);
    bench.pass(HOUR);
    bench.reboot();
    bench.restart(settings(1, { isPaused: true }));
    bench.pass(MINUTE);
    expect([bench.judge(bench.now), bench.judge(NOW)]).toEqual(["paused", null]);
    bench.told();
    expect([bench.judge(bench.now), bench.judge(NOW)]).toEqual(["paused", "paused"]);
  });

  test("a damaged or absent file keeps every image, and the number of periods is bounded", () => {
    for (let revision = 1; revision < 300; revision++) {
      bench.history.follow(settings(revision, { isPaused: true, assignmentGeneration: revision }), true);
      bench.pass(MINUTE);
    }
    const file = join(bench.folder, "history.json");
    expect(readFileSync(file).length).toBeLessThan(32 * 1024);
    expect([bench.judge(NOW), bench.judge(bench.now - HOUR)]).toEqual([null, "paused"]);
    writeFileSync(file, '{"periods": [');
    bench.restart(settings(300));
    expect(bench.judge(bench.now - HOUR)).toBeNull();
  });
});

test("no image is given up that was due by the settings of the service or of the running gateway", () => {
  const step = fc.record({
    act: fc.constantFrom("change", "fetch", "fetch", "restart", "reboot", "wait"),
    ms: fc.integer({ min: 1, max: 3 * HOUR }),
    isPaused: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 40 }), (steps) => {
      const run = new Bench();
      let atService = settings(1);
      let stored = atService;
      run.history.follow(stored, true);
      /** The settings of each moment: at the service, and in effect at the gateway; null while it does not run. */
      const moments: { at: number; service: Configuration; gateway: Configuration | null }[] = [];
      for (const { act, ms, isPaused } of steps) {
        if (act === "change") atService = settings(atService.revision + 1, { isPaused });
        const isOff = act === "restart" || act === "reboot";
        moments.push({ at: run.now + Math.floor(ms / 2), service: atService, gateway: isOff ? null : stored });
        run.pass(ms);
        if (act === "reboot") run.reboot();
        if (isOff) run.restart(stored);
        if (act === "fetch") {
          run.told();
          run.history.follow(atService, true);
          stored = atService;
        }
        for (const { at, service, gateway } of moments)
          if (run.judge(at) !== null) expect([service.isPaused, gateway?.isPaused]).toContain(true);
      }
      run.told();
      run.history.follow(atService, true);
      expect(run.judge(run.now)).toBe(atService.isPaused ? "paused" : null);
    }),
    { numRuns: 200 },
  );
});

describe("the assignment of an image is the assignment at its capture time", () => {
  const assigned = (generation: number, startedAt: number) =>
    settings(generation, {
      assignmentGeneration: generation,
      assignmentStartedAtUtc: new Date(startedAt).toISOString(),
    });

  test("a later one counts from when the gateway works under it", () => {
    const { history } = bench;
    history.follow(assigned(1, NOW - HOUR), true);
    bench.pass(2 * HOUR);
    // The camera was moved at the service an hour before it was paired at its new place.
    history.follow(assigned(2, NOW + HOUR), true);
    const at = [NOW - 9 * HOUR, NOW, NOW + 1.5 * HOUR, bench.now].map((time) => history.generationAt(time));
    expect(at).toEqual([1, 1, 1, 2]);
    bench.restart(assigned(2, NOW + HOUR));
    expect([NOW, bench.now].map((time) => bench.history.generationAt(time))).toEqual([1, 2]);
  });

  test("the first known one counts from its beginning at the service, so that earlier images are not of it", () => {
    bench.history.follow(assigned(3, NOW - HOUR), true);
    expect([NOW - 2 * HOUR, NOW - HOUR].map((at) => bench.history.generationAt(at))).toEqual([2, 3]);
  });

  test("a time that becomes known later decides, but an estimate does not change what the gateway knew", () => {
    bench.history.follow(assigned(1, NOW), true);
    bench.pass(HOUR);
    bench.history.follow(assigned(2, NOW), true);
    const reading = { bootId: "b", uptime: 5, wall: 0 };
    const resolve = (quality: "synchronized" | "estimated", at: number, uptime = 5) =>
      bench.history.resolved(2, { ...reading, uptime }, { quality, at });
    expect(resolve("synchronized", NOW)).toMatchObject({ assignmentGeneration: 1, takenAt: { at: NOW } });
    expect(resolve("synchronized", NOW + HOUR)).toMatchObject({ assignmentGeneration: 2 });
    expect(resolve("estimated", NOW)).toMatchObject({ assignmentGeneration: 2, takenAt: { at: NOW + HOUR } });
    // The file is older than the start of the machine.
    expect(resolve("estimated", NOW, -5)).toMatchObject({ assignmentGeneration: 1, takenAt: { at: NOW } });
  });
});
