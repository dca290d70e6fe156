import { damaged, type Ending, type Extracted, type ExtractionInput, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { attribute, parseXml, readXml, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";

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

/** Reads the text of an OpenDocument part, only within the elements `roots`. */
function openText(paragraphs: ParagraphBuilder, roots: ReadonlySet<string>): XmlHandler {
  const aside = new ParagraphBuilder();
  let [inside, silent, cells, blocks, asides] = [0, 0, 0, 0, 0];
  const current = () => (asides > 0 ? aside : paragraphs);
  return {
    open(name) {
      if (roots.has(name)) inside++;
      if (IGNORED_ELEMENTS.has(name)) silent++;
      else if (ASIDE_ELEMENTS.has(name)) asides++;
      else if (name === "table-cell") cells++;
      else if (name === "p" || name === "h") blocks++;
      else if (name === "s" || name === "tab" || name === "line-break") current().space();
    },
    close(name) {
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
  for (const [part, roots] of PARTS) {
    const paragraphs = new ParagraphBuilder();
    for await (const _ of parseXml(archive.read(part), openText(paragraphs, roots))) yield* paragraphs.take();
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
