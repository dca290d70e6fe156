import { type Equality, keyOf, type Name, nameOf, namesOf } from "./equality";
import { type Budget, type Hunk, hunksOf } from "./sequences";

/** Fewest words of a text that still identifies its item after a part of it was rewritten. */
const MIN_WORDS_OF_TEXT = 4;

/** For each item of a changed list, the item of the base that it comes from. */
export interface Matching {
  /** The index in the changed list of each item of the base; -1 when the item is gone. */
  to: number[];
  /** The index in the base of each item of the changed list; -1 when the item is new. */
  from: number[];
  /** Whether no item was moved, removed or inserted: each is where it was. */
  isUnmoved: boolean;
  /** Whether the items that stayed are in their old order. */
  isInOrder: boolean;
  /** Numbers of equal items. It is not known which of these items was moved, removed or copied. */
  unclear: ReadonlySet<number>;
  /** Names that exactly one item of the base has. */
  names: ReadonlySet<string>;
}

/** The index of each value that occurs once; -1 for a value that occurs more often. Null is not a value. */
function onlyOnes<T>(values: readonly (T | null)[]): Map<T, number> {
  const at = new Map<T, number>();
  for (const [n, value] of values.entries()) if (value !== null) at.set(value, at.has(value) ? -1 : n);
  return at;
}

/** The index of each name that only one item has; -1 for a name of several items. */
function nameIndex(items: readonly unknown[], equality: Equality): Map<string, number> {
  const at = new Map<string, number>();
  for (const [n, item] of items.entries())
    for (const { name } of namesOf(item, equality)) at.set(name, at.has(name) ? -1 : n);
  return at;
}

/**
 * Finds the items of a base in a changed list: by the identity that they name (`id`, `documentPath`), then by equal
 * JSON, then by a text or number that only this item has in both lists. The remaining items are matched by position
 * only in a list in which every other item is where it was. The cost is linear in the size of the lists, apart from
 * `hunksOf`.
 */
export function matchItems(
  base: readonly unknown[],
  side: readonly unknown[],
  equality: Equality,
  budget: Budget,
): Matching {
  const to = base.map(() => -1);
  const from = side.map(() => -1);
  const pair = (n: number, other: number): void => {
    if (to[n] !== -1 || from[other] !== -1) return;
    to[n] = other;
    from[other] = n;
  };
  for (const identity of [keyOf, nameOf]) {
    const inSide = onlyOnes(side.map(identity));
    for (const [key, n] of onlyOnes(base.map(identity))) {
      const other = inSide.get(key) ?? -1;
      if (n >= 0 && other >= 0) pair(n, other);
    }
  }
  const [numbers, sideNumbers] = [base.map((item) => equality.of(item)), side.map((item) => equality.of(item))];
  const baseNames = nameIndex(base, equality);
  const names = new Map<string, readonly [base: number, side: number]>();
  for (const [name, other] of nameIndex(side, equality)) {
    const n = baseNames.get(name) ?? -1;
    if (n >= 0 && other >= 0) names.set(name, [n, other]);
  }
  const result = (isUnmoved: boolean, unclear: ReadonlySet<number>): Matching => {
    const kept = from.filter((n) => n >= 0);
    const isInOrder = kept.every((n, at) => at === 0 || n > (kept[at - 1] as number));
    const own = new Set([...baseNames].filter(([, n]) => n >= 0).map(([name]) => name));
    return { to, from, isUnmoved, isInOrder, unclear, names: own };
  };
  if (isUnmoved({ to, from }, numbers, sideNumbers, names)) {
    for (const n of base.keys()) if (to[n] === -1) [to[n], from[n]] = [n, n];
    return result(true, new Set());
  }
  pairEqual(hunksOf(numbers, sideNumbers, budget), [numbers, sideNumbers], { to, from }, pair);
  pairNamed(names, { to, from }, (n, other) => {
    const [key, sideKey] = [keyOf(base[n]), keyOf(side[other])];
    if (key === null || sideKey === null) pair(n, other);
  });
  return result(false, unclearOf(numbers, sideNumbers, { to, from }));
}

type Pairs = Pick<Matching, "to" | "from">;

/** Whether nothing shows that an item of the changed list comes from another position of the base. */
function isUnmoved(
  { to, from }: Pairs,
  numbers: readonly number[],
  sideNumbers: readonly number[],
  names: ReadonlyMap<string, readonly [number, number]>,
): boolean {
  if (numbers.length !== sideNumbers.length) return false;
  if (to.some((other, n) => other !== -1 && other !== n)) return false;
  for (const [n, other] of names.values()) if (n !== other && to[n] === -1 && from[other] === -1) return false;
  const displaced = new Set(numbers.filter((number, n) => to[n] === -1 && number !== sideNumbers[n]));
  return sideNumbers.every((number, n) => to[n] === n || number === numbers[n] || !displaced.has(number));
}

