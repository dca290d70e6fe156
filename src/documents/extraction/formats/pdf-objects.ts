import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_PDF_STREAM_BYTES } from "../../limits";
import { inflatedSize } from "./inflated-size";
import { endOfString, stringOf } from "./pdf-dictionary";
import { inflated, lineAfter, StreamEnds } from "./pdf-streams";

/** A value of a PDF. A string has one character for each byte. Real numbers, true, false and null become null. */
export type PdfValue = string | number | null | Name | Reference | PdfValue[] | Dictionary;
export type Dictionary = Map<string, PdfValue>;

export class Name {
  constructor(readonly name: string) {}
}

export class Reference {
  constructor(readonly number: number) {}
}

/** The file exceeds a limit of the work for one file. */
export class WorkLimitExceeded extends Error {}

/**
 * Limits for one file: created values, read characters and values (repeated reads count again), characters of object
 * streams, objects, and nesting. They keep the memory beside the file at about 25 MB.
 */
const MAX_VALUES = 200_000;
const MAX_STEPS = 64 * 1024 * 1024;
const MAX_UNPACKED_LENGTH = 16 * 1024 * 1024;
const MAX_OBJECTS = 200_000;
const MAX_DEPTH = 32;

/** Work for an object, in the characters that other parsers read meanwhile. */
const WORK_PER_OBJECT = 64;

const OBJECT = /(\d{1,8})[\0\s]{1,8}\d{1,5}[\0\s]{1,8}obj/g;
const ROOT = /\/Root[\0\s]{1,8}(\d{1,8})[\0\s]{1,8}\d{1,5}[\0\s]{1,8}R/g;
/** Characters of an object in which its dictionary ends, if its stream is noted. */
const MAX_STREAM_HEAD_LENGTH = 1_024;
/** The length of a stream, unless it is in another object. */
const LENGTH = /\/Length[\0\s]{1,8}(\d{1,9})(?!\d|[\0\s]{1,8}\d{1,5}[\0\s]{1,8}R)/;
const ENCRYPTED = /\/Encrypt[\0\s]{1,8}(?:\d{1,8}[\0\s]|<<)/g;
const SKIPPED = /(?:[\0\s]|%[^\r\n]*)*/y;
const REFERENCE = /(\d{1,8})[\0\s]+\d{1,5}[\0\s]+R(?![A-Za-z])/y;
const WORD = /[^\0\s/<>()[\]{}%]+/y;
const NAME = /\/([^\0\s/<>()[\]{}%]*)/y;

interface ObjectPosition {
  text: string;
  at: number;
}

/** The objects of a PDF by number. Each is read once, on demand. If two objects have one number, the later counts. */
export class PdfObjects {
  readonly #places = new Map<number, ObjectPosition>();
  readonly #read = new Map<number, PdfValue>();
  /** The document catalogue, which refers to the page tree. */
  root: PdfValue = null;
  /** Whether a trailer says that the file is encrypted. */
  isEncrypted = false;
  /** Beginnings and ends of the data of streams, in the order of the file. */
  readonly #streams: [number, number][] = [];
  #values = 0;
  #lookedAt = 0;
  #breathedAt = 0;
  #at = 0;

  /** Finds the objects. @throws WorkLimitExceeded. */
  static async of(bytes: Uint8Array): Promise<PdfObjects> {
    const objects = new PdfObjects();
    await objects.#find(bytes);
    return objects;
  }

