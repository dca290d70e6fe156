import { damaged, type Ending, type Extracted, type ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { attribute, parseXml, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { readRelationships } from "./relationships";

/** Relationship types of the other parts with text, in reading order. */
const OTHER_PARTS = ["header", "footnotes", "endnotes", "comments", "footer"];

/** Reads a WordprocessingML part: paragraphs, rows of tables, text boxes. It skips deleted text and field codes. */
function wordText(paragraphs: ParagraphBuilder): XmlHandler {
  let [cells, fallbacks, reading] = [0, 0, false];
  return {
    open(name, attributes) {
      if (name === "Fallback") fallbacks++;
      else if (name === "t") reading = fallbacks === 0;
      else if (name === "tc") cells++;
      else if (name === "tab" || name === "br" || name === "cr" || name === "ptab") paragraphs.space();
      else if (name === "noBreakHyphen" && fallbacks === 0) paragraphs.add("-");
      else if (name === "sym" && fallbacks === 0) paragraphs.add(symbol(attribute(attributes, "char")));
    },
    close(name) {
      if (name === "Fallback") fallbacks--;
      else if (name === "t") reading = false;
      else if (name === "p") cells > 0 ? paragraphs.space() : paragraphs.end();
      else if (name === "tc") {
        cells--;
        paragraphs.cell();
      } else if (name === "tr" && cells === 0) paragraphs.row();
    },
    text(text) {
      if (reading) paragraphs.add(text);
    },
  };
}

/** A character of a symbol font. Private-use characters have no meaning without the font. */
function symbol(hex: string | undefined): string {
  const code = Number.parseInt(hex ?? "", 16);
  return Number.isNaN(code) || code > 0xffff || (code >= 0xd800 && code <= 0xf8ff) ? "" : String.fromCharCode(code);
}

/**
 * Extracts DOCX: the body, then headers, notes, comments and footers. The format has no pages: some programs store the
 * page breaks of their last display, and others remove them.
 */
export async function* extractDocx({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const main = (await readRelationships(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  const body = main ?? "word/document.xml";
  if (!archive.has(body)) throw damaged("The file has no text part.");
  const beside = (await readRelationships(archive, body))
    .filter(({ type }) => OTHER_PARTS.includes(type))
    .sort((a, b) => OTHER_PARTS.indexOf(a.type) - OTHER_PARTS.indexOf(b.type));
  for (const part of [body, ...new Set(beside.map(({ target }) => target))]) {
    const paragraphs = new ParagraphBuilder();
    for await (const _ of parseXml(archive.read(part), wordText(paragraphs))) yield* paragraphs.take();
    paragraphs.end();
    yield* paragraphs.take();
  }
  return { pageCount: null };
}