/** Pairs equal items: items that occur once are paired at any position, the others in their order. */
function pairEqual(
  hunks: readonly Hunk[],
  [numbers, sideNumbers]: readonly [readonly number[], readonly number[]],
  { to, from }: Pairs,
  pair: (n: number, other: number) => void,
): void {
  const once = onlyOnes(sideNumbers);
  for (const [number, n] of onlyOnes(numbers)) {
    const other = once.get(number) ?? -1;
    if (n >= 0 && other >= 0) pair(n, other);
  }
  let [n, other] = [0, 0];
  for (const hunk of [...hunks, null]) {
    for (; n < (hunk?.start ?? numbers.length); n++, other++) pair(n, other);
    if (hunk !== null) [n, other] = [hunk.end, hunk.to];
  }
  const left = new Map<number, number[]>();
  for (const [at, number] of [...sideNumbers.entries()].reverse()) {
    const positions = left.get(number);
    if (from[at] !== -1) continue;
    if (positions === undefined) left.set(number, [at]);
    else positions.push(at);
  }
  for (const [at, number] of numbers.entries()) {
    if (to[at] !== -1) continue;
    const position = left.get(number)?.pop();
    if (position !== undefined) pair(at, position);
  }
}

/** Pairs items that share a name, unless their names point to several items. */
function pairNamed(
  names: ReadonlyMap<string, readonly [number, number]>,
  { to, from }: Pairs,
  pair: (n: number, other: number) => void,
): void {
  const partners = new Map<number, number>();
  const sidePartners = new Map<number, number>();
  const note = (at: Map<number, number>, one: number, partner: number) =>
    at.set(one, (at.get(one) ?? partner) === partner ? partner : -1);
  for (const [n, other] of names.values()) {
    if (to[n] !== -1 || from[other] !== -1) continue;
    note(partners, n, other);
    note(sidePartners, other, n);
  }
  for (const [n, other] of partners) if (other >= 0 && sidePartners.get(other) === n) pair(n, other);
}

/** The numbers of equal items whose count changed, or that include an item out of the old order. */
function unclearOf(numbers: readonly number[], sideNumbers: readonly number[], { to, from }: Pairs): Set<number> {
  const counts = new Map<number, [number, number]>();
  const count = (number: number, base: number, side: number) => {
    const [a, b] = counts.get(number) ?? [0, 0];
    counts.set(number, [a + base, b + side]);
  };
  for (const number of numbers) count(number, 1, 0);
  for (const number of sideNumbers) count(number, 0, 1);
  const kept = from.filter((n) => n >= 0);
  const isInOrder = kept.every((n, at) => at === 0 || n > (kept[at - 1] as number));
  const unclear = new Set<number>();
  for (const [n, number] of numbers.entries()) {
    const [a, b] = counts.get(number) ?? [0, 0];
    if ((a > 1 || b > 1) && (a !== b || !isInOrder || to[n] === -1)) unclear.add(number);
  }
  return unclear;
}

/** Whether a text is mostly what it was: at least half of it, at its start and its end. */
function isSameText(before: unknown, after: unknown): boolean {
  if (typeof before !== "string" || typeof after !== "string") return false;
  if (before.trim().split(/\s+/).length < MIN_WORDS_OF_TEXT) return false;
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return 2 * (start + end) >= Math.max(before.length, after.length);
}

/**
 * Whether the changed items of both sides are still the item of the base, so that their changes belong together. Without
 * an identity, both must leave the name as it was, or at least half of the texts that only this item has.
 */
export function areOneItem(
  base: unknown,
  changed: readonly [unknown, unknown],
  sides: readonly [Matching, Matching],
  equality: Equality,
): boolean {
  const key = keyOf(base);
  if (key !== null) return changed.every((item) => keyOf(item) === key);
  const name = nameOf(base);
  if (name !== null) return changed.every((item) => nameOf(item) === name);
  if (typeof base !== "object" || base === null) return changed.every((item) => isSameText(base, item));
  const own = namesOf(base, equality).filter(({ name }) => sides.every(({ names }) => names.has(name)));
  if (own.length === 0) return sides.every((side) => side.isUnmoved);
  const kept = changed.map((item) => new Map(namesOf(item, equality).map((one) => [one.path, one])));
  const weigh = (all: readonly Name[]) => all.reduce((sum, { value }) => sum + String(value).length, 0);
  const same = own.filter(({ name, path, value }) =>
    kept.every((fields) => fields.get(path)?.name === name || isSameText(value, fields.get(path)?.value)),
  );
  return 2 * weigh(same) >= weigh(own);
}
