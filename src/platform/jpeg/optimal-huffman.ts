import type { HuffmanSpec } from "./huffman";

/** One more than the greatest symbol: reserves the code of all ones (T.81 K.2). */
const RESERVED = 256;
const LONGEST = 16;

/** The table with the shortest output for these symbol counts (256 of them), codes of at most 16 bits (K.2). */
export function optimalHuffman(frequencies: Uint32Array): HuffmanSpec {
  const sizes = codeSizes(frequencies);
  const counts = limitLengths(sizes);
  const symbols: number[] = [];
  for (let size = 1; size <= RESERVED; size++)
    for (let symbol = 0; symbol < RESERVED; symbol++) if (sizes[symbol] === size) symbols.push(symbol);
  return { counts, symbols: Uint8Array.from(symbols) };
}

/** Lengths of the codes by merging the two rarest again and again (figure K.1). */
function codeSizes(given: Uint32Array): Uint16Array {
  const frequencies = Float64Array.from({ length: RESERVED + 1 }, (_, i) => given[i] ?? 1);
  const sizes = new Uint16Array(RESERVED + 1);
  const next = new Int16Array(RESERVED + 1).fill(-1);
  /** Makes every code in a chain one bit longer; the chain's last symbol. */
  const lengthen = (first: number): number => {
    let symbol = first;
    for (;;) {
      sizes[symbol]!++;
      const after = next[symbol]!;
      if (after === -1) return symbol;
      symbol = after;
    }
  };
  for (;;) {
    const least = rarest(frequencies, -1);
    const second = rarest(frequencies, least);
    if (second === -1) return sizes;
    frequencies[least]! += frequencies[second]!;
    frequencies[second] = 0;
    next[lengthen(least)] = second;
    lengthen(second);
  }
}

/** The least frequent symbol but `besides`; of equals the greatest, so that the reserved one is longest. */
function rarest(frequencies: Float64Array, besides: number): number {
  let found = -1;
  frequencies.forEach((frequency, symbol) => {
    if (frequency > 0 && symbol !== besides && (found === -1 || frequency <= frequencies[found]!)) found = symbol;
  });
  return found;
}

/** Codes of each length 1 to 16, longer ones moved up the tree (figure K.3), the reserved one taken out. */
function limitLengths(sizes: Uint16Array): Uint8Array {
  const counts = new Uint16Array(RESERVED + 2);
  for (const size of sizes) if (size > 0) counts[size]!++;
  for (let length = RESERVED + 1; length > LONGEST; length--)
    while (counts[length]! > 0) {
      let shorter = length - 2;
      while (counts[shorter] === 0) shorter--;
      counts[length]! -= 2;
      counts[length - 1]!++;
      counts[shorter + 1]! += 2;
      counts[shorter]!--;
    }
  let last = LONGEST;
  while (counts[last] === 0) last--;
  counts[last]!--;
  return Uint8Array.from(counts.subarray(1, LONGEST + 1));
}
