import { MAX_OFFICE_PARTS, MAX_TABLE_LENGTH, SHEET_TEXT_PER_SLICE } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { type Attributes, attribute, parseXml, readXml, relationshipId, type XmlHandler } from "../xml";
import { Archive } from "../zip/archive";
import { readRelationships } from "./relationships";
import { type NumberKind, readNumberKinds, showNumber } from "./xlsx-styles";

interface Sheet {
  name: string;
  part: string;
  isHidden: boolean;
}

interface Workbook {
  sheets: Sheet[];
  date1904: boolean;
  sharedStrings: string | undefined;
  styles: string | undefined;
}

/**
 * Extracts XLSX: a sheet is a page that begins with its name, and a row is a paragraph of its cells. Hidden sheets have
 * numbers, but no text. Hidden rows and columns have text, because a filter hides them for a while.
 */
export async function* extractXlsx({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const archive = await Archive.open(source);
  const workbook = await readWorkbook(archive);
  const strings = workbook.sharedStrings === undefined ? [] : await readSharedStrings(archive, workbook.sharedStrings);
  const kinds: NumberKind[] = workbook.styles === undefined ? [] : await readNumberKinds(archive, workbook.styles);
  let length = 0;
  for (let at = from; at < workbook.sheets.length; at++) {
    const sheet = workbook.sheets[at];
    if (sheet === undefined) break;
    if (sheet.isHidden) continue;
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
      if (sheet !== undefined)
        workbook.sheets.push({ name: title, part: sheet.target, isHidden: /hidden$/i.test(attributes.state ?? "") });
    },
  });
  return workbook;
}

interface SheetTables {
  strings: readonly string[];
  /** By the index of a cell's style. */
  kinds: readonly NumberKind[];
  date1904: boolean;
}

/** Maximum number of characters that are kept of one cell. Excel allows half as many. */
const MAX_CELL_LENGTH = 64 * 1024;

/** Reads the shared strings, which cells refer to by number, without their phonetic readings. */
async function readSharedStrings(archive: Archive, part: string): Promise<string[]> {
  const strings: string[] = [];
  let [open, reading, phonetic, kept] = ["", false, false, 0];
  await readXml(archive.read(part), {
    open(name) {
      if (name === "t") reading = !phonetic;
      else if (name === "rPh") phonetic = true;
    },
    close(name) {
      if (name === "t") reading = false;
      else if (name === "rPh") phonetic = false;
      else if (name === "si") {
        strings.push(open);
        kept += open.length + 8;
        open = "";
      }
    },
    text(text) {
      if (reading) open += text;
      if (kept + open.length > MAX_TABLE_LENGTH)
        throw tooLarge("The shared strings of the workbook are larger than 24 MiB.");
    },
  });
  return strings;
}

/** Reads a worksheet: each row becomes a paragraph of its cells, with the values that Excel shows. */
function sheetText(paragraphs: ParagraphBuilder, tables: SheetTables): XmlHandler {
  let cell: { type: string; style: number } = { type: "n", style: 0 };
  let [value, reading, phonetic] = ["", false, false];
  return {
    open(name, attributes) {
      if (name === "c") {
        cell = readCell(attributes);
        value = "";
      } else if (name === "rPh") phonetic = true;
      else if (name === "v" || name === "t") reading = !phonetic;
    },
    close(name) {
      if (name === "v" || name === "t") reading = false;
      else if (name === "rPh") phonetic = false;
      else if (name === "c") {
        const shown = show(value, cell, tables).replace(/\s+/g, " ").trim();
        if (shown === "") return;
        paragraphs.cell();
        paragraphs.add(shown);
      } else if (name === "row") paragraphs.row();
    },
    text(text) {
      if (reading && value.length < MAX_CELL_LENGTH) value += text;
    },
  };
}

const readCell = (attributes: Attributes) => ({
  type: attributes.t ?? "n",
  style: Number(attributes.s ?? 0),
});

function show(value: string, cell: { type: string; style: number }, tables: SheetTables): string {
  switch (cell.type) {
    case "s":
      return tables.strings[Number(value)] ?? "";
    case "b":
      return value === "1" ? "TRUE" : value === "0" ? "FALSE" : "";
    case "e":
      return "";
    case "n":
      return value === "" ? "" : showNumber(Number(value), tables.kinds[cell.style] ?? "number", tables.date1904);
    default:
      return value;
  }
}
