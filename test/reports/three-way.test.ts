import { describe, expect, test } from "vitest";
import { applyDelta, deltaOf } from "../../src/reports/merging/bases";
import { mergeThreeWays } from "../../src/reports/merging/three-way";
import fc from "../support/properties";

const leaf = fc.oneof(fc.string({ maxLength: 12 }), fc.integer(), fc.boolean(), fc.constant(null));
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 4 }), tie("object")),
  object: fc.dictionary(fc.constantFrom("a", "b", "c", "rows"), tie("value"), { maxKeys: 4 }),
})).object as fc.Arbitrary<Record<string, unknown>>;

test("a delta changes any draft into any other", () => {
  fc.assert(
    fc.property(json, json, (from, to) => {
      expect(applyDelta(from, structuredClone(deltaOf(from, to)))).toEqual(to);
    }),
    { numRuns: 500 },
  );
});

describe("a merge", () => {
  test("with one unchanged side is the other side", () => {
    fc.assert(
      fc.property(json, json, (base, side) => {
        expect(mergeThreeWays(base, side, base)).toEqual({ value: side, conflicts: [] });
        expect(mergeThreeWays(base, base, side)).toEqual({ value: side, conflicts: [] });
        expect(mergeThreeWays(base, side, side)).toEqual({ value: side, conflicts: [] });
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["a b c d", "A b c d", "a b c D", "A b c D"],
    ["a b c", "a c", "x a b c y", "x a c y"],
    ["one\n\ntwo\n", "one\n\nnew\n\ntwo\n", "one\n\ntwo\nthree\n", "one\n\nnew\n\ntwo\nthree\n"],
    ["a b", "a X", "a Y", null],
    ["a", "a x", "a y", null],
    ["a b c", "a c", "a B c", null],
  ])("of texts has all disjoint changes: %j, %j, %j", (base, mine, theirs, both) => {
    const merged = mergeThreeWays({ t: base }, { t: mine }, { t: theirs });
    expect(merged).toEqual(
      both === null ? { value: { t: theirs }, conflicts: ["t"] } : { value: { t: both }, conflicts: [] },
    );
  });

  test("keeps every word that two users add at different places", () => {
    fc.assert(
      fc.property(fc.nat(18), fc.nat(18), (a, b) => {
        fc.pre(Math.abs(a - b) > 1);
        const words = Array.from({ length: 20 }, (_, n) => `w${n}`);
        const [mine, theirs] = [words.with(a, "mine"), words.with(b, "theirs")];
        const { value, conflicts } = mergeThreeWays(
          { t: words.join(" ") },
          { t: mine.join(" ") },
          { t: theirs.join(" ") },
        );
        expect({ value, conflicts }).toEqual({ value: { t: mine.with(b, "theirs").join(" ") }, conflicts: [] });
      }),
      { numRuns: 100 },
    );
  });

  test("of lists and fields has additions, deletions and changes of different items", () => {
    const base = {
      rows: [
        { n: 1, done: false },
        { n: 2, done: false },
      ],
      gone: 1,
      kept: 1,
    };
    const mine = {
      rows: [
        { n: 1, done: true },
        { n: 2, done: false },
      ],
      kept: 1,
    };
    const theirs = {
      rows: [
        { n: 1, done: false },
        { n: 2, done: true },
      ],
      gone: 1,
      kept: 2,
    };
    expect(mergeThreeWays(base, mine, theirs)).toEqual({
      value: {
        rows: [
          { n: 1, done: true },
          { n: 2, done: true },
        ],
        kept: 2,
      },
      conflicts: [],
    });
    expect(mergeThreeWays({ l: [1, 2, 3] }, { l: [2, 3] }, { l: [1, 2, 3, 4] })).toEqual({
      value: { l: [2, 3, 4] },
      conflicts: [],
    });
    expect(mergeThreeWays({ a: 1 }, {}, { a: 2 })).toEqual({ value: { a: 2 }, conflicts: ["a"] });
  });

  test("of a text that is too long to compare by words compares lines, then the whole", () => {
    const lines = Array.from({ length: 1_500 }, (_, n) => `line ${n} of it\n`);
    const merged = mergeThreeWays(
      { t: lines.join("") },
      { t: lines.with(0, "x\n").join("") },
      { t: lines.with(1_499, "y\n").join("") },
    );
    expect(merged).toEqual({ value: { t: lines.with(0, "x\n").with(1_499, "y\n").join("") }, conflicts: [] });
  });
});
