import type { getDocumentProxy } from "unpdf";
import { tooLarge } from "../ending";
import { LARGEST_PDF_PAGE } from "../limits";

type PdfPage = Awaited<ReturnType<Awaited<ReturnType<typeof getDocumentProxy>>["getPage"]>>;

/** A run of glyphs as pdf.js gives it; marked content has no text. */
interface Run {
  str: string;
  hasEOL: boolean;
  height: number;
  transform: number[];
}

/** Lines further apart than this many heights of their letters belong to two paragraphs. */
const PARAGRAPH_GAP = 1.8;

/** Collects the runs of a page into lines, and lines into paragraphs. */
class PageText {
  readonly #paragraphs: string[] = [];
  #paragraph = "";
  #line = "";
  #lineY: number | null = null;
  #lastY: number | null = null;

  add(run: Run): void {
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

/** A word cut by a hyphen at the end of a line is made whole when it goes on in lower case. */
export function joinLines(before: string, line: string): string {
  if (before === "") return line;
  if (/\u00ad$/u.test(before)) return before.slice(0, -1) + line;
  if (/\p{Ll}[-\u2010]$/u.test(before) && /^\p{Ll}/u.test(line)) return before.slice(0, -1) + line;
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(before) ? before + line : `${before} ${line}`;
}

/**
 * The paragraphs of a page in the order of its content. pdf.js itself refuses forms that draw themselves;
 * forms that draw others ten times each are cut off by the amount of text.
 * @throws Unreadable too-large for a page without end.
 */
export async function pageParagraphs(page: PdfPage): Promise<string[]> {
  const text = new PageText();
  let length = 0;
  const reader = page.streamTextContent().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text.end();
    for (const item of value.items as Partial<Run>[]) {
      if (item.str === undefined) continue;
      length += item.str.length + 1;
      text.add(item as Run);
    }
    if (length <= LARGEST_PDF_PAGE) continue;
    await reader.cancel(new Error("too much text"));
    throw tooLarge("A page of the PDF goes on without end.");
  }
}
