import { lengthAt } from "./messagepack";
import { frameBytes, ProtocolError, type ProtocolName } from "./messages";

/** Largest message a client may send, bytes, with what frames it; the limit ASP.NET Core has by default. */
export const MAX_MESSAGE_BYTES = 32 * 1024;

const SEPARATOR_BYTE = 0x1e;
const EMPTY = new Uint8Array();

/** One message is larger than messages may be, however many frames carry it. */
export class MessageTooLarge extends ProtocolError {
  override name = "MessageTooLarge";
}

/**
 * Cuts what a client sends into records, wherever its frames begin and end: a frame may hold many records, and a
 * record may come in many frames. Each byte is looked at once.
 */
export class RecordReader {
  #bytes: Uint8Array<ArrayBuffer> = EMPTY;
  /** What is not read yet lies in `#bytes` from here to there; no separator lies before `#searched`. */
  #from = 0;
  #to = 0;
  #searched = 0;

  /** Whether a record has begun and not ended. */
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

  /** The next whole record, with what frames it; null until the rest of it has come. @throws MessageTooLarge. */
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
