import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_PDF_PAGE_OPERATORS, MAX_PDF_PAGE_TEXT_LENGTH, MIN_PAGE_LETTERS } from "../../limits";
import { tooLarge } from "../extracted";
import { PageLines, type TextRun } from "./pdf-lines";
import { type PdfPage, withinOperators } from "./pdf-open";
import { find } from "./pdf-streams";
import type { KnownWords } from "./pdf-words";

/** Work of pdf.js for one run of glyphs, and of the repair for one object, in the characters that other parsers read meanwhile. */
const [WORK_PER_RUN, WORK_PER_OBJECT] = [256, 32];

/**
 * Reads the paragraphs of a page in the order of its content. pdf.js refuses forms that draw themselves. The limits of text and
 * of operators stop forms that draw other forms many times.
 * @throws Unreadable too-large if the page exceeds `MAX_PDF_PAGE_TEXT_LENGTH` or `MAX_PDF_PAGE_OPERATORS`.
 */
export async function pageParagraphs(page: PdfPage, words: KnownWords): Promise<string[]> {
  let isTooLarge = false;
  let cancel = (): void => {};
  const stop = (): void => {
    isTooLarge = true;
    cancel();
  };
  const text = new PageLines(words);
  await withinOperators(MAX_PDF_PAGE_OPERATORS, stop, async () => {
    const reader = page.streamTextContent({ disableNormalization: true }).getReader();
    cancel = () => void reader.cancel(new Error("too much work"));
    for (let length = 0; ; ) {
      const { done, value } = await reader.read();
      if (isTooLarge) throw tooLarge("A page of the PDF contains too much text or drawing.");
      if (done) return;
      await breathe(value.items.length * WORK_PER_RUN);
      text.learn(value.styles);
      for (const item of value.items as Partial<TextRun>[]) {
        if (item.str === undefined) continue;
        length += item.str.length + 1;
        text.add(item as TextRun);
      }
      if (length > MAX_PDF_PAGE_TEXT_LENGTH) stop();
    }
  });
  return text.end();
}

/** Whether the own text of a page is more than a header or the stamp of a scanner. */
export function isTextPage(paragraphs: readonly string[]): boolean {
  let letters = 0;
  for (const paragraph of paragraphs) {
    letters += paragraph.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
    if (letters >= MIN_PAGE_LETTERS) return true;
  }
  return false;
}

const word = (text: string): Uint8Array => new TextEncoder().encode(text);
const [KIDS, OBJECT, OBJECT_STREAM, EMPTY_PAGE] = [word("/Kids"), word("obj"), word("/ObjStm"), word("<<>>")];
const CLOSING_BRACKET = 0x5d;
/** Maximum number of bytes that are read of one `/Kids` list. */
const MAX_KIDS_LENGTH = 1024 * 1024;

/** A reference in a page tree: object number and generation, and the position of the reference. */
interface Kid {
  name: string;
  at: number;
  length: number;
}

/**
 * Replaces, in place, each reference of the page tree to a missing object with an empty page. pdf.js stops at the first
 * such reference and loses every page behind it. The offsets do not change. Files with object streams are not repaired,
 * because the missing object can be in such a stream.
 */
export async function repairPageTree(bytes: Uint8Array): Promise<void> {
  if (find(bytes, OBJECT_STREAM, 0) >= 0) return;
  const kids = await kidsOf(bytes);
  const there = await dictionariesAmong(bytes, new Set(kids.map(({ name }) => name)));
  for (const { name, at, length } of kids) {
    if (there.has(name)) continue;
    bytes.fill(0x20, at, at + length);
    bytes.set(EMPTY_PAGE, at);
  }
}

/** The references in all `/Kids` lists. */
async function kidsOf(bytes: Uint8Array): Promise<Kid[]> {
  const kids: Kid[] = [];
  for (let at = find(bytes, KIDS, 0); at >= 0; ) {
    const end = bytes.indexOf(CLOSING_BRACKET, at);
    if (end < 0) break;
    await breathe(WORK_PER_OBJECT + (end - at));
    const list = latin1(bytes.subarray(at, Math.min(end, at + MAX_KIDS_LENGTH)));
    if (/^\/Kids\s*\[/.test(list))
      for (const match of list.matchAll(/(\d{1,10})\s+(\d{1,5})\s+R/g))
        kids.push({ name: `${match[1]} ${match[2]}`, at: at + match.index, length: match[0].length });
    at = find(bytes, KIDS, end);
  }
  return kids;
}

/** The named objects that are dictionaries in the file. */
async function dictionariesAmong(bytes: Uint8Array, names: ReadonlySet<string>): Promise<Set<string>> {
  const there = new Set<string>();
  for (let at = find(bytes, OBJECT, 0); at >= 0; at = find(bytes, OBJECT, at + OBJECT.length)) {
    await breathe(WORK_PER_OBJECT);
    const before = latin1(bytes.subarray(Math.max(0, at - 24), at));
    const [, number, generation] = /(?:^|\D)(\d{1,10})\s+(\d{1,5})\s+$/.exec(before) ?? [];
    const name = `${number} ${generation}`;
    if (!names.has(name)) continue;
    const after = latin1(bytes.subarray(at + OBJECT.length, at + OBJECT.length + 64));
    if (/^\s*(?:<<|%)/.test(after)) there.add(name);
  }
  return there;
}