  async #find(bytes: Uint8Array): Promise<void> {
    const text = latin1(bytes);
    const ends = new StreamEnds(bytes);
    let packed = 0;
    for (const match of text.matchAll(OBJECT)) {
      const at = match.index + match[0].length;
      if (this.#isInStream(match.index)) continue;
      this.#noteStream(bytes, text, at);
      this.#add(Number(match[1]), { text, at });
      await breathe(WORK_PER_OBJECT);
      if (!/^[\0\s]*<<[\s\S]*\/ObjStm/.test(text.slice(at, at + 512))) continue;
      packed += await this.#unpack(bytes, ends, text, at);
      if (packed > MAX_UNPACKED_LENGTH) throw new WorkLimitExceeded();
    }
    for (const match of text.matchAll(ROOT))
      if (!this.#isInStream(match.index)) this.root = new Reference(Number(match[1]));
    this.isEncrypted = text.matchAll(ENCRYPTED).some(({ index }) => !this.#isInStream(index));
  }

  /**
   * Notes where the data of a stream ends, if its length says it and the data does end there: a file that is attached without packing
   * has objects of its own.
   */
  #noteStream(bytes: Uint8Array, text: string, at: number): void {
    const head = text.slice(at, at + MAX_STREAM_HEAD_LENGTH);
    const word = head.indexOf("stream");
    const end = head.indexOf("endobj");
    if (word < 0 || (end >= 0 && end < word)) return;
    const length = LENGTH.exec(head.slice(0, word))?.[1];
    if (length === undefined) return;
    const start = lineAfter(bytes, at + word + 6);
    const behind = start + Number(length);
    if (/^\s*endstream/.test(text.slice(behind, behind + 16))) this.#streams.push([start, behind]);
  }

  /** Whether a place is in the data of a noted stream. */
  #isInStream(place: number): boolean {
    let [low, high] = [0, this.#streams.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#streams[middle]?.[1] ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    const next = this.#streams[low];
    return next !== undefined && next[0] <= place;
  }

  /**
   * The dictionary of a stream and its data as they are in the file; null for another object. Its length counts if the data ends there,
   * because a file within the file can contain the end of a stream.
   */
  stream(reference: Reference, bytes: Uint8Array): { dictionary: Dictionary; data: Uint8Array } | null {
    const place = this.#places.get(reference.number);
    if (place === undefined || place.text.length !== bytes.length) return null;
    this.#at = place.at;
    const dictionary = this.#value(place.text, 0);
    const word = place.text.slice(this.#at, this.#at + 64).search(/^[\0\s]*stream/);
    if (!(dictionary instanceof Map) || word < 0) return null;
    const start = lineAfter(bytes, place.text.indexOf("stream", this.#at) + 6);
    const length = this.resolve(dictionary.get("Length"));
    const isWhole =
      typeof length === "number" && /^\s*endstream/.test(place.text.slice(start + length, start + length + 16));
    const end = isWhole ? start + length : new StreamEnds(bytes).after(start);
    return { dictionary, data: bytes.subarray(start, end) };
  }

  /** Lets other requests run when many characters or values were read. */
  async breathe(): Promise<void> {
    const read = this.#lookedAt - this.#breathedAt;
    this.#breathedAt = this.#lookedAt;
    await breathe(read);
  }

  /** Counts characters or values that are read. @throws WorkLimitExceeded above `MAX_STEPS`. */
  spend(amount: number): void {
    this.#lookedAt += amount;
    if (this.#lookedAt > MAX_STEPS) throw new WorkLimitExceeded();
  }

  /** Returns a value, or the object that it refers to. @throws WorkLimitExceeded. */
  resolve(value: PdfValue | undefined): PdfValue {
    this.spend(1);
    if (!(value instanceof Reference)) return value ?? null;
    const known = this.#read.get(value.number);
    if (known !== undefined) return known;
    const place = this.#places.get(value.number);
    let found: PdfValue = null;
    if (place !== undefined) {
      this.#at = place.at;
      found = this.#value(place.text, 0);
    }
    if (found instanceof Reference) found = null;
    this.#read.set(value.number, found);
    return found;
  }

  dictionary(value: PdfValue | undefined): Dictionary | null {
    const found = this.resolve(value);
    return found instanceof Map ? found : null;
  }

  #add(number: number, place: ObjectPosition): void {
    this.#places.set(number, place);
    if (this.#places.size > MAX_OBJECTS) throw new WorkLimitExceeded();
  }

  /** Adds the objects of an object stream (ISO 32000-1, 7.5.7). @returns their number of characters. */
  async #unpack(bytes: Uint8Array, ends: StreamEnds, text: string, at: number): Promise<number> {
    this.#at = at;
    const dictionary = this.#value(text, 0);
    if (!(dictionary instanceof Map)) return 0;
    const word = text.slice(this.#at, this.#at + 64).search(/stream/);
    const [count, first] = [dictionary.get("N"), dictionary.get("First")];
    if (word < 0 || typeof count !== "number" || typeof first !== "number" || count < 0) return 0;
    const start = lineAfter(bytes, this.#at + word + 6);
    const data = bytes.subarray(start, ends.after(start));
    const filter = dictionary.get("Filter");
    const [only] = Array.isArray(filter) ? filter : [filter];
    const isPacked = only instanceof Name && /^Fl/.test(only.name);
    const content = latin1(isPacked ? inflated(data, await inflatedSize(data, MAX_PDF_STREAM_BYTES)) : data);
    const numbers = content
      .slice(0, first)
      .matchAll(/(\d{1,8})[\0\s]+(\d{1,9})/g)
      .take(count);
    for (const [, number, offset] of numbers) this.#add(Number(number), { text: content, at: first + Number(offset) });
    return content.length;
  }

  /** Reads the value at `#at` and moves `#at` behind it. */
  #value(text: string, depth: number): PdfValue {
    if (++this.#values > MAX_VALUES || depth > MAX_DEPTH) throw new WorkLimitExceeded();
    this.#skip(text);
    const char = text[this.#at];
    if (char === "/") return new Name(this.#name(text));
    if (char === "<" && text[this.#at + 1] === "<") return this.#dictionary(text, depth);
    if (char === "(" || char === "<") return this.#string(text);
    if (char === "[") return this.#array(text, depth);
    const reference = this.#match(REFERENCE, text);
    if (reference !== null) return new Reference(Number(reference[1]));
    const word = this.#match(WORD, text)?.[0];
    if (word === undefined) {
      this.#at++;
      return null;
    }
    return /^[+-]?\d+$/.test(word) ? Number(word) : null;
  }

  #dictionary(text: string, depth: number): Dictionary {
    const found: Dictionary = new Map();
    for (this.#at += 2; ; ) {
      this.#skip(text);
      if (text[this.#at] !== "/") break;
      const name = this.#name(text);
      found.set(name, this.#value(text, depth + 1));
    }
    if (text.startsWith(">>", this.#at)) this.#at += 2;
    return found;
  }

  #array(text: string, depth: number): PdfValue[] {
    const found: PdfValue[] = [];
    for (this.#at++; ; ) {
      this.#skip(text);
      if (this.#at >= text.length || text[this.#at] === "]") break;
      if (text.startsWith("endobj", this.#at)) return found;
      found.push(this.#value(text, depth + 1));
    }
    this.#at++;
    return found;
  }

  #string(text: string): string {
    const found = stringOf(text, this.#at);
    // A string without an end would be scanned to the end of the file each time.
    const end =
      found === null
        ? -1
        : text[this.#at] === "<"
          ? text.indexOf(">", this.#at) + 1
          : (endOfString(text, this.#at) ?? -1);
    if (found === null || end <= 0) throw new WorkLimitExceeded();
    this.spend(end - this.#at);
    this.#at = end;
    return found;
  }

  #name(text: string): string {
    const name = this.#match(NAME, text)?.[1] ?? "";
    return name.replace(/#([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }

  #skip(text: string): void {
    this.#match(SKIPPED, text);
  }

  #match(pattern: RegExp, text: string): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(text);
    if (match !== null) {
      this.spend(match[0].length);
      this.#at = pattern.lastIndex;
    }
    return match;
  }
}
