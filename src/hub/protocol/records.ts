import { MAX_MESSAGE_BYTES } from "../limits";
import { lengthAt } from "./messagepack";
import { frameBytes, ProtocolError, type ProtocolName } from "./messages";

const SEPARATOR_BYTE = 0x1e;
const EMPTY = new Uint8Array();

/** A message is larger than MAX_MESSAGE_BYTES, in however many frames it came. */
export class MessageTooLarge extends ProtocolError {
  override name = "MessageTooLarge";
}

/**
 * Splits a client's data into records, independent of its frames: a frame may hold many records, and a record may
 * span many frames. Each byte is read once.
 */
export class RecordReader {
  #bytes: Uint8Array<ArrayBuffer> = EMPTY;
  /** Unread bytes are in `#bytes` from `#from` to `#to`. There is no separator before `#searched`. */
  #from = 0;
  #to = 0;
  #searched = 0;

  /** Whether a record has started and is incomplete. */
  get isMidway(): boolean {
    return this.#to > this.#from;
  }

  push(data: string | ArrayBuffer): void {
    const added = typeof data === "string" ? frameBytes(data) : new Uint8Array(data);
    const held = this.#to - this.#from;
    if (held === 0) {
      [this.#bytes, this.#from, this.#to, this.#searched] = [added, 0, added.length, 0];
      return;
    }
    if (this.#to + added.length > this.#bytes.length) {
      const grown = new Uint8Array(2 * (held + added.length));
      grown.set(this.#bytes.subarray(this.#from, this.#to));
      [this.#bytes, this.#searched, this.#from, this.#to] = [grown, this.#searched - this.#from, 0, held];
    }
    this.#bytes.set(added, this.#to);
    this.#to += added.length;
  }

  /** The next complete record with its framing; null until the rest of it arrives. @throws MessageTooLarge. */
  next(protocol: ProtocolName): Uint8Array | null {
    const end = protocol === "json" ? this.#endOfText() : this.#endOfBinary();
    if ((end ?? this.#to) - this.#from > MAX_MESSAGE_BYTES) throw new MessageTooLarge("Message is too large.");
    if (end === null || end > this.#to) return null;
    const record = this.#bytes.subarray(this.#from, end);
    this.#from = end;
    if (end === this.#to) [this.#bytes, this.#from, this.#to] = [EMPTY, 0, 0];
    return record;
  }

  #endOfText(): number | null {
    const found = this.#bytes.subarray(0, this.#to).indexOf(SEPARATOR_BYTE, Math.max(this.#from, this.#searched));
    if (found >= 0) return found + 1;
    this.#searched = this.#to;
    return null;
  }

  #endOfBinary(): number | null {
    const found = lengthAt(this.#bytes.subarray(0, this.#to), this.#from);
    return found === null ? null : found.begins + found.length;
  }
}
