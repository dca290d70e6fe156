import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Entry, measurePage, type PageSizes, partsOf, zipSize } from "../../src/platform/zip/archive";

/* The ZIP of an export of a workspace, read by the programs that people use for such files. */

const folder = mkdtempSync(join(tmpdir(), "workspace-zip-"));
const file = join(folder, "export.zip");

/** Objects of the bucket, and members of one, two or no pieces of them. */
const objects = new Map(["a", "b"].map((key) => [key, randomBytes(70_000)]));
const bytesOf = (key: string): Buffer => objects.get(key) ?? Buffer.alloc(0);
const pieces = [
  [["a", 0, 70_000]],
  [
    ["a", 10, 500],
    ["b", 69_000, 1_000],
  ],
  [],
  [["b", 5, 1]],
] as const;
const names = ["documents/Yard/Gate/Plan ä.txt", "data/documents.ndjson", "data/empty.ndjson", "versions/日本/1.pdf"];
const contents = pieces.map((parts) =>
  Buffer.concat(parts.map(([key, offset, length]) => bytesOf(key).subarray(offset, offset + length))),
);
const entries: Entry[] = names.map((name, n) => ({
  name,
  sizeBytes: contents[n]?.length ?? 0,
  crc32: crc32(contents[n] ?? ""),
  modifiedAt: Date.parse("2026-11-29T08:00:00Z"),
  pieces: (pieces[n] ?? []).map(([key, offset, length]) => ({ key, objectBytes: 70_000, offset, length })),
}));

beforeAll(async () => {
  const pages = [entries.slice(0, 2), entries.slice(2)];
  const sizes: PageSizes[] = [];
  let offset = 0;
  for (const page of pages) {
    const measured = measurePage(page, offset);
    sizes.push(measured);
    offset += measured.contentBytes;
  }
  const chunks: Uint8Array[] = [];
  for await (const part of partsOf(sizes, { offset: 0, length: zipSize(sizes) }, async (page) => pages[page] ?? []))
    chunks.push(
      part.kind === "bytes"
        ? part.bytes.slice()
        : bytesOf(part.key).subarray(part.range.offset, part.range.offset + part.range.length),
    );
  const whole = Buffer.concat(chunks);
  expect(whole.length).toBe(zipSize(sizes));
  writeFileSync(file, whole);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (program: string, args: string[]): string =>
  execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

test("unzip finds every member whole", () => {
  expect(run("unzip", ["-t", "-qq", file])).toBe("");
});

test("Python's zipfile reads the names and the bytes", () => {
  const script = `
import json, sys, zipfile, zlib
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
print(json.dumps([[i.filename, i.file_size, zlib.crc32(z.read(i))] for i in z.infolist()]))
`;
  expect(JSON.parse(run("python3", ["-c", script, file]))).toEqual(
    entries.map(({ name, sizeBytes, crc32: sum }) => [name, sizeBytes, sum]),
  );
});
