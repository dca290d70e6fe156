import type { ExtractedText } from "./extracted";
import { LONGEST_PARAGRAPH } from "./limits";

/** Collects text as a parser meets it, and gives it on as paragraphs of bounded length. */
export class Paragraphs {
  #open = "";
  /** Whether it ends in a space: asking the string itself would copy all of it for each line. */
  #spaced = false;
  #closed: ExtractedText[] = [];

  constructor(public page: number | null = null) {}

  add(text: string): void {
    if (text === "") return;
    this.#spaced = text.endsWith(" ");
    for (let at = 0; at < text.length; at += LONGEST_PARAGRAPH) {
      this.#open += text.slice(at, at + LONGEST_PARAGRAPH);
      if (this.#open.length > LONGEST_PARAGRAPH) this.#cut();
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
    if (row !== "" && !row.endsWith(MARK)) [this.#open, this.#spaced] = [row + CELL, true];
  }

  /** Ends a row of cells. */
  row(): void {
    const row = this.#open.trimEnd();
    const [bare, mark] = [row.slice(0, -MARK.length), row.slice(-MARK.length)];
    this.#open = mark === MARK ? bare : row;
    this.end();
  }

  /** Lets the paragraphs of another follow, notes for instance. */
  follow(other: Paragraphs): void {
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
    const at = space > LONGEST_PARAGRAPH / 2 ? space : LONGEST_PARAGRAPH;
    const rest = this.#open.slice(at);
    this.#open = this.#open.slice(0, at);
    this.end();
    this.#open = rest;
  }
}

/** What stands between the cells of a row. */
const CELL = " | ";
const MARK = " |";
