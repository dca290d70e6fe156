import { breathe } from "../../../platform/pace";
import { MAX_UNPACKED_BYTES } from "../../limits";
import { decoderOf } from "../charsets";
import { CompoundFile, findStream, viewOf, Window } from "../compound/compound";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { TextProperties } from "./doc-properties";
import { MAX_FIELD_LENGTH, rubyBase } from "./ruby";

/** The file information block (MS-DOC 2.5): its mark, the mark of Word 6 and 95, and offsets of its fields. */
const [MARK, OLD_MARK, FIB_BYTES] = [0xa5ec, 0xa5dc, 0x1aa];
const FIB = { flags: 0x0a, characterPages: 0xfa, paragraphPages: 0x102, pieces: 0x1a2 } as const;
const FLAGS = { encrypted: 0x0100, secondTable: 0x0200 } as const;
/** The numbers of characters of the body, notes, headers, comments and text boxes. */
const COUNTS = [0x4c, 0x50, 0x54, 0x58, 0x5c, 0x60, 0x64, 0x68];
/** Maximum size of a table of pieces or of pages of properties, bytes. A file of 100 MiB has 200,000 pages of 8 bytes each. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;
/** Number of bytes of text that are read at once. */
const TEXT_BYTES = 32 * 1024;
/** Work for a run of text, in the characters that other parsers read meanwhile. */
const WORK_PER_RUN = 32;
/** Number of bytes that are read ahead of what is in no order. */
const SCATTERED_BYTES = 4 * 1024;

/** A part of the text: its characters have one or two bytes from an offset of the document stream on. */
interface Piece {
  length: number;
  offset: number;
  width: 1 | 2;
}

/**
 * Extracts DOC of Word 97 to 2003 (MS-DOC): the body, then notes, headers, comments and text boxes. It leaves out deleted
 * and hidden text, and the codes of fields. A fast-saved file has its text in many pieces. It has no pages.
 */
