import { expect, test } from "vitest";
import { z } from "zod";
import { withSeed } from "../../src/platform/crypto/bytes";
import { newId, newIdIn, numberOf } from "../../src/platform/ids";
import fc from "../support/properties";

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
