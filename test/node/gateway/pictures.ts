import { readFileSync } from "node:fs";
import jpeg from "jpeg-js";

export const fixture = (name: string): Buffer => readFileSync(`test/fixtures/jpeg/${name}.jpg`);

/** A different picture for each seed. */
export function drawn(seed: number, width = 64, height = 48): Buffer {
  const data = Buffer.alloc(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = ((at >> 4) * (seed + 3) + seed * 17) & 0xff;
  return jpeg.encode({ data, width, height }, 80).data;
}

export const LIMITS = { maxSizeBytes: 8 * 1024 * 1024, maxPixels: 24_000_000 };
