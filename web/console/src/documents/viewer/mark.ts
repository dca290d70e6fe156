/*
 * Marks in the text of an element. The browser paints them as ranges, so the text itself does not change. The text
 * layer of a PDF and plain paragraphs are marked in the same way.
 */

const SIGNIFICANT = /[\p{L}\p{N}]/u;

/** The letters and digits of an element's text in lower case, each with its position. */
function lettersOf(root: Element): { text: string; places: { node: Node; offset: number }[] } {
  const places: { node: Node; offset: number }[] = [];
  let text = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const data = node.nodeValue ?? "";
    for (let offset = 0; offset < data.length; offset++) {
      const letter = data.charAt(offset);
      if (!SIGNIFICANT.test(letter)) continue;
      text += letter.toLowerCase().charAt(0);
      places.push({ node, offset });
    }
  }
  return { text, places };
}

const lettersIn = (text: string): string =>
  [...text.matchAll(/[\p{L}\p{N}]/gu)].map(([letter]) => letter.toLowerCase().charAt(0)).join("");

/** Number of letters at both ends that find a passage whose middle differs. */
const END_LETTERS = 24;

/**
 * The position of a passage in the text of an element, without regard to spaces, signs and case; null if it does not
 * occur.
 */
function passageRange(root: Element, passage: string): Range | null {
  const { text, places } = lettersOf(root);
  const wanted = lettersIn(passage);
  if (wanted === "") return null;
  let start = text.indexOf(wanted);
  let end = start + wanted.length - 1;
  if (start === -1) {
    start = text.indexOf(wanted.slice(0, END_LETTERS));
    const last = wanted.slice(-END_LETTERS);
    const at = start === -1 ? text.indexOf(last) : text.indexOf(last, start);
    if (start === -1 && at === -1) return null;
    if (start === -1) start = Math.max(at + last.length - wanted.length, 0);
    end = at === -1 ? Math.min(start + wanted.length, text.length) - 1 : at + last.length - 1;
  }
  const [first, final] = [places[start], places[end]];
  if (first === undefined || final === undefined) return null;
  const range = document.createRange();
  range.setStart(first.node, first.offset);
  range.setEnd(final.node, final.offset + 1);
  return range;
}

/** The positions of words in the text of an element. A word also matches the beginning of a longer one. */
function wordRanges(root: Element, words: readonly string[]): Range[] {
  if (words.length === 0) return [];
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})`, "giu");
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    for (const { index, 0: found } of (node.nodeValue ?? "").matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + found.length);
      ranges.push(range);
    }
  return ranges;
}

/** The marks of a document: a passage, and words. */
export interface Marks {
  passage: string | null;
  words: readonly string[];
}

/** Marks a passage and words in an element, and scrolls to the passage. @returns a function that removes the marks. */
export function mark(root: Element, { passage, words }: Marks): () => void {
  if (!("highlights" in CSS)) return () => undefined;
  const range = passage === null ? null : passageRange(root, passage);
  const found = wordRanges(root, words);
  if (range !== null) CSS.highlights.set("passage", new Highlight(range));
  if (found.length > 0) CSS.highlights.set("word", new Highlight(...found));
  const shown = range ?? found[0];
  shown?.startContainer.parentElement?.scrollIntoView({ block: "center", inline: "nearest" });
  return () => {
    CSS.highlights.delete("passage");
    CSS.highlights.delete("word");
  };
}
