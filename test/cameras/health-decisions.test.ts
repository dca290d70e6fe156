import { describe, expect, test } from "vitest";
import { decide, type Health, type HealthFacts } from "../../src/cameras/health/health";
import { HEARTBEAT_TIMEOUT_MS, SCHEDULE_HORIZON_MS } from "../../src/cameras/limits";
import { afterOpen, isOpen } from "../../src/cameras/schedule";
import { DAY, MINUTE } from "../../src/platform/time";
import fc from "../support/properties";

describe("deciding on the health of a camera", () => {
  const nothing: Health = {
    checkAt: 0,
    watchedSince: null,
    silence: null,
    silentSince: null,
    notifiedAt: null,
    recoveredAt: null,
  };

  interface Event {
    minutes: number;
    kind: "heartbeat" | "image" | "pause" | "resume" | "settings" | "wait";
  }
  const events = fc.array(
    fc.record({
      minutes: fc.integer({ min: 1, max: 90 }),
      kind: fc.constantFrom<Event["kind"]>("heartbeat", "heartbeat", "image", "image", "pause", "resume", "settings"),
    }),
    { maxLength: 60 },
  );
  const captureWindow = fc.constantFrom(null, { start: "06:00", end: "18:00" }, { start: "22:30", end: "04:00" });

  /** Applies events to a camera at the times at which its row is due, and checks it each time. */
  function play(script: Event[], window: HealthFacts["schedule"]["captureWindow"], intervalMinutes: number) {
    const start = Date.parse("2026-03-27T00:00:00Z");
    const facts: HealthFacts = {
      schedule: { captureWindow: window, timeZone: "Europe/Oslo" },
      intervalMs: intervalMinutes * MINUTE,
      isWatched: true,
      lastSeenAt: start,
      lastAcceptedAt: null,
    };
    let health = nothing;
    let expectedFrom = start;
    const told: { at: number; news: "silent" | "back" }[] = [];
    const look = (now: number) => {
      const decision = decide(facts, health, now);
      ({ health } = decision);
      if (decision.began !== null) {
        expect(facts.isWatched).toBe(true);
        expect(decision.began.at).toBeLessThanOrEqual(now);
      }
      if (decision.news === "silent") {
        expect(isOpen(facts.schedule, now)).toBe(true);
        const since = Math.max(expectedFrom, facts.lastAcceptedAt ?? 0);
        expect(now).toBeGreaterThanOrEqual(afterOpen(facts.schedule, since, 3 * facts.intervalMs, SCHEDULE_HORIZON_MS));
        const heard = Math.max(facts.lastSeenAt ?? 0, facts.lastAcceptedAt ?? 0);
        expect(decision.began?.cause).toBe(heard <= now - HEARTBEAT_TIMEOUT_MS ? "offline" : "camera-fault");
      }
      if (decision.news !== null) {
        told.push({ at: now, news: decision.news });
        if (decision.news === "back") health = { ...health, recoveredAt: null };
      }
    };
    let now = start;
    for (const { minutes, kind } of script) {
      const until = now + minutes * MINUTE;
      for (; now < until; now += MINUTE) if (health.checkAt !== null && health.checkAt <= now) look(now);
      const wake = { ...health, checkAt: 0 };
      if (kind === "heartbeat") {
        facts.lastSeenAt = now;
        if (health.silence === "offline") health = wake;
      } else if (kind === "image") {
        facts.lastAcceptedAt = now;
        if (health.silence !== null || health.notifiedAt !== null) health = wake;
      } else if (kind !== "wait") {
        if (kind !== "settings") facts.isWatched = kind === "resume";
        expectedFrom = now;
        health = { ...wake, watchedSince: null };
      }
    }
    return { facts, health, told, now };
  }

  test("notifies of a silence only after three intervals inside the window, and of a recovery only after a silence", () => {
    fc.assert(
      fc.property(events, captureWindow, fc.constantFrom(1, 20, 60), (script, window, interval) => {
        const { told, facts, health } = play(script, window, interval);
        let silent = false;
        for (const { news } of told) {
          if (news === "back") expect(silent).toBe(true);
          silent = news === "silent";
        }
        if (!facts.isWatched && health.checkAt === null) expect(health.silence).toBeNull();
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ["offline", "nothing is heard since the evening", "17:50", "17:40", "06:00"],
    ["offline", "nothing is heard since the night", "02:00", "17:40", "06:00"],
    ["offline", "nothing is heard since the morning", "06:30", "17:40", "06:30"],
    ["camera-fault", "the last image is of the evening", "07:29", "17:40", "06:00"],
    ["camera-fault", "the last image is of the morning", "07:29", "06:10", "06:10"],
  ] as const)("a silence begins no sooner than its window opens: %s, %s", (cause, _, heard, accepted, since) => {
    const at = (clock: string) => Date.parse(`2026-07-0${clock > "12:00" ? 1 : 2}T${clock}:00Z`);
    const facts: HealthFacts = {
      schedule: { captureWindow: { start: "06:00", end: "18:00" }, timeZone: "UTC" },
      intervalMs: 20 * MINUTE,
      isWatched: true,
      lastSeenAt: at(heard),
      lastAcceptedAt: at(accepted),
    };
    const { began, health } = decide(facts, { ...nothing, watchedSince: at("00:00") - 9 * DAY }, at("07:30"));
    expect(began).toEqual({ cause, at: at(since) });
    expect(health.silentSince).toBe(at(since));
  });

  test("a fault whose device stops at night becomes offline when the window opens", () => {
    const at = (clock: string, day = 1) => Date.parse(`2026-07-0${day}T${clock}:00Z`);
    const facts: HealthFacts = {
      schedule: { captureWindow: { start: "06:00", end: "18:00" }, timeZone: "UTC" },
      intervalMs: 20 * MINUTE,
      isWatched: true,
      lastSeenAt: at("20:00"),
      lastAcceptedAt: at("15:00"),
    };
    const fault = {
      ...nothing,
      watchedSince: 0,
      silence: "camera-fault" as const,
      silentSince: at("15:00"),
      notifiedAt: 1,
    };
    const night = decide(facts, fault, at("20:23"));
    expect(night).toMatchObject({ began: null, ended: null, health: { ...fault, checkAt: at("06:00", 2) } });
    const morning = decide(facts, night.health, at("06:00", 2));
    expect(morning.began).toEqual({ cause: "offline", at: at("06:00", 2) });
    expect(morning.ended).toEqual({ cause: "camera-fault", at: at("06:00", 2) });
    expect(morning.news).toBeNull();
  });

  test("a silence of days begins with the first window in which an image was due, even with short windows", () => {
    const start = Date.parse("2026-07-01T06:00:00Z");
    const facts: HealthFacts = {
      schedule: { captureWindow: { start: "06:00", end: "06:10" }, timeZone: "UTC" },
      intervalMs: 20 * MINUTE,
      isWatched: true,
      lastSeenAt: start,
      lastAcceptedAt: start,
    };
    const now = start + 6 * DAY;
    expect(decide(facts, { ...nothing, watchedSince: start - DAY }, now).began).toEqual({
      cause: "offline",
      at: start + DAY,
    });
  });

  test("finds every camera that stops and the cause, within three intervals and the heartbeat timeout", () => {
    fc.assert(
      fc.property(events, fc.constantFrom(1, 20, 60), fc.boolean(), (script, interval, beats) => {
        const minutes = 3 * interval + (HEARTBEAT_TIMEOUT_MS + 10 * MINUTE) / MINUTE;
        const quiet: Event[] = Array.from({ length: Math.ceil(minutes / 5) }, () => ({
          minutes: 5,
          kind: beats ? "heartbeat" : "wait",
        }));
        const { health } = play([...script, { minutes: 1, kind: "resume" }, ...quiet, ...quiet], null, interval);
        expect(health.silence).toBe(beats ? "camera-fault" : "offline");
        expect(health.notifiedAt).not.toBeNull();
      }),
      { numRuns: 100 },
    );
  });
});
