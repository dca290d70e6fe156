import { expect, test } from "vitest";
import { FAULTS } from "../../src/cameras/messages/en";
import { CHECKS_OF_ERROR, checksOf } from "../../web/console/src/cameras/checks";
import { CHECKS } from "../../web/texts/en/cameras";
import fc from "../support/properties";

/* What to check when a camera is silent. */

const NOW = Date.UTC(2026, 10, 29, 12);
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const report = (changes: object = {}) => ({
  appliedRevision: 1,
  lastCaptureAtUtc: ago(180),
  queueCount: 0,
  queueBytes: 0,
  freeBytes: 8_000_000_000,
  oldestPendingAtUtc: null,
  errorCode: null,
  ...changes,
});
const camera = (changes: object = {}) => ({
  device: report(),
  identicalFrames: 1,
  lastSeenAtUtc: ago(180),
  pairing: "paired" as const,
  ...changes,
});
const ALONE = { count: 0, silent: 0 };

test("everything at the place is silent: its power and its internet come first", () => {
  expect(checksOf(camera(), { count: 3, silent: 3 }, NOW).slice(0, 2)).toEqual(["placePower", "placeNetwork"]);
});

test("only one camera of the place is silent: its device comes first, and the internet of the place works", () => {
  const checks = checksOf(camera(), { count: 3, silent: 1 }, NOW);
  expect(checks.slice(0, 2)).toEqual(["power", "cable"]);
  expect(checks).not.toContain("network");
  expect(checksOf(camera(), ALONE, NOW).slice(0, 2)).toEqual(["power", "network"]);
});

test("a device that is heard has power: its error comes first, then its waiting pictures, then its camera", () => {
  const heard = { lastSeenAtUtc: ago(2) };
  const device = report({ errorCode: "camera-unauthorized", queueCount: 4 });
  const checks = checksOf(camera({ ...heard, device }), { count: 3, silent: 3 }, NOW);
  expect(checks).toEqual(["password", "uploads", "camera", "restart"]);
  expect(checksOf(camera(heard), ALONE, NOW)).toEqual(["camera", "restart"]);
  expect(checksOf(camera({ ...heard, device: report({ freeBytes: 1000 }) }), ALONE, NOW)[0]).toBe("disk");
  expect(checksOf(camera({ ...heard, identicalFrames: 9 }), ALONE, NOW)[0]).toBe("frozen");
});

test("a device that lost its pairing is paired first", () => {
  expect(checksOf(camera({ pairing: "none" }), { count: 3, silent: 3 }, NOW)[0]).toBe("pair");
});

test("every error that a device reports has its check", () => {
  expect(Object.keys(CHECKS_OF_ERROR).toSorted()).toEqual(Object.keys(FAULTS.byCode).toSorted());
});

test("the list is never empty, names nothing twice, and has words for each entry", () => {
  const errors = fc.constantFrom(null, "unknown-code", ...Object.keys(FAULTS.byCode));
  const heard = fc.constantFrom(null, 1, 14, 16, 100_000);
  fc.assert(
    fc.property(errors, heard, fc.nat(20), fc.nat(5), (errorCode, minutes, queueCount, silent) => {
      const given = camera({
        device: report({ errorCode, queueCount }),
        lastSeenAtUtc: minutes === null ? null : ago(minutes),
      });
      const checks = checksOf(given, { count: 5, silent }, NOW);
      expect(checks.length).toBeGreaterThan(0);
      expect(new Set(checks).size).toBe(checks.length);
      for (const check of checks) expect(CHECKS.items[check].how).not.toBe("");
    }),
  );
});
