import { breathe } from "../../../platform/pace";
import { MAX_OFFICE_PARTS, SHEET_TEXT_PER_SLICE } from "../../limits";
import { type Decoder, decoderOf } from "../charsets";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { attribute, encodingOfXml, readXml } from "../xml";
import { Archive } from "../zip/archive";
import { HtmlText } from "./html";
import { resolvePart } from "./relationships";

/** The parts of a publication that are read. */
interface Publication {
  title: string;
  creators: string;
  /** The names of the chapters' entries in reading order, each once. */
  chapters: string[];
}

/** An entry of the publication. One of an unreadable type may have a fallback. */
interface Item {
  part: string;
  isText: boolean;
  fallback: string | undefined;
}

/** Media types whose text is read: XHTML, SVG and DTBook. */
const TEXT_TYPE =
  /^(?:application\/(?:xhtml\+xml|x-dtbook\+xml|xml)|text\/(?:html|xml|x-oeb1-document)|image\/svg\+xml)$/i;

/** Maximum length of an id, and of the title and of the names of the creators, characters. */
const [MAX_ID_LENGTH, MAX_TITLE_LENGTH] = [1_000, 4_000];
/** Maximum number of fallbacks, one after another. */
const MAX_FALLBACKS = 8;

/** Number of characters of a chapter that are parsed at once. */
const PIECE_LENGTH = 64 * 1024;

/**
 * Extracts EPUB 2 and 3: the title, the creators, and the chapters in the order of the spine, with those that are beside
 * the main order (`linear="no"`). It has no pages, because programs choose them by the size of the screen.
 */
export async function* extractEpub({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const { title, creators, chapters } = await readPackage(archive);
  await refuseProtected(archive, new Set(chapters.map((part) => part.toLowerCase())));
  const paragraphs = new ParagraphBuilder();
  for (const text of from === 0 ? [title, creators] : []) {
    paragraphs.add(text);
    paragraphs.end();
  }
  let length = 0;
  for (let at = from; at < chapters.length; at++) {
    for await (const _ of readChapter(archive, chapters[at] ?? "", paragraphs)) {
      length += paragraphs.size;
      yield* paragraphs.take();
    }
    if (length > SHEET_TEXT_PER_SLICE && at + 1 < chapters.length) {
      yield { kind: "checkpoint", at: at + 1, done: at + 1, total: chapters.length };
      length = 0;
    }
  }
  yield* paragraphs.take();
  return { pageCount: null };
}

/** Reads a chapter. It yields after each piece, so that the caller can use the text. */
async function* readChapter(archive: Archive, part: string, paragraphs: ParagraphBuilder): AsyncGenerator<void> {
  const html = new HtmlText(paragraphs, { isXhtml: true });
  let decoder: Decoder | undefined;
  for await (const piece of archive.read(part)) {
    decoder ??= decoderOf(encodingOfXml(piece));
    const text = decoder.decode(piece, { stream: true });
    for (let at = 0; at < text.length; at += PIECE_LENGTH) {
      await breathe(PIECE_LENGTH);
      html.push(text.slice(at, at + PIECE_LENGTH));
      yield;
    }
  }
  html.push(decoder?.decode() ?? "");
  html.end();
  yield;
}

/** The name of the entry that a package refers to. It is percent-encoded, and may have a fragment. */
function partOf(folder: string, href: string): string {
  const path = href.replace(/[?#].*$/s, "");
  try {
    return resolvePart(folder, decodeURIComponent(path));
  } catch {
    return resolvePart(folder, path);
  }
}

/** Reads the package document that `META-INF/container.xml` names (EPUB 3.3, 4.2.6.3 and 5). */
async function readPackage(archive: Archive): Promise<Publication> {
  let main: string | undefined;
  await readXml(
    archive.read("META-INF/container.xml"),
    {
      open(name, attributes) {
        if (name === "rootfile") main ??= attribute(attributes, "full-path");
      },
    },
    { hasDoctype: true },
  );
  if (main === undefined || !archive.has(main)) throw damaged("The file has no text part.");
  const folder = main.slice(0, main.lastIndexOf("/") + 1);
  const items = new Map<string, Item>();
  const spine: string[] = [];
  const texts: Record<"title" | "creator", string[]> = { title: [], creator: [] };
  let reading: "title" | "creator" | null = null;
  let [open, length] = ["", 0];
  await readXml(
    archive.read(main),
    {
      open(name, attributes) {
        const id = attribute(attributes, name === "itemref" ? "idref" : "id") ?? "";
        if (name === "title" || name === "creator") [reading, open] = [name, ""];
        else if (id.length > MAX_ID_LENGTH) return;
        else if (name === "item") {
          const part = partOf(folder, attribute(attributes, "href") ?? "");
          const fallback = attribute(attributes, "fallback");
          const isText = TEXT_TYPE.test(attribute(attributes, "media-type") ?? "");
          // Pictures and fonts are most entries of many books.
          if (archive.has(part) && (isText || fallback !== undefined))
            items.set(id, { part, isText, fallback: fallback?.slice(0, MAX_ID_LENGTH) });
        } else if (name === "itemref") spine.push(id);
        if (Math.max(items.size, spine.length) > MAX_OFFICE_PARTS)
          throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} parts.`);
      },
      close(name) {
        if (reading === null || name !== reading) return;
        length += open.length;
        if (length <= MAX_TITLE_LENGTH) texts[reading].push(open);
        reading = null;
      },
      text(text) {
        if (reading !== null && open.length < MAX_TITLE_LENGTH) open += text;
      },
    },
    { hasDoctype: true },
  );
  const chapters = new Set<string>();
  for (const id of spine) {
    let [item, steps] = [items.get(id), 0];
    while (item?.isText === false && steps++ < MAX_FALLBACKS) item = items.get(item.fallback ?? "");
    if (item?.isText === true) chapters.add(item.part);
  }
  if (chapters.size === 0) throw damaged("The file has no text part.");
  return { title: texts.title.join(", "), creators: texts.creator.join(", "), chapters: [...chapters] };
}

/** Changes of the first bytes of fonts, which keep them from being copied. They are no encryption. */
const FONT_OBFUSCATIONS = new Set(["http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"]);

/** Refuses a publication with an encrypted chapter. @throws Unreadable encrypted. */
async function refuseProtected(archive: Archive, chapters: ReadonlySet<string>): Promise<void> {
  let [algorithm, keys] = ["", 0];
  await readXml(
    archive.read("META-INF/encryption.xml"),
    {
      open(name, attributes) {
        if (name === "EncryptedData") algorithm = "";
        else if (name === "EncryptedKey") keys++;
        else if (name === "EncryptionMethod" && keys === 0) algorithm = attribute(attributes, "Algorithm") ?? "";
        else if (name === "CipherReference" && keys === 0 && !FONT_OBFUSCATIONS.has(algorithm)) {
          const part = partOf("", attribute(attributes, "URI") ?? "");
          if (chapters.has(part.toLowerCase()))
            throw new Unreadable("encrypted", "The file is protected against copying.");
        }
      },
      close(name) {
        if (name === "EncryptedKey") keys--;
      },
    },
    { hasDoctype: true },
  );
}
