import { compoundOf } from "./compound";

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A record of a workbook. */
export function record(type: number, ...data: number[]): Uint8Array {
  return Uint8Array.of(type & 255, type >> 8, data.length & 255, data.length >> 8, ...data);
}

/** A workbook with this many sheets, which share their records, and with records before the sheets. */
export function xlsOf(sheets: number, cells: Uint8Array, globals: readonly Uint8Array[] = []): Uint8Array {
  const begin = (kind: number) => record(0x809, 0, 6, kind, 0);
  const end = record(0x0a);
  const sheetBytes = 4 + 9;
  const head = joined([begin(5), ...globals]);
  const offset = head.length + sheets * sheetBytes + end.length;
  const sheet = record(0x85, offset & 255, (offset >> 8) & 255, (offset >> 16) & 255, offset >> 24, 0, 0, 1, 0, 0x53);
  const list = joined(Array<Uint8Array>(sheets).fill(sheet));
  return compoundOf([{ name: "Workbook", data: joined([head, list, end, begin(16), cells, end]) }]).bytes;
}

/** A document of Word with this text of one byte for each character, which is in this many pieces of the same bytes. */
export function docOf(text: string, pieces = 1): Uint8Array {
  const start = 1_024;
  const main = new Uint8Array(start + text.length);
  const table = new Uint8Array(5 + 4 * (pieces + 1) + 8 * pieces);
  const [look, places] = [new DataView(main.buffer), new DataView(table.buffer)];
  look.setUint16(0, 0xa5ec, true);
  look.setUint32(0x4c, text.length * pieces, true);
  look.setUint32(0x1a2, 0, true);
  look.setUint32(0x1a6, table.length, true);
  main.set(bytesOf(text), start);
  table[0] = 2;
  places.setUint32(1, table.length - 5, true);
  for (let n = 0; n <= pieces; n++) places.setUint32(5 + 4 * n, n * text.length, true);
  for (let n = 0; n < pieces; n++)
    places.setUint32(5 + 4 * (pieces + 1) + 8 * n + 2, (0x40000000 | (start * 2)) >>> 0, true);
  return compoundOf([
    { name: "WordDocument", data: main },
    { name: "0Table", data: table },
  ]).bytes;
}

/** A record of a presentation. */
function atom(flags: number, type: number, data: Uint8Array): Uint8Array {
  const head = new DataView(new ArrayBuffer(8));
  head.setUint16(0, flags, true);
  head.setUint16(2, type, true);
  head.setUint32(4, data.length, true);
  return joined([new Uint8Array(head.buffer), data]);
}

/** A presentation with this many slides, which share these texts. */
export function pptOf(slides: number, texts: readonly string[]): Uint8Array {
  const slide = atom(0xf, 0x03ee, joined(texts.map((text) => atom(0, 0x0fa8, bytesOf(text)))));
  const persist = new Uint8Array(20);
  new DataView(persist.buffer).setUint32(0, 2, true);
  const list = atom(0xf, 0x0ff0, joined(Array<Uint8Array>(slides).fill(atom(0, 0x03f3, persist))));
  const document = atom(0xf, 0x03e8, list);
  const directory = new DataView(new ArrayBuffer(12));
  directory.setUint32(0, (2 << 20) | 1, true);
  directory.setUint32(8, document.length, true);
  const edit = new DataView(new ArrayBuffer(28));
  edit.setUint32(12, document.length + slide.length, true);
  edit.setUint32(16, 1, true);
  const user = new DataView(new ArrayBuffer(20));
  user.setUint32(12, 0xe391c05f, true);
  user.setUint32(16, document.length + slide.length + 20, true);
  const stream = joined([
    document,
    slide,
    atom(0, 0x1772, new Uint8Array(directory.buffer)),
    atom(0, 0x0ff5, new Uint8Array(edit.buffer)),
  ]);
  return compoundOf([
    { name: "Current User", data: new Uint8Array(user.buffer) },
    { name: "PowerPoint Document", data: stream },
  ]).bytes;
}

/** A message whose HTML body has this text. */
export const msgOf = (html: string): Uint8Array =>
  compoundOf([
    { name: "__properties_version1.0", data: new Uint8Array(32) },
    { name: "__substg1.0_10130102", data: bytesOf(html) },
  ]).bytes;

/** Copies of a record, up to this many bytes. */
export const manyRecords = (one: Uint8Array, bytes: number): Uint8Array =>
  joined(Array<Uint8Array>(Math.ceil(bytes / one.length)).fill(one));
