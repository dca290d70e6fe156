import { TEXT_BYTES_PER_SLICE } from "../../limits";
import { charsetOfType, decoded, detectEncoding, endOfSlice } from "../charset";
import type { Ending, Extracted, ExtractionInput, Extractor } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { decodeEntities } from "./entities";

/** Text of a line-based format as it streams by; one is made for each slice. */
interface LineReader {
  push(text: string): void;
  /** Hands on what is still open at the end of the slice. */
  end(): void;
}

const MIB = 1024 * 1024;

/**
 * An extractor of a format that can be read from any line on, in slices of 8 MiB.
 * `sample` is the beginning of the file, whichever slice is read.
 */
const lineExtractor = (open: (paragraphs: ParagraphBuilder, sample: string) => LineReader): Extractor =>
  async function* (input: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
    const { source } = input;
    const encoding = await detectEncoding(source, charsetOfType(input.contentType));
    const sample = new TextDecoder(encoding).decode(await source.read(0, 64 * 1024));
    const end = await endOfSlice(source, encoding, from, TEXT_BYTES_PER_SLICE);
    const paragraphs = new ParagraphBuilder();
    const reader = open(paragraphs, sample);
    for await (const text of decoded(source, encoding, from, end)) {
      reader.push(text);
      yield* paragraphs.take();
    }
    reader.end();
    paragraphs.end();
    yield* paragraphs.take();
    if (end < source.sizeBytes)
      yield { kind: "checkpoint", at: end, done: Math.ceil(end / MIB), total: Math.ceil(source.sizeBytes / MIB) };
    return { pageCount: null };
  };

/** Characters of a line that is kept while its end is awaited. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Gives whole lines on; a longer one in pieces. */
const byLine = (line: (text: string) => void): LineReader => {
  let open = "";
  return {
    push(text) {
      const lines = (open + text).split(/\r\n|\n|\r/);
      open = lines.pop() ?? "";
      for (const each of lines) line(each);
      if (open.length > MAX_LINE_LENGTH) {
        line(open);
        open = "";
      }
    },
    end: () => line(open),
  };
};

/** Plain text: an empty line ends a paragraph, other line ends are spaces. */
export const extractPlain = lineExtractor((paragraphs) =>
  byLine((line) => {
    if (line.trim() === "") return paragraphs.end();
    paragraphs.add(line);
    paragraphs.space();
  }),
);

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The delimiter that the first line holds most of, outside quotation marks. */
function detectDelimiter(sample: string): string {
  const first = (sample.split(/\r?\n/, 1)[0] ?? "").replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => first.split(delimiter).length - 1;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best), DELIMITERS[0] as string);
}

/** Reads RFC 4180 rows: one paragraph each, with marks between the cells. */
function rows(paragraphs: ParagraphBuilder, delimiter: string): LineReader {
  let [cell, quoted, closing] = ["", false, false];
  const endCell = (): void => {
    paragraphs.add(cell.replace(/\s+/g, " "));
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    paragraphs.row();
  };
  const take = (char: string): void => {
    if (closing) {
      closing = false;
      if (char === '"') {
        cell += char;
        return;
      }
      quoted = false;
    }
    if (quoted && char === '"') closing = true;
    else if (quoted) cell += char;
    else if (char === '"' && cell.trim() === "") [quoted, cell] = [true, ""];
    else if (char === delimiter) {
      endCell();
      paragraphs.cell();
    } else if (char === "\n" || char === "\r") endRow();
    else cell += char;
    if (cell.length > MAX_CELL_LENGTH) endCell();
  };
  return {
    push(text) {
      for (const char of text) take(char);
    },
    end: endRow,
  };
}

/** Characters of a cell that are kept while its end is awaited. */
const MAX_CELL_LENGTH = 16 * 1024;

export const extractCsv = lineExtractor((paragraphs, sample) => rows(paragraphs, detectDelimiter(sample)));

/** Fences of code, rules, underlines of headings, rulings of tables: lines without text of their own. */
const LINE_WITHOUT_TEXT = /^\s{0,3}(?:`{3,}|~{3,}|={3,}\s*$|(?:[-*_]\s*){3,}$|\|?[\s:|-]*-[\s:|-]*$)/;
const HEADING = /^\s{0,3}#{1,6}\s+/;
/** Quotation marks, bullets, numbers and task boxes, nested to any depth that people write. */
const MARKERS = /^(?:\s{0,12}(?:>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)){0,8}/;
const FRONT_MATTER = /^(?:---|\+\+\+)\s*$/;

const INLINE: readonly (readonly [RegExp, string])[] = [
  [/<!--.{0,2000}?-->/g, " "],
  [/<\/?[A-Za-z][^<>]{0,1000}>/g, " "],
  [/<(https?:[^\s<>]{1,1000})>/g, "$1"],
  // Pictures and links: their text, not their address. Twice, for a picture within a link.
  [/!?\[([^[\]]{0,1000})\]\([^()\s]{0,1000}(?:\s+"[^"]{0,300}")?\)/g, "$1"],
  [/!?\[([^[\]]{0,1000})\]\([^()\s]{0,1000}(?:\s+"[^"]{0,300}")?\)/g, "$1"],
  [/!?\[([^[\]]{1,1000})\]\[[^[\]]{0,300}\]/g, "$1"],
  [/^\s{0,3}\[([^[\]]{1,300})\]:\s.*$/, ""],
  [/\[\^([^[\]]{1,100})\]/g, ""],
  [/(^|[^\\])[*~`]{1,3}/g, "$1"],
  [/(^|[\s(])_{1,3}(?=\S)|(?<=\S)_{1,3}(?=$|[\s).,;:!?])/g, "$1"],
  [/\\([!-/:-@[-`{-~])/g, "$1"],
];

const plain = (line: string): string =>
  decodeEntities(INLINE.reduce((text, [syntax, kept]) => text.replace(syntax, kept), line));

/** Markdown as its reader sees it: text without syntax, the text of links, cells of tables. Works line by line, in linear time. */
export const extractMarkdown = lineExtractor((paragraphs, sample) => {
  // Front matter is data of the file, read as lines of its own.
  let matter = FRONT_MATTER.test(sample.split("\n", 1)[0]?.trimEnd() ?? "");
  return byLine((line) => {
    if (FRONT_MATTER.test(line)) {
      matter = false;
      return paragraphs.end();
    }
    if (line.trim() === "" || LINE_WITHOUT_TEXT.test(line)) return paragraphs.end();
    const heading = HEADING.test(line);
    const row = /^\s{0,3}\|.*\|\s*$/.test(line);
    const item = /^\s{0,12}(?:[-*+]|\d{1,9}[.)])\s/.test(line);
    if (heading || row || item || matter) paragraphs.end();
    const text = plain(line.replace(HEADING, "").replace(MARKERS, ""));
    paragraphs.add(
      row ? text.trim().slice(1, -1).replaceAll("|", " | ") : heading ? text.replace(/\s+#+\s*$/, "") : text,
    );
    paragraphs.space();
    if (heading || row) paragraphs.end();
  });
});
