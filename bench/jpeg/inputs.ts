import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The square size needs the most memory: an eighth of it is smaller than a thumbnail, so a quarter is kept. */
const SIZES = {
  "1080p": [1920, 1080],
  "8 MP": [3264, 2448],
  "24 MP": [6000, 4000],
  "24 MP square": [4898, 4898],
} as const;

/** Codings with the arguments of `cjpeg`. */
const CODINGS = {
  "baseline 4:2:0": ["-sample", "2x2"],
  "baseline 4:4:4": ["-sample", "1x1"],
  "progressive 4:2:0": ["-progressive", "-sample", "2x2"],
  "progressive 4:4:4": ["-progressive", "-sample", "1x1"],
  gray: ["-grayscale"],
} as const;

/** A drawn scene as PPM: gradients, texture and noise, so that a file has about the size of a camera's. */
function drawing(width: number, height: number): Buffer {
  const header = Buffer.from(`P6\n${width} ${height}\n255\n`);
  const pixels = Buffer.alloc(3 * width * height);
  let seed = 1;
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
      const grain = ((seed >> 16) & 15) - 8;
      const texture = 40 * Math.sin(x / 37 + y / 91) + 20 * Math.sin(x / 7) * Math.cos(y / 11);
      pixels[at++] = Math.max(0, Math.min(255, 128 + texture + grain));
      pixels[at++] = Math.max(0, Math.min(255, 60 + (120 * y) / height + texture / 2 + grain));
      pixels[at++] = Math.max(0, Math.min(255, 40 + (160 * x) / width - texture / 2 + grain));
    }
  return Buffer.concat([header, pixels]);
}

export interface Input {
  size: string;
  coding: string;
  file: string;
}

function write(file: string, scene: Buffer, options: readonly string[]): void {
  const { status, error, stderr } = spawnSync("cjpeg", ["-quality", "85", ...options, "-outfile", file], {
    input: scene,
  });
  if (status !== 0) throw error ?? new Error(`cjpeg (Debian: libjpeg-turbo-progs): ${stderr}`);
}

/** Draws and encodes the measured pictures into a folder. The small one is for warming up. */
export function makeInputs(folder: string): { inputs: Input[]; small: string } {
  const small = join(folder, "small.jpg");
  write(small, drawing(640, 480), []);
  const inputs: Input[] = [];
  for (const [size, [width, height]] of Object.entries(SIZES)) {
    const scene = drawing(width, height);
    for (const [coding, options] of Object.entries(CODINGS)) {
      const file = join(folder, `${size}-${coding}.jpg`.replace(/[ :]/g, ""));
      if (!existsSync(file)) write(file, scene, options);
      inputs.push({ size, coding, file });
    }
  }
  return { inputs, small };
}
