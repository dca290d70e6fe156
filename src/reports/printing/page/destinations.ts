import { latin1 } from "../../../platform/latin1";

/** The end of the file has the position of the cross-reference table within this many bytes. */
const TRAILER_WITHIN_BYTES = 2 * 1024;
/** Bytes of one row of that table (ISO 32000-1, 7.5.4). */
const ROW_BYTES = 20;
/** Depth of the page tree. Each level of the browser's tree holds several pages, so real trees have a few. */
const MAX_DEPTH = 16;

/** The objects of a PDF as the browser writes it: one plain cross-reference table, and no object streams. */
class PlainObjects {
  readonly #bytes: Uint8Array;
  readonly root: number;
  readonly #rows: number;
  readonly #count: number;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const end = latin1(bytes.subarray(Math.max(0, bytes.length - TRAILER_WITHIN_BYTES)));
    const table = Number(/startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(end)?.[1] ?? Number.NaN);
    const head = Number.isNaN(table) ? null : /^xref\s+0 (\d{1,8})\s+/.exec(latin1(bytes.subarray(table, table + 64)));
    this.#count = Number(head?.[1] ?? 0);
    this.#rows = table + (head?.[0].length ?? 0);
    this.root = Number(/\/Root (\d{1,8}) 0 R/.exec(end.slice(end.lastIndexOf("trailer")))?.[1] ?? 0);
  }

  /** The text of an object, from its first delimiter to `endobj`; empty if the file has no such object. */
  text(number: number): string {
    if (!(number > 0 && number < this.#count)) return "";
    const row = this.#rows + number * ROW_BYTES;
    const start = Number(latin1(this.#bytes.subarray(row, row + 10)));
    if (!(start > 0 && start < this.#bytes.length)) return "";
    return latin1(this.#bytes.subarray(start, this.#endOf(start)));
  }

  #endOf(start: number): number {
    const [e, ...rest] = ENDOBJ;
    for (let at = this.#bytes.indexOf(e, start); at !== -1; at = this.#bytes.indexOf(e, at + 1))
      if (rest.every((byte, n) => this.#bytes[at + 1 + n] === byte)) return at;
    return this.#bytes.length;
  }
}

const ENDOBJ = [..."endobj"].map((char) => char.charCodeAt(0)) as [number, ...number[]];

/** Numbers of the objects of all pages, in their order. */
function pagesBelow(objects: PlainObjects, node: number, found: Map<number, number>, depth = 0): void {
  const text = objects.text(node);
  const kids = /\/Kids \[([^\]]*)\]/.exec(text)?.[1];
  if (kids === undefined) {
    if (!found.has(node)) found.set(node, found.size + 1);
    return;
  }
  if (depth >= MAX_DEPTH) return;
  for (const [, kid] of kids.matchAll(/(\d{1,8}) 0 R/g)) pagesBelow(objects, Number(kid), found, depth + 1);
}

/**
 * Finds the page of each named destination in a PDF that the browser has printed: the targets of the links within the
 * page. It reads only the catalogue, the page tree and the destinations, in place: the work is linear in their size.
 * @returns the numbers of the pages, counted from 1, by the fragment of the address (percent-encoded, without `#`).
 *   Empty if the file has another form.
 */
export function pagesOfDestinations(pdf: Uint8Array): Map<string, number> {
  const objects = new PlainObjects(pdf);
  const catalogue = objects.text(objects.root);
  const [tree, names] = ["Pages", "Dests"].map((key) =>
    Number(new RegExp(`/${key} (\\d{1,8}) 0 R`).exec(catalogue)?.[1] ?? 0),
  );
  const pages = new Map<number, number>();
  if (!tree || !names) return new Map();
  pagesBelow(objects, tree, pages);
  const found = new Map<string, number>();
  for (const [, name = "", page] of objects.text(names).matchAll(/\/([^\s/<>()[\]{}%]*) \[(\d{1,8}) 0 R /g)) {
    const number = pages.get(Number(page));
    const plain = name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    if (number !== undefined) found.set(plain, number);
  }
  return found;
}
