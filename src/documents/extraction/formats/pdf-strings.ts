import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { stringOf } from "./pdf-dictionary";

/** Work for an encrypted string, in the characters that other parsers read meanwhile. */
const WORK_PER_STRING = 128;

/** Decrypts the data of a string in an object. Null if it is not encrypted. */
export type StringCipher = (data: Uint8Array, number: number, generation: number) => Uint8Array | null;

const byteOf = (char: string): number => char.charCodeAt(0);
const [PERCENT, OPEN, CLOSE, LESS, MORE, ESCAPE, LF, CR, SPACE] = Array.from("%()<>\\\n\r ", byteOf) as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];
const [LETTER_O, LETTER_B, LETTER_J, LETTER_D] = Array.from("objd", byteOf);

/**
 * Decrypts the strings of the objects in a range of a PDF, in place, without moving any byte. If the escapes of a
 * decrypted string need more bytes than the encrypted string had, the end of the string is lost.
 */
export async function decryptStrings(bytes: Uint8Array, from: number, to: number, cipher: StringCipher): Promise<void> {
  let object: { number: number; generation: number } | null = null;
  for (let at = from; at < to; ) {
    const byte = bytes[at];
    if (byte === PERCENT) {
      while (at < to && bytes[at] !== LF && bytes[at] !== CR) at++;
    } else if (byte === LETTER_O && bytes[at + 1] === LETTER_B && bytes[at + 2] === LETTER_J) {
      object = bytes[at - 1] === LETTER_D ? null : objectAt(bytes, at);
      at += 3;
    } else if (byte === LESS && bytes[at + 1] === LESS) at += 2;
    else if (byte === OPEN || byte === LESS) {
      const end = byte === OPEN ? endOfLiteral(bytes, at, to) : bytes.subarray(0, to).indexOf(MORE, at) + 1;
      if (end <= at) return;
      await breathe(WORK_PER_STRING + (end - at));
      if (object !== null) rewrite(bytes.subarray(at, end), object, cipher);
      at = end;
    } else at++;
  }
}

/** The object whose word `obj` is at `at`. */
function objectAt(bytes: Uint8Array, at: number): { number: number; generation: number } | null {
  const before = latin1(bytes.subarray(Math.max(0, at - 24), at));
  const [, number, generation] = /(?:^|\D)(\d{1,10})\s+(\d{1,5})\s+$/.exec(before) ?? [];
  return number === undefined ? null : { number: Number(number), generation: Number(generation) };
}

/** The end of the string in parentheses that begins at `from`. 0 if it has no end. */
function endOfLiteral(bytes: Uint8Array, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === ESCAPE) at++;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && --depth === 0) return at + 1;
  }
  return 0;
}

/** Replaces an encrypted string with its decrypted text, and fills the rest with spaces. */
function rewrite(
  room: Uint8Array,
  { number, generation }: { number: number; generation: number },
  cipher: StringCipher,
): void {
  const data = Uint8Array.from(stringOf(latin1(room), 0) ?? "", byteOf);
  const plain = cipher(data, number, generation);
  if (plain === null) return;
  const isHex = room[0] === LESS;
  let at = 1;
  for (const byte of plain) {
    const written = isHex ? byte.toString(16).padStart(2, "0") : literal(byte);
    if (at + written.length >= room.length) break;
    for (const char of written) room[at++] = byteOf(char);
  }
  room[at++] = isHex ? MORE : CLOSE;
  room.fill(SPACE, at);
}

const literal = (byte: number): string => {
  if (byte === CR) return "\\r";
  const char = String.fromCharCode(byte);
  return byte === OPEN || byte === CLOSE || byte === ESCAPE ? `\\${char}` : char;
};
