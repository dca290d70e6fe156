import { MAX_PARAGRAPH_LENGTH, MAX_PASSAGES_PER_SECTION } from "../limits";
import { normalise } from "./charset";
import type { ExtractedText } from "./extracted";

/** One passage of a document, in reading order. */
export interface Passage {
  page: number | null;
  /** From 0, within the document. */
  chunkIndex: number;
  text: string;
}

/** Consecutive passages of one page. They are stored and ranked together. */
export interface Section {
  page: number | null;
  /** The index of the first passage. */
  chunkIndex: number;
  texts: string[];
}

/** Groups passages in reading order. */
export function sectionsOf(passages: readonly Passage[]): Section[] {
  const sections: Section[] = [];
  for (const { page, chunkIndex, text } of passages) {
    const last = sections.at(-1);
    if (last !== undefined && last.page === page && last.texts.length < MAX_PASSAGES_PER_SECTION) last.texts.push(text);
    else sections.push({ page, chunkIndex, texts: [text] });
  }
  return sections;
}

/** Number of words of a passage: it can end from the minimum, ends at the target if possible, and never exceeds the maximum. */
const [MIN_WORDS, TARGET_WORDS, MAX_WORDS] = [60, 90, 120];
/** Maximum length of a passage, UTF-16 units. A longer paragraph is split at a sentence, a longer sentence at a word. */
const MAX_PASSAGE_LENGTH = 1_200;

const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Number of characters without a space (Thai, Khmer, long codes) that count as one word. */
const CHARACTERS_PER_WORD = 12;

/** Estimates the number of words of a text. Two ideographs count as one word, and long runs without a space by length. */
export function countWords(text: string): number {
  let words = 0;
  for (const run of text.split(" ")) {
    if (run === "") continue;
    const ideographs = run.match(IDEOGRAPHS)?.length ?? 0;
    words += ideographs / 2 + Math.ceil((run.length - ideographs) / CHARACTERS_PER_WORD);
  }
  return words;
}

/**
 * The end of a sentence: a wide full stop, or the terminal sign of any script before a space, unless a small letter
 * follows. It follows UAX #29, except for abbreviations. Intl's segmenter would copy each text outside the heap.
 */
