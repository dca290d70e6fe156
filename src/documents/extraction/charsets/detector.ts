import { type Fit, fitOf } from "./fit";
import { fitOfCharacters, MULTI_BYTE_ENCODINGS } from "./ideographs";
import { type Encoding, latinModels, type Model, singleByteEncodings } from "./languages";
import { decoderOf } from "./pages";
import { countUtf8 } from "./utf8";

/**
 * Maximum numbers of judged items: bytes of different words, different words of ASCII letters, and bytes of one word.
 */
const MAX_WORD_BYTES = 16 * 1024;
const MAX_PLAIN_WORDS = 300;
const MAX_RUN_BYTES = 400;
/** Maximum number of bytes of the lines that are decoded as East Asian text. */
const MAX_LINE_BYTES = 16 * 1024;

/** The different words of a text. */
interface Words {
  /** With bytes outside ASCII. */
  foreign: readonly Uint8Array[];
  plain: readonly Uint8Array[];
  /** The bytes outside ASCII. */
  used: readonly number[];
}

const isPart = (byte: number): boolean => byte >= 0x80 || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);

function wordsOf(bytes: Uint8Array): Words {
  const [foreign, plain] = [new Map<string, Uint8Array>(), new Map<string, Uint8Array>()];
  const used = new Uint8Array(256);
  let room = MAX_WORD_BYTES;
  for (let at = 0; at < bytes.length; at++) {
    const start = at;
    let isForeign = false;
    for (; at < bytes.length && at - start < MAX_RUN_BYTES && isPart(bytes[at] ?? 0); at++) {
      const byte = bytes[at] ?? 0;
      if (byte < 0x80) continue;
      isForeign = true;
      used[byte] = 1;
    }
    if (at === start || (isForeign ? room <= 0 : plain.size >= MAX_PLAIN_WORDS)) continue;
    const word = bytes.subarray(start, at);
    const key = String.fromCharCode(...word);
    const known = isForeign ? foreign : plain;
    if (isForeign && !known.has(key)) room -= word.length;
    known.set(key, word);
    if (at - start === MAX_RUN_BYTES) at--;
  }
  const bytesUsed = [...used.keys()].filter((byte) => used[byte] === 1);
  return { foreign: [...foreign.values()], plain: [...plain.values()], used: bytesUsed };
}

/** How a text reads in one encoding. */
interface Reading extends Fit {
  encoding: string;
  isLatin: boolean;
}

/** How probable an encoding is before its letters are read, natural logarithm. */
function rarityOf(encoding: string): number {
  if (encoding === "windows-1252") return 0.5;
  if (/^windows-|^koi8-u$/.test(encoding) || MULTI_BYTE_ENCODINGS.includes(encoding)) return 0;
  if (encoding.startsWith("iso-")) return -1;
  return /^(?:macintosh|x-mac-cyrillic|ibm(?:437|850|852|866))$/.test(encoding) ? -2 : -3;
}

/** Cost of a word whose language differs from the language of the text. */
const LANGUAGE_CHANGE = -4;
/** Weight of the words of ASCII letters, and the largest cost that they give a language, for few words and for many. */
const PLAIN_WEIGHT = 0.25;
const [FEW_PLAIN_WORDS, MAX_FEW, MAX_MANY] = [20, -6, -10] as const;
/** Cost of a language with another script than Latin if a text with Latin words has no word of it. */
const NO_WORDS = -8;

/** What the words of ASCII letters say against each language with Latin letters. */
function biases(plain: readonly Uint8Array[]): ReadonlyMap<string, number> {
  const scores = latinModels().map((model) => ({
    code: model.language.code,
    score: plain.reduce((sum, word) => sum + fitOf(word, model).score, 0),
  }));
  const best = Math.max(...scores.map(({ score }) => score));
  const most = plain.length < FEW_PLAIN_WORDS ? MAX_FEW : MAX_MANY;
  return new Map(scores.map(({ code, score }) => [code, Math.max(most, (score - best) * PLAIN_WEIGHT)]));
}

/** Whether a word has two letters outside ASCII. One alone can be a sign in another encoding. */
const hasLetters = (words: readonly Uint8Array[], { kinds }: Model): boolean =>
  words.some((word) => word.filter((byte) => byte >= 0x80 && (kinds[byte] ?? 0) > 0).length >= 2);

/** Reads the words in an encoding, in its most probable language. Single words may be in another language. */
function readingIn({ name, models }: Encoding, words: Words, bias: ReadonlyMap<string, number>): Reading {
  const judged = models.map((model) => {
    const fits = words.foreign.map((word) => fitOf(word, model));
    const own =
      bias.get(model.language.code) ?? (words.plain.length === 0 || hasLetters(words.foreign, model) ? 0 : NO_WORDS);
    return { fits, own, isLatin: model.language.isLatin, score: fits.reduce((sum, { score }) => sum + score, own) };
  });
  const main = judged.reduce((best, next) => (next.score > best.score ? next : best));
  const total = {
    encoding: name,
    isLatin: main.isLatin,
    score: main.own + rarityOf(name),
    high: 0,
    pairs: 0,
    wrong: 0,
    letters: 0,
    doubtful: 0,
  };
  main.fits.forEach((fit, at) => {
    let chosen = fit;
    for (const { fits } of judged) {
      const other = fits[at];
      if (other !== undefined && other.score + LANGUAGE_CHANGE > chosen.score)
        chosen = { ...other, score: other.score + LANGUAGE_CHANGE };
    }
    total.score += chosen.score;
    total.high += chosen.high;
    total.pairs += chosen.pairs;
    total.wrong += chosen.wrong;
    total.letters += chosen.letters;
    total.doubtful += chosen.doubtful;
  });
  return total;
}

