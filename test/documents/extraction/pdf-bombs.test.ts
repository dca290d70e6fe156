import { strToU8, zlibSync } from "fflate";
import { describe, expect, test, vi } from "vitest";
import { inflatedSize } from "../../../src/documents/extraction/formats/inflated-size";
import { screenPdf } from "../../../src/documents/extraction/formats/pdf-screen";
import { pdfOfPages } from "../../support/long-pdf";
import fc from "../../support/properties";
import { pdfOf, stream } from "./hostile-pdf";
import { readDocument } from "./read";

vi.setConfig({ testTimeout: 240_000 });

const MIB = 1024 * 1024;
const binary = (bytes: Uint8Array): string => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
const packed = (bytes: Uint8Array): string => binary(zlibSync(bytes, { level: 9 }));
const spaces = (size: number): Uint8Array => new Uint8Array(size).fill(0x20);
const hex = (text: string): string =>
  `${Array.from(text, (c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("")}>`;

function base85(text: string): string {
  let encoded = "";
  for (let at = 0; at < text.length; at += 4) {
    const group = text.slice(at, at + 4);
    let value = 0;
    for (let n = 0; n < 4; n++) value = value * 256 + (n < group.length ? group.charCodeAt(n) : 0);
    const digits = [4, 3, 2, 1, 0].map((power) => String.fromCharCode(33 + (Math.floor(value / 85 ** power) % 85)));
    encoded += digits.slice(0, group.length + 1).join("");
  }
  return `${encoded}~>`;
}

/** LZW data of codes with the widths of their positions. */
function lzw(codes: Iterable<number>): string {
  let [bits, text, next, width] = ["", "", 258, 9];
  const put = (code: number) => {
    bits += code.toString(2).padStart(width, "0");
    for (; bits.length >= 8; bits = bits.slice(8)) text += String.fromCharCode(Number.parseInt(bits.slice(0, 8), 2));
  };
  let first = true;
  for (const code of codes) {
    put(code);
    if (code === 256) [next, width, first] = [258, 9, true];
    else {
      if (!first) next++;
      first = false;
      width = next + 1 >= 2048 ? 12 : next + 1 >= 1024 ? 11 : next + 1 >= 512 ? 10 : 9;
    }
  }
  put(257);
  return text + (bits === "" ? "" : String.fromCharCode(Number.parseInt(bits.padEnd(8, "0"), 2)));
}

/** Codes whose texts each have one more byte than the code before: 7 MB in each round. */
function* doubling(rounds: number): Generator<number> {
  for (let round = 0; round < rounds; round++) {
    yield 256;
    yield 0x20;
    for (let code = 258; code < 4_090; code++) yield code;
  }
}

const TEXT = "BT /T 12 Tf 10 100 Td (The lantern keeper writes) Tj ET";

/** A page with the content `content`. `more` are the objects from 6 on. */
const page = (content: string, ...more: string[]): Uint8Array =>
  pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> /XObject << /P 6 0 R >> >> >>",
    content,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...more,
  );

test("a PDF with /Encrypt only in its text is not encrypted", async () => {
  const { end, text } = await readDocument(
    page(stream("", TEXT.replace("writes", "reads of /Encrypt 9 0 R"))),
    "a.pdf",
  );
  expect(end.status).toBe("indexed");
  expect(text).toContain("The lantern keeper reads of");
});

