import { breathe } from "../../../platform/pace";
import { damaged } from "../extracted";

/** The first contents of the dictionary (MS-OXRTFCP 2.1.2.1). */
const FIRST_WORDS =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par \\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx";
const DICTIONARY_BYTES = 4_096;
const HEADER_BYTES = 16;
const [COMPRESSED, UNCOMPRESSED] = [0x75465a4c, 0x414c454d];
const WORK_BYTES = 16 * 1024;

/**
 * Unpacks the RTF body of a message (MS-OXRTFCP 2.2) up to `limit` bytes. A file that was cut off gives the text until
 * there. @throws Unreadable damaged.
 */
export async function unpackRtf(packed: Uint8Array, limit: number): Promise<Uint8Array> {
  if (packed.length < HEADER_BYTES) throw damaged("The mail cannot be read.");
  const look = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const size = Math.min(look.getUint32(4, true), limit);
  const kind = look.getUint32(8, true);
  if (kind === UNCOMPRESSED) return packed.subarray(HEADER_BYTES, HEADER_BYTES + size);
  if (kind !== COMPRESSED) throw damaged("The mail cannot be read.");
  const dictionary = new Uint8Array(DICTIONARY_BYTES);
  dictionary.set(new TextEncoder().encode(FIRST_WORDS));
  let [write, at, done, worked] = [FIRST_WORDS.length, HEADER_BYTES, 0, 0];
  // A reference of two bytes gives at most 17 bytes. This bounds the memory for a size that the file claims.
  const unpacked = new Uint8Array(Math.min(size, (packed.length - HEADER_BYTES) * 9));
  const put = (byte: number): void => {
    dictionary[write] = byte;
    write = (write + 1) % DICTIONARY_BYTES;
    if (done < unpacked.length) unpacked[done++] = byte;
  };
  while (at < packed.length && done < unpacked.length) {
    const control = packed[at++] ?? 0;
    for (let bit = 0; bit < 8 && at < packed.length; bit++) {
      if ((control & (1 << bit)) === 0) {
        put(packed[at++] ?? 0);
        continue;
      }
      const reference = ((packed[at] ?? 0) << 8) | (packed[at + 1] ?? 0);
      at += 2;
      const offset = reference >> 4;
      if (offset === write) return unpacked.subarray(0, done);
      for (let n = 0; n < (reference & 0xf) + 2; n++) put(dictionary[(offset + n) % DICTIONARY_BYTES] ?? 0);
    }
    if (done - worked < WORK_BYTES) continue;
    await breathe(done - worked);
    worked = done;
  }
  return unpacked.subarray(0, done);
}
