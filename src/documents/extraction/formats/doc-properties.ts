import { viewOf, type Window } from "../compound/compound";

/** Size of a page of properties, bytes. */
const PAGE_BYTES = 512;
/** Single property modifiers (MS-DOC 2.6): hidden, deleted with tracked changes, and the end of a table row. */
const [HIDDEN, DELETED, ROW_END] = [0x083c, 0x0800, 0x2417];
/** Sizes of the operands of modifiers, bytes, by the upper three bits of their codes. Zero: the first byte says it. */
const OPERAND_BYTES = [1, 1, 2, 4, 2, 2, 0, 3];
const [TABLE_DEFINITION, TAB_CHANGES] = [0xd608, 0xc615];

/** A run of text from one offset of the document stream up to another, and whether it has the property. */
export interface Run {
  end: number;
  is: boolean;
}

/** What a page of properties says: the offsets between its runs, and which runs have the property. */
interface Page {
  number: number;
  offsets: number[];
  has: boolean[];
}

/** Whether a list of modifiers switches one of these on. */
function switches(list: Uint8Array, codes: readonly number[]): boolean {
  const look = viewOf(list);
  let found = false;
  for (let at = 0; at + 3 <= list.length; ) {
    const code = look.getUint16(at, true);
    if (codes.includes(code)) found ||= (list[at + 2] ?? 0) === 1;
    let operand = OPERAND_BYTES[code >> 13] ?? 1;
    if (code === TABLE_DEFINITION) operand = at + 4 <= list.length ? look.getUint16(at + 2, true) + 1 : list.length;
    else if (operand === 0) operand = 1 + (list[at + 2] ?? 0);
    if (code === TAB_CHANGES && list[at + 2] === 0xff) return found;
    at += 2 + operand;
  }
  return found;
}

/**
 * The characters or the paragraphs of a document that have a property (MS-DOC 2.8.5 and 2.8.6). A table names the pages
 * with the properties of ranges of the text; the last page is in memory.
 */
export class TextProperties {
  readonly #starts: number[] = [];
  readonly #pages: number[] = [];
  #page: Page | undefined;

  private constructor(
    private readonly window: Window,
    private readonly kind: "characters" | "paragraphs",
    table: Uint8Array,
  ) {
    const count = Math.max(0, Math.floor((table.length - 4) / 8));
    const look = viewOf(table);
    for (let n = 0; n < count; n++) {
      this.#starts.push(look.getUint32(4 * n, true));
      this.#pages.push(look.getUint32(4 * (count + 1) + 4 * n, true) & 0x3fffff);
    }
  }

  /** The characters that are hidden or deleted. `table` is the PlcBteChpx. */
  static hidden = (window: Window, table: Uint8Array): TextProperties =>
    new TextProperties(window, "characters", table);

  /** The paragraphs that end a row of a table. `table` is the PlcBtePapx. */
  static rowEnds = (window: Window, table: Uint8Array): TextProperties =>
    new TextProperties(window, "paragraphs", table);

  /** The run at an offset of the document stream. It ends at `limit` at the latest. */
  async at(offset: number, limit: number): Promise<Run> {
    const index = lastUpTo(this.#starts, offset);
    if (index < 0) return { end: Math.min(this.#starts[0] ?? limit, limit), is: false };
    const end = Math.min(this.#starts[index + 1] ?? limit, limit);
    const page = await this.#read(this.#pages[index] ?? 0);
    const run = lastUpTo(page.offsets, offset);
    if (run < 0 || run >= page.has.length) return { end: Math.max(offset + 1, end), is: false };
    return { end: Math.max(offset + 1, Math.min(page.offsets[run + 1] ?? end, end)), is: page.has[run] ?? false };
  }

  async #read(number: number): Promise<Page> {
    if (this.#page?.number === number) return this.#page;
    const bytes = await this.window.read(number * PAGE_BYTES, PAGE_BYTES);
    const page: Page = { number, offsets: [], has: [] };
    this.#page = page;
    if (bytes.length < PAGE_BYTES) return page;
    const count = bytes[PAGE_BYTES - 1] ?? 0;
    const entryBytes = this.kind === "characters" ? 1 : 13;
    if (4 * (count + 1) + entryBytes * count >= PAGE_BYTES) return page;
    const look = viewOf(bytes);
    for (let n = 0; n <= count; n++) page.offsets.push(look.getUint32(4 * n, true));
    for (let n = 0; n < count; n++) {
      const place = 2 * (bytes[4 * (count + 1) + entryBytes * n] ?? 0);
      page.has.push(place > 0 && this.#has(bytes, place));
    }
    return page;
  }

  #has(bytes: Uint8Array, place: number): boolean {
    const size = bytes[place] ?? 0;
    if (this.kind === "characters") return switches(bytes.subarray(place + 1, place + 1 + size), [HIDDEN, DELETED]);
    // The size is in words. Zero means that the next byte has it. The number of the style comes before the modifiers.
    const [from, length] = size === 0 ? [place + 2, 2 * (bytes[place + 1] ?? 0)] : [place + 1, 2 * size - 1];
    return switches(bytes.subarray(from + 2, from + length), [ROW_END]);
  }
}

/** The index of the last number of an ascending list that is not greater; -1 if all are. */
export function lastUpTo(list: readonly number[], value: number): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
