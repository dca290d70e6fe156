import { strToU8 } from "fflate";

/** A file that is slow to read for its size. `bytes` takes the share of its full size, 0 to 1. */
export interface HostileFile {
  name: string;
  bytes: (share: number) => Uint8Array<ArrayBuffer>;
}

export const MIB = 1024 * 1024;
export const ascii = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(strToU8(text));
export const many = (piece: string, length: number): string =>
  piece.repeat(Math.max(1, Math.floor(length / piece.length)));