describe("a PDF of a few kilobytes that unpacks to too much", () => {
  const twenty = packed(spaces(18 * MIB));
  const twice = packed(strToU8(packed(spaces(64 * MIB)), true));
  test.each([
    ["a content stream", stream("/Filter /FlateDecode", twenty)],
    ["a name written in digits", stream("/Filter /Fl#61teDecode", twenty)],
    ["the short names", stream("/F /Fl", twenty)],
    ["packed twice", stream("/Filter [/FlateDecode /FlateDecode]", twice)],
    ["packed twice, with comments between", stream("/Filter %a\n[ /FlateDecode %b\n/FlateDecode ]", twice)],
    ["packed and written in base 85", stream("/Filter [/ASCII85Decode /FlateDecode /FlateDecode]", base85(twice))],
    ["packed and written in hex", stream("/Filter [/AHx /Fl /Fl]", hex(twice))],
    ["LZW", stream("/Filter /LZWDecode", lzw(doubling(3)))],
    ["LZW of LZW", stream("/Filter [/LZW /LZW]", lzw(doubling(1)))],
    ["runs of packed runs", stream("/Filter [/FlateDecode /RunLengthDecode]", packed(new Uint8Array(MIB).fill(0x81)))],
    ["filters hidden behind a comment", stream("/Filter [/Fl /Fl] % 9 0 obj <<\n", twice)],
    ["filters hidden behind a string", stream("/Filter [/Fl /Fl] /X (9 0 obj << \\) >>)", twice)],
    ["a table of objects", `${stream("/Type /ObjStm /N 1 /First 4 /Filter /FlateDecode", twenty)}`],
    ["more after an early end", stream("/Filter /FlateDecode", twenty).replace("stream\n", "stream\r\n")],
  ])("ends as too large: %s", async (_, content) => {
    const file = page(content);
    expect(file.length).toBeLessThan(20 * 1024);
    expect((await readDocument(file)).end).toMatchObject({
      status: "too-large",
      detail: expect.stringMatching(/unpacks to more data/),
      passages: 0,
    });
  });

  test("ends as too large if all streams together unpack to too much", async () => {
    const content = stream("/Filter /FlateDecode", packed(spaces(15 * MIB)));
    const file = page(content, ...Array<string>(40).fill(content));
    expect((await readDocument(file)).end.status).toBe("too-large");
  });

  test.each([
    ["CCITT", "/Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 /Rows 60000 >>"],
    ["JBIG2", "/Filter /JBIG2Decode"],
    ["a picture's dictionary", "/Subtype /Image /Width 1 /Height 1 /Filter /FlateDecode"],
    ["filters that nobody can find", "/Filter 99 0 R"],
  ])("is not unpacked as a picture in the place of text: %s", async (_, dictionary) => {
    const { end, passages } = await readDocument(page(stream(dictionary, twenty)));
    expect(["recognizing", "damaged"]).toContain(end.status);
    expect(passages).toEqual([]);
  });
});

describe("a PDF from common programs", () => {
  test.each([
    ["plain", stream("", TEXT)],
    ["Flate", stream("/Filter /FlateDecode", packed(strToU8(TEXT)))],
    ["base 85 of Flate", stream("/Filter [ /ASCII85Decode /FlateDecode ]", base85(packed(strToU8(TEXT))))],
    ["LZW", stream("/Filter /LZWDecode", lzw([256, ...strToU8(TEXT)]))],
    ["a filter in a separate object", stream("/Filter 6 0 R", packed(strToU8(TEXT))), "/FlateDecode"],
  ])("is read: %s", async (_, content, ...more) => {
    const { end, text } = await readDocument(page(content, ...more));
    expect(end.status).toBe("indexed");
    expect(text).toBe("The lantern keeper writes");
  });

  test("of more than one mebibyte is read into its own buffer", async () => {
    const file = page(stream("", TEXT), stream("", " ".repeat(2 * MIB)));
    const before = file.slice();
    expect((await readDocument(file)).text).toBe("The lantern keeper writes");
    expect(file.every((byte, at) => byte === before[at])).toBe(true);
  });

  test("is read although a scan in it unpacks to more than the limit", async () => {
    const scan = stream(
      "/Type /XObject /Subtype /Image /Width 2480 /Height 3508 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode",
      packed(new Uint8Array(2480 * 3508 * 3)),
    );
    const { end, text } = await readDocument(page(stream("", `${TEXT} /P Do`), scan));
    // Its text is read here, and its picture is left to the recognition.
    expect(end).toMatchObject({ status: "recognizing", detail: null, unread: [[1, 1, 1]] });
    expect(text).toBe("The lantern keeper writes");
  });

  test("keeps every byte outside pictures", async () => {
    const pdf = await pdfOfPages(3);
    const before = pdf.slice();
    await screenPdf(pdf);
    expect(pdf).toEqual(before);
  });
});

test("the counted size of zlib data equals its unpacked size", async () => {
  const repeated = fc.tuple(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.integer({ min: 1, max: 500 }));
  await fc.assert(
    fc.asyncProperty(repeated, fc.constantFrom(0, 1, 6, 9), async ([unit, times], level) => {
      const data = new Uint8Array(unit.length * times);
      for (let n = 0; n < times; n++) data.set(unit, n * unit.length);
      expect(await inflatedSize(zlibSync(data, { level: level as 0 | 1 | 6 | 9 }), 1e9)).toBe(data.length);
    }),
  );
});
