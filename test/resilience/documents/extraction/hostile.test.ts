import { strToU8, Zip, ZipDeflate, type Zippable, zipSync } from "fflate";
import { describe, expect, test, vi } from "vitest";
import { bytesSource } from "../../../../src/documents/extraction/extracted";
import { readSlice } from "../../../../src/documents/extraction/job";
import {
  pdfOf,
  pdfWithForms,
  pdfWithLoopingPages,
  pdfWithPages,
  stream,
} from "../../../documents/extraction/hostile-pdf";
import { fixture, readDocument } from "../../../documents/extraction/read";

// Reading up to a limit takes seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const MIB = 1024 * 1024;
const CONTENT_TYPES =
  '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

const docx = (body: Uint8Array | string, more: Zippable = {}): Uint8Array =>
  zipSync({
    "[Content_Types].xml": strToU8(CONTENT_TYPES),
    "word/document.xml": typeof body === "string" ? strToU8(body) : body,
    ...more,
  });

const WORD = '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>';
const END = "</w:body></w:document>";

/** An archive of `parts` and one more part: `size` bytes of `unit` between `before` and `after`. It is never in memory unpacked. */
function bomb(
  parts: Readonly<Record<string, string>>,
  name: string,
  before: string,
  unit: string,
  size: number,
  after: string,
) {
  const chunks: Uint8Array[] = [];
  const zip = new Zip((_, chunk) => chunks.push(chunk));
  const write = (entry: string, pieces: Iterable<string>) => {
    const file = new ZipDeflate(entry, { level: 1 });
    zip.add(file);
    for (const piece of pieces) file.push(strToU8(piece));
    file.push(new Uint8Array(0), true);
  };
  for (const [entry, text] of Object.entries(parts)) write(entry, [text]);
  const block = unit.repeat(Math.ceil(65_536 / unit.length));
  write(name, [before, ...Array<string>(Math.ceil(size / block.length)).fill(block), after]);
  zip.end();
  return Uint8Array.from(chunks.flatMap((chunk) => [...chunk]));
}

const docxBomb = (before: string, unit: string, size: number, after: string): Uint8Array =>
  bomb({ "[Content_Types].xml": CONTENT_TYPES }, "word/document.xml", WORD + before, unit, size, after + END);

describe("an archive that unpacks to too much", () => {
  test("is read up to the limit of text and ends as too large", async () => {
    const file = docxBomb("", "<w:p><w:t>spam and eggs, always spam and eggs.</w:t></w:p>", 64 * MIB, "");
    expect(file.length).toBeLessThan(MIB);
    const { end, passages } = await readDocument(file);
    expect(end).toMatchObject({ status: "too-large", detail: expect.stringMatching(/20 Mi characters/) });
    expect(passages.length).toBeGreaterThan(10_000);
  });

  test("ends as too large if it is markup without text", async () => {
    const { end, passages } = await readDocument(docxBomb("", `<w:p name="${"x".repeat(200)}"/>`, 130 * MIB, ""));
    expect(end).toMatchObject({ status: "too-large", detail: expect.stringMatching(/128 MiB/) });
    expect(passages).toEqual([]);
  });

  test("ends as too large if it is one run of text", async () => {
    const { end } = await readDocument(docxBomb("<w:p><w:t>", "a", 8 * MIB, "</w:t></w:p>"));
    expect(end).toMatchObject({ status: "too-large", detail: expect.stringMatching(/4 MiB/) });
  });

  test("is not unpacked further if it contains archives", async () => {
    const inner = zipSync({ "a.xml": new Uint8Array(8 * MIB) });
    expect((await readDocument(zipSync({ "a.zip": inner, "b.zip": inner }))).end.status).toBe("unsupported");
    const within = await readDocument(docx(`${WORD}<w:p><w:t>Calm.</w:t></w:p>${END}`, { "word/media/a.zip": inner }));
    expect(within).toMatchObject({ end: { status: "indexed" }, text: "Calm." });
  });

  test("ends as too large if it has more parts than the limit", async () => {
    const parts: Zippable = {};
    for (let n = 0; n < 21_000; n++) parts[`p/${n}`] = new Uint8Array(0);
    expect((await readDocument(docx(WORD + END, parts))).end.status).toBe("too-large");
  });

  test("ends as too large if its shared strings would fill the memory", async () => {
    const parts = {
      "[Content_Types].xml": "<Types>spreadsheetml.sheet.main</Types>",
      "_rels/.rels": '<R><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.xml"/></R>',
      "xl/workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="b"/></sheets></workbook>',
      "xl/_rels/workbook.xml.rels":
        '<R><Relationship Id="b" Type="x/worksheet" Target="s.xml"/><Relationship Id="c" Type="x/sharedStrings" Target="t.xml"/></R>',
      "xl/s.xml": "<worksheet/>",
    };
    const workbook = bomb(parts, "xl/t.xml", "<sst>", `<si><t>${"x".repeat(1_000)}</t></si>`, 40 * MIB, "</sst>");
    expect((await readDocument(workbook)).end).toMatchObject({
      status: "too-large",
      detail: expect.stringMatching(/24 MiB/),
    });
  });
});

