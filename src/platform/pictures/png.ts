import type { Picture } from "../jpeg";
import { breathe, COUNTED_TOGETHER } from "../pace";
import { AreaScaler } from "./area";
import { chunksOf } from "./headers";

/** A PNG file does not follow its format. */
export class PngError extends Error {
  override name = "PngError";
}

/** Samples of a pixel by colour type (PNG, third edition, 11.2.1), and the depths that each may have. */
const COLOUR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};
const [GRAY, RGB, PALETTE, GRAY_ALPHA] = [0, 2, 3, 4];

/** The seven passes of an interlaced picture (8.2): its first column and row, and the steps between them. */
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

interface Header {
  width: number;
  height: number;
  depth: number;
  colourType: number;
  samples: number;
  interlaced: boolean;
}

function readHeader(bytes: Uint8Array): Header {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 29) throw new PngError("its header is cut off");
  const [depth, colourType, compression, filter, interlace] = bytes.subarray(24, 29);
  const kind = COLOUR_TYPES[colourType ?? -1];
  if (kind === undefined || depth === undefined || !kind.depths.includes(depth))
    throw new PngError(`its header gives colour type ${colourType} with ${depth} bits`);
  if (compression !== 0 || filter !== 0 || (interlace !== 0 && interlace !== 1))
    throw new PngError("its header gives a coding that does not exist");
  const [width, height] = [view.getUint32(16), view.getUint32(20)];
  return { width, height, depth, colourType: colourType ?? 0, samples: kind.samples, interlaced: interlace === 1 };
}

/** Compressed bytes in one write: they are unpacked to a thousand times as many at most. */
const SLICE_BYTES = 8 * 1024;

/** The unpacked data in pieces. @throws TypeError if the data is damaged. */
function unpacked(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const slices = (function* () {
    for (const { type, start, end } of chunksOf(bytes, "png")) {
      if (type === "IEND") return;
      if (type !== "IDAT") continue;
      for (let at = start; at < end; at += SLICE_BYTES) yield bytes.subarray(at, Math.min(end, at + SLICE_BYTES));
    }
  })();
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const { value, done } = slices.next();
      if (done === true) controller.close();
      else controller.enqueue(Uint8Array.from(value));
    },
  });
  return packed.pipeThrough(new DecompressionStream("deflate"));
}

/** Bytes of a row that count as one unit of work: a pixel of one bit costs as much as one of eight bytes. */
const ROW_BYTES_PER_UNIT = 8;

/** Reverses a row's filter (9.2). `before` is the row above it in its pass, `span` the bytes of a whole pixel. */
function unfilter(type: number, row: Uint8Array, before: Uint8Array, span: number): void {
  switch (type) {
    case 0:
      return;
    case 1:
      for (let i = span; i < row.length; i++) row[i]! += row[i - span]!;
      return;
    case 2:
      for (let i = 0; i < row.length; i++) row[i]! += before[i]!;
      return;
    case 3:
      for (let i = 0; i < row.length; i++) row[i]! += ((i < span ? 0 : row[i - span]!) + before[i]!) >> 1;
      return;
    case 4:
      for (let i = 0; i < row.length; i++) {
        const [a, b, c] = [i < span ? 0 : row[i - span]!, before[i]!, i < span ? 0 : before[i - span]!];
        const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
        row[i]! += pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      }
      return;
    default:
      throw new PngError(`a row has filter ${type}`);
  }
}

/** The RGBA of a palette's entries, or of all gray values. */
type Colours = (sample: number, rgba: Uint8Array, at: number) => void;

