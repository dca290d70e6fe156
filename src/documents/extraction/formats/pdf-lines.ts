import { hasRtl, type LinePart, logicalText } from "./pdf-direction";

/** A run of glyphs from pdf.js. Items of marked content have no text. */
export interface TextRun {
  str: string;
  dir: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
  fontName: string;
}

/** Distance between two lines, in letter heights, above which they belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;
/** Minimum size of letters with which that distance is measured, points. */
const MIN_SIZE = 6;

/** Collects the runs of a page into lines, and lines into paragraphs. */
export class PageLines {
  readonly #vertical = new Set<string>();
  readonly #paragraphs: string[] = [];
  #paragraph = "";
  #parts: LinePart[] = [];
  #size = 0;
  /** The place of the open line, and of the last one, across the direction of writing, points. */
  #place: number | null = null;
  #lastPlace: number | null = null;

  /** Learns which fonts are written from top to bottom. pdf.js tells the style of a font with its first run. */
  learn(styles: Readonly<Record<string, { vertical: boolean }>>): void {
    for (const [name, { vertical }] of Object.entries(styles)) if (vertical) this.#vertical.add(name);
  }

  add(run: TextRun): void {
    const isVertical = this.#vertical.has(run.fontName);
    if (run.str !== "") {
      const { along, across, size } = placeOf(run, isVertical);
      if (this.#parts.length === 0) this.#begin(across, size);
      this.#size = Math.max(this.#size, size);
      this.#parts.push({
        text: run.str,
        isRtl: run.dir === "rtl",
        at: along,
        width: isVertical ? run.height : run.width,
      });
    }
    if (run.hasEOL) this.#endLine();
  }

  end(): string[] {
    this.#endLine();
    this.#endParagraph();
    return this.#paragraphs;
  }

  #begin(across: number, size: number): void {
    const gap = this.#lastPlace === null ? 0 : Math.abs(this.#lastPlace - across);
    if (gap > PARAGRAPH_GAP * Math.max(size, MIN_SIZE)) this.#endParagraph();
    [this.#place, this.#size] = [across, size];
  }

  #endLine(): void {
    const joined = this.#parts.map(({ text }) => text).join("");
    const line = (hasRtl(joined) ? logicalText(this.#parts, this.#size) : joined).trim();
    if (line !== "") {
      this.#paragraph = joinLines(this.#paragraph, line);
      this.#lastPlace = this.#place;
    }
    this.#parts = [];
  }

  #endParagraph(): void {
    if (this.#paragraph !== "") this.#paragraphs.push(this.#paragraph);
    this.#paragraph = "";
  }
}

/** Where a run begins, along and across the direction of writing, and the size of its letters, points. */
function placeOf({ transform, height }: TextRun, isVertical: boolean) {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform;
  const length = Math.hypot(a, b) || 1;
  if (isVertical) return { along: -y, across: x, size: length };
  return { along: (a * x + b * y) / length, across: (a * y - b * x) / length, size: height };
}

/** Joins two lines. It removes a hyphen at the end of the first line if the next line continues in lower case. */
export function joinLines(before: string, line: string): string {
  if (before === "") return line;
  if (/\u00ad$/u.test(before)) return before.slice(0, -1) + line;
  if (/\p{Ll}[-\u2010]$/u.test(before) && /^\p{Ll}/u.test(line)) return before.slice(0, -1) + line;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before) ? before + line : `${before} ${line}`;
}