/** The first lines with bytes outside ASCII. */
function foreignLines(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (let at = 0; at < bytes.length && length < MAX_LINE_BYTES; ) {
    const found = bytes.indexOf(0x0a, at);
    const end = found < 0 ? bytes.length : found + 1;
    const line = bytes.subarray(at, Math.min(end, at + MAX_LINE_BYTES - length));
    if (line.some((byte) => byte >= 0x80)) {
      parts.push(line);
      length += line.length;
    }
    at = end;
  }
  const lines = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    lines.set(part, at);
    at += part.length;
  }
  return lines;
}

function eastAsianReadings(lines: Uint8Array): Reading[] {
  return MULTI_BYTE_ENCODINGS.flatMap((encoding) => {
    try {
      const text = decoderOf(encoding, true).decode(lines, { stream: lines.length >= MAX_LINE_BYTES });
      return /[\u0080-\u009f\ue000-\uf8ff]/.test(text)
        ? []
        : [{ encoding, isLatin: false, ...fitOfCharacters(text, encoding) }];
    } catch {
      return [];
    }
  });
}

/**
 * The conditions for a reading in a language with Latin letters (and in Thai, whose model is from fewer words), in a
 * language of another script, and in an East Asian language.
 */
const LATIN = { maxWrong: 0.12, minMean: -4.6 };
const OTHER = { maxWrong: 0.07, minMean: -3.6, minMeanOfFew: -3.3 };
const EAST_ASIAN = { maxWrong: 0.2, minCharacters: 6 };
/** A text with fewer pairs is short. */
const FEW_PAIRS = 20;
/** Minimum lead of the best reading over the next reading with another text. Few words in a rare encoding need more. */
const MIN_LEAD = 8;
/** The minimum lead where all characters outside ASCII are signs: they are no words that search could miss. */
const MIN_LEAD_OF_SIGNS = 2;
const LEAD_OF_RARE = 20;
const MIN_WORDS_OF_RARE = 3;

/** Whether a text reads as one of the languages. Otherwise it is in a language or an encoding that the service does not know. */
function isSound({ encoding, pairs, wrong, high, isLatin }: Reading): boolean {
  if (MULTI_BYTE_ENCODINGS.includes(encoding))
    return pairs >= EAST_ASIAN.minCharacters && wrong <= pairs * EAST_ASIAN.maxWrong;
  if (isLatin || encoding === "windows-874") return wrong <= pairs * LATIN.maxWrong && high >= pairs * LATIN.minMean;
  const minMean = pairs < FEW_PAIRS ? OTHER.minMeanOfFew : OTHER.minMean;
  return wrong <= pairs * OTHER.maxWrong && high >= pairs * minMean;
}

/** Letters with a cedilla and with a comma are one in Romanian. */
const textIn = (encoding: string, lines: Uint8Array): string =>
  decoderOf(encoding)
    .decode(lines)
    .replace(/[şţŞŢ]/g, (char) => "șțȘȚ"["şţŞŢ".indexOf(char)] ?? char);

/**
 * Detects the encoding of text by its letters: the encoding in which they follow each other as in a language that is written in
 * it. Null if no encoding fits, or if two encodings that give different texts fit.
 */
export function encodingByStatistics(bytes: Uint8Array): string | null {
  const utf8 = countUtf8(bytes);
  if (utf8.characters > 10 * utf8.invalid) return "utf-8";
  const words = wordsOf(bytes);
  if (words.foreign.length === 0) return null;
  const bias = biases(words.plain);
  const lines = foreignLines(bytes);
  const readings = [
    ...singleByteEncodings()
      .filter(({ undefinedBytes }) => !words.used.some((byte) => undefinedBytes.has(byte)))
      .map((encoding) => readingIn(encoding, words, bias)),
    ...eastAsianReadings(lines),
  ].sort((a, b) => b.score - a.score);
  const [best] = readings;
  if (best === undefined || !isSound(best)) return null;
  const text = textIn(best.encoding, lines);
  const rivals = readings.filter(({ encoding }) => textIn(encoding, lines) !== text);
  // Signs at the ends of words are letters, if they make words in another encoding: `Societ…` is `Società`.
  if (best.letters === 0 && best.doubtful > 0 && rivals.some((rival) => rival.letters > 0 && isSound(rival)))
    return null;
  const isRare = rarityOf(best.encoding) < -1;
  if (isRare && words.foreign.length < MIN_WORDS_OF_RARE) return null;
  const areSigns = best.letters + best.doubtful === 0;
  const minLead = areSigns ? MIN_LEAD_OF_SIGNS : MIN_LEAD + (isRare ? LEAD_OF_RARE / words.foreign.length : 0);
  const [next] = rivals;
  return next !== undefined && best.score - next.score < minLead ? null : best.encoding;
}

/** Minimum number of pairs, and minimum share of wrong ones, of a declared charset that is not believed. */
const DISBELIEF = { minPairs: 20, minWrong: 0.3 };

/**
 * The encoding that the letters of a text show, where its declared encoding makes no words of it. Null if the declared one can
 * be right.
 */
export function contradiction(bytes: Uint8Array, declared: string): string | null {
  const words = wordsOf(bytes);
  const encoding = singleByteEncodings().find(({ name }) => name === declared);
  if (words.foreign.length === 0) return null;
  const reading =
    encoding === undefined
      ? eastAsianReadings(foreignLines(bytes)).find((each) => each.encoding === declared)
      : readingIn(encoding, words, biases(words.plain));
  if (reading === undefined || reading.pairs < DISBELIEF.minPairs) return null;
  return reading.wrong < reading.pairs * DISBELIEF.minWrong ? null : encodingByStatistics(bytes);
}
