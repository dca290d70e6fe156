import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/** The square size needs the most memory: an eighth of it is smaller than a thumbnail, so a quarter is kept. */
const SIZES = {
  "1080p": [1920, 1080],
  "8 MP": [3264, 2448],
  "24 MP": [6000, 4000],
  "24 MP square": [4898, 4898],
  "50 MP square": [7071, 7071],
  "24 MP noise": [4898, 4898],
  "50 MP noise": [7071, 7071],
} as const;
type Size = keyof typeof SIZES;
const CAMERA_SIZES: readonly Size[] = ["1080p", "8 MP", "24 MP", "24 MP square"];

/** Largest file of noise, bytes: a capture, and a document whose picture is decoded. */
const MAX_NOISE_BYTES = { "24 MP noise": 8 * 1024 * 1024, "50 MP noise": 40 * 1024 * 1024 } as const;

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

/** Pixels without a pattern, as PPM. */
function noise(width: number, height: number): Buffer {
  const header = Buffer.from(`P6\n${width} ${height}\n255\n`);
  const pixels = Buffer.alloc(3 * width * height);
  for (let at = 0, seed = 1; at < pixels.length; at++) {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    pixels[at] = (seed >> 16) & 255;
  }
  return Buffer.concat([header, pixels]);
}

/** Encodes with the highest quality whose file is not larger than `maxBytes`. */
function writeLargest(file: string, scene: Buffer, options: readonly string[], maxBytes: number): void {
  let [fits, tooHigh] = [1, 101];
  while (tooHigh - fits > 1) {
    const quality = Math.floor((fits + tooHigh) / 2);
    write(file, scene, options, quality);
    if (statSync(file).size <= maxBytes) fits = quality;
    else tooHigh = quality;
  }
  write(file, scene, options, fits);
}

function write(file: string, scene: Buffer, options: readonly string[], quality = 85): void {
  const { status, error, stderr } = spawnSync("cjpeg", ["-quality", `${quality}`, ...options, "-outfile", file], {
    input: scene,
  });
  if (status !== 0) throw error ?? new Error(`cjpeg (Debian: libjpeg-turbo-progs): ${stderr}`);
}

/** Draws and encodes pictures of these sizes into a folder. The small one is for warming up. */
export function makeInputs(folder: string, sizes = CAMERA_SIZES): { inputs: Input[]; small: string } {
  const small = join(folder, "small.jpg");
  write(small, drawing(640, 480), []);
  const inputs: Input[] = [];
  for (const size of sizes) {
    const [width, height] = SIZES[size];
    const isNoise = size === "24 MP noise" || size === "50 MP noise";
    const scene = isNoise ? noise(width, height) : drawing(width, height);
    for (const [coding, options] of Object.entries(CODINGS)) {
      const file = join(folder, `${size}-${coding}.jpg`.replace(/[ :]/g, ""));
      if (isNoise) writeLargest(file, scene, options, MAX_NOISE_BYTES[size]);
      else if (!existsSync(file)) write(file, scene, options);
      inputs.push({ size, coding, file });
    }
  }
  return { inputs, small };
}
