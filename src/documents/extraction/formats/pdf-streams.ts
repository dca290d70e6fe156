export const STREAM = new TextEncoder().encode("stream");
export const END_OF_STREAM = new TextEncoder().encode("endstream");

/** Whether the word `stream` at `at` is the end of `endstream`. */
export const isEnd = (bytes: Uint8Array, at: number): boolean =>
  bytes[at - 3] === 0x65 && bytes[at - 2] === 0x6e && bytes[at - 1] === 0x64;

/** Where the data that begins at `start` ends: before the next `endstream`, or with the file. */
export function endOf(bytes: Uint8Array, start: number): number {
  const end = find(bytes, END_OF_STREAM, start);
  return end < 0 ? bytes.length : end;
}

/** Data begins on the next line, which ends in LF, CR LF, or CR. */
export function lineAfter(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
  return bytes[at] === 0x0d && bytes[at + 1] === 0x0a ? at + 2 : at + 1;
}

/** The first place of `word` from `from` on, or -1. */
export function find(bytes: Uint8Array, word: Uint8Array, from: number): number {
  const [first = 0] = word;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1))
    if (word.every((byte, n) => bytes[at + n] === byte)) return at;
  return -1;
}
