import { afterEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { withSeed } from "../../src/platform/crypto/bytes";
import { newId, newIdIn, newWorkspaceId, numberOf } from "../../src/platform/ids";
import fc from "../support/properties";

afterEach(() => {
  vi.useRealTimers();
});

test("an id that is made in a workspace is a UUIDv7 with the workspace's number", () => {
  const workspace = fc.bigInt({ min: 0n, max: 2n ** 24n - 1n }).map((number) => {
    const bits =
      (0x0192f0c15b7en << 80n) | (7n << 76n) | ((number >> 12n) << 64n) | (2n << 62n) | ((number & 0xfffn) << 50n);
    const hex = bits.toString(16).padStart(32, "0");
    return { number: Number(number), id: hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5") };
  });
  fc.assert(
    fc.property(workspace, ({ id, number }) => {
      const made = newIdIn(id);
      expect(z.uuidv7().safeParse(made).success).toBe(true);
      expect([numberOf(id), numberOf(made)]).toEqual([number, number]);
    }),
  );
});

test("ids of a workspace sort by creation, and none repeats", () => {
  const workspace = newId();
  const ids = Array.from({ length: 20_000 }, () => newIdIn(workspace));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
});

test("the same work with the same seed makes the same ids in a workspace, in order", () => {
  const workspace = newId();
  const make = () =>
    withSeed("seed", 1_700_000_000_000, () => [newIdIn(workspace), newIdIn(workspace), newIdIn(workspace)]);
  expect(make()).toEqual(make());
  expect([...make()].sort()).toEqual(make());
});

test("new workspaces have random numbers, also of one seed, and after the clock went back", () => {
  const distinct = (ids: string[]) => new Set(ids.map(numberOf)).size;
  const several = () => Array.from({ length: 200 }, newWorkspaceId);
  vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ["Date"] });
  newWorkspaceId();
  newId();
  vi.useRealTimers();
  expect(distinct(several())).toBeGreaterThan(195);
  const first = Array.from({ length: 200 }, (_, n) => withSeed(`seed ${n}`, 1_700_000_000_000, newWorkspaceId));
  expect(distinct(first)).toBeGreaterThan(195);
  expect(withSeed("seed", 1_700_000_000_000, several)).toEqual(withSeed("seed", 1_700_000_000_000, several));
  for (const id of first) expect(z.uuidv7().safeParse(id).success).toBe(true);
});
