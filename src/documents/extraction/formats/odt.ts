import { MAX_OFFICE_PARTS } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { type Attributes, attribute, parseXml, readXml, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { type HidingStyle, hiddenAmong } from "./hiding-styles";

/** Elements without text of the document: deleted text, and numbers, authors and dates of notes. */
const IGNORED_ELEMENTS = new Set([
  "tracked-changes",
  "note-citation",
  "creator",
  "date",
  "initials",
  "ruby-text",
  "binary-data",
]);

/** Elements within a paragraph whose text comes after that paragraph. */
const ASIDE_ELEMENTS = new Set(["note-body", "annotation", "text-box"]);

/** Elements whose style can hide their text. */
const STYLED_ELEMENTS = new Set(["p", "h", "span", "section", "a", "list-item"]);

/** The styles of a document by name. */
type Styles = Map<string, HidingStyle>;

/** Collects the styles that hide text: of `styles.xml`, and the automatic ones, which come before the text of `content.xml`. */
function styleReader(styles: Styles, kept: (hidden: ReadonlySet<string>) => void): Pick<XmlHandler, "open" | "close"> {
  let style: HidingStyle | undefined;
  return {
    open(name, attributes) {
      if (name === "style" && styles.size < MAX_OFFICE_PARTS) {
        style = { hides: null, base: attribute(attributes, "parent-style-name") };
        styles.set(attribute(attributes, "name") ?? "", style);
      } else if ((name === "text-properties" || name === "section-properties") && style !== undefined) {
        const display = attribute(attributes, "display");
        if (display !== undefined) style.hides = display === "none";
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

/** Reads the visible text of an OpenDocument part, only within the elements `roots`. */
function openText(paragraphs: ParagraphBuilder, roots: ReadonlySet<string>, styles: Styles): XmlHandler {
  const aside = new ParagraphBuilder();
  let [inside, silent, cells, blocks, asides] = [0, 0, 0, 0, 0];
  let hidden: ReadonlySet<string> = hiddenAmong(styles);
  const reader = styleReader(styles, (names) => {
    hidden = names;
  });
  /** The open elements, each with whether it hides its text. */
  const open: boolean[] = [];
  const current = () => (asides > 0 ? aside : paragraphs);
  const hides = (name: string, attributes: Attributes): boolean =>
    inside > 0 &&
    (hidesItself(attributes) || (STYLED_ELEMENTS.has(name) && hidden.has(attribute(attributes, "style-name") ?? "")));
  return {
    open(name, attributes) {
      reader.open?.(name, attributes);
      const own = hides(name, attributes);
      open.push(own);
      if (own) silent++;
      if (roots.has(name)) inside++;
      if (IGNORED_ELEMENTS.has(name)) silent++;
      else if (ASIDE_ELEMENTS.has(name)) asides++;
      else if (name === "table-cell") cells++;
      else if (name === "p" || name === "h") blocks++;
      else if (name === "s" || name === "tab" || name === "line-break") current().space();
    },
    close(name) {
      reader.close?.(name);
      if (open.pop() === true) silent--;
      if (roots.has(name)) inside--;
      if (IGNORED_ELEMENTS.has(name)) silent--;
      else if (ASIDE_ELEMENTS.has(name)) {
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
        current().cell();
      } else if (name === "table-row" && cells === 0) {
        paragraphs.row();
        paragraphs.follow(aside);
      }
    },
    text(text) {
      if (inside > 0 && silent === 0 && blocks > 0) current().add(text);
    },
  };
}

const PARTS: readonly (readonly [part: string, roots: ReadonlySet<string>])[] = [
  ["content.xml", new Set(["text"])],
  ["styles.xml", new Set(["header", "header-left", "header-first", "footer", "footer-left", "footer-first"])],
];

/** Extracts ODT: the body with notes, comments and text boxes at their positions, then headers and footers. It has no pages. */
export async function* extractOdt({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  if (!archive.has("content.xml")) throw damaged("The file has no text part.");
  await refuseEncrypted(archive);
  const styles: Styles = new Map();
  await readXml(
    archive.read("styles.xml"),
    styleReader(styles, () => {}),
  );
  for (const [part, roots] of PARTS) {
    const paragraphs = new ParagraphBuilder();
    for await (const _ of parseXml(archive.read(part), openText(paragraphs, roots, styles))) yield* paragraphs.take();
    paragraphs.end();
    yield* paragraphs.take();
  }
  return { pageCount: null };
}

/** Refuses an encrypted file. OpenDocument encrypts the entries, and only the manifest says so. @throws Unreadable. */
async function refuseEncrypted(archive: Archive): Promise<void> {
  await readXml(archive.read("META-INF/manifest.xml"), {
    open(name, attributes) {
      if (name === "encryption-data" || attribute(attributes, "encryption-data") !== undefined)
        throw new Unreadable("encrypted", "The file is protected with a password.");
    },
  });
}
