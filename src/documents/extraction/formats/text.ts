import { decodeHTML } from "entities";
import { TEXT_BYTES_PER_SLICE } from "../../limits";
import { charsetOfType, decoded, detectEncoding, endOfSlice } from "../charset";
import { decoderOf } from "../charsets";
import type { Ending, Extracted, ExtractionInput, Extractor } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { INLINE_ELEMENTS } from "./html";
import { withoutReadings } from "./ruby";

/** Decodes the character references of HTML, named and numeric. */
const decodeEntities = (text: string): string => (text.includes("&") ? decodeHTML(text) : text);

/** Reads a line-based format from chunks of text. Each slice has its own reader. */
interface LineReader {
  push(text: string): void;
  /** Ends the slice: it adds the text of an unfinished line. */
  end(): void;
}

const MIB = 1024 * 1024;

/**
 * Makes an extractor of a format that can be read from any line on, in slices of `TEXT_BYTES_PER_SLICE`. `sample` is
 * the beginning of the file in every slice.
 */
const lineExtractor = (open: (paragraphs: ParagraphBuilder, sample: string) => LineReader): Extractor =>
  async function* (input: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
    const { source } = input;
    const encoding = await detectEncoding(source, charsetOfType(input.contentType));
    const sample = decoderOf(encoding).decode(await source.read(0, 64 * 1024));
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

/** Maximum number of characters of a line that are kept until its end. A longer line is split. */
const MAX_LINE_LENGTH = 64 * 1024;

/** A reader that calls `line` for each line. A line above `MAX_LINE_LENGTH` comes in pieces. */
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

/** Extracts plain text: an empty line ends a paragraph, other line ends become spaces. */
export const extractPlain = lineExtractor((paragraphs) =>
  byLine((line) => {
    if (line.trim() === "") return paragraphs.end();
    paragraphs.add(withoutReadings(line));
    paragraphs.space();
  }),
);

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The most frequent delimiter of the first line, outside quotation marks. */
function detectDelimiter(sample: string): string {
  const first = (sample.split(/\r?\n/, 1)[0] ?? "").replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => first.split(delimiter).length - 1;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best), DELIMITERS[0] as string);
}

/** Reads CSV (RFC 4180): each row becomes a paragraph, with separators between the cells. */
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

/** Maximum number of characters of a cell that are kept until its end. A longer cell is split. */
const MAX_CELL_LENGTH = 16 * 1024;

export const extractCsv = lineExtractor((paragraphs, sample) => rows(paragraphs, detectDelimiter(sample)));

/** Lines without text: code fences, rules, underlines of headings, and separators of tables. */
const LINE_WITHOUT_TEXT = /^\s{0,3}(?:`{3,}|~{3,}|={3,}\s*$|(?:[-*_]\s*){3,}$|\|?[\s:|-]*-[\s:|-]*$)/;
const HEADING = /^\s{0,3}#{1,6}\s+/;
/** Markers of quotes, bullets, numbers and task boxes, nested up to eight levels. */
const MARKERS = /^(?:\s{0,12}(?:>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)){0,8}/;
const FRONT_MATTER = /^(?:---|\+\+\+)\s*$/;

const INLINE: readonly (readonly [RegExp, string])[] = [
  [/<!--.{0,2000}?-->/g, " "],
  [/<r[pt](?:\s[^<>]{0,200})?>[^<>]{0,200}(?:<\/r[pt]>|(?=<\/ruby>|<r[pt]>))/gi, ""],
  [new RegExp(`</?(?:${[...INLINE_ELEMENTS].join("|")})(?:\\s[^<>]{0,1000})?/?>`, "gi"), ""],
  [/<\/?[A-Za-z][^<>]{0,1000}>/g, " "],
  [/<(https?:[^\s<>]{1,1000})>/g, "$1"],
  // Pictures and links: their text without the address. It runs twice, for a picture within a link.
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
  decodeEntities(INLINE.reduce((text, [syntax, kept]) => text.replace(syntax, kept), withoutReadings(line)));

/** Extracts Markdown without its syntax: text, the text of links, cells of tables. It works by line, in linear time. */
export const extractMarkdown = lineExtractor((paragraphs, sample) => {
  // Each line of the front matter becomes a paragraph.
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
