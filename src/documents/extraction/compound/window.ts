import { breathe } from "../../../platform/pace";
import { MAX_UNPACKED_BYTES } from "../../limits";
import { type ByteSource, tooLarge } from "../extracted";

/** Number of bytes that are read at once. A record of a spreadsheet has at most as many. */
const WINDOW_BYTES = 68 * 1024;

/**
 * Reads short ranges of a stream, mostly one after another. Parts of a damaged stream can refer to each other again and
 * again, so the bytes of all reads together are limited.
 */
export class Window {
  #start = 0;
  #bytes = new Uint8Array(0);
  #readBytes = 0;

  /** Reads at least `windowBytes` at once. */
  constructor(
    readonly source: ByteSource,
    private readonly windowBytes = WINDOW_BYTES,
  ) {}

  /** A range that is in memory, or undefined. */
  held(offset: number, length: number): Uint8Array | undefined {
    const at = offset - this.#start;
    return at >= 0 && at + length <= this.#bytes.length ? this.#bytes.subarray(at, at + length) : undefined;
  }

  /** Reads a range. It is shorter at the end of the stream. @throws Unreadable too-large. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const held = this.held(offset, length);
    if (held !== undefined) return held;
    this.#start = offset;
    this.#bytes = Uint8Array.from(await this.source.read(offset, Math.max(length, this.windowBytes)));
    this.#readBytes += this.#bytes.length;
    if (this.#readBytes > MAX_UNPACKED_BYTES)
      throw tooLarge("The file unpacks to more than 128 MiB, which is the maximum.");
    await breathe(this.#bytes.length);
    return this.#bytes.subarray(0, length);
  }
}

export const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
