import type { Paragraphs } from "../paragraphs";
import { type LineReader, lineExtractor } from "./lines";

const DELIMITERS = [",", ";", "\t", "|"] as const;

/** The delimiter that the first line holds most of, outside quotation marks. */
export function detectDelimiter(sample: string): string {
  const first = (sample.split(/\r?\n/, 1)[0] ?? "").replace(/"[^"]*"/g, "");
  const count = (delimiter: string) => first.split(delimiter).length - 1;
  return DELIMITERS.reduce((best, next) => (count(next) > count(best) ? next : best), DELIMITERS[0] as string);
}

/** Reads RFC 4180 rows: one paragraph each, with marks between the cells. */
function rows(paragraphs: Paragraphs, delimiter: string): LineReader {
  let [cell, quoted, closing] = ["", false, false];
  const endCell = (): void => {
    paragraphs.add(cell.replace(/\s+/g, " "));
    cell = "";
  };
  const endRow = (): void => {
    endCell();
    paragraphs.row();
  };
  const take = (char: string): void => {
    if (closing) {
      closing = false;
      if (char === '"') {
        cell += char;
        return;
      }
      quoted = false;
    }
    if (quoted && char === '"') closing = true;
    else if (quoted) cell += char;
    else if (char === '"' && cell.trim() === "") [quoted, cell] = [true, ""];
    else if (char === delimiter) {
      endCell();
      paragraphs.cell();
    } else if (char === "\n" || char === "\r") endRow();
    else cell += char;
    if (cell.length > LONGEST_CELL) endCell();
  };
  return {
    push(text) {
      for (const char of text) take(char);
    },
    end: endRow,
  };
}

/** Characters of a cell that are kept while its end is awaited. */
const LONGEST_CELL = 16 * 1024;

export const extractCsv = lineExtractor((paragraphs, sample) => rows(paragraphs, detectDelimiter(sample)));
