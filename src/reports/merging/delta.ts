import { z } from "@hono/zod-openapi";
import { sameJson } from "./same";

/** What makes one JSON value another: a value, fields of an object, or a piece of a text or a list. */
export type Delta =
  | { set: unknown }
  | { fields: Record<string, Delta | null> }
  | { text: readonly [start: number, removed: number, added: string] }
  | { items: readonly [start: number, removed: number, added: readonly unknown[]] };

export const deltaSchema: z.ZodType<Delta> = z.lazy(() =>
  z.union([
    z.strictObject({ fields: z.record(z.string(), deltaSchema.nullable()) }),
    z.strictObject({ text: z.tuple([z.int(), z.int(), z.string()]) }),
    z.strictObject({ items: z.tuple([z.int(), z.int(), z.array(z.unknown())]) }),
    z.strictObject({ set: z.unknown() }),
  ]),
);

export type JsonObject = { readonly [key: string]: unknown };
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Where two sequences differ: what they begin and end with alike is left out. */
function middleOf<T>(from: ArrayLike<T>, to: ArrayLike<T>, same: (a: T, b: T) => boolean) {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && same(from[start] as T, to[start] as T)) start++;
  let end = 0;
  while (end < most - start && same(from[from.length - 1 - end] as T, to[to.length - 1 - end] as T)) end++;
  return { start, removed: from.length - start - end, end: to.length - end };
}

/** What makes `from` the same as `to`. */
export function deltaOf(from: unknown, to: unknown): Delta {
  if (typeof from === "string" && typeof to === "string") {
    const { start, removed, end } = middleOf(from, to, Object.is);
    return { text: [start, removed, to.slice(start, end)] };
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const { start, removed, end } = middleOf<unknown>(from, to, sameJson);
    return { items: [start, removed, to.slice(start, end)] };
  }
  if (!isObject(from) || !isObject(to)) return { set: to };
  const fields: [string, Delta | null][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) fields.push([key, null]);
  for (const [key, value] of Object.entries(to))
    if (!Object.hasOwn(from, key)) fields.push([key, { set: value }]);
    else if (!sameJson(from[key], value)) fields.push([key, deltaOf(from[key], value)]);
  return { fields: Object.fromEntries(fields) };
}

/** Applies what `deltaOf` found to the value it was found at. */
export function applyDelta(value: unknown, delta: Delta): unknown {
  if ("set" in delta) return delta.set;
  if ("text" in delta && typeof value === "string") {
    const [start, removed, added] = delta.text;
    return value.slice(0, start) + added + value.slice(start + removed);
  }
  if ("items" in delta && Array.isArray(value)) {
    const [start, removed, added] = delta.items;
    return [...value.slice(0, start), ...added, ...value.slice(start + removed)];
  }
  if (!("fields" in delta) || !isObject(value)) throw new Error("a delta of another value");
  const fields = new Map(Object.entries(value));
  for (const [key, inner] of Object.entries(delta.fields))
    if (inner === null) fields.delete(key);
    else fields.set(key, applyDelta(fields.get(key), inner));
  return Object.fromEntries(fields);
}
