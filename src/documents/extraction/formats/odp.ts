import type { Ending, Extracted, ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { parseXml } from "../xml";
import { Archive } from "../zip/archive";
import { openText, readStyles, requireContent } from "./open-document";

const READING = {
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
  for await (const _ of parseXml(archive.read("content.xml"), openText(paragraphs, READING, styles)))
    yield* paragraphs.take();
  yield* paragraphs.take();
  return { pageCount: paragraphs.page ?? 0 };
}
