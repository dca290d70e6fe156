import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CAPTURE_LIMITS, decodeJpeg, type JpegErrorCode, verifyJpeg, withoutMetadata } from "../../src/platform/jpeg";
import { atOnce } from "../../src/platform/pace";
import { judgeMutants } from "../support/mutants";
import { decodableFixtures, jpegFixture, jpegFixtures, markerAt, mutate } from "../support/pictures";
import { seeded } from "../support/random";

/*
 * Compares the decoder with libjpeg-turbo: with its command `djpeg` (Debian: libjpeg-turbo-progs), whose -strict
 * makes every warning an error, and with its build for wasm. They share no code with our decoder.
 */

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "jpeg-oracle-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const file = (bytes: Uint8Array): string => {
  const path = join(folder, "input.jpg");
  writeFileSync(path, bytes);
  return path;
};

/** Whether `djpeg -strict` decodes it, and its error message. */
function judge(bytes: Uint8Array): { accepts: boolean; complaint: string } {
  const options = { encoding: "utf8" as const, maxBuffer: 1 << 28, stdio: ["ignore", "ignore", "pipe"] as const };
  const run = spawnSync("djpeg", ["-strict", "-outfile", "/dev/null", file(bytes)], {
    ...options,
    stdio: [...options.stdio],
  });
  return { accepts: run.status === 0, complaint: run.stderr.trim() };
}

/** Samples of a binary PGM or PPM. */
function netpbm(output: Buffer): { width: number; height: number; samples: Uint8Array } {
  const [header = "", width, height] =
    /^P[56]\s(\d+)\s(\d+)\s255\s/.exec(output.subarray(0, 40).toString("latin1")) ?? [];
  return { width: Number(width), height: Number(height), samples: output.subarray(header.length) };
}

/** Files that we reject and djpeg accepts, because T.81 or our limits are stricter. */
const STRICTER: Partial<Record<JpegErrorCode, string>> = {
  "coefficient-overflow": "libjpeg clips a run past the last coefficient without a word",
  "bad-huffman-code": "libjpeg-turbo's fast path reads bits that are no code as zero without a word",
  "missing-component": "libjpeg fills a component that never comes with gray",
  "repeated-component": "libjpeg takes the later scan of a component",
  "bad-frame-header": "libjpeg takes components of one name",
  "unsupported-process": "libjpeg decodes arithmetic coding and passes over DNL",
  "multiple-images": "libjpeg does not look past EOI",
};

/** Files about which djpeg complains and which we accept, with a flag or because the picture is not affected. */
const TOLERATED = [
  /extraneous bytes before marker/,
  /unknown JFIF revision number/,
  /Unknown Adobe color transform code/,
];

describe("verdicts on mutants", () => {
  const names = [...jpegFixtures.keys()];
  const each = Math.ceil(2_200 / names.length);

  test.each(names)("of %s equal the pixels of djpeg, except for the differences listed above", (name) => {
    const random = seeded(name.length * 104_729 + name.charCodeAt(name.length - 1));
    const original = jpegFixture(name);
    const disagreements: string[] = [];
    for (let i = 0; i < each; i++) {
      const bytes = mutate(original, random);
      const ours = atOnce(verifyJpeg(bytes, { minimumEdge: 640 }));
      const theirs = judge(bytes);
      if (ours.verdict === "accepted" && !theirs.accepts && !TOLERATED.some((t) => t.test(theirs.complaint)))
        disagreements.push(`mutant ${i}: we accept, djpeg: ${theirs.complaint}`);
      if (ours.verdict === "rejected" && theirs.accepts && STRICTER[ours.code] === undefined)
        disagreements.push(`mutant ${i}: djpeg accepts, we: ${ours.code}: ${ours.detail}`);
    }
    expect(disagreements).toEqual([]);
  });
});

describe("20,000 random mutants", () => {
  test.each(decodableFixtures)("of %s end in a verdict, and accepted files can be drawn", (name) =>
    judgeMutants(name, Math.ceil(20_000 / decodableFixtures.length)),
  );
});

describe("a decoding at an eighth of the size equals djpeg's, bit by bit", () => {
  test.each(decodableFixtures.filter((name) => !/rgb|uneven/.test(name)))("luminance of %s", (name) => {
    const bytes = jpegFixture(name);
    const args = ["-grayscale", "-dct", "int", "-scale", "1/8", "-pnm", file(bytes)];
    const theirs = netpbm(execFileSync("djpeg", args, { maxBuffer: 1 << 28 }));
    const [luma] = atOnce(decodeJpeg(bytes, 1, CAPTURE_LIMITS)).planes;
    if (luma === undefined) throw new Error("no planes");
    const ours = Array.from({ length: luma.height }, (_, y) => [
      ...luma.samples.subarray(y * luma.stride, y * luma.stride + luma.width),
    ]);
    expect([luma.width, luma.height]).toEqual([theirs.width, theirs.height]);
    expect(ours.flat()).toEqual([...theirs.samples]);
  });

  test("all components of an RGB file", () => {
    const bytes = jpegFixture("baseline-rgb");
    const theirs = netpbm(execFileSync("djpeg", ["-dct", "int", "-scale", "1/8", "-pnm", file(bytes)]));
    const { planes } = atOnce(decodeJpeg(bytes, 1, CAPTURE_LIMITS));
    const ours = Array.from({ length: theirs.width * theirs.height }, (_, i) =>
      planes.map(({ samples, stride }) => samples[Math.floor(i / theirs.width) * stride + (i % theirs.width)]),
    );
    expect(ours.flat()).toEqual([...theirs.samples]);
  });
});

test("at full size, gray samples are within one of libjpeg-turbo's wasm", () => {
  const turbo: typeof import("@cwasm/jpeg-turbo") = createRequire(import.meta.url)("@cwasm/jpeg-turbo");
  for (const name of ["baseline-gray", "progressive-gray"]) {
    const bytes = jpegFixture(name);
    const { width, height, data } = turbo.decode(bytes);
    const [luma] = atOnce(decodeJpeg(bytes, 10_000, CAPTURE_LIMITS)).planes;
    let worst = 0;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++)
        worst = Math.max(
          worst,
          Math.abs((luma?.samples[y * luma.stride + x] ?? Number.NaN) - (data[4 * (y * width + x)] ?? Number.NaN)),
        );
    expect(worst).toBeLessThanOrEqual(1);
  }
});

test("the listed differences exist: djpeg refuses flagged files and accepts a second image", () => {
  const restarts = jpegFixture("baseline-restart");
  const at = markerAt(restarts, 0xd1);
  const stray = Uint8Array.from([...restarts.subarray(0, at), 1, 2, 3, ...restarts.subarray(at)]);
  expect(judge(stray)).toMatchObject({ accepts: false, complaint: expect.stringMatching(/extraneous/) });
  expect(atOnce(verifyJpeg(stray, { minimumEdge: 640 })).verdict).toBe("accepted");
  const twice = Uint8Array.from([...restarts, ...restarts]);
  expect(judge(twice).accepts).toBe(true);
  expect(atOnce(verifyJpeg(twice, { minimumEdge: 640 }))).toMatchObject({
    verdict: "rejected",
    code: "multiple-images",
  });
});

test.each(decodableFixtures)("without metadata, djpeg decodes the same pixels: %s", (name) => {
  const decode = (bytes: Uint8Array) => execFileSync("djpeg", ["-strict", "-pnm", file(bytes)], { maxBuffer: 1 << 28 });
  const plain = jpegFixture(name);
  const bare = Buffer.concat(atOnce(withoutMetadata(plain)));
  expect(decode(bare).equals(decode(plain))).toBe(true);
});
