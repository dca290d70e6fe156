import { encodeJpeg, pictureOfRgba } from "../../src/platform/jpeg";

export const FRAME_WIDTH = 1_280;
export const FRAME_HEIGHT = 720;
/** Number of different pictures. Each frame is one of them with a unique comment. */
const PICTURES = 6;

const pictures: Uint8Array[] = [];

/** Gradients and edges with the noise of a sensor. */
function draw(seed: number): Uint8Array {
  const pixels = new Uint8Array(4 * FRAME_WIDTH * FRAME_HEIGHT);
  let state = seed;
  for (let y = 0, at = 0; y < FRAME_HEIGHT; y++)
    for (let x = 0; x < FRAME_WIDTH; x++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
      const grain = ((state >>> 24) - 128) / 10;
      const wall = (x >> 7) % 2 === seed % 2 && y > FRAME_HEIGHT / 2;
      for (const colour of wall ? [150, 140, 130] : [90 + y / 8, 130 + x / 20, 200 - y / 6])
        pixels[at++] = colour + grain;
      pixels[at++] = 255;
    }
  return encodeJpeg(pictureOfRgba(pixels, FRAME_WIDTH, FRAME_HEIGHT), 85);
}

/** The n-th frame of a backlog. All frames have different bytes. */
export function backlogFrame(n: number): Uint8Array<ArrayBuffer> {
  const seed = n % PICTURES;
  pictures[seed] ??= draw(seed + 1);
  const picture = pictures[seed];
  const words = new TextEncoder().encode(`frame ${n}`);
  return Uint8Array.from([
    ...picture.subarray(0, 2),
    0xff,
    0xfe,
    0,
    words.length + 2,
    ...words,
    ...picture.subarray(2),
  ]);
}
