/** A way into JSON: own properties and places in arrays, one after the other. Empty is the value at hand. */
export type JsonPath = readonly string[];

/** Longest path as written, characters. */
export const LONGEST_PATH = 200;

const SEGMENT = /^[^\s.[\]{}"'`<>&=]+$/u;

/** Reads `a.b.0.c`, also written `a.b[0].c`; `.` is the value at hand. Null for what is no path. */
export function readPath(text: string): JsonPath | null {
  if (text === ".") return [];
  if (text.length > LONGEST_PATH) return null;
  const segments = text.replace(/\[(\d{1,6})\]/g, ".$1").split(".");
  return segments.every((segment) => SEGMENT.test(segment)) ? segments : null;
}

/** An own property of an object or an item of an array; undefined for everything a prototype has. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as { readonly [key: string]: unknown })[key];
}

/** What stands at a path below a value; undefined where nothing does. */
export const dig = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>((at, segment) => own(at, segment), value);
