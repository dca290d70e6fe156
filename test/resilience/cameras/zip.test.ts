import { expect, test } from "vitest";
import type { MemberTuple } from "../../../src/cameras/exports/manifest";
import { partsOf } from "../../../src/cameras/exports/zip";
import type { Part } from "../../../src/platform/zip/send";
import fc from "../../support/properties";
import { prepared } from "../../support/zips";

const image = (i: number, sizeBytes: number): MemberTuple => [
  `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`,
  "operation",
  Date.parse("2026-01-01T00:00:00Z") + i * 60_000,
  Date.parse("2026-01-01T00:00:01Z") + i * 60_000,
  sizeBytes,
  i,
  "ab".repeat(32),
  i % 7 === 0 ? "estimated" : "synchronized",
  1920,
  1080,
];

const HOLE = 0xee;
/** The bytes of a part. The bytes of an object are represented by one value. */
const bytesOf = (part: Part): Uint8Array =>
  part.kind === "bytes" ? part.bytes : new Uint8Array(part.range.length).fill(HOLE);

async function read(zip: Awaited<ReturnType<typeof prepared>>, offset: number, length: number): Promise<Uint8Array> {
  const all = new Uint8Array(length);
  let at = 0;
  for await (const part of partsOf(zip.row, zip.segments, { offset, length }, zip.readPage)) {
    const bytes = bytesOf(part);
    all.set(bytes, at);
    at += bytes.length;
  }
  expect(at).toBe(length);
  return all;
}

test("any range of any export is that part of the whole file", async () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 5 }), fc.nat(), fc.nat(), async (all, imagesAPage, a, b) => {
      const zip = await prepared(
        all.map((size, i) => image(i, size)),
        imagesAPage,
      );
      const whole = await read(zip, 0, zip.sizeBytes);
      const [offset, end] = [a % zip.sizeBytes, 1 + (b % zip.sizeBytes)].sort((x, y) => x - y) as [number, number];
      expect(await read(zip, offset, end - offset)).toEqual(whole.slice(offset, end));
    }),
    { numRuns: 300 },
  );
});

/** Entries of the directory, read by the description of the format (APPNOTE 6.3.10, 4.3.12 and 4.5.3). */
function entriesOf(directory: Uint8Array) {
  const view = new DataView(directory.buffer, directory.byteOffset, directory.byteLength);
  const entries: { name: string; sizeBytes: number; offset: number }[] = [];
  for (let at = 0; at < directory.length; ) {
    expect(view.getUint32(at, true)).toBe(0x02014b50);
    const [nameLength, extraLength] = [view.getUint16(at + 28, true), view.getUint16(at + 30, true)];
    const name = String.fromCharCode(...directory.subarray(at + 46, at + 46 + nameLength));
    let offset = view.getUint32(at + 42, true);
    for (let extra = at + 46 + nameLength; extra < at + 46 + nameLength + extraLength; ) {
      if (offset === 0xffff_ffff && view.getUint16(extra, true) === 1)
        offset = Number(view.getBigUint64(extra + 4, true));
      extra += 4 + view.getUint16(extra + 2, true);
    }
    entries.push({ name, sizeBytes: view.getUint32(at + 24, true), offset });
    at += 46 + nameLength + extraLength;
  }
  return entries;
}

test("beyond 4 GiB and 65,535 members every number is correct in ZIP64", async () => {
  const count = 70_000;
  const zip = await prepared(
    Array.from({ length: count }, (_, i) => image(i, 70_000 + (i % 3))),
    1_000,
  );
  const end = await read(zip, zip.sizeBytes - 98, 98);
  const view = new DataView(end.buffer);
  expect([view.getUint32(0, true), view.getUint32(56, true), view.getUint32(76, true)]).toEqual([
    0x06064b50, 0x07064b50, 0x06054b50,
  ]);
  const [members, size, offset] = [24, 40, 48].map((at) => Number(view.getBigUint64(at, true))) as [
    number,
    number,
    number,
  ];
  expect([members, size + offset]).toEqual([count + 2, zip.sizeBytes - 98]);
  expect([view.getUint16(76 + 10, true), view.getUint32(76 + 16, true)]).toEqual([0xffff, 0xffff_ffff]);
  const entries = entriesOf(await read(zip, offset, size));
  expect(entries).toHaveLength(count + 2);
  let expected = 0;
  for (const entry of entries.slice(0, count)) {
    expect(entry.offset).toBe(expected);
    expected += 30 + entry.name.length + 9 + entry.sizeBytes;
  }
  for (const i of [0, 40_000, 61_000, 69_999]) {
    const entry = entries[i] ?? { name: "", offset: 0 };
    const header = await read(zip, entry.offset, 30 + entry.name.length);
    expect(new DataView(header.buffer).getUint32(0, true)).toBe(0x04034b50);
    expect(String.fromCharCode(...header.subarray(30))).toBe(entry.name);
  }
  expect(entries.slice(count).map(({ name }) => name)).toEqual(["evidence.json", "SHA256SUMS"]);
});
