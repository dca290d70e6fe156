import type { Ending, Extracted, ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { parseXml } from "../xml";
import { Archive } from "../zip/archive";
import { openText, readStyles, requireContent } from "./open-document";

/** Elements within a paragraph whose text comes after that paragraph. */
const ASIDES = new Set(["note-body", "annotation", "text-box"]);

const PARTS: readonly (readonly [part: string, roots: ReadonlySet<string>])[] = [
  ["content.xml", new Set(["text"])],
  ["styles.xml", new Set(["header", "header-left", "header-first", "footer", "footer-left", "footer-first"])],
];

/** Extracts ODT: the body with notes, comments and text boxes at their positions, then headers and footers. It has no pages. */
export async function* extractOdt({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  await requireContent(archive);
  const styles = await readStyles(archive);
  for (const [part, roots] of PARTS) {
    const paragraphs = new ParagraphBuilder();
    const reading = { roots, asides: ASIDES };
    for await (const _ of parseXml(archive.read(part), openText(paragraphs, reading, styles))) yield* paragraphs.take();
    paragraphs.end();
    yield* paragraphs.take();
  }
  return { pageCount: null };
}
