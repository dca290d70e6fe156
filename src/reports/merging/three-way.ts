import { Equality, isObject, keyOf } from "./equality";
import { areOneItem, type Matching, matchItems } from "./items";
import { type Hunk, mergeHunks, newBudget, type Stretch } from "./sequences";
import { mergeText } from "./text";

/** The value of an absent field. */
const ABSENT = Symbol("absent");

interface Merged {
  value: unknown;
  /** Paths, such as `a.b.0`, that both sides changed in different ways; empty when the merge succeeded. */
  conflicts: string[];
}

type Path = readonly string[];

/** The hunks that a matching in the old order describes. */
function hunksOfMatching({ to, from }: Matching): Hunk[] {
  const hunks: Hunk[] = [];
  let [start, at] = [0, 0];
  for (const [n, position] of [...to, from.length].entries()) {
    if (position === -1) continue;
    if (n > start || position > at) hunks.push({ start, end: n, from: at, to: position });
    [start, at] = [n + 1, position + 1];
  }
  return hunks;
}

/** An item of a merged list: an item of the base that stayed, or one that a side added. */
type Slot = { of: "base" | "mine" | "theirs"; at: number };

const slotsOf = (stretches: readonly Stretch[]): Slot[] =>
  stretches.flatMap(({ of, from, to }) => Array.from({ length: to - from }, (_, n) => ({ of, at: from + n })));

/** The merged lists' items in the order of the side that reordered them; null when the position of an addition is unclear. */
function reordered(leader: Matching, of: "mine" | "theirs", other: Matching): Slot[] | null {
  const kept = leader.from.filter((n) => n >= 0 && other.to[n] !== -1);
  const otherKept = other.from.filter((n) => n >= 0 && leader.to[n] !== -1);
  if (!other.isInOrder && otherKept.some((n, at) => n !== kept[at])) return null;
  const slots: Slot[] = [];
  for (const [at, n] of leader.from.entries())
    if (n === -1) slots.push({ of, at });
    else if (other.to[n] !== -1) slots.push({ of: "base", at: n });
  const positions = new Map<number, number>([[-1, -1]]);
  for (const [position, slot] of slots.entries()) if (slot.of === "base") positions.set(slot.at, position);
  const merged: Slot[] = [];
  const added = new Map<number, Slot[]>();
  let before = -1;
  let run: Slot[] = [];
  for (const [at, n] of [...other.from, null].entries()) {
    if (n === -1) run.push({ of: of === "mine" ? "theirs" : "mine", at });
    else {
      const position = positions.get(before);
      const next = n === null ? slots.length : positions.get(n);
      if (run.length > 0) {
        if (position === undefined || next !== position + 1) return null;
        added.set(position, run);
        run = [];
      }
      before = n ?? -1;
    }
  }
  for (const position of [-1, ...slots.keys()]) {
    const slot = slots[position];
    if (slot !== undefined) merged.push(slot);
    merged.push(...(added.get(position) ?? []));
  }
  return merged;
}

class Merge {
  readonly #equality = new Equality();
  readonly #budget = newBudget();
  readonly conflicts: string[] = [];

  #conflict(path: Path, value: unknown): unknown {
    this.conflicts.push(path.join("."));
    return value;
  }

  #same(a: unknown, b: unknown): boolean {
    return a === ABSENT || b === ABSENT ? a === b : this.#equality.same(a, b);
  }

  of(base: unknown, mine: unknown, theirs: unknown, path: Path): unknown {
    if (this.#same(mine, theirs) || this.#same(base, mine)) return theirs;
    if (this.#same(base, theirs)) return mine;
    if (isObject(base) && isObject(mine) && isObject(theirs)) {
      const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
      const at = (side: object, key: string): unknown => (Object.hasOwn(side, key) ? Reflect.get(side, key) : ABSENT);
      return Object.fromEntries(
        keys
          .map((key) => [key, this.of(at(base, key), at(mine, key), at(theirs, key), [...path, key])] as const)
          .filter(([, value]) => value !== ABSENT),
      );
    }
    if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs))
      return this.#list(base, mine, theirs, path);
    if (typeof base === "string" && typeof mine === "string" && typeof theirs === "string") {
      const text = mergeText(base, mine, theirs, this.#budget);
      if (text !== null) return text;
    }
    return this.#conflict(path, theirs);
  }

  /** Merges lists. A change stays on its item, or it is a conflict. */
  #list(base: readonly unknown[], mine: readonly unknown[], theirs: readonly unknown[], path: Path): unknown {
    const equality = this.#equality;
    const match = (side: readonly unknown[]) => matchItems(base, side, equality, this.#budget);
    const [ours, others] = [match(mine), match(theirs)];
    const slots = this.#order(base.length, [ours, mine], [others, theirs]);
    if (slots === null) return this.#conflict(path, theirs);
    const known = this.conflicts.length;
    const items = base.map((item, n) => this.#item(item, n, [ours, mine], [others, theirs], path));
    if (this.conflicts.length > known) return theirs;
    const merged = slots.map(({ of, at }) => (of === "base" ? items : of === "mine" ? mine : theirs)[at]);
    // Both sides added the same thing at different positions.
    const repeated = (list: readonly unknown[]) => {
      const keys = list.map(keyOf).filter((key) => key !== null);
      return keys.length - new Set(keys).size;
    };
    if (repeated(merged) > Math.max(repeated(mine), repeated(theirs))) return this.#conflict(path, theirs);
    return merged;
  }

  #order(
    length: number,
    [ours, mine]: readonly [Matching, readonly unknown[]],
    [others, theirs]: readonly [Matching, readonly unknown[]],
  ): Slot[] | null {
    if (!ours.isInOrder) return reordered(ours, "mine", others);
    if (!others.isInOrder) return reordered(others, "theirs", ours);
    const isSame = (a: Hunk, b: Hunk) => this.#equality.same(mine.slice(a.from, a.to), theirs.slice(b.from, b.to));
    const stretches = mergeHunks(length, hunksOfMatching(ours), hunksOfMatching(others), isSame);
    return stretches === null ? null : slotsOf(stretches);
  }

  /** The merged item of the base, if it stays. */
  #item(
    item: unknown,
    n: number,
    [ours, mine]: readonly [Matching, readonly unknown[]],
    [others, theirs]: readonly [Matching, readonly unknown[]],
    path: Path,
  ): unknown {
    const equality = this.#equality;
    const [here, there] = [ours.to[n] ?? -1, others.to[n] ?? -1];
    const [my, their] = [here === -1 ? ABSENT : mine[here], there === -1 ? ABSENT : theirs[there]];
    const at = there === -1 ? path : [...path, String(there)];
    const [isMine, isTheirs] = [!this.#same(item, my), !this.#same(item, their)];
    const number = equality.of(item);
    // One of several equal items was removed or moved, so it is not known which one the other side changed.
    if ((isTheirs && ours.unclear.has(number)) || (isMine && others.unclear.has(number)))
      return this.#conflict(at, their);
    if (!isMine) return their;
    if (!isTheirs || this.#same(my, their)) return my;
    if (my === ABSENT || their === ABSENT || !areOneItem(item, [my, their], [ours, others], equality))
      return this.#conflict(at, their);
    return this.of(item, my, their, at);
  }
}

/**
 * Merges two changed versions of one draft. Changes of different parts are all kept. A change of a list's item stays on
 * this item, wherever the other side moved it; where that is not certain, the merge names a conflict.
 */
export function mergeThreeWays(base: object, mine: object, theirs: object): Merged {
  const merge = new Merge();
  const value = merge.of(base, mine, theirs, []);
  return { value, conflicts: merge.conflicts };
}
