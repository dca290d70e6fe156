import { describe, expect, test } from "vitest";
import { CompoundFile, findStream } from "../../../src/documents/extraction/compound/compound";
import { bytesSource } from "../../../src/documents/extraction/extracted";
import { compoundOf, SECTOR } from "../../support/compound";
import fc from "../../support/properties";
import { fixture, readDocument } from "./read";

const LENGTH = 5 * SECTOR + 100;
const data = Uint8Array.from({ length: LENGTH }, (_, n) => n % 251);
const built = () =>
  compoundOf([
    { name: "other", data: new Uint8Array(10) },
    { name: "Stream", data },
  ]);
/** Sectors: the FAT, the directory, "other", and from 3 on "Stream". */
const FIRST = 3;

async function readAll(bytes: Uint8Array): Promise<Uint8Array> {
  const file = await CompoundFile.open(bytesSource(bytes));
  const entry = findStream(file.root, "stream");
  if (entry === undefined) throw new Error("no stream");
  return (await file.stream(entry)).read(0, LENGTH * 2);
}

function changed(...changes: readonly (readonly [offset: number, value: number])[]): Uint8Array {
  const { bytes } = built();
  for (const [offset, value] of changes) new DataView(bytes.buffer).setUint32(offset, value, true);
  return bytes;
}
const { fatEntry, directoryEntry } = built();

describe("a compound file", () => {
  test("has its streams in any order of their sectors", async () => {
    expect(await readAll(built().bytes)).toEqual(data);
    const { bytes } = built();
    const [a, b] = [(2 + FIRST) * SECTOR, (3 + FIRST) * SECTOR];
    const kept = bytes.slice(a, a + SECTOR);
    bytes.copyWithin(a, b, b + SECTOR);
    bytes.set(kept, b);
    const look = new DataView(bytes.buffer);
    for (const [sector, next] of [
      [FIRST, FIRST + 2],
      [FIRST + 2, FIRST + 1],
      [FIRST + 1, FIRST + 3],
    ] as const)
      look.setUint32(fatEntry(sector), next, true);
    expect(await readAll(bytes)).toEqual(data);
  });

  test("gives the bytes of any range", async () => {
    const file = await CompoundFile.open(bytesSource(built().bytes));
    const entry = findStream(file.root, "Stream");
    const stream = await file.stream(entry ?? file.root);
    await fc.assert(
      fc.asyncProperty(fc.nat(LENGTH + 10), fc.nat(LENGTH), async (offset, length) => {
        expect(await stream.read(offset, length)).toEqual(data.slice(offset, offset + length));
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["a sector that follows itself", [fatEntry(FIRST + 1), FIRST + 1]],
    ["a loop of sectors", [fatEntry(FIRST + 3), FIRST + 1]],
    ["a chain that ends early", [fatEntry(FIRST), 0xfffffffe]],
    ["a chain that leaves the file", [fatEntry(FIRST), 0x00ffffff]],
    ["a stream of four gigabytes", [directoryEntry(2) + 120, 0x07000000]],
    ["a FAT that is missing", [76, 0xffffffff]],
    ["a directory that is a loop", [fatEntry(1), 1]],
  ] as const)("with %s is damaged", async (_, change) => {
    await expect(readAll(changed(change))).rejects.toThrow(/damaged/);
  });

  test("with a chain of further FAT sectors that is a loop ends", async () => {
    await expect(readAll(changed([68, FIRST], [fatEntry(0), 0]))).resolves.toHaveLength(LENGTH);
  });

  test("with entries that are their own neighbours or children ends", async () => {
    const loop = changed([directoryEntry(1) + 68, 1], [directoryEntry(1) + 76, 0], [directoryEntry(2) + 72, 1]);
    expect(await readAll(loop)).toEqual(data);
  });

  test("whose streams together are too large is too large", async () => {
    const file = await CompoundFile.open(bytesSource(built().bytes));
    const entry = { ...file.root, size: 100 * 1024 * 1024 };
    await expect(file.stream(entry)).rejects.toThrow(/damaged/);
    await expect(file.stream(entry)).rejects.toThrow(/too-large/);
  });
});

test.each(["outlook-ansi.msg", "outlook-nested.msg"])("%s gets a text status wherever it is cut off", async (name) => {
  const whole = fixture(name);
  const seen = new Set<string>();
  for (let length = 0; length < whole.length; length += name === "outlook-ansi.msg" ? 64 : 640)
    seen.add((await readDocument(whole.subarray(0, length), name)).end.status);
  for (const status of seen)
    expect(["empty", "damaged", "unsupported", "indexed", "unknown-charset"]).toContain(status);
});

test("a compound file of another program is unsupported", async () => {
  const { end } = await readDocument(compoundOf([{ name: "Catalog", data: new Uint8Array(9) }]).bytes, "Thumbs.db");
  expect(end).toMatchObject({ status: "unsupported", detail: expect.stringContaining("files of this kind") });
});
