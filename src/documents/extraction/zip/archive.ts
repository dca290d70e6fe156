import { Inflate } from "fflate";
import { damaged, tooLarge, Unreadable } from "../ending";
import { INFLATE_PIECE, MOST_UNPACKED } from "../limits";
import { type ByteSource, pieces, SourceFailure } from "../source";
import { readDirectory, type ZipEntry } from "./directory";

const LOCAL_HEADER = 30;

/** An archive whose entries are read one at a time, as streams, by ranges of the object. */
export class Archive {
  #unpacked = 0;

  private constructor(
    private readonly source: ByteSource,
    private readonly entries: ReadonlyMap<string, ZipEntry>,
  ) {}

  static async open(source: ByteSource): Promise<Archive> {
    return new Archive(source, await readDirectory(source));
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  names(): string[] {
    return [...this.entries.keys()];
  }

  /**
   * The bytes of an entry, a few MiB at a time; nothing when it is absent.
   * @throws Unreadable encrypted, damaged, or too-large when the archive unpacks to more than its bound.
   */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.entries.get(name.toLowerCase());
    if (entry === undefined) return;
    if (entry.encrypted) throw new Unreadable("encrypted", "The file is protected with a password.");
    if (entry.method !== 0 && entry.method !== 8)
      throw new Unreadable("unsupported", "The file is packed in a way that is not supported.");
    try {
      for await (const piece of this.#stored(entry, entry.method === 8)) {
        this.#unpacked += piece.length;
        if (this.#unpacked > MOST_UNPACKED)
          throw tooLarge("The file unpacks to more than 128 MiB, which is more than is read.");
        yield piece;
      }
    } catch (thrown) {
      if (thrown instanceof Unreadable || thrown instanceof SourceFailure) throw thrown;
      throw damaged("A part of the file cannot be unpacked.", thrown);
    }
  }

  /** A small entry as text, at most `limit` bytes of it. */
  async text(name: string, limit: number): Promise<string> {
    const decoder = new TextDecoder();
    let [text, bytes] = ["", 0];
    for await (const piece of this.read(name)) {
      bytes += piece.length;
      if (bytes > limit) throw tooLarge("A part of the file that describes it is larger than any real one.");
      text += decoder.decode(piece, { stream: true });
    }
    return text + decoder.decode();
  }

  async *#stored(entry: ZipEntry, inflate: boolean): AsyncGenerator<Uint8Array> {
    const header = await this.source.read(entry.headerOffset, LOCAL_HEADER);
    if (header.length < LOCAL_HEADER || header[0] !== 0x50 || header[1] !== 0x4b) throw new Error("no local header");
    const look = new DataView(header.buffer, header.byteOffset, LOCAL_HEADER);
    const start = entry.headerOffset + LOCAL_HEADER + look.getUint16(26, true) + look.getUint16(28, true);
    if (start + entry.compressedSize > this.source.sizeBytes) throw new Error("the entry is cut off");
    const stored = pieces(this.source, start, entry.compressedSize);
    yield* inflate ? inflated(stored, entry.compressedSize) : stored;
  }
}

async function* inflated(compressed: AsyncIterable<Uint8Array>, length: number): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const inflater = new Inflate((bytes) => {
    if (bytes.length > 0) ready.push(bytes);
  });
  let given = 0;
  for await (const piece of compressed)
    for (let at = 0; at < piece.length; at += INFLATE_PIECE) {
      const part = piece.subarray(at, at + INFLATE_PIECE);
      given += part.length;
      inflater.push(part, given === length);
      yield* ready.splice(0);
    }
}
