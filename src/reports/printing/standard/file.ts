import { latin1 } from "../../../platform/latin1";
import { type Dict, Reader, Ref, UnknownForm, type Value, written } from "./syntax";

/** The end of the file has the position of the cross-reference table within this many bytes. */
const TRAILER_WITHIN_BYTES = 2 * 1024;
/** Bytes of one row of that table (ISO 32000-1, 7.5.4). */
const ROW_BYTES = 20;
/** Bytes of an object that are read at first: nearly all objects are shorter. */
const HEAD_BYTES = 512;
/** The longest object without its stream, bytes. */
const MAX_OBJECT_BYTES = 8 * 1024 * 1024;

const encode = (text: string): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
};

/** A new form of an object: its value as it is written, which takes less memory than the value, and its stream. */
interface Change {
  text: string;
  stream: Uint8Array | null;
}

/**
 * A PDF as the browser writes it: one plain cross-reference table, and no object streams. Its objects are read one by
 * one. A changed file is written from the ranges of the old one and the changed objects.
 */
export class PdfFile {
  readonly bytes: Uint8Array;
  /** Where each object begins, by its number; 0 without one. */
  readonly #starts: Uint32Array;
  /** Where the next object or the table begins, by the number of the object. */
  readonly #ends: Uint32Array;
  readonly #inOrder: number[];
  readonly #changes = new Map<number, Change>();
  readonly #table: number;
  #size: number;
  readonly trailer: Dict;

