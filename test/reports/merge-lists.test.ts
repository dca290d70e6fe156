import { describe, expect, test } from "vitest";
import { applyDelta, deltaOf } from "../../src/reports/merging/bases";
import { mergeThreeWays } from "../../src/reports/merging/three-way";
import fc, { scaled } from "../support/properties";

interface Item {
  id?: string;
  title: string;
  severity: string;
  note: string;
}
/** An item with an identity that the merge does not see. */
interface Known {
  uid: number;
  item: Item;
}

type Step =
  | { kind: "move"; at: number; to: number }
  | { kind: "delete"; at: number }
  | { kind: "insert"; at: number; copyOf: number | null }
  | { kind: "edit"; at: number; field: "severity" | "note" | "title"; value: string };

const step = fc.oneof(
  fc.record({ kind: fc.constant("move" as const), at: fc.nat(20), to: fc.nat(20) }),
  fc.record({ kind: fc.constant("delete" as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant("insert" as const), at: fc.nat(20), copyOf: fc.option(fc.nat(20), { freq: 4 }) }),
  fc.record({
    kind: fc.constant("edit" as const),
    at: fc.nat(20),
    field: fc.constantFrom("severity" as const, "note" as const, "title" as const),
    value: fc.constantFrom("low", "high", "mid", "open", "closed for good"),
  }),
);
const steps = fc.oneof(fc.array(step, { maxLength: 3 }), fc.array(step, { maxLength: 8 }));
const enums = fc.constantFrom("low", "high", "mid", "");

let uids = 1_000;
/** Carries out the steps of one person. */
function changed(base: readonly Known[], all: readonly Step[], who: string, hasIds: boolean): Known[] {
  const list = base.map(({ uid, item }) => ({ uid, item: { ...item } }));
  for (const one of all) {
    const at = list.length === 0 ? 0 : one.at % list.length;
    if (one.kind === "insert") {
      const uid = uids++;
      const title = `${who} ${uid}`;
      const like = one.copyOf === null ? undefined : list[one.copyOf % Math.max(1, list.length)];
      const item = like === undefined ? { title, severity: "low", note: "" } : { ...like.item, title };
      list.splice(one.at % (list.length + 1), 0, { uid, item: hasIds ? { ...item, id: `i${uid}` } : item });
    } else if (list.length === 0) continue;
    else if (one.kind === "delete") list.splice(at, 1);
    else if (one.kind === "move") list.splice(one.to % list.length, 0, ...list.splice(at, 1));
    else if (one.field !== "title" || hasIds) (list[at] as Known).item[one.field] = one.value;
  }
  return list;
}

/** What the merge must hold, as a set of items; null where both sides changed one thing differently. */
function expected(base: readonly Known[], mine: readonly Known[], theirs: readonly Known[]): string[] | null {
  const by = (list: readonly Known[]) => new Map(list.map(({ uid, item }) => [uid, item]));
  const [a, b] = [by(mine), by(theirs)];
  const known = new Set(base.map(({ uid }) => uid));
  const result = [...mine, ...theirs].filter(({ uid }) => !known.has(uid)).map(({ item }) => item);
  for (const { uid, item } of base) {
    const [my, their] = [a.get(uid), b.get(uid)];
    const same = (one: Item | undefined) => JSON.stringify(one) === JSON.stringify(item);
    if (my === undefined || their === undefined) {
      if ((my !== undefined && !same(my)) || (their !== undefined && !same(their))) return null;
      continue;
    }
    const merged = { ...item };
    for (const field of ["title", "severity", "note"] as const) {
      if (my[field] !== item[field] && their[field] !== item[field] && my[field] !== their[field]) return null;
      merged[field] = my[field] === item[field] ? their[field] : my[field];
    }
    result.push(merged);
  }
  return result.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort();
}

const plain = (list: readonly Known[]) => ({ rows: list.map(({ item }) => item) });
const isMoved = (base: readonly Known[], side: readonly Known[]): boolean => {
  const at = new Map(base.map(({ uid }, n) => [uid, n]));
  const kept = side.flatMap(({ uid }) => at.get(uid) ?? []);
  return kept.some((n, i) => i > 0 && n < (kept[i - 1] as number));
};

describe("a merge of lists", () => {
  test.each([true, false])("has each change on its item, or is a conflict (items with an id: %s)", (hasIds) => {
    let [clean, merged] = [0, 0];
    fc.assert(
      fc.property(
        fc.array(fc.record({ severity: enums, note: enums }), { maxLength: 7 }),
        steps,
        steps,
        (rows, mySteps, theirSteps) => {
          const base = rows.map((row, uid) => ({
            uid,
            item: { title: `Item ${uid}`, ...row, ...(hasIds ? { id: `i${uid}` } : {}) },
          }));
          const [mine, theirs] = [changed(base, mySteps, "mine", hasIds), changed(base, theirSteps, "theirs", hasIds)];
          const wanted = expected(base, mine, theirs);
          const { value, conflicts } = mergeThreeWays(plain(base), plain(mine), plain(theirs));
          if (wanted !== null) clean++;
          if (conflicts.length > 0) return;
          merged++;
          const { rows: found } = value as { rows: Item[] };
          expect(found.map((item) => JSON.stringify(item, Object.keys(item).sort())).sort()).toEqual(wanted);
          // The order of the side that moved items.
          const sides = [mine, theirs].filter((side) => isMoved(base, side));
          if (sides.length === 2) return;
          const titles = (sides[0] ?? base).map(({ item, uid }) => (hasIds ? `i${uid}` : item.title));
          const order = found.map((item) => titles.indexOf(item.id ?? item.title)).filter((n) => n >= 0);
          expect(order).toEqual([...order].sort((a, b) => a - b));
        },
      ),
      { numRuns: scaled(2_000) },
    );
    // Most changes that do not contradict each other are merged. The others have no clear order or no clear item.
    expect(merged / clean).toBeGreaterThan(0.7);
  });

  const crack = { title: "Crack", severity: "low" };
  const drain = { title: "Drain", severity: "low" };
  const high = { ...crack, severity: "high" };
  test.each([
    ["a move against an edit", [crack, drain], [drain, crack], [high, drain], [drain, high]],
    ["a sort against an edit", [drain, crack], [crack, drain], [drain, high], [high, drain]],
    ["a removal and an addition against an edit", [crack, drain], [drain, { title: "Leak" }], [high, drain], null],
    ["a replacement at the same place against an edit", [crack], [{ title: "Leak", severity: "low" }], [high], null],
    ["two moves", [1, 2, 3], [2, 1, 3], [1, 3, 2], null],
    ["a move against an addition beside it", [1, 2, 3], [3, 2, 1], [1, 2, 9, 3], null],
    ["a move against an addition elsewhere", [1, 2, 3, 4], [2, 1, 3, 4], [1, 2, 3, 9, 4], [2, 1, 3, 9, 4]],
    ["one of equal items against an edit", ["a", "a"], ["a"], ["a", "b"], null],
    ["two additions at one place", [1, 2], [1, 3, 2], [1, 4, 2], null],
    ["the same addition twice", [1, 2], [1, 3, 2], [1, 3, 2], [1, 3, 2]],
    [
      "a gallery",
      [{ documentPath: "a.jpg" }, { documentPath: "b.jpg" }],
      [{ documentPath: "b.jpg" }, { documentPath: "a.jpg" }],
      [{ documentPath: "a.jpg", caption: "Door" }, { documentPath: "b.jpg" }],
      [{ documentPath: "b.jpg" }, { documentPath: "a.jpg", caption: "Door" }],
    ],
    [
      "the same picture at two places",
      [{ documentPath: "a.jpg" }, { documentPath: "b.jpg" }],
      [{ documentPath: "c.jpg" }, { documentPath: "a.jpg" }, { documentPath: "b.jpg" }],
      [{ documentPath: "a.jpg" }, { documentPath: "b.jpg" }, { documentPath: "c.jpg", caption: "Roof" }],
      null,
    ],
    [
      "different fields of one item",
      [{ ...crack, note: "" }],
      [{ ...high, note: "" }],
      [{ ...crack, note: "wet" }],
      [{ ...high, note: "wet" }],
    ],
    [
      "checks without a name",
      [[false, true], [true]],
      [[true, true], [true]],
      [[false, true], [false]],
      [[true, true], [false]],
    ],
    [
      "one paragraph of a list of texts",
      ["The north wall is dry and sound.", "Nothing else."],
      ["The whole north wall is dry and sound.", "Nothing else."],
      ["The north wall is dry and sound now.", "Nothing else."],
      ["The whole north wall is dry and sound now.", "Nothing else."],
    ],
  ])("with %s", (_, base, mine, theirs, both) => {
    for (const [a, b] of [
      [mine, theirs],
      [theirs, mine],
    ]) {
      const merged = mergeThreeWays({ f: base }, { f: a }, { f: b });
      if (both === null) expect(merged.conflicts[0]).toMatch(/^f(?:\.\d)?$/);
      else expect(merged).toEqual({ value: { f: both }, conflicts: [] });
    }
  });

  test("of 3,000 items, and of 5,000 words in one line, has all disjoint changes", () => {
    const rows = Array.from({ length: 3_000 }, (_, n) => ({ title: `Item ${n}`, state: "open", note: "" }));
    const words = Array.from({ length: 5_000 }, (_, n) => `word${n % 700}`);
    const edited = <T>(list: readonly T[], rest: number, change: (one: T) => T) =>
      list.map((one, n) => (n % 400 === rest ? change(one) : one));
    const draft = (closed: boolean, noted: boolean, a: boolean, b: boolean) => ({
      rows: edited(
        edited(rows, 0, (row) => (closed ? { ...row, state: "closed" } : row)),
        7,
        (row) => (noted ? { ...row, note: "wet" } : row),
      ),
      text: edited(
        edited(words, 3, (word) => (a ? `${word}A` : word)),
        9,
        (word) => (b ? `${word}B` : word),
      ).join(" "),
    });
    const base = draft(false, false, false, false);
    const mine = draft(true, false, true, false);
    const theirs = draft(false, true, false, true);
    expect(mergeThreeWays(base, mine, theirs)).toEqual({ value: draft(true, true, true, true), conflicts: [] });
    // The stored difference follows the changes.
    expect(JSON.stringify(deltaOf(base, mine)).length).toBeLessThan(2_000);
    expect(applyDelta(base, deltaOf(base, theirs))).toEqual(theirs);
  });
});
