import { MAX_TABLE_LENGTH } from "../../limits";
import { tooLarge } from "../extracted";
import type { ParagraphBuilder } from "../passages";
import { type Attributes, readXml, type XmlHandler } from "../xml";
import type { Archive } from "../zip/archive";
import { type NumberKind, showNumber } from "./xlsx-styles";

export interface SheetTables {
  strings: readonly string[];
  /** By the index of a cell's style. */
  kinds: readonly NumberKind[];
  date1904: boolean;
}

/** Maximum number of characters that are kept of one cell. Excel allows half as many. */
const MAX_CELL_LENGTH = 64 * 1024;

/** Reads the shared strings, which cells refer to by number, without their phonetic readings. */
export async function readSharedStrings(archive: Archive, part: string): Promise<string[]> {
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
export function sheetText(paragraphs: ParagraphBuilder, tables: SheetTables): XmlHandler {
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