const SENTENCE_END =
  /(?:[\u3002\uff01\uff1f\uff61]+[\p{Pe}\p{Pf}"']*\s*|(?<![\p{Sentence_Terminal}\u2026])[\p{Sentence_Terminal}\u2026]+[\p{Pe}\p{Pf}"']*\s+(?!\p{Ll}))/gu;

function* sentencesOf(text: string): Generator<string> {
  let at = 0;
  for (const { 0: end, index } of text.matchAll(SENTENCE_END)) {
    yield text.slice(at, index + end.length);
    at = index + end.length;
  }
  if (at < text.length) yield text.slice(at);
}

const words = new Intl.Segmenter("und", { granularity: "word" });

/** Splits text into passages of 60 to 120 words at the ends of sentences and paragraphs. No passage spans two pages. */
export class PassageBuilder {
  #page: number | null = null;
  #parts: string[] = [];
  #words = 0;
  #length = 0;
  #ready: Passage[] = [];

  constructor(public chunkIndex: number) {}

  /** Adds a paragraph of a page. */
  add(page: number | null, paragraph: string): void {
    if (page !== this.#page) this.flush();
    this.#page = page;
    const text = normalise(paragraph);
    if (text === "") return;
    const size = countWords(text);
    if (this.#words >= MIN_WORDS && this.#words + size > TARGET_WORDS) this.flush();
    if (this.#fits(text, size)) this.#append(text, size, "\n");
    else this.#addSentences(text);
    if (this.#words >= TARGET_WORDS) this.flush();
  }

  /** Ends the current passage. */
  flush(): void {
    const text = this.#parts.join("");
    if (text !== "") this.#ready.push({ page: this.#page, chunkIndex: this.chunkIndex++, text });
    this.#parts = [];
    [this.#words, this.#length] = [0, 0];
  }

  /** Removes and returns the complete passages. */
  take(): Passage[] {
    return this.#ready.splice(0);
  }

  #append(text: string, size: number, between: string): void {
    if (this.#parts.length > 0) this.#parts.push(between);
    this.#parts.push(text);
    this.#words += size;
    this.#length += text.length + 1;
  }

  #fits(text: string, size: number): boolean {
    return this.#words + size <= MAX_WORDS && this.#length + text.length <= MAX_PASSAGE_LENGTH;
  }

  #addSentences(paragraph: string): void {
    let between = "\n";
    for (const segment of sentencesOf(paragraph)) {
      const sentence = segment.trim();
      const size = countWords(sentence);
      if (this.#words + size > TARGET_WORDS && this.#words >= MIN_WORDS) this.flush();
      if (this.#fits(sentence, size)) this.#append(sentence, size, between);
      else this.#addWords(sentence, between);
      between = segment.endsWith(" ") ? " " : "";
    }
  }

  /** Splits a sentence that does not fit a passage between words. */
  #addWords(sentence: string, between: string): void {
    let [piece, size] = ["", 0];
    for (const { segment, isWordLike } of words.segment(sentence)) {
      if (piece.length + segment.length > MAX_PASSAGE_LENGTH / 2 || size >= MIN_WORDS / 2) {
        this.#place(piece, between);
        [piece, size, between] = ["", 0, ""];
      }
      piece += segment;
      if (isWordLike) size += countWords(segment);
    }
    this.#place(piece, between);
  }

  #place(piece: string, between: string): void {
    for (let at = 0; at < piece.length; at += MAX_PASSAGE_LENGTH) {
      const part = piece.slice(at, at + MAX_PASSAGE_LENGTH);
      const size = countWords(part);
      if (this.#words + size > TARGET_WORDS || !this.#fits(part, size)) this.flush();
      this.#append(this.#parts.length === 0 ? part.trimStart() : part, size, between);
      if (this.#words >= TARGET_WORDS) this.flush();
    }
  }
}

/** Collects text from a parser and splits it into paragraphs of limited length. */
export class ParagraphBuilder {
  #open = "";
  /** Whether the open text ends with a space. Asking the string would flatten it for each line, which copies it. */
  #spaced = false;
  #closed: ExtractedText[] = [];

  constructor(public page: number | null = null) {}

  add(text: string): void {
    if (text === "") return;
    this.#spaced = text.endsWith(" ");
    for (let at = 0; at < text.length; at += MAX_PARAGRAPH_LENGTH) {
      this.#open += text.slice(at, at + MAX_PARAGRAPH_LENGTH);
      if (this.#open.length > MAX_PARAGRAPH_LENGTH) this.#cut();
    }
  }

  /** Ends the paragraph. */
  end(): void {
    if (this.#open.trim() !== "") this.#closed.push({ kind: "text", page: this.page, text: this.#open });
    this.#open = "";
  }

  /** Adds a space between two words of one paragraph. */
  space(): void {
    if (this.#open === "" || this.#spaced) return;
    this.#open += " ";
    this.#spaced = true;
  }

  /** Adds a separator between two cells of a row. */
  cell(): void {
    const row = this.#open.trimEnd();
    if (row !== "" && !row.endsWith(CELL_MARK)) [this.#open, this.#spaced] = [row + CELL_SEPARATOR, true];
  }

  /** Ends a row of cells. */
  row(): void {
    const row = this.#open.trimEnd();
    const [bare, mark] = [row.slice(0, -CELL_MARK.length), row.slice(-CELL_MARK.length)];
    this.#open = mark === CELL_MARK ? bare : row;
    this.end();
  }

  /** Appends the complete paragraphs of another builder, for example notes. */
  follow(other: ParagraphBuilder): void {
    this.#closed.push(...other.take());
  }

  /** Number of characters of the complete paragraphs. */
  get size(): number {
    return this.#closed.reduce((sum, text) => sum + text.text.length, 0);
  }

  /** Removes and returns the complete paragraphs. */
  take(): ExtractedText[] {
    return this.#closed.splice(0);
  }

  /** Ends a paragraph that is too long at its last space. */
  #cut(): void {
    const space = this.#open.lastIndexOf(" ");
    const at = space > MAX_PARAGRAPH_LENGTH / 2 ? space : MAX_PARAGRAPH_LENGTH;
    const rest = this.#open.slice(at);
    this.#open = this.#open.slice(0, at);
    this.end();
    this.#open = rest;
  }
}

/** The separator between the cells of a row, and its form at the end of a row. */
const CELL_SEPARATOR = " | ";
const CELL_MARK = " |";
