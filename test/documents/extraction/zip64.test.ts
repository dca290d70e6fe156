import { crc32 } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bytesSource } from "../../../src/documents/extraction/extracted";
import { Archive } from "../../../src/documents/extraction/zip/archive";

const FILES = { "word/document.xml": "<a>The harbour</a>", "[Content_Types].xml": "<Types/>" };
const FULL = 0xffff_ffff;

/** Wrong values in the directory of a ZIP. */
interface Lies {
  size?: bigint;
  headerOffset?: bigint;
  count?: bigint;
  directoryLength?: bigint;
  directoryOffset?: bigint;
  endOffset?: bigint;
}

/** Little-endian fields with their lengths in bytes. */
function record(...fields: readonly (readonly [1 | 2 | 4 | 8, number | bigint] | Uint8Array)[]): Uint8Array {
  return Uint8Array.from(
    fields.flatMap((field) => {
      if (field instanceof Uint8Array) return [...field];
      const value = BigInt.asUintN(64, BigInt(field[1]));
      return Array.from({ length: field[0] }, (_, n) => Number((value >> BigInt(8 * n)) & 255n));
    }),
  );
}

/** An archive of stored files whose sizes, offsets and directory are all in ZIP64 fields (APPNOTE 4.3.14, 4.5.3). */
function zip64(lies: Lies = {}): Uint8Array {
  const [local, central]: [Uint8Array[], Uint8Array[]] = [[], []];
  const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0);
  for (const [name, text] of Object.entries(FILES)) {
    const [title, data] = [new TextEncoder().encode(name), new TextEncoder().encode(text)];
    const offset = lengthOf(local);
    const sizes = [
      [4, crc32(data)],
      [4, FULL],
      [4, FULL],
      [2, title.length],
    ] as const;
    const size = lies.size ?? data.length;
    const head = [
      [2, 45],
      [2, 0],
      [2, 0],
      [2, 0],
      [2, 0],
    ] as const;
    const localExtra = record([2, 1], [2, 16], [8, data.length], [8, data.length]);
    local.push(record([4, 0x04034b50], ...head, ...sizes, [2, localExtra.length], title, localExtra, data));
    const extra = record([2, 1], [2, 24], [8, size], [8, size], [8, lies.headerOffset ?? offset]);
    const tail = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, 0],
      [4, FULL],
    ] as const;
    central.push(record([4, 0x02014b50], [2, 45], ...head, ...sizes, [2, extra.length], ...tail, title, extra));
  }
  const [start, length] = [lengthOf(local), lengthOf(central)];
  const count = lies.count ?? central.length;
  const place = [
    [8, count],
    [8, count],
    [8, lies.directoryLength ?? length],
    [8, lies.directoryOffset ?? start],
  ] as const;
  const end64 = record([4, 0x06064b50], [8, 44], [2, 45], [2, 45], [4, 0], [4, 0], ...place);
  const locator = record([4, 0x07064b50], [4, 0], [8, lies.endOffset ?? start + length], [4, 1]);
  const end = record([4, 0x06054b50], [2, 0], [2, 0], [2, 0xffff], [2, 0xffff], [4, FULL], [4, FULL], [2, 0]);
  return record(...local, ...central, end64, locator, end);
}

const readAll = async (bytes: Uint8Array): Promise<string> => {
  const archive = await Archive.open(bytesSource(bytes));
  return archive.text("word/document.xml", 1_000);
};

describe("an archive with a ZIP64 directory", () => {
  test("is read like any other", async () => {
    expect(await readAll(zip64())).toBe(FILES["word/document.xml"]);
    expect((await Archive.open(bytesSource(zip64()))).names()).toEqual(Object.keys(FILES).map((n) => n.toLowerCase()));
  });

  test.each([
    ["a size of an exabyte", { size: 1n << 60n }, "damaged"],
    ["a size past what numbers hold", { size: (1n << 64n) - 1n }, "damaged"],
    ["a file that begins past the end", { headerOffset: 1n << 40n }, "damaged"],
    ["a file that begins in the directory", { headerOffset: 100n }, "damaged"],
    ["more parts than are there", { count: 3n }, "damaged"],
    ["more parts than any document", { count: 1n << 50n }, "too-large"],
    ["a directory of a terabyte", { directoryLength: 1n << 40n }, "too-large"],
    ["a directory longer than the file", { directoryLength: 1n << 20n }, "damaged"],
    ["a directory past the end", { directoryOffset: 1n << 40n }, "damaged"],
    ["an end record past the end", { endOffset: 1n << 62n }, "damaged"],
    ["an end record that is none", { endOffset: 0n }, "damaged"],
  ] as const)("ends in a named state when it claims %s", async (_, lies, status) => {
    await expect(readAll(zip64(lies))).rejects.toMatchObject({ name: "Unreadable", status });
  });

  test("ends as damaged if it is cut off at any point", async () => {
    const whole = zip64();
    for (let length = 0; length < whole.length; length += 7)
      await expect(readAll(whole.subarray(0, length))).rejects.toMatchObject({ status: "damaged" });
  });
});
