/** Number of characters before the word `stream` that are searched for its dictionary. */
export const MAX_DICTIONARY_LENGTH = 4_096;

/** White space and comments between two tokens of a PDF. */
const GAP = /(?:[\0\t\n\f\r ]|%[^\r\n]*(?:[\r\n]|$))*/y;
/** The next comment, delimiter of a dictionary or string, or other text. */
const TOKEN = /%[^\r\n]*|<<|>>|[()]|[^%<>()]+|[<>]/y;

/** Maximum number of characters that are scanned for the dictionaries of one stream. In real files each is scanned once. */
const MAX_SCANNED_LENGTH = 4 * MAX_DICTIONARY_LENGTH;

/**
 * Finds the dictionaries that begin after an `N G obj` in `before` and end at its end. A normal file has one. A file that
 * hides another in a comment has more. @returns null if the search exceeds `MAX_SCANNED_LENGTH`.
 */
export function dictionariesBefore(before: string): string[] | null {
  const found: string[] = [];
  let looked = 0;
  for (const match of before.matchAll(/obj/g)) {
    const from = gapAfter(before, match.index + 3);
    const to = before.startsWith("<<", from) ? endOfDictionary(before, from) : null;
    looked += before.startsWith("<<", from) ? (to ?? before.length) - from : from - match.index;
    if (looked > MAX_SCANNED_LENGTH) return null;
    if (to !== null && gapAfter(before, to) === before.length) found.push(unescaped(before.slice(from, to)));
  }
  return found;
}

function gapAfter(text: string, at: number): number {
  GAP.lastIndex = at;
  return GAP.test(text) ? GAP.lastIndex : at;
}

function endOfDictionary(text: string, from: number): number | null {
  let depth = 0;
  TOKEN.lastIndex = from;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === "<<") depth++;
    else if (token === ">>" && --depth === 0) return match.index + 2;
    else if (token === ")") return null;
    else if (token === "(") {
      const end = endOfString(text, match.index);
      if (end === null) return null;
      TOKEN.lastIndex = end;
    }
  }
  return null;
}

/** The dictionary that begins at `from`, or null. */
export function dictionaryAt(text: string, from: number): string | null {
  const end = from < 0 ? null : endOfDictionary(text, from);
  return end === null ? null : text.slice(from, end);
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/**
 * The string that begins at `from`, in hexadecimal or in parentheses (ISO 32000-1, 7.3.4), or null. Like pdf.js, it keeps
 * a CR, because in a key it is a byte and not the end of a line.
 */
export function stringOf(text: string, from: number): string | null {
  if (text[from] === "<") {
    const digits = text.slice(from + 1, text.indexOf(">", from)).replace(/\s/g, "");
    return digits.replace(/..?/g, (pair) => String.fromCharCode(Number.parseInt(pair.padEnd(2, "0"), 16)));
  }
  const end = text[from] === "(" ? endOfString(text, from) : null;
  if (end === null) return null;
  return text.slice(from + 1, end - 1).replace(/\\([0-7]{1,3}|\r\n|[\s\S])/g, (_, escaped: string) => {
    if (/[0-7]/.test(escaped)) return String.fromCharCode(Number.parseInt(escaped, 8) & 255);
    return /[\r\n]/.test(escaped) ? "" : (ESCAPES[escaped] ?? escaped);
  });
}

/** The end of the string in parentheses that begins at `from`. Null if it has no end. */
export function endOfString(text: string, from: number): number | null {
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "(") depth++;
    else if (text[at] === ")" && --depth === 0) return at + 1;
  }
  return null;
}

/** Decodes the characters of names that are written as `#` and two hex digits. */
const unescaped = (text: string): string =>
  text.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

const VALUE = "(?:[\\0\\t\\n\\f\\r ]|%[^\\r\\n]*[\\r\\n])*(\\[[^\\]]*\\]|/[^\\s/<>()[\\]]+|\\d+(?:\\s+\\d+\\s+R)?)";

/** The values of a key in a dictionary and in the dictionaries within it. */
export const valuesOf = (dictionary: string, key: string): string[] =>
  Array.from(dictionary.matchAll(new RegExp(`/(?:${key})${VALUE}`, "g")), ([, value]) => value ?? "");

/** The names in a value. */
export const namesOf = (value: string): string[] =>
  Array.from(value.matchAll(/\/([^\s/<>()[\]]+)/g), ([, name]) => name ?? "");
