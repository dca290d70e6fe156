import { z } from "@hono/zod-openapi";

/** A visible character: not a space, control, filler, joiner or direction mark. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2800]/u;

/** The fault of a text as a name of one line, or null. Every name is checked here, file names too. */
export function nameProblem(text: string): string | null {
  if (!text.isWellFormed()) return "may not have lone surrogates";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return "may not have control characters";
  return VISIBLE.test(text) ? null : "must have a visible character";
}

/**
 * One line of text for people, such as a name: 1 to `maxLength` characters after trimming, at least one of them
 * visible.
 */
export const lineSchema = (maxLength: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(maxLength)
    .superRefine((text, context) => {
      const problem = nameProblem(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

/** Text of several lines, up to `maxLength` characters. */
export const textSchema = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => text.isWellFormed(), "may not have lone surrogates")
    .refine((text) => !/(?![\n\r\t])\p{Cc}/u.test(text), "may not have control characters");

type JsonObject = { [key: string]: unknown };

/** Keys that can change a prototype if code merges the object carelessly. */
const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Whether this key is not allowed in any object. */
export const isForbiddenKey = (key: string): boolean => FORBIDDEN_KEYS.has(key);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface FreeJsonLimits {
  /** Size as compact JSON, bytes of UTF-8. */
  maxBytes: number;
  /** Levels of nested objects and arrays; the outermost counts as 1. */
  maxDepth: number;
  /** All keys of objects and items of arrays together. */
  maxKeys?: number;
  /** Characters of a key. */
  maxKeyLength?: number;
}

/** The fault of a free-form value, or null. Stops at the first fault and at the depth limit. */
function faultOf(
  value: unknown,
  depthLeft: number,
  { maxKeys = Number.POSITIVE_INFINITY, maxKeyLength = Number.POSITIVE_INFINITY }: FreeJsonLimits,
): string | null {
  let keys = 0;
  const inside = (at: unknown, left: number): string | null => {
    if (typeof at !== "object" || at === null) return null;
    if (left === 0) return "is nested too deeply";
    const names = Object.keys(at);
    keys += names.length;
    if (keys > maxKeys) return `may have at most ${maxKeys} keys and items in all`;
    for (const name of names) {
      if (isForbiddenKey(name)) return `may not have a key named ${name}`;
      if (name.length > maxKeyLength) return `may not have a key of more than ${maxKeyLength} characters`;
    }
    for (const inner of Object.values(at)) {
      const fault = inside(inner, left - 1);
      if (fault !== null) return fault;
    }
    return null;
  };
  return inside(value, depthLeft);
}

/** A free-form JSON object in a request: its size and depth are limited, and no key can change a prototype. */
export const freeJson = (limits: FreeJsonLimits) =>
  z
    .custom<JsonObject>(isObject, "must be a JSON object")
    .superRefine((value, context) => {
      const { maxBytes, maxDepth } = limits;
      const fault =
        faultOf(value, maxDepth, limits) ??
        (new TextEncoder().encode(JSON.stringify(value)).byteLength > maxBytes
          ? `may have at most ${maxBytes} bytes as JSON`
          : null);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    })
    .openapi({ type: "object", additionalProperties: true });
