import { MAX_PATH_CHARACTERS } from "../limits";

/** A path in JSON: consecutive own properties and array indexes. The empty path is the current value. */
export type JsonPath = readonly string[];

const SEGMENT = /^[^\s.[\]{}"'`<>&=]+$/u;
/** A name with single spaces between its words. */
const SPACED_SEGMENT = /^[^\s.[\]{}"'`<>&=]+(?: [^\s.[\]{}"'`<>&=]+)*$/u;

/** Reads a path such as `a.b.0.c` or `a.b[0].c`; `.` is the current value. Null if the text is not a path. */
export const readPath = (text: string): JsonPath | null => segmentsOf(text, SEGMENT);

/** Reads a path that is alone in its field or in quotes: its names may contain spaces. Null if the text is not a path. */
export const readFieldPath = (text: string): JsonPath | null => segmentsOf(text, SPACED_SEGMENT);

function segmentsOf(text: string, form: RegExp): JsonPath | null {
  if (text === ".") return [];
  if (text.length > MAX_PATH_CHARACTERS) return null;
  const segments = text.replace(/\[(\d{1,6})\]/g, ".$1").split(".");
  return segments.every((segment) => form.test(segment)) ? segments : null;
}

/** An own property of an object or an item of an array; undefined for properties of a prototype. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as { readonly [key: string]: unknown })[key];
}

/** The value at a path below a value; undefined if there is none. */
export const dig = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>((at, segment) => own(at, segment), value);
