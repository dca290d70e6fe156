import type { HuffmanSpec } from "./huffman";

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** T.81 tables K.3 and K.4, by table index: luminance and chrominance. */
export const STANDARD_DC: readonly HuffmanSpec[] = [
  { counts: fromHex("00010501010101010100000000000000"), symbols: fromHex("000102030405060708090a0b") },
  { counts: fromHex("00030101010101010101010000000000"), symbols: fromHex("000102030405060708090a0b") },
];

/** T.81 tables K.5 and K.6, by table index: luminance and chrominance. */
export const STANDARD_AC: readonly HuffmanSpec[] = [
  {
    counts: fromHex("0002010303020403050504040000017d"),
    symbols: fromHex(
      "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a3435363738" +
        "393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3a4" +
        "a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa",
    ),
  },
  {
    counts: fromHex("00020102040403040705040400010277"),
    symbols: fromHex(
      "0001020311040521310612415107617113223281081442" +
        "91a1b1c109233352f0156272d10a162434e125f11718191a262728292a35363738393a434445464748494a535455565758595a636465" +
        "666768696a737475767778797a82838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6" +
        "c7c8c9cad2d3d4d5d6d7d8d9dae2e3e4e5e6e7e8e9eaf2f3f4f5f6f7f8f9fa",
    ),
  },
];
