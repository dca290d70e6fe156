import { latin1 } from "../../../platform/latin1";
import type { AssetReader } from "../../../platform/ports";
import { SourceFailure } from "../extracted";
import { find } from "./pdf-streams";

/** Where the build puts the predefined character maps, which are packed as pdf.js reads them. */
const MAPS = "/console/pdf/cmaps/";
/** Maximum number of character maps that one slice reads. Real files have a few; there are some 170. */
const MAX_MAPS = 64;

const word = (text: string): Uint8Array => new TextEncoder().encode(text);
const [UNICODE_GB, OBJECT_END, CNS, GB] = ["/UniGB-", "endobj", "/Ordering (CNS1)", "/Ordering (GB1) "].map(word) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
/** Maximum number of such fonts, and of bytes before and behind the name that are searched for the rest of the font. */
const [MAX_FONTS, MAX_FONT_BYTES] = [256, 8 * 1024];

/**
 * Corrects, in place, fonts that have the codes of one collection of characters and the name of another collection. A widespread library
 * writes Traditional Chinese in this way, and programs that take no text from the codes show it correctly.
 */
export function repairCollections(bytes: Uint8Array): void {
  let fonts = 0;
  for (let at = find(bytes, UNICODE_GB, 0); at >= 0 && fonts++ < MAX_FONTS; at = find(bytes, UNICODE_GB, at + 1)) {
    const start = Math.max(0, at - MAX_FONT_BYTES);
    const end = find(bytes.subarray(at, at + MAX_FONT_BYTES), OBJECT_END, 0);
    const font = bytes.subarray(start, end < 0 ? at : at + end);
    const collection = find(font, CNS, Math.max(0, latin1(font.subarray(0, at - start)).lastIndexOf(" obj")));
    if (collection >= 0) font.set(GB, collection);
  }
}

/**
 * Gives pdf.js the predefined character maps, which say what the codes of a font mean that is not in the file. pdf.js hides
 * a failure and leaves the text out, so `failed` keeps it.
 */
export class CharacterMaps {
  failed: SourceFailure | null = null;
  #read = 0;

  constructor(private readonly readAsset: AssetReader) {}

  /** The options of pdf.js that make it ask this object. */
  options() {
    const read = (fileName: string) => this.#map(fileName);
    return {
      cMapUrl: MAPS,
      cMapPacked: true,
      useWorkerFetch: false,
      BinaryDataFactory: class {
        /** @throws if it is another kind of file: fonts are not needed for the text. */
        async fetch({ kind, filename }: { kind: string; filename: string }): Promise<Uint8Array> {
          if (kind !== "cMapUrl") throw new Error(`no ${kind}`);
          return read(filename);
        }
      },
    };
  }

  async #map(fileName: string): Promise<Uint8Array> {
    if (!/^[\w-]{1,40}\.bcmap$/.test(fileName) || ++this.#read > MAX_MAPS) throw new Error("no such map");
    try {
      const bytes = await this.readAsset(MAPS + fileName);
      if (bytes !== null) return bytes;
      throw new SourceFailure(`the character map ${fileName} is missing`);
    } catch (thrown) {
      this.failed = thrown instanceof SourceFailure ? thrown : new SourceFailure("a character map failed", thrown);
      throw this.failed;
    }
  }
}
