import { MAX_PARAGRAPH_LENGTH } from "../limits";
import { normalise } from "./charset";
import type { ExtractedText } from "./extracted";

/** One passage of a document, in reading order. */
export interface Passage {
  page: number | null;
  /** From 0, within the document. */
  chunkIndex: number;
  text: string;
}

/** Words of a passage: it may end at a sentence from the first, and does from the second, and never has more than the third. */
const [MIN_WORDS, TARGET_WORDS, MAX_WORDS] = [60, 90, 120];
/** Characters of a passage at most; a longer paragraph is cut at a sentence, a longer sentence at a word. */
const MAX_PASSAGE_LENGTH = 1_200;

const IDEOGRAPHS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
/** Characters of a run without spaces (Thai, Khmer, long codes) that count as one word. */
const CHARACTERS_PER_WORD = 12;

/** Words of a text, about: two ideographs count as one, and long runs without a space by their length. */
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
 * Where a sentence ends: at a wide full stop, or at any script's terminal sign that a space follows and no small
 * letter. As UAX #29, but for abbreviations; Intl's sentence segmenter costs a copy outside the heap for each text.
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

/** Cuts text into passages of 60 to 120 words at ends of sentences and paragraphs; none spans two pages. */
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

  /** Ends the passage that is being collected. */
  flush(): void {
    const text = this.#parts.join("");
    if (text !== "") this.#ready.push({ page: this.#page, chunkIndex: this.chunkIndex++, text });
    this.#parts = [];
    [this.#words, this.#length] = [0, 0];
  }

  /** The passages that are complete. */
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

  /** A sentence that fits no passage is cut between words. */
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

/** Collects text as a parser meets it, and gives it on as paragraphs of bounded length. */
export class ParagraphBuilder {
  #open = "";
  /** Whether it ends in a space: asking the string itself would copy all of it for each line. */
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

  /** A boundary between two words that stay in one paragraph. */
  space(): void {
    if (this.#open === "" || this.#spaced) return;
    this.#open += " ";
    this.#spaced = true;
  }

  /** A boundary between two cells of a row. */
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

  /** Lets the paragraphs of another follow, notes for instance. */
  follow(other: ParagraphBuilder): void {
    this.#closed.push(...other.take());
  }

  /** Characters that are complete. */
  get size(): number {
    return this.#closed.reduce((sum, text) => sum + text.text.length, 0);
  }

  /** What is complete so far. */
  take(): ExtractedText[] {
    return this.#closed.splice(0);
  }

  /** A paragraph that grew too long ends at its last space. */
  #cut(): void {
    const space = this.#open.lastIndexOf(" ");
    const at = space > MAX_PARAGRAPH_LENGTH / 2 ? space : MAX_PARAGRAPH_LENGTH;
    const rest = this.#open.slice(at);
    this.#open = this.#open.slice(0, at);
    this.end();
    this.#open = rest;
  }
}

/** What stands between the cells of a row. */
const CELL_SEPARATOR = " | ";
const CELL_MARK = " |";
