import { MAX_OFFICE_PARTS } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { type Attributes, attribute, parseXml, readXml, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { type HidingStyle, hiddenAmong } from "./hiding-styles";
import { readRelationships } from "./relationships";
import { MAX_FIELD_LENGTH, rubyBase } from "./ruby";

/** Relationship types of the other parts with text, in reading order. */
const OTHER_PARTS = ["header", "footnotes", "endnotes", "comments", "footer"];

/** Elements without text to read: tracked deletions, places that text was moved from, readings, old properties. */
const IGNORED_ELEMENTS = new Set(["Fallback", "del", "moveFrom", "rt", "rPrChange", "pPrChange"]);

/** A run: whether its own properties hide its text, else its character style. */
interface Run {
  hides: boolean | null;
  style: string | undefined;
}

/** A paragraph: its style, and whether it is in a text box of a hidden run. */
interface Paragraph {
  style: string | undefined;
  isHidden: boolean;
}

/**
 * Reads a WordprocessingML part: paragraphs, rows of tables, text boxes. It skips deleted, moved and hidden text, readings
 * and field codes.
 */
function wordText(paragraphs: ParagraphBuilder, hiddenStyles: ReadonlySet<string>): XmlHandler {
  let [cells, ignored, marks, joins, reading] = [0, 0, 0, false, "" as "" | "t" | "instrText"];
  let code = "";
  // A text box is a paragraph within a run.
  const [open, runs]: [Paragraph[], Run[]] = [[], []];
  const hides = (style: string | undefined) => style !== undefined && hiddenStyles.has(style);
  // Hiding is a toggle: a paragraph's style and a run's style that both hide show the text (ECMA-376 part 1, 17.7.3).
  const isHidden = (run: Run | undefined) =>
    (run?.hides ?? hides(run?.style) !== hides(open.at(-1)?.style)) || open.at(-1)?.isHidden === true;
  const say = (text: string) => {
    if (ignored === 0 && !isHidden(runs.at(-1))) paragraphs.add(text);
  };
  // The code of a field is in several runs, up to the next mark of the field.
  const endCode = () => {
    if (code !== "") say(rubyBase(code));
    code = "";
  };
  const property = (name: string, attributes: Attributes): void => {
    const [paragraph, run] = [open.at(-1), runs.at(-1)];
    if (name === "pStyle" && paragraph !== undefined) paragraph.style = attribute(attributes, "val");
    // The properties of the mark at the end of a paragraph do not count for its text.
    else if (marks > 0) joins ||= name === "del" || name === "moveFrom";
    else if (name === "rStyle" && run !== undefined) run.style = attribute(attributes, "val");
    else if (name === "vanish" && run !== undefined) run.hides = isOn(attributes);
  };
  return {
    open(name, attributes) {
      if (ignored === 0) property(name, attributes);
      if (IGNORED_ELEMENTS.has(name)) ignored++;
      else if (name === "p") open.push({ style: undefined, isHidden: runs.length > 0 && isHidden(runs.at(-1)) });
      else if (name === "r") runs.push({ hides: null, style: undefined });
      else if (name === "pPr") marks++;
      else if (name === "t" || name === "instrText") reading = name;
      else if (name === "fldChar") endCode();
      else if (name === "tc") cells++;
      else if (name === "tab" || name === "br" || name === "cr" || name === "ptab") paragraphs.space();
      else if (name === "noBreakHyphen") say("-");
      else if (name === "sym") say(symbol(attribute(attributes, "char")));
    },
    close(name) {
      if (IGNORED_ELEMENTS.has(name)) ignored--;
      else if (name === "r") runs.pop();
      else if (name === "pPr") marks--;
      else if (name === "t" || name === "instrText") reading = "";
      else if (name === "p") {
        open.pop();
        if (!joins) cells > 0 ? paragraphs.space() : paragraphs.end();
        joins = false;
      } else if (name === "tc") {
        cells--;
        paragraphs.cell();
      } else if (name === "tr" && cells === 0) paragraphs.row();
    },
    text(text) {
      if (reading === "t") say(text);
      else if (reading === "instrText" && code.length < MAX_FIELD_LENGTH) code += text;
    },
  };
}

/** The value of a property that is on or off. */
const isOn = (attributes: Attributes): boolean => !/^(?:0|false|off)$/.test(attribute(attributes, "val") ?? "1");

/**
 * The styles whose text is hidden, by their own properties or by the properties of the style that they are based on.
 */
async function readHiddenStyles(archive: Archive, part: string | undefined): Promise<ReadonlySet<string>> {
  const styles = new Map<string, HidingStyle>();
  let [style, marks] = [undefined as HidingStyle | undefined, 0];
  if (part === undefined) return new Set();
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "style") {
        style = { hides: null, base: undefined };
        if (styles.size < MAX_OFFICE_PARTS) styles.set(attribute(attributes, "styleId") ?? "", style);
      } else if (name === "tblStylePr" || name === "pPr") marks++;
      else if (style === undefined || marks > 0) return;
      else if (name === "basedOn") style.base = attribute(attributes, "val");
      else if (name === "vanish") style.hides = isOn(attributes);
    },
    close(name) {
      if (name === "style") style = undefined;
      else if (name === "tblStylePr" || name === "pPr") marks--;
    },
  });
  return hiddenAmong(styles);
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
  const relationships = await readRelationships(archive, body);
  const hiddenStyles = await readHiddenStyles(archive, relationships.find(({ type }) => type === "styles")?.target);
  const beside = relationships
    .filter(({ type }) => OTHER_PARTS.includes(type))
    .sort((a, b) => OTHER_PARTS.indexOf(a.type) - OTHER_PARTS.indexOf(b.type));
  for (const part of [body, ...new Set(beside.map(({ target }) => target))]) {
    const paragraphs = new ParagraphBuilder();
    for await (const _ of parseXml(archive.read(part), wordText(paragraphs, hiddenStyles))) yield* paragraphs.take();
    paragraphs.end();
    yield* paragraphs.take();
  }
  return { pageCount: null };
}
