import { z } from "@hono/zod-openapi";

/** A visible character: not a space, control, filler, joiner or direction mark. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\p{Cs}\u2800]/u;

/** The fault of a text as a name of one line, or null. Every name is checked here, file names too. */
export function nameProblem(text: string): string | null {
  if (!text.isWellFormed()) return "may not have lone surrogates";
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(text)) return "may not have control characters";
  // These characters show the letters in another order than they are stored, so one name could look like another name.
  if (/\p{Bidi_Control}/u.test(text)) return "may not have characters that change the direction of writing";
  return VISIBLE.test(text) ? null : "must have a visible character";
}

/**
 * One line of text for people, such as a name: 1 to `maxLength` characters after trimming, at least one of them
 * visible. It is kept in Unicode's form NFC.
 */
export const lineSchema = (maxLength: number) =>
  z
    .string()
    .trim()
    .overwrite((text) => text.normalize("NFC"))
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

/** A whole number in the text of a path or query, as JSON writes it. */
const WHOLE_NUMBER = /^(?:0|-?[1-9]\d{0,15})$/;

/**
 * A whole number in a path or query, from `min` to `max`. Other forms of numbers, such as 0x10, 1e1, +5 and 5 with a space,
 * are refused: they are mistakes more often than they are meant.
 */
export const numberSchema = (min: number, max = Number.MAX_SAFE_INTEGER) =>
  z.preprocess(
    (text) => (typeof text === "string" && WHOLE_NUMBER.test(text) ? Number(text) : text),
    z.int("must be a whole number in decimal digits").min(min).max(max),
  );

/** Longest address and longest part before the @, bytes of UTF-8 (RFC 5321, 4.5.3.1; RFC 6531, 3.4). */
const MAX_EMAIL_BYTES = 254;
const MAX_LOCAL_PART_BYTES = 64;

const plainEmail = z.email();
const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

/** Whether a letter outside of ASCII becomes ASCII in a comparison, such as the Kelvin sign, a ligature or a wide letter. */
const isDisguise = (letter: string): boolean =>
  letter > "\x7f" && /[\0-\x7f]/.test(letter.normalize("NFKC").toLowerCase());

/** The name of a domain as DNS has it: lower case, with `xn--` labels (UTS 46). Null for a text that is none. */
function domainOf(text: string): string | null {
  if (!/^[\p{L}\p{M}\p{N}.\u3002-]+$/u.test(text)) return null;
  const { hostname } = URL.parse(`http://${text}`) ?? {};
  return hostname === undefined || hostname.split(".").some(({ length }) => length < 1 || length > 63)
    ? null
    : hostname;
}

/**
 * The one form in which an e-mail address, internationalised (RFC 6531) or not, is stored and compared: trimmed, NFC,
 * lower case, the domain as DNS has it. Null for a text that is no address, and for an address with letters that look
 * like ASCII and become ASCII in a comparison: they would lead to another person's mailbox.
 */
export function canonicalEmail(text: string): string | null {
  const address = text.trim();
  const at = address.lastIndexOf("@");
  if (at < 1 || !address.isWellFormed() || Array.from(address).some(isDisguise)) return null;
  const local = address.slice(0, at).normalize("NFC").toLowerCase();
  const domain = domainOf(address.slice(at + 1));
  if (domain === null || bytesOf(local) > MAX_LOCAL_PART_BYTES) return null;
  // Letters of other scripts are allowed wherever a letter of ASCII is.
  const letters = local.replace(/[^\p{ASCII}]/gu, (one) => (/[\p{L}\p{M}\p{N}]/u.test(one) ? "x" : one));
  const labels = domain.replace(/\bxn--[a-z0-9-]+/g, "xn");
  if (!plainEmail.safeParse(`${letters}@${labels}`).success) return null;
  const canonical = `${local}@${domain}`;
  return bytesOf(canonical) > MAX_EMAIL_BYTES ? null : canonical;
}

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
