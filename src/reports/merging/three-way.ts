import { diffIndices } from "node-diff3";
import { isObject, sameJson } from "./bases";

/** Most words, lines or items that are compared: the time grows with the square of their number. */
const MAX_COMPARED = 2_000;

/** The value of an absent field. */
const ABSENT = Symbol("absent");

export interface Merged {
  value: unknown;
  /** Paths, such as `a.b.0`, that both sides changed in different ways; empty when the merge succeeded. */
  conflicts: string[];
}

interface Hunk<T> {
  start: number;
  end: number;
  added: T[];
}

const hunksOf = <T>(base: T[], side: T[]): Hunk<T>[] =>
  diffIndices(base, side).map(({ buffer1: [start, length], buffer2Content: added }) => ({
    start,
    end: start + length,
    added,
  }));

const sameHunk = <T>(a: Hunk<T>, b: Hunk<T>): boolean =>
  a.start === b.start && a.end === b.end && sameJson(a.added, b.added);

/** Whether two changes overlap. Two insertions at one position overlap, because neither order is right. */
const collide = <T>(a: Hunk<T>, b: Hunk<T>): boolean =>
  a.start === b.start && a.end === b.end ? true : a.start < b.end && b.start < a.end;

/** Merges both sides' changes of a sequence; null when they change the same items in different ways. */
function mergeItems<T>(base: T[], mine: T[], theirs: T[]): T[] | null {
  const [ours, others] = [hunksOf(base, mine), hunksOf(base, theirs)];
  const all: Hunk<T>[] = [];
  let first = 0;
  for (const hunk of ours) {
    while ((others[first]?.end ?? Number.POSITIVE_INFINITY) < hunk.start) first++;
    let isThere = false;
    for (let n = first; n < others.length; n++) {
      const other = others[n];
      if (other === undefined || other.start > hunk.end) break;
      if (sameHunk(hunk, other)) isThere = true;
      else if (collide(hunk, other)) return null;
    }
    if (!isThere) all.push(hunk);
  }
  all.push(...others);
  // At one position, an insertion comes before a replacement of the items after it.
  all.sort((a, b) => a.start - b.start || a.end - b.end);
  const merged: T[] = [];
  let at = 0;
  for (const { start, end, added } of all) {
    for (; at < start; at++) merged.push(base[at] as T);
    for (const item of added) merged.push(item);
    at = end;
  }
  for (; at < base.length; at++) merged.push(base[at] as T);
  return merged;
}

/** Splits three texts into units, and separates their common start and end. */
function framed(all: readonly string[], split: (text: string) => string[]) {
  const parts = all.map(split);
  const most = Math.min(...parts.map(({ length }) => length));
  const [first = []] = parts;
  let start = 0;
  while (start < most && parts.every((units) => units[start] === first[start])) start++;
  let end = 0;
  while (end < most - start && parts.every((units) => units.at(-1 - end) === first.at(-1 - end))) end++;
  return {
    head: first.slice(0, start).join(""),
    middles: parts.map((units) => units.slice(start, units.length - end)),
    tail: first.slice(first.length - end).join(""),
  };
}

const byWord = (text: string): string[] => text.split(/(?<=\s)(?=\S)|(?<=\S)(?=\s)/u);
const byLine = (text: string): string[] => text.split(/(?<=\n)/);
const whole = (text: string): string[] => (text === "" ? [] : [text]);

function mergeText(base: string, mine: string, theirs: string): string | null {
  for (const split of [byWord, byLine, whole]) {
    const { head, middles, tail } = framed([base, mine, theirs], split);
    if (middles.some(({ length }) => length > MAX_COMPARED)) continue;
    const [before = [], ours = [], others = []] = middles;
    const merged = mergeItems(before, ours, others);
    return merged === null ? null : head + merged.join("") + tail;
  }
  return null;
}

/** Merges lists. Items are compared as JSON: equal items are the same item. */
function mergeList(base: unknown[], mine: unknown[], theirs: unknown[], path: string[]): Merged {
  if (base.length === mine.length && base.length === theirs.length)
    return joined(base.map((item, n) => merge(item, mine[n], theirs[n], [...path, String(n)])));
  const texts = [base, mine, theirs].map((items) => items.map((item) => JSON.stringify(item)));
  const [before = [], ours = [], others = []] = texts;
  const merged = texts.some(({ length }) => length > MAX_COMPARED) ? null : mergeItems(before, ours, others);
  if (merged === null) return { value: theirs, conflicts: [path.join(".")] };
  return { value: merged.map((item): unknown => JSON.parse(item)), conflicts: [] };
}

const joined = (items: readonly Merged[]): Merged => ({
  value: items.map(({ value }) => value),
  conflicts: items.flatMap(({ conflicts }) => conflicts),
});

function merge(base: unknown, mine: unknown, theirs: unknown, path: string[]): Merged {
  if (sameJson(mine, theirs) || sameJson(base, mine)) return { value: theirs, conflicts: [] };
  if (sameJson(base, theirs)) return { value: mine, conflicts: [] };
  if (isObject(base) && isObject(mine) && isObject(theirs)) {
    const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
    const of = (side: object, key: string): unknown => (Object.hasOwn(side, key) ? Reflect.get(side, key) : ABSENT);
    const fields = keys.map(
      (key) => [key, merge(of(base, key), of(mine, key), of(theirs, key), [...path, key])] as const,
    );
    return {
      value: Object.fromEntries(
        fields.filter(([, { value }]) => value !== ABSENT).map(([key, { value }]) => [key, value]),
      ),
      conflicts: fields.flatMap(([, { conflicts }]) => conflicts),
    };
  }
  if (Array.isArray(base) && Array.isArray(mine) && Array.isArray(theirs)) return mergeList(base, mine, theirs, path);
  if (typeof base === "string" && typeof mine === "string" && typeof theirs === "string") {
    const text = mergeText(base, mine, theirs);
    if (text !== null) return { value: text, conflicts: [] };
  }
  return { value: theirs, conflicts: [path.join(".")] };
}

/** Merges two changed versions of one draft. Changes of different places are all kept. */
export const mergeThreeWays = (base: object, mine: object, theirs: object): Merged => merge(base, mine, theirs, []);
