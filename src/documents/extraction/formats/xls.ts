import { breathe } from "../../../platform/pace";
import { MAX_OFFICE_PARTS, MAX_TABLE_LENGTH, SHEET_TEXT_PER_SLICE } from "../../limits";
import { decoderOf } from "../charsets";
import { CompoundFile, findStream, viewOf, Window } from "../compound/compound";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { ParagraphBuilder } from "../passages";
import { DEFAULT_ENCODING, encodingOfCodepage } from "./rtf-words";
import { RecordStrings } from "./xls-strings";
import { kindOfFormat, kindOfFormatId, type NumberKind, showNumber } from "./xlsx-styles";

/** Types of records (MS-XLS 2.3). */
const TYPE = {
  begin: 0x809,
  end: 0x0a,
  password: 0x2f,
  sheet: 0x85,
  strings: 0xfc,
  continued: 0x3c,
  date1904: 0x22,
  codepage: 0x42,
  format: 0x41e,
  cellFormat: 0xe0,
  sharedLabel: 0xfd,
  label: 0x204,
  richLabel: 0xd6,
  number: 0x203,
  rk: 0x27e,
  rks: 0xbd,
  bool: 0x205,
  formula: 0x06,
  formulaText: 0x207,
  textBox: 0x1b6,
} as const;
const UNICODE_VERSION = 0x600;

interface BiffRecord {
  type: number;
  data: Uint8Array;
}

interface Sheet {
  name: string;
  offset: number;
  isHidden: boolean;
}

interface Workbook {
  isUnicode: boolean;
  encoding: string;
  sheets: Sheet[];
  strings: string[];
  /** By the number of a cell's format. */
  kinds: NumberKind[];
  date1904: boolean;
}

/** The records from an offset to the end of their part of the stream. Parts within it, such as charts, are left out. */
async function* records(window: Window, from: number): AsyncGenerator<BiffRecord[]> {
  let [at, depth, batch, breathed] = [from, 0, [] as BiffRecord[], from];
  for (;;) {
    let head = window.held(at, 4);
    let data = head === undefined ? undefined : window.held(at + 4, viewOf(head).getUint16(2, true));
    if (head === undefined || data === undefined) {
      await breathe(at - breathed);
      breathed = at;
      yield batch;
      batch = [];
      head = await window.read(at, 4);
      if (head.length < 4) throw damaged("The file ends before its text.");
      const length = viewOf(head).getUint16(2, true);
      data = (await window.read(at, 4 + length)).subarray(4);
      if (data.length < length) throw damaged("The file ends before its text.");
    }
    const type = viewOf(head).getUint16(0, true);
    at += 4 + data.length;
    if (type === TYPE.begin) depth++;
    if (depth <= 1) batch.push({ type, data });
    if (type === TYPE.end && --depth <= 0) break;
    if (depth === 0) throw damaged("The file has no workbook.");
  }
  // Sheets that share their records cost as much as others.
  await breathe(at - breathed);
  yield batch;
}

/**
 * Extracts XLS of Excel 5 to 2003 (MS-XLS): a sheet is a page that begins with its name, and a row is a paragraph of its
 * cells, as in XLSX. Comments and text boxes follow the rows. Hidden sheets have numbers, but no text.
 */
