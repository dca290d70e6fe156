import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type MemberTuple, membersOf, objectKeyOf } from "../../src/cameras/exports/manifest";
import { partsOf } from "../../src/cameras/exports/zip";
import { prepared } from "../support/zips";

/* The ZIP of an export, read by the programs that people use for such files. */

const folder = mkdtempSync(join(tmpdir(), "zip-"));
const file = join(folder, "images.zip");
const IMAGES = 250;

const contents = Array.from({ length: IMAGES }, (_, n) => randomBytes(500 + 13 * n));
const images: MemberTuple[] = contents.map((bytes, n) => [
  `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
  `operation-${n}`,
  Date.parse("2026-03-29T00:00:00Z") + n * 60_000,
  Date.parse("2026-03-29T00:00:02Z") + n * 60_000,
  bytes.length,
  crc32(bytes),
  createHash("sha256").update(bytes).digest("hex"),
  n % 5 === 0 ? "estimated" : "synchronized",
  1920,
  1080,
]);

beforeAll(async () => {
  const zip = await prepared(images, 100);
  const bytesByKey = new Map(membersOf(images).map((member, n) => [objectKeyOf(zip.row, member), contents[n]]));
  const chunks: Uint8Array[] = [];
  for await (const part of partsOf(zip.row, zip.segments, { offset: 0, length: zip.sizeBytes }, zip.readPage)) {
    if (part.kind === "bytes") chunks.push(part.bytes.slice());
    else {
      const { offset, length } = part.range;
      const bytes = bytesByKey.get(part.key);
      if (bytes === undefined) throw new Error(`no image at ${part.key}`);
      chunks.push(bytes.subarray(offset, offset + length));
    }
  }
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(zip.sizeBytes);
  writeFileSync(file, whole);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: string[], cwd = folder): string =>
  execFileSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 64 * 1024 * 1024,
  });

test("unzip finds every member whole", () => {
  expect(run("unzip", ["-t", "-qq", file])).toBe("");
  expect(run("unzip", ["-Z1", file]).trim().split("\n")).toHaveLength(IMAGES + 2);
});

test("Python's zipfile finds every member complete, stored, in order of time", () => {
  const script = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
assert all(i.compress_type == zipfile.ZIP_STORED for i in z.infolist())
names = [n for n in z.namelist() if n.endswith(".jpg")]
assert names == sorted(names)
print(len(names))
`;
  expect(run("python3", ["-c", script, file]).trim()).toBe(String(IMAGES));
});

test("bsdtar unpacks the original bytes, and sha256sum confirms the checksums of the evidence", () => {
  const unpacked = join(folder, "unpacked");
  mkdirSync(unpacked);
  run("bsdtar", ["-xf", file, "-C", unpacked]);
  const checked = run("sha256sum", ["--check", "--strict", "--quiet", "SHA256SUMS"], unpacked);
  expect(checked).toBe("");
  const sums = readFileSync(join(unpacked, "SHA256SUMS"), "utf8").trim().split("\n");
  expect(sums.map((line) => line.slice(66)).sort()).toEqual(
    readdirSync(unpacked)
      .filter((name) => name !== "SHA256SUMS")
      .sort(),
  );
  const pictures = readdirSync(unpacked, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jpg"));
  expect(pictures).toHaveLength(IMAGES);
  const digests = new Set(
    pictures.map((name) =>
      createHash("sha256")
        .update(readFileSync(join(unpacked, name)))
        .digest("hex"),
    ),
  );
  expect(digests).toEqual(new Set(images.map((image) => image[6])));
  const evidence = readFileSync(join(unpacked, "evidence.json"), "utf8");
  expect(() => JSON.parse(evidence)).not.toThrow();
  for (const image of images) expect(evidence).toContain(image[6]);
});
