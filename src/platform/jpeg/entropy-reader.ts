import { codeLength, type HuffmanDecoder, LOOKAHEAD, symbolOf } from "./huffman";
import { JpegError } from "./limits";

/** Size of the window of unstuffed bytes. */
const WINDOW_BYTES = 64 * 1024;
/** Size of the largest MCU, rounded up: 10 blocks × 64 coefficients × (16 bits of code + 15 bits of value). */
const MCU_BYTES = 2560;

/**
 * Reads the entropy-coded segment between two markers (T.81 B.1.1.5) through a window without byte stuffing, so a
 * position is one bit number. Call `refill` before each MCU: then every read within the MCU is safe. After the end of
 * the segment, reads return zeros and `past` is true.
 */
export class EntropyReader {
  readonly window = new Uint8Array(WINDOW_BYTES + 2 * MCU_BYTES);
  readonly view = new DataView(this.window.buffer);
  /** The next bit to be read, from the start of the window. */
  bit = 0;
  /** File offset after the loaded bytes; the offset of the marker when the whole segment is loaded. */
  position = 0;
  /** Bytes of the segment in the window. */
  #filled = 0;
  /** Bytes of the window that may differ from zero. */
  #dirty = 0;
  /** The bit from which the window may contain less than one whole MCU. */
  #refillFrom = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Begins the segment at a file offset. */
  begin(position: number): void {
    this.position = position;
    this.bit = 0;
    this.#filled = 0;
    this.#load();
  }

  /**
   * The file offset after the last byte that was read, for a segment that has ended with `unread` bytes left. In a
   * segment, FF is always followed by more FF and 00, so the bytes can be counted backwards.
   */
  endOfRead(unread: number): number {
    const { bytes } = this;
    let at = this.position;
    for (let left = unread; left > 0; left--) {
      at--;
      if (bytes[at] === 0 && bytes[at - 1] === 0xff) while (bytes[at - 1] === 0xff) at--;
    }
    return at;
  }

  /** Loads bytes so that a whole MCU can be read, if the segment has one. */
  refill(): void {
    if (this.bit < this.#refillFrom) return;
    const used = this.bit >>> 3;
    this.window.copyWithin(0, used, this.#filled);
    this.#filled -= used;
    this.bit &= 7;
    this.#load();
  }

  /** Whether more was read than the segment contains: its data ends too early. */
  get past(): boolean {
    return this.bit > this.#filled << 3;
  }

  /** The number of unread whole bytes in the window. */
  get unread(): number {
    return Math.max(0, (this.#filled << 3) - this.bit) >>> 3;
  }

  /** Ends the segment. Returns the number of unread bytes up to the next marker. */
  finish(): number {
    let unread = this.unread;
    while (this.#refillFrom !== Number.POSITIVE_INFINITY) {
      this.bit = this.#filled << 3;
      this.refill();
      unread += this.unread;
    }
    return unread;
  }

  /** Unstuffs into the window until it is full, or a marker or the end of the file is reached (B.1.1.5 note). */
  #load(): void {
    const { bytes, window } = this;
    let from = this.position;
    let to = this.#filled;
    let ended = false;
    while (to < WINDOW_BYTES) {
      const value = bytes[from];
      if (value === undefined) {
        ended = true;
        break;
      }
      from++;
      if (value === 0xff) {
        const marker = from - 1;
        while (bytes[from] === 0xff) from++;
        if (bytes[from] !== 0) {
          from = marker;
          ended = true;
          break;
        }
        from++;
      }
      window[to++] = value;
    }
    this.position = from;
    this.#filled = to;
    window.fill(0, to, Math.max(to, this.#dirty));
    this.#dirty = to;
    this.#refillFrom = ended ? Number.POSITIVE_INFINITY : (to - MCU_BYTES) << 3;
  }

  /** Decodes one Huffman symbol (F.2.2.3). */
  symbol(table: HuffmanDecoder): number {
    const word = this.view.getInt32(this.bit >>> 3) << (this.bit & 7);
    const entry = table.lookup[word >>> (32 - LOOKAHEAD)]! || this.longEntry(table, word, this.bit);
    this.bit += codeLength(entry);
    table.used[entry] = 1;
    return symbolOf(entry);
  }

  /**
   * The entry of a code that is longer than the lookup. Its bits are the top bits of `word`, read at `bit`. @throws
   * JpegError.
   */
  longEntry(table: HuffmanDecoder, word: number, bit: number): number {
    const entry = table.longEntry(word >>> 16);
    if (entry !== 0) return entry;
    this.bit = bit + 1;
    if (this.past) throw new JpegError("premature-end", `entropy-coded data ends before byte ${this.position}`);
    throw new JpegError("bad-huffman-code", `bits without a code, before byte ${this.position}`);
  }

  /** The next `size` bits (0 to 16) as an unsigned number. */
  receive(size: number): number {
    const value = bitsAt(this.view, this.bit, size);
    this.bit += size;
    return value;
  }
}

/** `size` bits (0 to 16) at a bit of the window as an unsigned number (F.2.2.4, RECEIVE). */
export const bitsAt = (view: DataView, bit: number, size: number): number =>
  size === 0 ? 0 : (view.getInt32(bit >>> 3) << (bit & 7)) >>> (32 - size);

/** The signed value of `size` bits (F.2.2.1, EXTEND). Values that begin with bit 0 are negative. */
export const extend = (value: number, size: number): number =>
  size !== 0 && value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
