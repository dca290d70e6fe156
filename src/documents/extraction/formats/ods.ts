import type { Ending, Extracted, ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { type Attributes, attribute, parseXml } from "../xml";
import { Archive } from "../zip/archive";
import { openText, readStyles, requireContent } from "./open-document";
import { showNumber } from "./xlsx-styles";

const ROOTS = new Set(["spreadsheet"]);
/** Elements of a sheet whose text comes after the row that they are in. */
const ASIDES = new Set(["annotation", "shapes", "text-box"]);
/** The messages of a cell's validation, which a program shows only while the cell is edited. */
const IGNORED = new Set(["content-validations", "forms"]);

/**
 * The value of a cell that has no shown text. Programs write the shown text; libraries often leave it out.
 * A cell with an error has no value.
 */
function valueOfCell(attributes: Attributes): string {
  const number = (): number => Number(attribute(attributes, "value") ?? Number.NaN);
  switch (attribute(attributes, "value-type")) {
    case "float":
    case "currency":
      return showNumber(number(), "number", false);
    case "percentage":
      return showNumber(number(), "percent", false);
    case "date":
      return (attribute(attributes, "date-value") ?? "").replace("T", " ").replace(/ 00:00(?::00)?$/, "");
    case "time":
      return (attribute(attributes, "time-value") ?? "").replace(/^PT(\d+)H(\d+)M.*$/, "$1:$2");
    case "boolean":
      return (attribute(attributes, "boolean-value") ?? "").toUpperCase();
    default:
      return attribute(attributes, "string-value") ?? "";
  }
}

/**
 * Extracts ODS: a sheet is a page that begins with its name, and a row is a paragraph of its cells, as the program shows
 * them. Hidden sheets have numbers, but no text. A repeated row or cell is read once, so its number of repetitions costs
 * nothing.
 */
export async function* extractOds({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  await requireContent(archive);
  const styles = await readStyles(archive);
  const paragraphs = new ParagraphBuilder();
  const reading = {
    roots: ROOTS,
    asides: ASIDES,
    ignored: IGNORED,
    pages: "table",
    cellValue: valueOfCell,
    onPage(attributes: Attributes) {
      paragraphs.add(attribute(attributes, "name") ?? "");
      paragraphs.end();
    },
  };
  for await (const _ of parseXml(archive.read("content.xml"), openText(paragraphs, reading, styles)))
    yield* paragraphs.take();
  yield* paragraphs.take();
  return { pageCount: paragraphs.page ?? 0 };
}
