import { z } from "@hono/zod-openapi";

/** Something that is drawn: no space, no control, no filler, nothing that only joins or directs others. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2800]/u;

/** What is wrong with one line as the name of something, or null. Every name is judged here, a file's too. */
export function nameProblem(text: string): string | null {
  if (!text.isWellFormed()) return "may not have lone surrogates";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return "may not have control characters";
  return VISIBLE.test(text) ? null : "must have a visible character";
}

/** One line of text that people read, such as a name: 1 to `longest` characters after trimming, one of them visible. */
export const lineSchema = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .superRefine((text, context) => {
      const problem = nameProblem(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

/** Text of several lines, to `longest` characters. */
export const textSchema = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((text) => text.isWellFormed(), "may not have lone surrogates")
    .refine((text) => !/(?![\n\r\t])\p{Cc}/u.test(text), "may not have control characters");

type JsonObject = { [key: string]: unknown };

/** Keys that reach a prototype when a careless reader merges the object. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Whether no object may have a key of this name. */
export const isForbiddenKey = (key: string): boolean => FORBIDDEN_KEYS.has(key);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface FreeJsonLimits {
  /** Largest size as compact JSON, bytes of UTF-8. */
  largestBytes: number;
  /** Objects and arrays inside one another, the outermost counted. */
  deepest: number;
  /** Keys of objects and items of arrays, in all. */
  mostKeys?: number;
  /** Longest key, characters. */
  longestKey?: number;
}

/** What is wrong with a free-form value, or null. Stops at the first fault, and never goes deeper than allowed. */
function faultOf(
  value: unknown,
  depthLeft: number,
  { mostKeys = Number.POSITIVE_INFINITY, longestKey = Number.POSITIVE_INFINITY }: FreeJsonLimits,
): string | null {
  let keys = 0;
  const inside = (at: unknown, left: number): string | null => {
    if (typeof at !== "object" || at === null) return null;
    if (left === 0) return "is nested too deeply";
    const names = Object.keys(at);
    keys += names.length;
    if (keys > mostKeys) return `may have ${mostKeys} keys and items in all`;
    for (const name of names) {
      if (isForbiddenKey(name)) return `may not have a key named ${name}`;
      if (name.length > longestKey) return `may not have a key of more than ${longestKey} characters`;
    }
    for (const inner of Object.values(at)) {
      const fault = inside(inner, left - 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  return inside(value, depthLeft);
}

/** A free-form JSON object in a request: bounded in size and depth, without keys that reach a prototype. */
export const freeJson = (limits: FreeJsonLimits) =>
  z
    .custom<JsonObject>(isObject, "must be a JSON object")
    .superRefine((value, context) => {
      const { largestBytes, deepest } = limits;
      const fault =
        faultOf(value, deepest, limits) ??
        (new TextEncoder().encode(JSON.stringify(value)).byteLength > largestBytes
          ? `may have ${largestBytes} bytes at most as JSON`
          : null);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .openapi({ type: "object", additionalProperties: true });