/** Turns the samples of a row into RGBA; if a sample has 16 bits, the upper eight count. */
function expander(header: Header, palette: Uint8Array, transparency: Uint8Array) {
  const { depth, colourType, samples } = header;
  const wide = depth === 16 ? 2 : 1;
  const most = 2 ** depth - 1;
  // A picture can declare one colour as transparent, with all bits of its samples (11.3.1.1).
  const clear = (sample: number) => ((transparency[2 * sample] ?? 0) << 8) | (transparency[2 * sample + 1] ?? 0);
  const hasClear = (colourType === GRAY || colourType === RGB) && transparency.length >= 2 * samples;
  const whole = (row: Uint8Array, at: number) => (wide === 2 ? (row[at]! << 8) | row[at + 1]! : row[at]!);
  const colour: Colours = (sample, rgba, at) => {
    if (colourType === PALETTE) {
      if (3 * sample + 2 >= palette.length) throw new PngError("a pixel has a colour that the palette lacks");
      for (let i = 0; i < 3; i++) rgba[at + i] = palette[3 * sample + i]!;
      rgba[at + 3] = transparency[sample] ?? 255;
      return;
    }
    rgba.fill((sample * 255) / most, at, at + 3);
    rgba[at + 3] = hasClear && sample === clear(0) ? 0 : 255;
  };
  return (row: Uint8Array, count: number, rgba: Uint8Array): void => {
    for (let n = 0; n < count; n++) {
      const to = 4 * n;
      if (depth < 8) {
        const bit = n * depth;
        colour((row[bit >> 3]! >> (8 - depth - (bit & 7))) & most, rgba, to);
        continue;
      }
      const at = n * samples * wide;
      if (colourType === PALETTE || colourType === GRAY) {
        if (wide === 1) colour(row[at]!, rgba, to);
        else {
          rgba.fill(row[at]!, to, to + 3);
          rgba[to + 3] = hasClear && whole(row, at) === clear(0) ? 0 : 255;
        }
        continue;
      }
      const isGray = colourType === GRAY_ALPHA;
      for (let i = 0; i < 3; i++) rgba[to + i] = row[at + (isGray ? 0 : i * wide)]!;
      const isClear = hasClear && [0, 1, 2].every((i) => whole(row, at + i * wide) === clear(i));
      rgba[to + 3] = colourType === RGB ? (isClear ? 0 : 255) : row[at + (samples - 1) * wide]!;
    }
  };
}

/** The data of the first chunk of a type before the picture's own; empty without one. */
function chunkBefore(bytes: Uint8Array, wanted: string): Uint8Array {
  for (const { type, start, end } of chunksOf(bytes, "png")) {
    if (type === "IDAT") break;
    if (type === wanted) return bytes.subarray(start, end);
  }
  return new Uint8Array();
}

/**
 * Decodes a PNG file row by row and scales it to at most `edge` pixels. Memory holds the file, two rows and the scaled
 * picture, so it does not grow with the height of the original. @throws PngError.
 */
export async function decodePng(bytes: Uint8Array, edge: number): Promise<Picture> {
  const header = readHeader(bytes);
  const { width, height, depth, samples } = header;
  const bits = depth * samples;
  const scaler = new AreaScaler(width, height, edge);
  const expand = expander(header, chunkBefore(bytes, "PLTE"), chunkBefore(bytes, "tRNS"));
  const rgba = new Uint8Array(4 * width);
  const rows = (function* (): Generator<Uint8Array, void> {
    for (const [x, y, dx, dy] of header.interlaced ? ADAM7 : ([[0, 0, 1, 1]] as const)) {
      const count = Math.max(0, Math.ceil((width - x) / dx));
      if (count === 0) continue;
      let before = new Uint8Array(1 + Math.ceil((count * bits) / 8));
      let row = before.slice();
      for (let line = y; line < height; line += dy) {
        yield row;
        const samplesOf = row.subarray(1);
        unfilter(row[0]!, samplesOf, before.subarray(1), Math.max(1, bits >> 3));
        expand(samplesOf, count, rgba);
        scaler.add(rgba, count, line, x, dx);
        [before, row] = [row, before];
      }
    }
  })();
  let row = rows.next();
  let [filled, units] = [0, 0];
  try {
    for await (const piece of unpacked(bytes)) {
      for (let at = 0; at < piece.length && row.done !== true; ) {
        const taken = Math.min(piece.length - at, row.value.length - filled);
        row.value.set(piece.subarray(at, at + taken), filled);
        [at, filled] = [at + taken, filled + taken];
        if (filled < row.value.length) continue;
        units += 1 + Math.floor(row.value.length / ROW_BYTES_PER_UNIT);
        [row, filled] = [rows.next(), 0];
        if (units < COUNTED_TOGETHER) continue;
        await breathe(units);
        units = 0;
      }
      if (row.done === true) break;
    }
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new PngError("its data is damaged", { cause: thrown });
    throw thrown;
  }
  if (row.done !== true) throw new PngError("its data is damaged: it ends early");
  return scaler.picture();
}
