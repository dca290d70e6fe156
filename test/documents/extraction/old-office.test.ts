import CFB from "cfb";
import { describe, expect, test } from "vitest";
import { utils, write } from "xlsx";
import { RecordStrings } from "../../../src/documents/extraction/formats/xls-strings";
import fc from "../../support/properties";
import { fixture, readDocument } from "./read";

/** A workbook by another author's program, in BIFF8 or BIFF5. */
function xls(rows: readonly (readonly unknown[])[], bookType: "biff8" | "biff5" = "biff8"): Uint8Array {
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows.map((row) => [...row])), "Fleet");
  return new Uint8Array(write(book, { type: "array", bookType, bookSST: bookType === "biff8" }) as ArrayBuffer);
}

/** A file with a stream of it changed. */
function changed(name: string, stream: string, change: (bytes: Uint8Array, look: DataView) => void): Uint8Array {
  const file = CFB.read(fixture(name), { type: "array" });
  const entry = CFB.find(file, stream);
  if (entry === null) throw new Error(`no stream ${stream}`);
  const bytes = Uint8Array.from(entry.content as ArrayLike<number>);
  change(bytes, new DataView(bytes.buffer));
  entry.content = bytes as unknown as typeof entry.content;
  return Uint8Array.from(CFB.write(file, { type: "array" }) as unknown as ArrayLike<number>);
}

describe("XLS", () => {
  test.each(["biff8", "biff5"] as const)("of another library in %s is read", async (bookType) => {
    const { end, text } = await readDocument(
      xls(
        [
          ["Vessel", 12.5, true, -3],
          ["Grey Heron", 1e10],
        ],
        bookType,
      ),
    );
    expect(end).toMatchObject({ status: "indexed", pageCount: 1 });
    expect(text).toBe("Fleet\nVessel | 12.5 | TRUE | -3\nGrey Heron | 10000000000");
  });

  test("has shared strings that go on in further records", async () => {
    const rows = Array.from({ length: 400 }, (_, n) => [`${n} Übergabe der Schlüssel 鍵 ${"x".repeat(n)}`]);
    const { passages } = await readDocument(xls(rows));
    const words = passages.flatMap(({ text }) => text.split(/\s+/));
    expect(words.filter((word) => word === "Übergabe")).toHaveLength(400);
    expect(words.filter((word) => /^x+$/.test(word)).reduce((sum, { length }) => sum + length, 0)).toBe(
      (399 * 400) / 2,
    );
  });

  test("has no text of hidden sheets", async () => {
    const { text } = await readDocument(fixture("moorings.xls"));
    expect(text).not.toMatch(/Ledger|secret/);
  });
});

describe("strings of records", () => {
  /** The bytes of a string, and where characters begin that a record may end before. */
  function bytesOf(text: string, isWide: boolean, runs: number, reading: number): number[] {
    const flags = (isWide ? 1 : 0) | (reading > 0 ? 4 : 0) | (runs > 0 ? 8 : 0);
    const bytes = [text.length & 255, text.length >> 8, flags];
    if (runs > 0) bytes.push(runs, 0);
    if (reading > 0) bytes.push(reading, 0, 0, 0);
    for (const char of text) bytes.push(char.charCodeAt(0) & 255, ...(isWide ? [char.charCodeAt(0) >> 8] : []));
    return [...bytes, ...Array<number>(runs * 4 + reading).fill(0x7a)];
  }

  test("are the same wherever a record ends between two characters", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 2, maxLength: 20 }),
        fc.boolean(),
        fc.nat(3),
        fc.nat(5),
        fc.nat(),
        (text, isWide, runs, reading, cut) => {
          const bytes = bytesOf(text, isWide, runs, reading);
          const head = 3 + (runs > 0 ? 2 : 0) + (reading > 0 ? 4 : 0);
          const at = head + (1 + (cut % (text.length - 1))) * (isWide ? 2 : 1);
          const found: string[] = [];
          const reader = new RecordStrings((each) => found.push(each));
          reader.push(Uint8Array.from(bytes.slice(0, at)), false);
          reader.push(Uint8Array.from([isWide ? 1 : 0, ...bytes.slice(at), ...bytesOf("next", false, 0, 0)]), true);
          expect(found).toEqual([text, "next"]);
        },
      ),
    );
  });
});

describe("DOC", () => {
  test("of Word 95 is unsupported, with a sentence about it", async () => {
    const bytes = changed("legacy.doc", "WordDocument", (_, look) => look.setUint16(0, 0xa5dc, true));
    expect((await readDocument(bytes)).end).toMatchObject({
      status: "unsupported",
      detail: expect.stringContaining("Word formats before 97"),
    });
  });

  test("whose pieces are in no order is read in the order of its text", async () => {
    // The place of the table of pieces is in the file information block.
    let [place, size] = [0, 0];
    changed("legacy.doc", "WordDocument", (_, look) => {
      [place, size] = [look.getUint32(0x1a2, true), look.getUint32(0x1a6, true)];
    });
    const name = CFB.find(CFB.read(fixture("legacy.doc"), { type: "array" }), "1Table") === null ? "0Table" : "1Table";
    const bytes = changed("legacy.doc", name, (_, look) => {
      // The first piece becomes empty at its end: its text begins a character later.
      expect([look.getUint8(place), size]).toEqual([2, 21]);
      look.setUint32(place + 5 + 8 + 2, look.getUint32(place + 5 + 8 + 2, true) + 2, true);
    });
    const { end, text } = await readDocument(bytes);
    expect(end.status).toBe("indexed");
    expect(text).toMatch(/^nspection of the northern breakwater/);
  });

  test("whose pieces leave the file is damaged", async () => {
    let place = 0;
    changed("legacy.doc", "WordDocument", (_, look) => {
      place = look.getUint32(0x1a2, true);
    });
    const name = CFB.find(CFB.read(fixture("legacy.doc"), { type: "array" }), "1Table") === null ? "0Table" : "1Table";
    const bytes = changed("legacy.doc", name, (_, look) => look.setUint32(place + 5 + 8 + 2, 0x3ffffff0, true));
    expect((await readDocument(bytes)).end.status).toBe("damaged");
  });
});

describe("PPT", () => {
  test("that is encrypted says so", async () => {
    const bytes = changed("gates.ppt", "Current User", (_, look) => look.setUint32(12, 0xf3d1c4df, true));
    expect((await readDocument(bytes)).end.status).toBe("encrypted");
  });

  test("whose edits are a loop ends", async () => {
    let edit = 0;
    changed("gates.ppt", "Current User", (_, look) => {
      edit = look.getUint32(16, true);
    });
    const bytes = changed("gates.ppt", "PowerPoint Document", (_, look) => look.setUint32(edit + 16, edit, true));
    expect((await readDocument(bytes)).end).toMatchObject({ status: "indexed", pageCount: 3 });
  });
});

test.each(["moorings.xls", "legacy.doc", "gates.ppt"])("%s gets a text status wherever it is cut off", async (name) => {
  const whole = fixture(name);
  const seen = new Set<string>();
  for (let length = 0; length < whole.length; length += 64)
    seen.add((await readDocument(whole.subarray(0, length), name)).end.status);
  for (const status of seen) expect(["empty", "damaged", "unsupported", "indexed", "encrypted"]).toContain(status);
});
