import type { Element, Kid } from "./structure";
import { UnknownForm } from "./syntax";

/** What keeps a PDF from being accessible: the element, and a sentence about it for a number of its page. */
export interface Finding {
  element: Element;
  say(page: number): string;
}

const elementsOf = (kids: readonly Kid[]): Element[] => kids.filter((kid) => kid.kind === "element");

function* below(element: Element): Generator<Element> {
  yield element;
  for (const kid of element.kids) if (kid.kind === "element") yield* below(kid);
}

function* headingsOf(root: Element): Generator<Finding> {
  let before = 0;
  for (const element of below(root)) {
    const level = Number(/^H([1-6])$/.exec(element.type)?.[1] ?? 0);
    if (level === 0) continue;
    const last = before;
    before = level;
    if (last === 0 && level > 1)
      yield {
        element,
        say: () => `The first heading of the report has level ${level}. Begin with a heading of level 1.`,
      };
    else if (level > last + 1)
      yield {
        element,
        say: () => `A heading of level ${level} comes after one of level ${last}. Do not skip a level.`,
      };
  }
}

/** Squares of one table: a cell can cover 65,534 rows and 1,000 columns. */
const MAX_SQUARES = 1_000_000;

/** Whether all rows of a table have the same columns. @throws UnknownForm for a table that is too large */
function isRegular(rows: readonly Element[]): boolean {
  const taken: (1 | undefined)[][] = rows.map(() => []);
  let squares = 0;
  for (const [at, row] of rows.entries()) {
    let column = 0;
    for (const cell of elementsOf(row.kids)) {
      squares += cell.rows * cell.columns;
      if (squares > MAX_SQUARES) throw new UnknownForm("a table of the PDF is too large");
      while (taken[at]?.[column]) column++;
      for (let down = 0; down < cell.rows; down++) {
        const line = taken[at + down];
        if (line === undefined) return false;
        for (let across = 0; across < cell.columns; across++) {
          if (line[column + across]) return false;
          line[column + across] = 1;
        }
      }
      column += cell.columns;
    }
  }
  const width = taken[0]?.length ?? 0;
  return taken.every((line) => line.length === width && !line.includes(undefined));
}

function* tableOf(table: Element): Generator<Finding> {
  const groups = elementsOf(table.kids).filter(({ type }) => /^T(Head|Body|Foot)$/.test(type));
  const rows = [table, ...groups].flatMap((holder) => elementsOf(holder.kids).filter(({ type }) => type === "TR"));
  const cells = rows.flatMap((row) => elementsOf(row.kids));
  const isWhole =
    elementsOf(table.kids).every(({ type }) => /^(TR|THead|TBody|TFoot|Caption)$/.test(type)) &&
    cells.every(({ type }) => type === "TH" || type === "TD");
  if (!isWhole)
    yield { element: table, say: () => "The table has parts that are no rows and no cells. Correct its HTML." };
  else if (!cells.some(({ type }) => type === "TH"))
    yield { element: table, say: () => "The table has no header cells. Write its headings as <th>." };
  else if (!isRegular(rows))
    yield { element: table, say: () => "The rows of the table do not have the same number of columns. Complete them." };
  else if (cells.some(({ type, hasScope }) => type === "TH" && !hasScope))
    yield {
      element: table,
      say: () => "A header cell of the table has no scope. Write <th scope=col> or <th scope=row>.",
    };
}

/** Finds what a program can find against PDF/UA-1 in the structure of a PDF. */
export function* findingsOf(root: Element): Generator<Finding> {
  yield* headingsOf(root);
  for (const element of below(root)) {
    if (element.type === "Table") yield* tableOf(element);
    else if (element.type === "Figure" && !element.hasAlternative)
      yield {
        element,
        say: (page) =>
          `A picture on page ${page} has no alternative text. Write what it shows into alt, or alt="" for decoration.`,
      };
    else if (element.type === "Formula" && !element.hasAlternative)
      yield { element, say: (page) => `A formula on page ${page} has no alternative text. Write it into aria-label.` };
    else if (/^(TR|TD|TH|THead|TBody|TFoot)$/.test(element.type) && !isInTable(element))
      yield { element, say: (page) => `A cell on page ${page} is outside of a table. Correct its HTML.` };
  }
}

function isInTable({ type, parent }: Element): boolean {
  const above = parent?.type ?? "";
  if (type === "TR") return /^(Table|THead|TBody|TFoot)$/.test(above);
  return type === "TD" || type === "TH" ? above === "TR" : above === "Table";
}
