import { MAX_EDITS_IN_STRETCH, MAX_MERGE_STEPS } from "../limits";

/**
 * A replacement: the units from `start` to `end` of the first sequence become the units from `from` to `to` of the
 * second.
 */
export interface Hunk {
  start: number;
  end: number;
  from: number;
  to: number;
}

/** The steps that a merge may still take. */
export interface Budget {
  steps: number;
}

export const newBudget = (): Budget => ({ steps: MAX_MERGE_STEPS });

/** Depth of anchors within stretches between anchors. */
const MAX_ANCHOR_DEPTH = 8;

/** The indexes of a longest increasing subsequence (patience sorting), in O(n log n). */
export function longestIncreasing(values: readonly number[]): number[] {
  const ends: number[] = [];
  const before: number[] = [];
  for (const [n, value] of values.entries()) {
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[ends[middle] as number] as number) < value) low = middle + 1;
      else high = middle;
    }
    before.push(low === 0 ? -1 : (ends[low - 1] as number));
    ends[low] = n;
  }
  const found: number[] = [];
  for (let n = ends.at(-1) ?? -1; n >= 0; n = before[n] as number) found.push(n);
  return found.reverse();
}

/** Units that occur once in both ranges, as pairs of indexes in a common order. */
function anchorsOf(a: readonly number[], b: readonly number[], { start, end, from, to }: Hunk): [number, number][] {
  const once = (units: readonly number[], first: number, last: number) => {
    const at = new Map<number, number>();
    for (let n = first; n < last; n++) at.set(units[n] as number, at.has(units[n] as number) ? -1 : n);
    return at;
  };
  const inB = once(b, from, to);
  const pairs: [number, number][] = [];
  for (const [unit, n] of once(a, start, end)) {
    const other = n < 0 ? -1 : (inB.get(unit) ?? -1);
    if (other >= 0) pairs.push([n, other]);
  }
  return longestIncreasing(pairs.map(([, other]) => other)).map((n) => pairs[n] as [number, number]);
}

/**
 * Pairs of equal units with the fewest changes between them (E. W. Myers, An O(ND) Difference Algorithm, 1986); null when
 * that needs more than MAX_EDITS_IN_STRETCH changes or the rest of the budget.
 */
function commonUnits(
  a: readonly number[],
  b: readonly number[],
  { start, end, from, to }: Hunk,
  budget: Budget,
): [number, number][] | null {
  const [n, m] = [end - start, to - from];
  const most = Math.min(n + m, MAX_EDITS_IN_STRETCH);
  // The furthest x on each diagonal k = x - y, and its state before each number of changes.
  const reach = new Int32Array(2 * most + 3);
  const states: Int32Array[] = [];
  const middle = most + 1;
  for (let edits = 0; edits <= most; edits++) {
    states.push(reach.slice(middle - edits - 1, middle + edits + 2));
    for (let k = -edits; k <= edits; k += 2) {
      const isDown =
        k === -edits || (k !== edits && (reach[middle + k - 1] as number) < (reach[middle + k + 1] as number));
      let x = isDown ? (reach[middle + k + 1] as number) : (reach[middle + k - 1] as number) + 1;
      const first = x;
      while (x < n && x - k < m && a[start + x] === b[from + x - k]) x++;
      reach[middle + k] = x;
      budget.steps -= 1 + x - first;
      if (x >= n && x - k >= m) return trace(states, n, n - m).map(([x, y]) => [start + x, from + y]);
    }
    if (budget.steps < 0) return null;
  }
  return null;
}

/** Goes back from the end to the start, and collects the pairs of equal units. */
function trace(states: readonly Int32Array[], length: number, diagonal: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, k] = [length, diagonal];
  for (let edits = states.length - 1; edits >= 0; edits--) {
    const state = states[edits] as Int32Array;
    const at = (diagonal: number) => state[diagonal + edits + 1] as number;
    const isDown = k === -edits || (k !== edits && at(k - 1) < at(k + 1));
    const before = isDown ? k + 1 : k - 1;
    const first = edits === 0 ? 0 : isDown ? at(before) : at(before) + 1;
    for (x--; x >= first; x--) pairs.push([x, x - k]);
    [x, k] = [at(before), before];
  }
  return pairs.reverse();
}

/**
 * The replacements that turn one sequence into another, in order. The common start and end are cut, and units that
 * occur once are anchors (patience diff, B. Cohen). Between anchors, the fewest changes are found within the budget.
 */
export function hunksOf(a: readonly number[], b: readonly number[], budget: Budget): Hunk[] {
  const hunks: Hunk[] = [];
  const compare = (start: number, end: number, from: number, to: number, depth: number): void => {
    while (start < end && from < to && a[start] === b[from]) [start, from] = [start + 1, from + 1];
    while (start < end && from < to && a[end - 1] === b[to - 1]) [end, to] = [end - 1, to - 1];
    if (start === end && from === to) return;
    const whole = { start, end, from, to };
    const isChange = start === end || from === to;
    const anchors = isChange || depth === MAX_ANCHOR_DEPTH ? [] : anchorsOf(a, b, whole);
    const pairs = isChange || anchors.length > 0 ? anchors : (commonUnits(a, b, whole, budget) ?? []);
    if (pairs.length === 0) return void hunks.push(whole);
    let [x, y] = [start, from];
    for (const [n, other] of [...pairs, [end, to] as const]) {
      if (anchors.length > 0) compare(x, n, y, other, depth + 1);
      else if (x < n || y < other) hunks.push({ start: x, end: n, from: y, to: other });
      [x, y] = [n + 1, other + 1];
    }
  };
  compare(0, a.length, 0, b.length, 0);
  return hunks;
}

/** Whether two changes overlap. Two insertions at one position overlap, because neither order is right. */
const collide = (a: Hunk, b: Hunk): boolean =>
  a.start === b.start && a.end === b.end ? true : a.start < b.end && b.start < a.end;

/** A stretch of a merged sequence: units of the base, of one side, or of the other. */
export type Stretch = { of: "base" | "mine" | "theirs"; from: number; to: number };

/** Merges both sides' replacements of a base; null when they replace the same units in different ways. */
export function mergeHunks(
  length: number,
  mine: readonly Hunk[],
  theirs: readonly Hunk[],
  isSame: (a: Hunk, b: Hunk) => boolean,
): Stretch[] | null {
  const all: (Hunk & { of: "mine" | "theirs" })[] = [];
  let first = 0;
  for (const hunk of mine) {
    while ((theirs[first]?.end ?? Number.POSITIVE_INFINITY) < hunk.start) first++;
    let isThere = false;
    for (let n = first; n < theirs.length; n++) {
      const other = theirs[n];
      if (other === undefined || other.start > hunk.end) break;
      if (hunk.start === other.start && hunk.end === other.end && isSame(hunk, other)) isThere = true;
      else if (collide(hunk, other)) return null;
    }
    if (!isThere) all.push({ ...hunk, of: "mine" });
  }
  for (const hunk of theirs) all.push({ ...hunk, of: "theirs" });
  // At one position, an insertion comes before a replacement of the units after it.
  all.sort((a, b) => a.start - b.start || a.end - b.end);
  const merged: Stretch[] = [];
  let at = 0;
  for (const { start, end, from, to, of } of all) {
    if (at < start) merged.push({ of: "base", from: at, to: start });
    if (from < to) merged.push({ of, from, to });
    at = end;
  }
  if (at < length) merged.push({ of: "base", from: at, to: length });
  return merged;
}
