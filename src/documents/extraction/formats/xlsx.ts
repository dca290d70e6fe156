import { MAX_OFFICE_PARTS, MAX_TABLE_LENGTH, SHEET_TEXT_PER_SLICE } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { attribute, parseXml, readXml, relationshipId } from "../xml";
import { Archive } from "../zip/archive";
import { readRelationships } from "./relationships";
import { readSharedStrings, sheetText } from "./xlsx-sheet";
import { type NumberKind, readNumberKinds } from "./xlsx-styles";

interface Sheet {
  name: string;
  part: string;
}

interface Workbook {
  sheets: Sheet[];
  date1904: boolean;
  sharedStrings: string | undefined;
  styles: string | undefined;
}

/** Extracts XLSX: a sheet is a page that begins with its name, and a row is a paragraph of its cells. */
export async function* extractXlsx({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const workbook = await readWorkbook(archive);
  const strings = workbook.sharedStrings === undefined ? [] : await readSharedStrings(archive, workbook.sharedStrings);
  const kinds: NumberKind[] = workbook.styles === undefined ? [] : await readNumberKinds(archive, workbook.styles);
  let length = 0;
  for (let at = from; at < workbook.sheets.length; at++) {
    const sheet = workbook.sheets[at];
    if (sheet === undefined) break;
    const paragraphs = new ParagraphBuilder(at + 1);
    paragraphs.add(sheet.name);
    paragraphs.end();
    const reader = sheetText(paragraphs, { strings, kinds, date1904: workbook.date1904 });
    for await (const _ of parseXml(archive.read(sheet.part), reader)) {
      length += paragraphs.size;
      yield* paragraphs.take();
    }
    paragraphs.end();
    yield* paragraphs.take();
    for (const { type, target } of await readRelationships(archive, sheet.part))
      if (type === "comments") yield* comments(archive, target, at + 1);
    if (length > SHEET_TEXT_PER_SLICE && at + 1 < workbook.sheets.length) {
      length = 0;
      yield { kind: "checkpoint", at: at + 1, done: at + 1, total: workbook.sheets.length };
    }
  }
  return { pageCount: workbook.sheets.length };
}

/** Reads the comments on a sheet's cells. Each becomes a paragraph. */
async function* comments(archive: Archive, part: string, page: number): AsyncGenerator<Extracted> {
  const paragraphs = new ParagraphBuilder(page);
  let reading = false;
  const handler = {
    open: (name: string) => {
      reading = name === "t";
    },
    close: (name: string) => {
      reading = false;
      if (name === "comment") paragraphs.end();
    },
    text: (text: string) => {
      if (reading) paragraphs.add(text);
    },
  };
  for await (const _ of parseXml(archive.read(part), handler)) yield* paragraphs.take();
}

async function readWorkbook(archive: Archive): Promise<Workbook> {
  const main = (await readRelationships(archive, "")).find(({ type }) => type === "officeDocument")?.target;
  const part = main ?? "xl/workbook.xml";
  if (!archive.has(part)) throw damaged("The file has no workbook.");
  const relationships = await readRelationships(archive, part);
  const target = (type: string) => relationships.find((r) => r.type === type)?.target;
  const workbook: Workbook = {
    sheets: [],
    date1904: false,
    sharedStrings: target("sharedStrings"),
    styles: target("styles"),
  };
  let kept = 0;
  await readXml(archive.read(part), {
    open(name, attributes) {
      if (name === "workbookPr") workbook.date1904 = /^(?:1|true)$/.test(attribute(attributes, "date1904") ?? "");
      if (name !== "sheet") return;
      const id = relationshipId(attributes);
      const sheet = relationships.find((r) => r.id === id);
      const title = attributes.name ?? "";
      kept += title.length;
      if (workbook.sheets.length >= MAX_OFFICE_PARTS || kept > MAX_TABLE_LENGTH)
        throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} sheets.`);
      if (sheet !== undefined) workbook.sheets.push({ name: title, part: sheet.target });
    },
  });
  return workbook;
}
