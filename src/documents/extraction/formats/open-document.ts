import { MAX_OFFICE_PARTS } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { type Attributes, attribute, parseXml, readXml, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { type HidingStyle, hiddenAmong } from "./hiding-styles";

const COVERED_CELL = "covered-table-cell";

/**
 * Elements without text of the document: deleted text, and numbers, authors and dates of notes. A program does not show
 * cells that a merged cell covers, and the copies of tables in other files.
 */
const IGNORED_ELEMENTS = new Set([
  "tracked-changes",
  "note-citation",
  "creator",
  "date",
  "initials",
  "ruby-text",
  "binary-data",
  COVERED_CELL,
  "dde-links",
]);

/** Elements whose style can hide their text. */
const STYLED_ELEMENTS = new Set(["p", "h", "span", "section", "a", "list-item", "table"]);

/** Elements of a style that can hide text. */
const STYLE_PROPERTIES = new Set(["text-properties", "section-properties", "table-properties"]);

/** The styles of a document by name. */
export type Styles = Map<string, HidingStyle>;

/** Collects the styles that hide text: of `styles.xml`, and the automatic ones, which come before the text of `content.xml`. */
function styleReader(styles: Styles, kept: (hidden: ReadonlySet<string>) => void): Pick<XmlHandler, "open" | "close"> {
  let style: HidingStyle | undefined;
  return {
    open(name, attributes) {
      if (name === "style" && styles.size < MAX_OFFICE_PARTS) {
        style = { hides: null, base: attribute(attributes, "parent-style-name") };
        styles.set(attribute(attributes, "name") ?? "", style);
      } else if (style !== undefined && STYLE_PROPERTIES.has(name)) {
        const display = attribute(attributes, "display");
        if (display !== undefined) style.hides = display === "none" || display === "false";
      }
    },
    close(name) {
      if (name === "style") style = undefined;
      else if (name === "styles" || name === "automatic-styles") kept(hiddenAmong(styles));
    },
  };
}

/** Whether an element says itself that it is hidden: a section, a hidden paragraph, a text with a condition. */
const hidesItself = (attributes: Attributes): boolean =>
  attribute(attributes, "is-hidden") === "true" || attribute(attributes, "display") === "none";

/** Which elements of an OpenDocument part are read, and how. */
export interface Reading {
  /** Only the text within these elements is read. */
  roots: ReadonlySet<string>;
  /** Elements whose text comes after the paragraph or the row that they are in. */
  asides: ReadonlySet<string>;
  /** Elements whose text is not read, besides those that no document shows. */
  ignored?: ReadonlySet<string>;
  /** The element that is a page: a sheet or a slide. Pages within pages do not count. */
  pages?: string;
  /** Called when a page begins, if its text is read. */
  onPage?: (attributes: Attributes) => void;
  /** The text of a cell that has no paragraph. */
  cellValue?: (attributes: Attributes) => string;
}

/** Reads the visible text of an OpenDocument part into `paragraphs`, whose page becomes the number of the page. */
export function openText(paragraphs: ParagraphBuilder, reading: Reading, styles: Styles): XmlHandler {
  const { roots, asides: asideElements, ignored = new Set() } = reading;
  const aside = new ParagraphBuilder(paragraphs.page);
  let [inside, silent, cells, blocks, asides, pages, pageDepth] = [0, 0, 0, 0, 0, 0, 0];
  /** The value of the open cell, until it has text. */
  let value = "";
  let hidden: ReadonlySet<string> = hiddenAmong(styles);
  const reader = styleReader(styles, (names) => {
    hidden = names;
  });
  /** The open elements, each with whether it hides its text. */
  const open: boolean[] = [];
  const current = () => (asides > 0 ? aside : paragraphs);
  const isSilent = (name: string): boolean => IGNORED_ELEMENTS.has(name) || ignored.has(name);
  const hides = (name: string, attributes: Attributes): boolean =>
    inside > 0 &&
    (hidesItself(attributes) || (STYLED_ELEMENTS.has(name) && hidden.has(attribute(attributes, "style-name") ?? "")));
  /** A hidden page has a number. A page within another page or within an ignored element is none. */
  const beginPage = (attributes: Attributes, isHidden: boolean): void => {
    if (inside === 0 || pageDepth > 0 || silent > (isHidden ? 1 : 0)) return;
    pages++;
    pageDepth = open.length;
    [paragraphs.page, aside.page] = [pages, pages];
    if (!isHidden) reading.onPage?.(attributes);
  };
  const endPage = (): void => {
    pageDepth = 0;
    paragraphs.end();
    aside.end();
    paragraphs.follow(aside);
  };
  return {
    open(name, attributes) {
      reader.open?.(name, attributes);
      const own = hides(name, attributes);
      open.push(own);
      if (own) silent++;
      if (roots.has(name)) inside++;
      if (name === COVERED_CELL) cells++;
      if (isSilent(name)) silent++;
      else if (asideElements.has(name)) asides++;
      else if (name === "table-cell") {
        cells++;
        value = reading.cellValue?.(attributes) ?? "";
      } else if (name === "p" || name === "h") blocks++;
      else if (name === "s" || name === "tab" || name === "line-break") current().space();
      if (name === reading.pages) beginPage(attributes, own);
    },
    close(name) {
      reader.close?.(name);
      if (pageDepth > 0 && open.length === pageDepth) endPage();
      if (open.pop() === true) silent--;
      if (roots.has(name)) inside--;
      if (name === COVERED_CELL) cells--;
      if (isSilent(name)) silent--;
      else if (asideElements.has(name)) {
        asides--;
        aside.end();
      } else if (name === "p" || name === "h") {
        blocks--;
        if (asides > 0) aside.end();
        else if (cells > 0) paragraphs.space();
        else {
          paragraphs.end();
          paragraphs.follow(aside);
        }
      } else if (name === "table-cell") {
        cells--;
        if (value !== "" && inside > 0 && silent === 0) current().add(value);
        value = "";
        current().cell();
      } else if (name === "table-row" && cells === 0) {
        paragraphs.row();
        paragraphs.follow(aside);
      }
    },
    text(text) {
      if (inside === 0 || silent > 0 || blocks === 0) return;
      if (asides === 0) value = "";
      current().add(text);
    },
  };
}

/** Reads the styles of a document that hide text. */
export async function readStyles(archive: Archive): Promise<Styles> {
  const styles: Styles = new Map();
  await readXml(
    archive.read("styles.xml"),
    styleReader(styles, () => {}),
  );
  return styles;
}

/**
 * Refuses a document that is encrypted or has no content. OpenDocument encrypts the entries, and only the manifest says so.
 * @throws Unreadable encrypted or damaged.
 */
export async function requireContent(archive: Archive): Promise<void> {
  await readXml(archive.read("META-INF/manifest.xml"), {
    open(name, attributes) {
      if (name === "encryption-data" || attribute(attributes, "encryption-data") !== undefined)
        throw new Unreadable("encrypted", "The file is protected with a password.");
    },
  });
  if (!archive.has("content.xml")) throw damaged("The file has no text part.");
}

/** Elements within a paragraph whose text comes after that paragraph. */
const TEXT_ASIDES = new Set(["note-body", "annotation", "text-box"]);

const TEXT_PARTS: readonly (readonly [part: string, roots: ReadonlySet<string>])[] = [
  ["content.xml", new Set(["text"])],
  ["styles.xml", new Set(["header", "header-left", "header-first", "footer", "footer-left", "footer-first"])],
];

/** Extracts ODT: the body with notes, comments and text boxes at their positions, then headers and footers. It has no pages. */
export async function* extractOdt({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  await requireContent(archive);
  const styles = await readStyles(archive);
  for (const [part, roots] of TEXT_PARTS) {
    const paragraphs = new ParagraphBuilder();
    const reading = { roots, asides: TEXT_ASIDES };
    for await (const _ of parseXml(archive.read(part), openText(paragraphs, reading, styles))) yield* paragraphs.take();
    paragraphs.end();
    yield* paragraphs.take();
  }
  return { pageCount: null };
}

const SLIDES = {
  roots: new Set(["presentation"]),
  asides: new Set(["annotation"]),
  /** Fields that the program fills in: numbers of slides and times. Dates are in no document. */
  ignored: new Set(["page-number", "page-count", "time", "forms"]),
  pages: "page",
};

/** Extracts ODP: a slide is a page, with its tables, its comments and the notes of the speaker. */
export async function* extractOdp({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  await requireContent(archive);
  const styles = await readStyles(archive);
  const paragraphs = new ParagraphBuilder();
  for await (const _ of parseXml(archive.read("content.xml"), openText(paragraphs, SLIDES, styles)))
    yield* paragraphs.take();
  yield* paragraphs.take();
  return { pageCount: paragraphs.page ?? 0 };
}
