import { hasRtl, type LinePart, logicalText } from "./pdf-direction";
import { areWords, spacedLetters, stretchesOf } from "./pdf-spacing";
import { endsWithHyphen, hyphenFate, KnownWords, MAX_GLUED_LETTERS } from "./pdf-words";

/** A run of glyphs from pdf.js. Items of marked content have no text. */
export interface TextRun {
  str: string;
  dir: string;
  width: number;
  height: number;
  transform: number[];
  hasEOL: boolean;
  fontName: string;
  /** The gaps before its glyphs; absent if they are not known. */
  gaps?: string;
}

/** Distance between two lines, in letter heights, above which they belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;
/** Minimum size of letters with which that distance is measured, points. */
const MIN_SIZE = 6;

/** A line. `isGlued`: its words are letters with equal spaces, and spaces between words can be missing. */
interface Line {
  text: string;
  isGlued: boolean;
  /** Few letters with spaces between them, as they stand in `text`, each with the words that they are if these are known. */
  spelled: { apart: string; words: readonly string[] }[];
}

/** Minimum number of letters of a known word that can stand with its letters apart. Shorter ones are lists more often. */
const MIN_SPELLED = 4;

/** Collects the runs of a page into lines, and lines into paragraphs. */
export class PageLines {
  readonly #vertical = new Set<string>();
  readonly #paragraphs: Line[][] = [];
  #paragraph: Line[] = [];
  #parts: LinePart[] = [];
  #size = 0;
  /** The place of the open line, and of the last one, across the direction of writing, points. */
  #place: number | null = null;
  #lastPlace: number | null = null;

  constructor(private readonly words = new KnownWords()) {}

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
        gaps: isVertical ? undefined : run.gaps,
      });
    }
    if (run.hasEOL) this.#endLine();
  }

  /** Ends the page. It reads the list of words if a line ends with a hyphen or has wide spacing. @returns the paragraphs. */
  async end(): Promise<string[]> {
    this.#endLine();
    this.#endParagraph();
    const lines = this.#paragraphs.flat();
    const texts = lines.filter(({ isGlued }) => !isGlued).map(({ text }) => text);
    const isAsked =
      texts.length < lines.length || lines.some(({ spelled }) => spelled.length > 0) || texts.some(endsWithHyphen);
    if (isAsked) await this.words.read();
    for (const [i, text] of texts.entries()) this.words.learn(text, endsWithHyphen(texts[i - 1] ?? ""));
    const isEnglish = isAsked && this.words.isEnglish(texts);
    let left = MAX_GLUED_LETTERS;
    return this.#paragraphs.map((paragraph) => {
      const read = paragraph.map(({ text: written, isGlued, spelled }) => {
        const text = spelled.reduce((all, each) => this.#joined(all, each), written);
        if (isGlued) left -= text.length;
        if (!isGlued || left < 0) return text;
        return text.replace(/\S+/g, (word) => this.words.divided(word, isEnglish));
      });
      return joinLines(read, this.words, isEnglish);
    });
  }

  /** A line with letters that stand apart as the words that they are. */
  #joined(text: string, { apart, words }: Line["spelled"][number]): string {
    const areKnown = words.every((word) => word.length >= MIN_SPELLED && this.words.isKnown(word));
    return areKnown ? text.replace(apart, () => words.join(" ")) : text;
  }

  #begin(across: number, size: number): void {
    const gap = this.#lastPlace === null ? 0 : Math.abs(this.#lastPlace - across);
    if (gap > PARAGRAPH_GAP * Math.max(size, MIN_SIZE)) this.#endParagraph();
    [this.#place, this.#size] = [across, size];
  }

  #endLine(): void {
    const line = lineOf(this.#parts, this.#size);
    if (line.text !== "") {
      this.#paragraph.push(line);
      this.#lastPlace = this.#place;
    }
    this.#parts = [];
  }

  #endParagraph(): void {
    if (this.#paragraph.length > 0) this.#paragraphs.push(this.#paragraph);
    this.#paragraph = [];
  }
}

/** The text of the parts of a line. Letters with wide spacing become words: pdf.js writes each gap as a space. */
function lineOf(parts: readonly LinePart[], size: number): Line {
  const joined = parts.map(({ text }) => text).join("");
  if (hasRtl(joined)) return { text: logicalText(parts, size).trim(), isGlued: false, spelled: [] };
  let isGlued = false;
  const spelled: Line["spelled"] = [];
  const stretches = stretchesOf(parts) ?? parts.map(({ text }) => ({ text, space: "", words: null, isUnsure: true }));
  const text = stretches.map(({ text: apart, space, words, isUnsure }) => {
    const letters = spacedLetters(apart);
    const areSpaced = letters !== null && areWords(letters);
    // Without wider gaps, the spaces between words can be missing.
    isGlued ||= areSpaced && (words?.length ?? 1) === 1;
    if (areSpaced || (words !== null && !isUnsure)) return space + (words?.join(" ") ?? letters);
    if (words !== null && apart.includes(" ")) spelled.push({ apart, words });
    return space + apart;
  });
  return { text: text.join("").trim(), isGlued, spelled };
}

/** Where a run begins, along and across the direction of writing, and the size of its letters, points. */
function placeOf({ transform, height }: TextRun, isVertical: boolean) {
  const [a = 0, b = 0, , , x = 0, y = 0] = transform;
  const length = Math.hypot(a, b) || 1;
  if (isVertical) return { along: -y, across: x, size: length };
  return { along: (a * x + b * y) / length, across: (a * y - b * x) / length, size: height };
}

const IDEOGRAPH_END = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u;

/** Joins the lines of a paragraph. A hyphen at the end of a line goes if it only divides a word. */
export function joinLines(lines: readonly string[], words: KnownWords, isEnglish: boolean): string {
  const pieces: string[] = [];
  for (const [i, line] of lines.entries()) {
    const next = lines[i + 1];
    if (next === undefined || IDEOGRAPH_END.test(line)) pieces.push(line);
    else if (line.endsWith("\u00ad")) pieces.push(line.slice(0, -1));
    else if (endsWithHyphen(line)) {
      const fate = hyphenFate(line, next, words, isEnglish);
      pieces.push(fate === "goes" ? line.slice(0, -1) : fate === "stays" ? line : `${line} `);
    } else pieces.push(`${line} `);
  }
  return pieces.join("");
}
