import lines from "./letters.txt";
import { decoderOf } from "./pages";

/** The class of a byte in a language and an encoding. Numbers above zero are letters of the language. */
export const KIND = {
  /** ASCII that is no letter. */
  edge: 0,
  quote: -1,
  opening: -2,
  sign: -3,
  symbol: -4,
  apostrophe: -5,
  /** The space that does not break. */
  fixedSpace: -6,
  /** Lines and boxes of DOS. */
  box: -7,
  /** A Latin letter that the language does not have. */
  foreign: -8,
  /** An ASCII letter in a language of another script. */
  latin: -9,
  /** Every other character. */
  alien: -10,
} as const;

/** Bit that marks a capital letter. */
export const CAPITAL = 256;

/** A language: how often each letter follows each letter. */
interface Language {
  code: string;
  letters: string;
  encodings: readonly string[];
  isLatin: boolean;
  /** Natural logarithm of the probability of a letter after a letter, by `before * size + letter`. 0 is the edge of a word. */
  pairs: Float32Array;
  size: number;
}

/** Difference between two levels of `letters.txt`, as a natural logarithm. Letters that never follow each other have the last level. */
const STEP = 0.5;
const UNSEEN_LEVEL = 20;
export const UNSEEN_COST = -9;

const LANGUAGES: readonly Language[] = lines
  .trimEnd()
  .split("\n")
  .map((line) => {
    const [code = "", encodings = "", letters = "", levels = ""] = line.split("\t");
    const pairs = Float32Array.from(levels, (digit) => {
      const level = Number.parseInt(digit, 36);
      return level === UNSEEN_LEVEL ? UNSEEN_COST : -level * STEP;
    });
    const isLatin = letters.startsWith("abc");
    return { code, letters, encodings: encodings.split(" "), isLatin, pairs, size: letters.length + 1 };
  });

/** One language in one encoding: what each byte is. */
export interface Model {
  language: Language;
  kinds: Int16Array;
}

/** An encoding with one byte for each character, and the languages that are written in it. */
export interface Encoding {
  name: string;
  /** The bytes that are no characters of text: undefined ones and controls. */
  undefinedBytes: ReadonlySet<number>;
  models: readonly Model[];
}

const CHARACTERS: readonly (readonly [kind: number, characters: string])[] = [
  [KIND.apostrophe, "’"],
  [KIND.quote, "“”»«‹›‘…"],
  [KIND.opening, "‚„¿¡"],
  [KIND.sign, "–—°€£©•"],
  [KIND.symbol, "§®™№²³±×½¼¾µªº·†‡‰¹÷¢¥¬¶≤≥≈√∞■´\u00ad"],
  [KIND.fixedSpace, "\u00a0"],
];

function lowerOf(char: string, code: string): string {
  if (code === "tr" && (char === "I" || char === "İ")) return char === "I" ? "ı" : "i";
  const lower = char.toLowerCase();
  return lower.length === 1 ? lower : char;
}

function kindOf(char: string, { code, letters, isLatin }: Language): number {
  const isAscii = char <= "\u007f";
  if (isAscii && !/[A-Za-z]/.test(char)) return KIND.edge;
  const lower = lowerOf(char, code);
  const letter = letters.indexOf(lower);
  if (letter >= 0) return (letter + 1) | (lower === char ? 0 : CAPITAL);
  if (/[\u2500-\u259f]/.test(char)) return KIND.box;
  const kind = CHARACTERS.find(([, characters]) => characters.includes(char))?.[0];
  if (kind !== undefined) return kind;
  if (isLatin) return /\p{Script=Latin}/u.test(char) ? KIND.foreign : KIND.alien;
  return isAscii ? KIND.latin : KIND.alien;
}

/** The bytes outside ASCII that an encoding gives a character of text; the others are "\ufffd". */
const charactersOf = (encoding: string): string[] =>
  Array.from({ length: 256 }, (_, byte) => {
    const char = decoderOf(encoding).decode(Uint8Array.of(byte));
    return byte >= 0x80 && /^[\u0080-\u009f]/.test(char) ? "\ufffd" : char;
  });

/** Calls `make` once, at the first use: most isolates never detect a charset. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** All encodings with one byte for each character. */
export const singleByteEncodings = once((): readonly Encoding[] =>
  [...new Set(LANGUAGES.flatMap(({ encodings }) => encodings))].map((name) => {
    const characters = charactersOf(name);
    return {
      name,
      undefinedBytes: new Set(characters.flatMap((char, byte) => (char === "\ufffd" ? [byte] : []))),
      models: LANGUAGES.filter(({ encodings }) => encodings.includes(name)).map((language) => ({
        language,
        kinds: Int16Array.from(characters, (char) => kindOf(char, language)),
      })),
    };
  }),
);

/** The languages with Latin letters, for words of ASCII letters alone. */
export const latinModels = once((): readonly Model[] =>
  LANGUAGES.filter(({ isLatin }) => isLatin).map((language) => ({
    language,
    kinds: Int16Array.from({ length: 128 }, (_, byte) => kindOf(String.fromCharCode(byte), language)),
  })),
);
