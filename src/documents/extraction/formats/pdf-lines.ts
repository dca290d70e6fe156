/** A run of glyphs from pdf.js. Items of marked content have no text. */
export interface TextRun {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

/** Distance between two lines, in letter heights, above which they belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;

/** Collects the runs of a page into lines, and lines into paragraphs. */
export class PageLines {
  readonly #paragraphs: string[] = [];
  #paragraph = "";
  #line = "";
  #lineY: number | null = null;
  #lastY: number | null = null;

  add(run: TextRun): void {
    const y = run.transform[5] ?? 0;
    if (run.str !== "" && this.#line === "") {
      if (this.#lastY !== null && Math.abs(this.#lastY - y) > PARAGRAPH_GAP * Math.max(run.height, 6))
        this.#endParagraph();
      this.#lineY = y;
    }
    this.#line += run.str;
    if (run.hasEOL) this.#endLine();
  }

  end(): string[] {
    this.#endLine();
    this.#endParagraph();
    return this.#paragraphs;
  }

  #endLine(): void {
    if (this.#line.trim() !== "") {
      this.#paragraph = joinLines(this.#paragraph, this.#line.trim());
      this.#lastY = this.#lineY;
    }
    this.#line = "";
  }

  #endParagraph(): void {
    if (this.#paragraph !== "") this.#paragraphs.push(this.#paragraph);
    this.#paragraph = "";
  }
}

/** Joins two lines. It removes a hyphen at the end of the first line if the next line continues in lower case. */
export function joinLines(before: string, line: string): string {
  if (before === "") return line;
  if (/\u00ad$/u.test(before)) return before.slice(0, -1) + line;
  if (/\p{Ll}[-\u2010]$/u.test(before) && /^\p{Ll}/u.test(line)) return before.slice(0, -1) + line;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before) ? before + line : `${before} ${line}`;
}
