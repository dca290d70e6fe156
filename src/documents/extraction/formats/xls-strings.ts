import { latin1 } from "../../../platform/latin1";

/** Flags of a string: two bytes for each character, a phonetic reading behind it, formatting runs behind it. */
const [WIDE, HAS_READING, HAS_RUNS] = [1, 4, 8];
const RUN_BYTES = 4;

type Field = "length" | "flags" | "runs" | "reading" | "characters" | "rest";
const FIELD_BYTES: Readonly<Record<Field, number>> = {
  length: 2,
  flags: 1,
  runs: 2,
  reading: 4,
  characters: 0,
  rest: 0,
};

/**
 * Reads strings of BIFF8 that go on in further records (MS-XLS 2.5.293 and 2.5.296). If characters go on in a record, it
 * begins with the flags of the rest.
 */
export class RecordStrings {
  #field: Field;
  #flags = 0;
  #open = "";
  /** Characters that are missing, bytes behind them, and bytes of the open field with their number. */
  #missing = 0;
  #rest = 0;
  #value = 0;
  #valueBytes = 0;

  /** `length` is the number of characters if a record before it says that, as for text boxes. */
  constructor(
    private readonly say: (text: string) => void,
    length?: number,
  ) {
    this.#field = length === undefined ? "length" : "characters";
    this.#missing = length ?? 0;
  }

  /** Reads a record, or the rest of one that the last record began. */
  push(bytes: Uint8Array, isContinued: boolean): void {
    let at = 0;
    if (isContinued && this.#field === "characters" && bytes.length > 0) this.#flags = bytes[at++] ?? 0;
    while (at < bytes.length) at = this.#step(bytes, at);
  }

  #step(bytes: Uint8Array, at: number): number {
    if (this.#field === "characters") return this.#characters(bytes, at);
    if (this.#field === "rest") {
      const skipped = Math.min(this.#rest, bytes.length - at);
      this.#rest -= skipped;
      if (this.#rest === 0) this.#field = "length";
      return at + skipped;
    }
    this.#value += (bytes[at] ?? 0) * 2 ** (8 * this.#valueBytes++);
    if (this.#valueBytes === FIELD_BYTES[this.#field]) this.#take(this.#field, this.#value);
    return at + 1;
  }

  #take(field: Field, value: number): void {
    [this.#value, this.#valueBytes] = [0, 0];
    if (field === "length") [this.#missing, this.#rest, this.#open] = [value, 0, ""];
    else if (field === "flags") this.#flags = value;
    else if (field === "runs") this.#rest += value * RUN_BYTES;
    else this.#rest += value;
    this.#field = this.#fieldAfter(field);
    if (this.#field === "characters" && this.#missing === 0) this.#finish();
  }

  #fieldAfter(field: Field): Field {
    if (field === "length") return "flags";
    if (field === "flags" && (this.#flags & HAS_RUNS) !== 0) return "runs";
    if (field !== "reading" && (this.#flags & HAS_READING) !== 0) return "reading";
    return "characters";
  }

  #characters(bytes: Uint8Array, at: number): number {
    const width = (this.#flags & WIDE) === 0 ? 1 : 2;
    const count = Math.min(this.#missing, Math.floor((bytes.length - at) / width));
    const raw = bytes.subarray(at, at + count * width);
    this.#open +=
      width === 1 ? latin1(raw) : new TextDecoder("utf-16le", { fatal: false, ignoreBOM: true }).decode(raw);
    this.#missing -= count;
    if (this.#missing === 0) this.#finish();
    // Half a character at the end of a record is lost.
    return count === 0 && this.#missing > 0 ? bytes.length : at + count * width;
  }

  #finish(): void {
    this.say(this.#open);
    this.#open = "";
    this.#field = this.#rest > 0 ? "rest" : "length";
  }
}
