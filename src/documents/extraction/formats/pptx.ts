import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { MOST_PARTS, SLIDES_A_SLICE } from "../limits";
import { Paragraphs } from "../passages";
import { attribute, parseXml, readXml, relationshipId, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { type Relationship, readRelationships } from "./relationships";

/** Fields that the program fills in: they differ on each slide and say nothing. */
const FILLED_IN = /^(?:slidenum|datetime)/;

/** Text of a DrawingML part: paragraphs and rows of tables. */
function slideText(paragraphs: Paragraphs): XmlHandler {
  let [cells, reading, filledIn] = [0, false, false];
  return {
    open(name, attributes) {
      if (name === "t") reading = !filledIn;
      else if (name === "fld") filledIn = FILLED_IN.test(attribute(attributes, "type") ?? "");
      else if (name === "tc") cells++;
      else if (name === "br" || name === "tab") paragraphs.space();
    },
    close(name) {
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

/** Parts of a slide that hold text of their own, after the slide itself. */
const OF_A_SLIDE = ["diagramData", "notesSlide"];

/** PPTX: a slide is a page, with its diagrams and its speaker's notes. */
export async function* extractPptx({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const slides = await slidesInOrder(archive);
  for (let at = from; at < slides.length; at++) {
    const slide = slides[at] ?? "";
    const beside = (await readRelationships(archive, slide)).filter(({ type }) => OF_A_SLIDE.includes(type));
    beside.sort((a, b) => OF_A_SLIDE.indexOf(a.type) - OF_A_SLIDE.indexOf(b.type));
    for (const part of [slide, ...beside.map(({ target }) => target)]) {
      const paragraphs = new Paragraphs(at + 1);
      for await (const _ of parseXml(archive.read(part), slideText(paragraphs))) yield* paragraphs.take();
      paragraphs.end();
      yield* paragraphs.take();
    }
    const done = at + 1;
    if (done % SLIDES_A_SLICE === 0 && done < slides.length)
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
      if (slides.length >= MOST_PARTS) throw tooLarge(`The file holds more than ${MOST_PARTS} slides.`);
      const part = parts.get(relationshipId(attributes) ?? "");
      if (part === undefined) throw damaged("A slide of the file is missing.");
      slides.push(part);
    },
  });
  return slides;
}
