import { freeChunks } from "./memory";

/** The memory of copied chunks is freed after this number of bytes. */
const FREE_EVERY_BYTES = 1024 * 1024;

/**
 * Collects bytes of unknown length. The memory is reserved once and used only as bytes arrive, so that they are never in
 * memory twice.
 */
export class Collector {
  readonly #reserved: Buffer;
  #length = 0;

  constructor(private readonly maxBytes: number) {
    this.#reserved = Buffer.allocUnsafeSlow(maxBytes);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes so far, without a copy. */
  get bytes(): Buffer {
    return this.#reserved.subarray(0, this.#length);
  }

  /** @returns false when the bytes exceed the maximum; then they are not added */
  add(part: Buffer): boolean {
    if (this.#length + part.length > this.maxBytes) return false;
    part.copy(this.#reserved, this.#length);
    const megabytes = Math.floor(this.#length / FREE_EVERY_BYTES);
    this.#length += part.length;
    if (Math.floor(this.#length / FREE_EVERY_BYTES) > megabytes) freeChunks();
    return true;
  }
}