export async function* extractDoc({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const file = await CompoundFile.open(source);
  const main = findStream(file.root, "WordDocument");
  if (main === undefined) throw damaged("The file has no text part.");
  // The pieces of a fast-saved file are in no order.
  const window = new Window(await file.stream(main), SCATTERED_BYTES);
  const fib = (await window.read(0, FIB_BYTES)).slice();
  if (fib.length < FIB_BYTES) throw damaged("The file ends before its text.");
  const look = viewOf(fib);
  const flags = look.getUint16(FIB.flags, true);
  if (look.getUint16(0, true) === OLD_MARK)
    throw new Unreadable(
      "unsupported",
      "The service cannot extract text from Word formats before 97. Save the file in a current format and upload it again.",
    );
  if (look.getUint16(0, true) !== MARK) throw damaged("The file cannot be read.");
  if ((flags & FLAGS.encrypted) !== 0) throw new Unreadable("encrypted", "The file is protected with a password.");
  const name = (flags & FLAGS.secondTable) === 0 ? "0Table" : "1Table";
  const entry = findStream(file.root, name);
  if (entry === undefined) throw damaged("The file ends before its text.");
  const table = await file.stream(entry);
  const part = async (field: number): Promise<Uint8Array> => {
    const [offset, length] = [look.getUint32(field, true), look.getUint32(field + 4, true)];
    if (length > MAX_TABLE_BYTES) throw tooLarge("A part that describes the file is too large.");
    return table.read(offset, length);
  };
  // Pages of properties are elsewhere in the stream than the text.
  const beside = () => new Window(window.source, SCATTERED_BYTES);
  const hidden = TextProperties.hidden(beside(), await part(FIB.characterPages));
  const rowEnds = TextProperties.rowEnds(beside(), await part(FIB.paragraphPages));
  const pieces = piecesIn(await part(FIB.pieces));
  const count = COUNTS.reduce((sum, field) => sum + look.getUint32(field, true), 0);
  const reader = new TextReader(rowEnds);
  for await (const { text, offset, width } of visible(window, pieces, count, hidden)) {
    await reader.add(text, offset, width);
    yield* reader.paragraphs.take();
  }
  reader.paragraphs.row();
  yield* reader.paragraphs.take();
  return { pageCount: null };
}

/** Reads the table of pieces (MS-DOC 2.9.38 and 2.8.35), which comes after lists of modifiers. */
function* piecesIn(clx: Uint8Array): Generator<Piece> {
  const look = viewOf(clx);
  let at = 0;
  while (clx[at] === 1 && at + 3 <= clx.length) at += 3 + look.getUint16(at + 1, true);
  if (clx[at] !== 2 || at + 5 > clx.length) throw damaged("The file ends before its text.");
  const size = Math.min(look.getUint32(at + 1, true), clx.length - at - 5);
  const count = Math.floor((size - 4) / 12);
  const [positions, descriptors] = [at + 5, at + 5 + 4 * (count + 1)];
  for (let n = 0; n < count; n++) {
    const length = look.getUint32(positions + 4 * n + 4, true) - look.getUint32(positions + 4 * n, true);
    if (length <= 0) continue;
    const place = look.getUint32(descriptors + 8 * n + 2, true);
    const isNarrow = (place & 0x40000000) !== 0;
    const offset = place & 0x3fffffff;
    yield { length, offset: isNarrow ? offset / 2 : offset, width: isNarrow ? 1 : 2 };
  }
}

interface Shown {
  text: string;
  offset: number;
  width: 1 | 2;
}

/** The text of the pieces that is not hidden, up to a number of characters, in parts with their offsets in the stream. */
async function* visible(
  window: Window,
  pieces: Iterable<Piece>,
  count: number,
  hidden: TextProperties,
): AsyncGenerator<Shown> {
  let [left, readBytes] = [count, 0];
  for (const { length, offset, width } of pieces) {
    const end = offset + Math.min(length, left) * width;
    left -= Math.min(length, left);
    for (let at = offset; at < end; ) {
      const run = await hidden.at(at, end);
      await breathe(WORK_PER_RUN);
      // A range ends after a whole character.
      const stop = Math.min(end, at + Math.max(1, Math.ceil((run.end - at) / width)) * width);
      for (; at < stop && !run.is; at += Math.min(TEXT_BYTES, stop - at)) {
        const size = Math.min(TEXT_BYTES, stop - at);
        const bytes = await window.read(at, size);
        if (bytes.length < size) throw damaged("The file ends before its text.");
        readBytes += size;
        await breathe(size);
        if (readBytes > MAX_UNPACKED_BYTES)
          throw tooLarge("The file unpacks to more than 128 MiB, which is the maximum.");
        yield { text: decoderOf(width === 1 ? "windows-1252" : "utf-16le").decode(bytes), offset: at, width };
      }
      at = stop;
    }
  }
}

/** Characters with a meaning (MS-DOC 2.4.1 and 2.8.25). */
const [CELL_END, LINE_BREAK, PAGE_BREAK, PARAGRAPH_END] = ["\x07", "\x0b", "\x0c", "\r"];
const [FIELD_BEGIN, FIELD_SEPARATOR, FIELD_END] = ["\x13", "\x14", "\x15"];
const NONBREAKING_HYPHEN = "\x1e";
const MARKS = new RegExp(
  `([${CELL_END}${LINE_BREAK}${PAGE_BREAK}${PARAGRAPH_END}${FIELD_BEGIN}${FIELD_SEPARATOR}${FIELD_END}${NONBREAKING_HYPHEN}])`,
);
/** Maximum nesting of fields. */
const MAX_FIELDS = 1_000;

/** Makes paragraphs and rows of tables of the text. */
class TextReader {
  readonly paragraphs = new ParagraphBuilder();
  /** The open fields, each with whether its code is being read. */
  readonly #fields: boolean[] = [];
  #codes = 0;
  #code = "";

  constructor(private readonly rowEnds: TextProperties) {}

  async add(text: string, offset: number, width: number): Promise<void> {
    let at = 0;
    for (const part of text.split(MARKS)) {
      if (part.length === 1 && MARKS.test(part)) await this.#mark(part, offset + at * width);
      else if (this.#codes > 0) this.#code = (this.#code + part).slice(0, MAX_FIELD_LENGTH);
      else this.paragraphs.add(part);
      at += part.length;
    }
  }

  async #mark(mark: string, offset: number): Promise<void> {
    if (mark === FIELD_BEGIN) this.#openField();
    else if (mark === FIELD_SEPARATOR) this.#endCode();
    else if (mark === FIELD_END) {
      this.#endCode();
      this.#fields.pop();
    } else if (this.#codes > 0) return;
    else if (mark === CELL_END) {
      if ((await this.rowEnds.at(offset, offset + 1)).is) this.paragraphs.row();
      else this.paragraphs.cell();
    } else if (mark === LINE_BREAK) this.paragraphs.space();
    else if (mark === NONBREAKING_HYPHEN) this.paragraphs.add("-");
    else if (mark === PARAGRAPH_END || mark === PAGE_BREAK) this.paragraphs.end();
  }

  #openField(): void {
    if (this.#fields.length >= MAX_FIELDS) throw damaged("The elements in a part of the file are nested too deep.");
    this.#fields.push(true);
    if (this.#codes++ === 0) this.#code = "";
  }

  #endCode(): void {
    if (this.#fields.at(-1) !== true) return;
    this.#fields.splice(-1, 1, false);
    if (--this.#codes === 0) this.paragraphs.add(rubyBase(this.#code));
  }
}
