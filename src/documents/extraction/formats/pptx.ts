import { MAX_OFFICE_PARTS, SLIDES_PER_SLICE } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { attribute, parseXml, readXml, relationshipId, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { type Relationship, readRelationships } from "./relationships";

/** Fields that the program fills in: slide numbers and dates. */
const PROGRAM_FIELDS = /^(?:slidenum|datetime)/;

/** Shapes, groups of shapes, tables and pictures. The selection pane of the program hides and shows each. */
const SHAPES = new Set(["sp", "grpSp", "graphicFrame", "cxnSp", "pic"]);

/** Reads a DrawingML part: paragraphs and rows of tables. It skips hidden shapes. */
function slideText(paragraphs: ParagraphBuilder): XmlHandler {
  let [cells, reading, filledIn, silent] = [0, false, false, 0];
  /** The open shapes, each with whether it is hidden. */
  const shapes: boolean[] = [];
  return {
    open(name, attributes) {
      if (SHAPES.has(name)) shapes.push(false);
      else if (
        name === "cNvPr" &&
        shapes.at(-1) === false &&
        /^(?:1|true)$/.test(attribute(attributes, "hidden") ?? "")
      ) {
        shapes.splice(-1, 1, true);
        silent++;
      }
      if (name === "t") reading = !filledIn && silent === 0;
      else if (name === "fld") filledIn = PROGRAM_FIELDS.test(attribute(attributes, "type") ?? "");
      else if (name === "tc") cells++;
      else if (name === "br" || name === "tab") paragraphs.space();
    },
    close(name) {
      if (SHAPES.has(name) && shapes.pop() === true) silent--;
      if (name === "t") reading = false;
      else if (name === "fld") filledIn = false;
      else if (name === "p") cells > 0 ? paragraphs.space() : paragraphs.end();
      else if (name === "tc") {
        cells--;
        paragraphs.cell();
      } else if (name === "tr") paragraphs.row();
    },
    text(text) {
      if (reading) paragraphs.add(text);
    },
  };
}

/** Relationship types of a slide's other parts with text, in reading order. */
const SLIDE_PARTS = ["diagramData", "notesSlide"];

/** Extracts PPTX: a slide is a page, with its diagrams and speaker notes. */
export async function* extractPptx({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const slides = await slidesInOrder(archive);
  for (let at = from; at < slides.length; at++) {
    const slide = slides[at] ?? "";
    const beside = (await readRelationships(archive, slide)).filter(({ type }) => SLIDE_PARTS.includes(type));
    beside.sort((a, b) => SLIDE_PARTS.indexOf(a.type) - SLIDE_PARTS.indexOf(b.type));
    for (const part of [slide, ...beside.map(({ target }) => target)]) {
      const paragraphs = new ParagraphBuilder(at + 1);
      for await (const _ of parseXml(archive.read(part), slideText(paragraphs))) yield* paragraphs.take();
      paragraphs.end();
      yield* paragraphs.take();
    }
    const done = at + 1;
    if (done % SLIDES_PER_SLICE === 0 && done < slides.length)
      yield { kind: "checkpoint", at: done, done, total: slides.length };
  }
  return { pageCount: slides.length };
}

async function slidesInOrder(archive: Archive): Promise<string[]> {
  const main = (await readRelationships(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  const presentation = main ?? "ppt/presentation.xml";
  const parts = new Map((await readRelationships(archive, presentation)).map((r: Relationship) => [r.id, r.target]));
  const slides: string[] = [];
  await readXml(archive.read(presentation), {
    open(name, attributes) {
      if (name !== "sldId") return;
      if (slides.length >= MAX_OFFICE_PARTS) throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} slides.`);
      const part = parts.get(relationshipId(attributes) ?? "");
      if (part === undefined) throw damaged("A slide of the file is missing.");
      slides.push(part);
    },
  });
  return slides;
}