export async function* extractXls({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  const file = await CompoundFile.open(source);
  const entry = findStream(file.root, "Workbook") ?? findStream(file.root, "Book");
  if (entry === undefined) throw damaged("The file has no workbook.");
  const window = new Window(await file.stream(entry));
  const workbook = await readWorkbook(window);
  const { sheets } = workbook;
  let length = 0;
  for (let at = from; at < sheets.length; at++) {
    const sheet = sheets[at];
    if (sheet === undefined) break;
    if (sheet.isHidden) continue;
    const paragraphs = new ParagraphBuilder(at + 1);
    paragraphs.add(sheet.name);
    paragraphs.end();
    const reader = new SheetReader(paragraphs, workbook);
    for await (const batch of records(window, sheet.offset)) {
      for (const record of batch) reader.take(record);
      length += paragraphs.size;
      yield* paragraphs.take();
    }
    reader.end();
    length += paragraphs.size;
    yield* paragraphs.take();
    if (length > SHEET_TEXT_PER_SLICE && at + 1 < sheets.length) {
      length = 0;
      yield { kind: "checkpoint", at: at + 1, done: at + 1, total: sheets.length };
    }
  }
  return { pageCount: sheets.length };
}

async function readWorkbook(window: Window): Promise<Workbook> {
  const workbook: Workbook = {
    isUnicode: true,
    encoding: DEFAULT_ENCODING,
    sheets: [],
    strings: [],
    kinds: [],
    date1904: false,
  };
  const custom = new Map<number, NumberKind>();
  const formatIds: number[] = [];
  let kept = 0;
  const shared = new RecordStrings((text) => {
    workbook.strings.push(text);
    kept += text.length + 8;
    if (kept > MAX_TABLE_LENGTH) throw tooLarge("The shared strings of the workbook are larger than 24 MiB.");
  });
  let last = 0;
  for await (const batch of records(window, 0))
    for (const { type, data } of batch) {
      const look = viewOf(data);
      if (type === TYPE.begin) workbook.isUnicode = look.getUint16(0, true) >= UNICODE_VERSION;
      else if (type === TYPE.password) throw new Unreadable("encrypted", "The file is protected with a password.");
      else if (type === TYPE.codepage)
        workbook.encoding = encodingOfCodepage(look.getUint16(0, true)) ?? workbook.encoding;
      else if (type === TYPE.date1904) workbook.date1904 = look.getUint16(0, true) === 1;
      else if (type === TYPE.sheet) addSheet(workbook, data);
      else if (type === TYPE.strings) shared.push(data.subarray(8), false);
      else if (type === TYPE.continued && last === TYPE.strings) shared.push(data, true);
      else if (type === TYPE.format && custom.size < MAX_FORMATS)
        custom.set(look.getUint16(0, true), kindOfFormat(stringIn(data, 2, workbook)));
      else if (type === TYPE.cellFormat && formatIds.length < MAX_FORMATS) formatIds.push(look.getUint16(2, true));
      if (type !== TYPE.continued) last = type;
    }
  workbook.kinds = formatIds.map((id) => custom.get(id) ?? kindOfFormatId(id));
  return workbook;
}

/** Maximum number of cell formats, and of custom number formats. Excel has 4,096. */
const MAX_FORMATS = 70_000;

function addSheet(workbook: Workbook, data: Uint8Array): void {
  if (workbook.sheets.length >= MAX_OFFICE_PARTS)
    throw tooLarge(`The file holds more than ${MAX_OFFICE_PARTS} sheets.`);
  workbook.sheets.push({
    name: stringIn(data, 6, workbook, 1),
    offset: viewOf(data).getUint32(0, true),
    isHidden: ((data[4] ?? 0) & 3) !== 0,
  });
}

/** A string within one record. Before Excel 97, its characters are bytes of the code page. */
function stringIn(data: Uint8Array, at: number, { isUnicode, encoding }: Workbook, lengthBytes = 2): string {
  if (!isUnicode) {
    const length = lengthBytes === 1 ? (data[at] ?? 0) : viewOf(data).getUint16(at, true);
    return decoderOf(encoding).decode(data.subarray(at + lengthBytes, at + lengthBytes + length));
  }
  let found = "";
  const reader = new RecordStrings((text) => {
    found ||= text;
  });
  if (lengthBytes === 1) reader.push(Uint8Array.of(data[at] ?? 0, 0), false);
  reader.push(data.subarray(lengthBytes === 1 ? at + 1 : at), false);
  return found;
}

/** Reads the records of a sheet. */
class SheetReader {
  #row = -1;
  /** The string that the next record continues. */
  #continued: RecordStrings | null = null;
  readonly #boxes: ParagraphBuilder;

  constructor(
    private readonly paragraphs: ParagraphBuilder,
    private readonly workbook: Workbook,
  ) {
    this.#boxes = new ParagraphBuilder(paragraphs.page);
  }

  /** Ends the last row, and adds the comments and the text boxes. */
  end(): void {
    this.paragraphs.row();
    this.#boxes.end();
    this.paragraphs.follow(this.#boxes);
  }

  take({ type, data }: BiffRecord): void {
    if (type === TYPE.continued) {
      this.#continued?.push(data, true);
      return;
    }
    this.#continued = null;
    const look = viewOf(data);
    const { workbook } = this;
    const format = () => look.getUint16(4, true);
    if (type === TYPE.sharedLabel) this.#cell(look, workbook.strings[look.getUint32(6, true)] ?? "");
    else if (type === TYPE.label || type === TYPE.richLabel) this.#cell(look, stringIn(data, 6, workbook));
    else if (type === TYPE.number) this.#cell(look, this.#number(look.getFloat64(6, true), format()));
    else if (type === TYPE.rk) this.#cell(look, this.#number(rkNumber(look.getUint32(6, true)), format()));
    else if (type === TYPE.rks)
      for (let at = 4; at + 8 <= data.length; at += 6)
        this.#cell(look, this.#number(rkNumber(look.getUint32(at + 2, true)), look.getUint16(at, true)));
    else if (type === TYPE.bool) {
      if (data[7] === 0) this.#cell(look, data[6] === 1 ? "TRUE" : "FALSE");
    } else if (type === TYPE.formula) this.#formula(look, format());
    else if (type === TYPE.formulaText) this.#formulaText(data);
    else if (type === TYPE.textBox) this.#textBox(look);
  }

  #number(value: number, format: number): string {
    return showNumber(value, this.workbook.kinds[format] ?? "number", this.workbook.date1904);
  }

  #cell(look: DataView, text: string): void {
    const row = look.getUint16(0, true);
    if (row !== this.#row) this.paragraphs.row();
    this.#row = row;
    const shown = text.replace(/\s+/g, " ").trim();
    if (shown === "") return;
    this.paragraphs.cell();
    this.paragraphs.add(shown);
  }

  /** The result of a formula. A text is in the next record. */
  #formula(look: DataView, format: number): void {
    if (look.getUint16(12, true) !== 0xffff) this.#cell(look, this.#number(look.getFloat64(6, true), format));
    else if (look.getUint8(6) === 1) this.#cell(look, look.getUint8(8) === 1 ? "TRUE" : "FALSE");
    else this.#cell(look, "");
  }

  #formulaText(data: Uint8Array): void {
    const say = (text: string): void => {
      this.paragraphs.cell();
      this.paragraphs.add(text.replace(/\s+/g, " ").trim());
    };
    if (!this.workbook.isUnicode) {
      say(stringIn(data, 0, this.workbook));
      return;
    }
    this.#continued = new RecordStrings(say);
    this.#continued.push(data, false);
  }

  /** A text box or a comment, whose characters are in the next record. */
  #textBox(look: DataView): void {
    const length = look.getUint16(10, true);
    let isSaid = length === 0 || !this.workbook.isUnicode;
    this.#continued = new RecordStrings((text) => {
      if (isSaid) return;
      isSaid = true;
      this.#boxes.add(text);
      this.#boxes.end();
    }, length);
  }
}

/** A number of 30 bits: an integer or the upper part of a floating-point number, either in hundredths or not (MS-XLS 2.5.217). */
function rkNumber(raw: number): number {
  const [isHundredths, isInteger] = [(raw & 1) !== 0, (raw & 2) !== 0];
  const look = new DataView(new ArrayBuffer(8));
  look.setUint32(0, (raw & ~3) >>> 0);
  const value = isInteger ? (raw | 0) >> 2 : look.getFloat64(0);
  return isHundredths ? value / 100 : value;
}
