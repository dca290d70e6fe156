import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AddressKeeper, addressOf, textsOf } from "../../web/archive/address";
import { HOUR, MINUTE } from "../../web/archive/clock";
import { type ArchiveAddress, LATEST } from "../../web/archive/port";

const kept: [ArchiveAddress, boolean][] = [];
const at = (state: Partial<ArchiveAddress>): ArchiveAddress => ({ ...LATEST, ...state });
const keeper = () => new AddressKeeper((address, push) => kept.push([address, push]));

beforeEach(() => {
  kept.length = 0;
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test("another frame, and the frame that it is compared with, are written at once; a zoom when it rests", () => {
  const address = keeper();
  address.write(at({ t: 1, span: 60 }), true);
  address.write(at({ t: 2, span: 60 }), true);
  address.write(at({ t: 2, span: 60, before: 1 }), true);
  expect(kept).toEqual([
    [at({ t: 1, span: 60 }), false],
    [at({ t: 2, span: 60 }), true],
    [at({ t: 2, span: 60, before: 1 }), false],
  ]);
  address.write(at({ t: 2, span: 30, before: 1 }), false);
  address.write(at({ t: 2, span: 20, before: 1 }), false);
  expect(kept).toHaveLength(3);
  vi.runAllTimers();
  expect(kept.slice(3)).toEqual([[at({ t: 2, span: 20, before: 1 }), false]]);
});

test("a zoom can be written without its pause", () => {
  const address = keeper();
  address.write(at({ t: 1, span: 60 }), true);
  address.write(at({ t: 1, span: 30 }), false);
  address.writeNow();
  expect(kept.at(-1)).toEqual([at({ t: 1, span: 30 }), false]);
  vi.runAllTimers();
  expect(kept).toHaveLength(2);
});

test("a comparison that follows a zoom writes both", () => {
  const address = keeper();
  address.write(at({ t: 1, span: 60 }), true);
  address.write(at({ t: 1, span: 30 }), false);
  address.write(at({ t: 1, span: 30, before: 5 }), false);
  vi.runAllTimers();
  expect(kept.at(-1)).toEqual([at({ t: 1, span: 30, before: 5 }), false]);
  expect(kept).toHaveLength(2);
});

test("Back returns to the zoom, even when it was not written before the next frame", () => {
  const address = keeper();
  address.write(at({ t: 1, span: 60 }), true);
  address.write(at({ t: 1, span: 30 }), false);
  address.write(at({ t: 2, span: 30 }), true);
  vi.runAllTimers();
  expect(kept.slice(1)).toEqual([
    [at({ t: 1, span: 30 }), false],
    [at({ t: 2, span: 30 }), true],
  ]);
});

test("a zoom does not replace an address that other code wrote during its pause", () => {
  const address = keeper();
  address.write(at({ t: 1, span: 60 }), true);
  address.write(at({ t: 1, span: 30 }), false);
  expect(address.comesFromHistory(at({ t: 5 }))).toBe(true);
  vi.runAllTimers();
  expect(kept).toHaveLength(1);
});

test("an address that the archive wrote is not from the history, even before its next change is written", () => {
  const address = keeper();
  const zoom = { scale: 2, x: 0.5, y: 0.25 };
  address.write(at({ t: 1, span: 60 * MINUTE }), true);
  address.write(at({ t: 1, span: 60 * MINUTE, zoom }), false);
  expect(address.comesFromHistory(at({ t: 1, span: 60 * MINUTE }))).toBe(false);
  vi.runAllTimers();
  expect(address.comesFromHistory(at({ t: 1, span: 60 * MINUTE, zoom }))).toBe(false);
  expect(address.comesFromHistory(at({ t: 1, span: 60 * MINUTE }))).toBe(true);
});

test("a state is the same after it was written and read", () => {
  const state = at({
    t: Date.UTC(2026, 10, 22, 13, 34),
    span: 6 * HOUR,
    before: Date.UTC(2026, 10, 21, 13, 34),
    ownClock: true,
    zoom: { scale: 1.5, x: 0.25, y: 0.9996 },
    daily: 7 * 60 + 5,
  });
  expect(textsOf(state)).toEqual({
    t: "2026-11-22T13:34:00.000Z",
    span: "360",
    before: "2026-11-21T13:34:00.000Z",
    clock: "own",
    zoom: "1.5,0.25,0.9996",
    daily: "07:05",
  });
  expect(addressOf(textsOf(state))).toEqual(state);
  expect(addressOf(textsOf(LATEST))).toEqual(LATEST);
});

test.each(["1,0.5,0.5", "2,0.5", "2,0.5,1.1", "2,-1,0.5", "65,0.5,0.5", "x,y,z", "NaN,0,0", ""])(
  "the zoom %j of an address counts as missing",
  (zoom) => {
    expect(addressOf({ ...textsOf(LATEST), zoom, daily: "24:00", clock: "other", span: "-1", t: "soon" })).toEqual(
      LATEST,
    );
  },
);
