/** Number of bytes of the UTF-8 character that begins with a byte, or 0 (RFC 3629). */
const lengthOf = (lead: number): number =>
  lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;

/** Whether a byte may follow the lead byte of a character as its second byte. */
function canFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0 && second < 0xc0;
  if (lead === 0xed) return second >= 0x80 && second < 0xa0;
  if (lead === 0xf0) return second >= 0x90 && second < 0xc0;
  if (lead === 0xf4) return second >= 0x80 && second < 0x90;
  return second >= 0x80 && second < 0xc0;
}

/** The UTF-8 in bytes: complete characters outside ASCII, invalid bytes, and whether the last character is cut off. */
interface Utf8Count {
  characters: number;
  invalid: number;
  isCut: boolean;
}

/** Counts the characters of UTF-8. A character that the end cuts off is not invalid. */
export function countUtf8(bytes: Uint8Array): Utf8Count {
  const count = { characters: 0, invalid: 0, isCut: false };
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at] ?? 0;
    const length = lengthOf(lead);
    let have = length === 0 ? 0 : 1;
    while (have > 0 && have < length && at + have < bytes.length) {
      const next = bytes[at + have] ?? 0;
      if (have === 1 ? !canFollow(lead, next) : (next & 0xc0) !== 0x80) break;
      have++;
    }
    if (have > 0 && have < length && at + have === bytes.length) {
      count.isCut = true;
      return count;
    }
    if (have === length && length > 1) count.characters++;
    else if (have !== length || length === 0) count.invalid++;
    at += Math.max(1, have);
  }
  return count;
}

/**
 * Whether bytes are UTF-8. Where they may end within a character (the first bytes of a file, or a file that was cut off), a
 * complete character outside ASCII must come before. `isWhole` says that the file ends with the bytes.
 */
export function isUtf8(bytes: Uint8Array, isWhole = true): boolean {
  const { characters, invalid, isCut } = countUtf8(bytes);
  return invalid === 0 && (!isCut || !isWhole || characters > 0);
}