  /** @throws UnknownForm */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const end = latin1(bytes.subarray(Math.max(0, bytes.length - TRAILER_WITHIN_BYTES)));
    const table = Number(/startxref\s+(\d{1,10})\s+%%EOF\s*$/.exec(end)?.[1] ?? Number.NaN);
    const head = Number.isNaN(table) ? null : /^xref\s+0 (\d{1,8})\s+/.exec(latin1(bytes.subarray(table, table + 64)));
    const at = end.lastIndexOf("trailer");
    if (head === null || at === -1) throw new UnknownForm("the PDF has another table of its objects");
    this.#table = table;
    this.#size = Number(head[1]);
    if (table + this.#size * ROW_BYTES > bytes.length)
      throw new UnknownForm("the PDF has another table of its objects");
    const trailer = new Reader(end, at + "trailer".length).value();
    if (!(trailer instanceof Map)) throw new UnknownForm("the PDF has another end");
    this.trailer = trailer;
    this.#starts = new Uint32Array(this.#size);
    this.#ends = new Uint32Array(this.#size);
    const rows = latin1(bytes.subarray(table + head[0].length, table + head[0].length + this.#size * ROW_BYTES));
    for (let number = 1; number < this.#size; number++) {
      const row = rows.slice(number * ROW_BYTES, number * ROW_BYTES + ROW_BYTES);
      const start = Number(row.slice(0, 10));
      if (row[17] === "n" && start > 0 && start < table) this.#starts[number] = start;
    }
    this.#inOrder = [...this.#starts.keys()]
      .filter((number) => this.#starts[number] !== 0)
      .sort((one, other) => (this.#starts[one] ?? 0) - (this.#starts[other] ?? 0));
    this.#inOrder.forEach((number, n) => {
      this.#ends[number] = this.#starts[this.#inOrder[n + 1] ?? 0] || table;
    });
  }

  /** The numbers of all objects. */
  get numbers(): readonly number[] {
    return this.#inOrder;
  }

  /** An object, and where the bytes of its stream begin, or 0. */
  #read(number: number): { value: Value; stream: number } {
    const start = this.#starts[number] ?? 0;
    const end = this.#ends[number] ?? 0;
    if (start === 0) return { value: null, stream: 0 };
    for (let size = HEAD_BYTES; ; size *= 16) {
      const text = latin1(this.bytes.subarray(start, Math.min(end, start + size)));
      try {
        const reader = new Reader(text, text.indexOf("obj") + 3);
        const value = reader.value();
        if (start + reader.at + 32 > start + text.length && start + text.length < end) throw new UnknownForm("cut");
        const hasStream = reader.takes("stream");
        if (hasStream) reader.at += text[reader.at] === "\r" ? 2 : 1;
        return { value, stream: hasStream ? start + reader.at : 0 };
      } catch (thrown) {
        if (start + size >= end || size > MAX_OBJECT_BYTES) throw thrown;
      }
    }
  }

  /** The object that a value refers to, or the value itself. A missing object is null. */
  get(value: Value | undefined): Value {
    if (!(value instanceof Ref)) return value ?? null;
    const change = this.#changes.get(value.number);
    return change === undefined ? this.#read(value.number).value : new Reader(change.text).value();
  }

  /** A dictionary; an empty one if the value is another. */
  dict(value: Value | undefined): Dict {
    const found = this.get(value);
    return found instanceof Map ? found : new Map();
  }

  /** A list; a single value is a list of one. */
  list(value: Value | undefined): Value[] {
    const found = this.get(value);
    return Array.isArray(found) ? found : found === null ? [] : [value as Value];
  }

  /** The stored bytes of a stream. */
  stored(number: number): Uint8Array {
    const { value, stream } = this.#read(number);
    const length = value instanceof Map ? this.get(value.get("Length")) : null;
    if (stream === 0 || typeof length !== "number" || stream + length > this.bytes.length)
      throw new UnknownForm("a stream of the PDF has another form");
    return this.bytes.subarray(stream, stream + length);
  }

  /** The bytes of a stream, unpacked. @throws UnknownForm when it is longer than `most` or packed in another way. */
  async unpacked(number: number, most: number): Promise<Uint8Array> {
    const stored = this.stored(number);
    const filter = this.dict(new Ref(number)).get("Filter") ?? null;
    if (filter === null) return stored;
    if (filter !== "/FlateDecode") throw new UnknownForm("a stream of the PDF is packed in another way");
    const reader = new Blob([stored as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new DecompressionStream("deflate"))
      .getReader();
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > most) {
        await reader.cancel();
        throw new UnknownForm("the content of a page is too long");
      }
      chunks.push(value);
    }
    return joined(chunks, size);
  }

  /** Replaces an object. `stream` null: an object without a stream. */
  set(number: number, value: Value, stream: Uint8Array | null = null): void {
    if (stream !== null && value instanceof Map) value.set("Length", stream.length);
    this.#changes.set(number, { text: written(value), stream });
  }

  /** Replaces the content of a stream, packed. */
  async setPacked(number: number, value: Dict, content: Uint8Array): Promise<void> {
    const packed = await new Response(
      new Blob([content as Uint8Array<ArrayBuffer>]).stream().pipeThrough(new CompressionStream("deflate")),
    ).arrayBuffer();
    value.set("Filter", "/FlateDecode");
    value.delete("DecodeParms");
    this.set(number, value, new Uint8Array(packed));
  }

  /** A number for a new object. */
  add(value: Value = null, stream: Uint8Array | null = null): Ref {
    this.set(this.#size, value, stream);
    return new Ref(this.#size++);
  }

  #form(number: number, { text, stream }: Change): Uint8Array[] {
    const head = `${number} 0 obj\n${text}`;
    if (stream === null) return [encode(`${head}\nendobj\n`)];
    return [encode(`${head} stream\n`), stream, encode("\nendstream\nendobj\n")];
  }

  /** The changed file, with this version in its header. @throws UnknownForm when it is longer than `most` bytes */
  write(version: string, most: number): Uint8Array<ArrayBuffer> {
    const parts: Uint8Array[] = [];
    let size = 0;
    const push = (...pieces: Uint8Array[]) => {
      for (const piece of pieces) size += piece.length;
      parts.push(...pieces);
    };
    const first = this.#starts[this.#inOrder[0] ?? 0] ?? 0;
    const header = encode(`%PDF-${version}`);
    push(header, this.bytes.subarray(header.length, first));
    const offsets = new Uint32Array(this.#size);
    let [kept, until] = [first, first];
    for (const number of this.#inOrder) {
      const start = this.#starts[number] ?? 0;
      const change = this.#changes.get(number);
      if (change === undefined) {
        offsets[number] = size + start - kept;
        until = this.#ends[number] ?? 0;
        continue;
      }
      push(this.bytes.subarray(kept, until));
      kept = until = this.#ends[number] ?? 0;
      offsets[number] = size;
      push(...this.#form(number, change));
    }
    push(this.bytes.subarray(kept, this.#table));
    for (const [number, change] of this.#changes)
      if (number >= this.#starts.length) {
        offsets[number] = size;
        push(...this.#form(number, change));
      }
    const rows = [...offsets].map((offset, number) =>
      number === 0 || offset === 0 ? "0000000000 65535 f \n" : `${String(offset).padStart(10, "0")} 00000 n \n`,
    );
    this.trailer.set("Size", this.#size);
    const table = `xref\n0 ${this.#size}\n${rows.join("")}trailer\n${written(this.trailer)}\nstartxref\n${size}\n%%EOF\n`;
    push(encode(table));
    if (size > most) throw new UnknownForm("the completed PDF is too large");
    return joined(parts, size);
  }
}

function joined(parts: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
