import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AddressKeeper } from "../../web/archive/address";
import type { ArchiveAddress } from "../../web/archive/port";

const kept: [ArchiveAddress, boolean][] = [];
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
  address.write({ t: 1, span: 60, before: null }, true);
  address.write({ t: 2, span: 60, before: null }, true);
  address.write({ t: 2, span: 60, before: 1 }, true);
  expect(kept).toEqual([
    [{ t: 1, span: 60, before: null }, false],
    [{ t: 2, span: 60, before: null }, true],
    [{ t: 2, span: 60, before: 1 }, false],
  ]);
  address.write({ t: 2, span: 30, before: 1 }, false);
  address.write({ t: 2, span: 20, before: 1 }, false);
  expect(kept).toHaveLength(3);
  vi.runAllTimers();
  expect(kept.slice(3)).toEqual([[{ t: 2, span: 20, before: 1 }, false]]);
});

test("a comparison that follows a zoom writes both", () => {
  const address = keeper();
  address.write({ t: 1, span: 60, before: null }, true);
  address.write({ t: 1, span: 30, before: null }, false);
  address.write({ t: 1, span: 30, before: 5 }, false);
  vi.runAllTimers();
  expect(kept.at(-1)).toEqual([{ t: 1, span: 30, before: 5 }, false]);
  expect(kept).toHaveLength(2);
});

test("Back returns to the zoom, also when it was not written before the next frame", () => {
  const address = keeper();
  address.write({ t: 1, span: 60, before: null }, true);
  address.write({ t: 1, span: 30, before: null }, false);
  address.write({ t: 2, span: 30, before: null }, true);
  vi.runAllTimers();
  expect(kept.slice(1)).toEqual([
    [{ t: 1, span: 30, before: null }, false],
    [{ t: 2, span: 30, before: null }, true],
  ]);
});

test("a zoom does not replace an address that other code wrote during its pause", () => {
  const address = keeper();
  address.write({ t: 1, span: 60, before: null }, true);
  address.write({ t: 1, span: 30, before: null }, false);
  expect(address.comesFromHistory(5)).toBe(true);
  vi.runAllTimers();
  expect(kept).toHaveLength(1);
});
