import { execFileSync } from "node:child_process";
import { failuresOf } from "../../test/oracles/matterhorn.ts";
import { archiveFailuresOf } from "../../test/oracles/pdf-archive.ts";
import { Objects } from "../../test/oracles/pdf-objects.ts";

/** What poppler and qpdf read in a printed report of the benchmark. */
export interface Reading {
  pages: number;
  entries: number;
  /** Entries of the contents whose number is not the page of the heading. */
  wrong: string[];
  /** Captions with the number that is due, and references with that number. */
  captions: number;
  references: number;
  /** The number of pages on which a table continues, and of those that repeat its head row. */
  continued: number;
  repeated: number;
  /** Elements of the structure by their type. */
  elements: ReadonlyMap<string, number>;
  /** Entries of the outline. */
  outline: number;
  /** Conditions of PDF/UA-1 and clauses of PDF/A-3b that the file fails. */
  failed: string[];
}

const run = (program: string, ...args: string[]): string =>
  execFileSync(program, args, { encoding: "utf8", maxBuffer: 2 ** 30 });

const ENTRY = /^ *(Chapter \d+|Measured) +(\d+)$/;
const HEADING = /^ *(Chapter \d+|Measured)$/;
const HEAD = /^ *Bollard +North, m/;
const ROW = /^ *\d+\.\d+ +\d+\.\d\d /;

/** The numbers that a pattern finds, in their order. */
const numbersIn = (text: string, pattern: RegExp): number[] =>
  [...text.matchAll(pattern)].map(([, number]) => Number(number));

const inOrder = (numbers: readonly number[]): number => numbers.filter((number, at) => number === at + 1).length;

export function read(file: string): Reading {
  const text = run("pdftotext", "-layout", file, "-");
  const pages = text
    .split("\f")
    .slice(0, -1)
    .map((page) => page.split("\n"));
  const found = (pattern: RegExp) =>
    pages.flatMap((lines, at) =>
      lines.flatMap((line) => {
        const [, title, number] = pattern.exec(line) ?? [];
        return title === undefined ? [] : [{ title, number: Number(number), page: at + 1 }];
      }),
    );
  const [entries, headings] = [found(ENTRY), found(HEADING)];
  const wrong = entries.flatMap(({ title, number }, at) => {
    const heading = headings[at];
    return heading?.title === title && heading.page === number ? [] : [`${title}: ${number}, not ${heading?.page}`];
  });
  // A table of the report has a head and 16 rows, so a page with rows before its first head goes on with a table.
  const firsts = pages.map((lines) => ({
    row: lines.findIndex((line) => ROW.test(line)),
    head: lines.findIndex((line) => HEAD.test(line)),
    begins: lines.some((line) => / *\d+\.0 +\d/.test(line)),
  }));
  const goesOn = firsts.filter(({ row, head, begins }) => row >= 0 && (!begins || head < 0 || head > row));
  const elements = new Map<string, number>();
  for (const [, type = ""] of run("pdfinfo", "-struct", file).matchAll(/^ *([A-Z]\w*)/gm))
    elements.set(type, (elements.get(type) ?? 0) + 1);
  const objects = new Objects(file);
  let outline = 0;
  const count = (item: unknown): void => {
    for (let next = objects.dict(item as string); Object.keys(next).length > 0; next = objects.dict(next["/Next"])) {
      outline += 1;
      count(next["/First"] ?? null);
    }
  };
  count(objects.dict(objects.catalogue["/Outlines"])["/First"] ?? null);
  return {
    pages: pages.length,
    entries: entries.length,
    wrong: [...wrong, ...headings.slice(entries.length).map(({ title }) => `${title}: no entry`)],
    captions: inOrder(numbersIn(text, /^ *Figure (\d+): Fender/gm)),
    references: inOrder(numbersIn(text, /See figure (\d+)\./g)),
    continued: goesOn.length,
    repeated: goesOn.filter(({ row, head }) => head >= 0 && head < row).length,
    elements,
    outline,
    failed: [...Object.keys(failuresOf(objects)), ...Object.keys(archiveFailuresOf(objects, file))],
  };
}