describe("malicious XML", () => {
  test("nested entities are refused before they expand", async () => {
    const lol = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("");
    const laughs = `<!DOCTYPE x [<!ENTITY l0 "lol">${lol}]>${WORD}<w:p><w:t>&l9;</w:t></w:p>${END}`;
    expect((await readDocument(docx(laughs))).end).toMatchObject({ status: "damaged", passages: 0 });
  });

  test("an external entity is refused and never fetched", async () => {
    const outside = `<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>${WORD}<w:p><w:t>&f;</w:t></w:p>${END}`;
    expect((await readDocument(docx(outside))).end.status).toBe("damaged");
    expect((await readDocument(docx(`${WORD}<w:p><w:t>&f;</w:t></w:p>${END}`))).end.status).toBe("damaged");
  });

  test("elements nested a million deep end as damaged", async () => {
    expect((await readDocument(docx(WORD + "<a>".repeat(1_000_000)))).end.status).toBe("damaged");
  });
});

describe("extreme nesting and length", () => {
  test.each([
    ["HTML, a million elements deep", "deep.html", "<div>".repeat(1_000_000), "damaged"],
    ["HTML, a comment of 20 MB", "comment.html", `<!--${"x".repeat(20_000_000)}`, "too-large"],
    ["JSON, ten million brackets deep", "deep.json", "[".repeat(10_000_000), "empty"],
    ["RTF, a million groups deep", "deep.rtf", `{\\rtf1 ${"{".repeat(1_000_000)}`, "damaged"],
    ["Markdown, a line of nothing but syntax", "line.md", "[".repeat(2_000_000), "indexed"],
    ["Markdown, quotation marks without end", "quotes.md", `${">".repeat(2_000_000)} x`, "indexed"],
    ["plain text, one word of 8 MB", "word.txt", "x".repeat(8_000_000), "indexed"],
    ["CSV, one cell of 8 MB", "cell.csv", `"${"y ".repeat(4_000_000)}`, "indexed"],
  ] as const)("%s", async (_, name, text, status) => {
    const { end, passages } = await readDocument(text, name);
    expect(end.status).toBe(status);
    expect(Math.max(0, ...passages.map((passage) => passage.text.length))).toBeLessThanOrEqual(1_200);
  });

  test("a hundred MiB of text is read slice by slice, up to the limit", async () => {
    const line = "The hundred million bytes of this log repeat what the pump said before.\n";
    const bytes = new Uint8Array(100 * MIB);
    const unit = strToU8(line.repeat(1_000));
    for (let at = 0; at < bytes.length; at += unit.length) bytes.set(unit.subarray(0, bytes.length - at), at);
    const { end, slices, passages } = await readDocument(bytes, "huge.log");
    expect(end).toMatchObject({ status: "too-large", detail: expect.stringMatching(/20 Mi characters/) });
    expect(slices).toBe(3);
    expect(passages.reduce((sum, { text }) => sum + text.length, 0)).toBeGreaterThan(19 * MIB);
  });

  test("a mail with deeply nested parts gets a status", async () => {
    const boundary = (n: number) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`;
    const mail = `From: a@b.test\r\nSubject: Nested\r\n${Array.from({ length: 5_000 }, (_, n) => boundary(n)).join("")}`;
    expect(["damaged", "indexed"]).toContain((await readDocument(mail, "nested.eml")).end.status);
  });
});

describe("a malicious PDF", () => {
  test("a form that draws itself is drawn once", async () => {
    const { end, text } = await readDocument(pdfWithForms(["BT /T 12 Tf (Within) Tj ET /F0 Do"]));
    expect(end.status).toBe("indexed");
    expect(text).toContain("Before the form");
  });

  test("forms that each draw another ten times end as too large", async () => {
    const forms = Array.from({ length: 8 }, (_, n) => `/F${n + 1} Do `.repeat(10));
    const { end } = await readDocument(pdfWithForms([...forms, "BT /T 12 Tf (spam ) Tj ET"]));
    expect(end).toMatchObject({ status: "too-large", detail: expect.stringMatching(/too much text/) });
  });

  test("a page tree that is its own child ends as damaged", async () => {
    expect((await readDocument(pdfWithLoopingPages())).end.status).toBe("damaged");
  });

  test("ten million declared but missing pages cost nothing", async () => {
    const { end, slices, text } = await readDocument(pdfWithPages("/Kids [3 0 R] /Count 10000000"));
    expect(end).toMatchObject({ status: "indexed", pageCount: 1 });
    expect(slices).toBe(1);
    expect(text).toBe("Once.");
  });

  test("a page that a tree refers to a billion times is read at most ten thousand times", async () => {
    const nodes = [...Array(8).keys()].map((n) => {
      const kids = `${n === 7 ? 3 : 6 + n} 0 R `.repeat(10);
      return `<< /Type /Pages /Kids [${kids}] /Count ${10 ** (8 - n)} >>`;
    });
    const file = pdfWithPages(`/Kids [${"6 0 R ".repeat(10)}] /Count 1000000000`, nodes.slice(1));
    const first = await readSlice({ source: bytesSource(file), fileName: "", contentType: "" }, null, async () => {});
    const pages = first.kind === "continue" ? first.total : first.pageCount;
    expect(pages).toBeLessThanOrEqual(10_000);
  });

  test("a page without text is empty, like a scan", async () => {
    const scan = pdfOf(
      "<< /Type /Catalog /Pages 2 0 R >>",
      "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
      "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>",
      stream("", "0 0 9 9 re f"),
    );
    expect((await readDocument(scan)).end).toMatchObject({ status: "recognizing", pageCount: 1 });
  });

  test("a file that only begins like a PDF has the status damaged", async () => {
    expect((await readDocument("%PDF-1.7\nnothing follows")).end.status).toBe("damaged");
  });

  test("a PDF above the size limit ends as too large without being read", async () => {
    const large = new Uint8Array(16 * MIB + 1);
    large.set(fixture("report.pdf"));
    expect((await readDocument(large)).end).toMatchObject({ status: "too-large", passages: 0 });
  });
});
