import { strToU8, zipSync } from "fflate";
import { readSvg } from "../../../src/branding/assets/svg";
import { bytesSource } from "../../../src/documents/extraction/extracted";
import { decryptPdf } from "../../../src/documents/extraction/formats/pdf-decrypt";
import { readPdfNotes } from "../../../src/documents/extraction/formats/pdf-notes";
import { repairPageTree } from "../../../src/documents/extraction/formats/pdf-page";
import { screenPdf } from "../../../src/documents/extraction/formats/pdf-screen";
import { readSlice, type SliceEnd } from "../../../src/documents/extraction/job";
import { type ProtocolName, parseMessages, RecordReader, writeMessage } from "../../../src/hub/protocol";
import { DomainError } from "../../../src/platform/errors";
import { atOnce } from "../../../src/platform/pace";
import { chunkOrientation, pictureSize } from "../../../src/platform/pictures/headers";
import { languageOf } from "../../../src/reports/rendering/language";
import { renderBody } from "../../../src/reports/rendering/markdown";
import { parseTemplate } from "../../../src/reports/templating";
import { parseQuery } from "../../../src/search/query";

/** The input of a parser: a piece that an attacker would repeat, `size` times. */
export type Shape = readonly [what: string, size: number, work: (n: number) => unknown];

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const many = (n: number, piece: string): string =>
  Array.from({ length: n }, (_, i) => piece.replaceAll("%", `${i + 10_000}`)).join("");

/** Reads a document to its end, as the job does, and drops its text. */
async function read(fileName: string, bytes: Uint8Array | string): Promise<void> {
  const source = bytesSource(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  const input = { source, fileName, contentType: "application/octet-stream" };
  let end: SliceEnd | null = null;
  do end = await readSlice(input, end?.state ?? null, async () => undefined);
  while (end.kind === "continue");
}
const text =
  (fileName: string, piece: string, around: readonly [string, string] = ["", ""]) =>
  (n: number) =>
    read(fileName, around[0] + many(n, piece) + around[1]);

const RELATIONS = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
  <Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`;
const TYPES = `<Types><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`;
const docx = (piece: string) => (n: number) =>
  read(
    "a.docx",
    zipSync({
      "[Content_Types].xml": strToU8(TYPES),
      "_rels/.rels": strToU8(RELATIONS),
      "word/document.xml": strToU8(`<w:document xmlns:w="urn:w"><w:body>${many(n, piece)}</w:body></w:document>`),
    }),
  );
const parts = (n: number) =>
  read("a.docx", zipSync(Object.fromEntries(Array.from({ length: n }, (_, i) => [`p${i}.xml`, strToU8("<a/>")]))));

const NOTE = "<< /Subtype /Text /T (A) /Contents (B%) >> ";
const PAGE = "/Root 1 0 R 1 0 obj << /Pages 2 0 R >> endobj ";
const pdf =
  (work: (bytes: Uint8Array) => unknown, piece: string, before = "") =>
  async (n: number) => {
    try {
      await work(bytesOf(`%PDF-1.7\n${before}${many(n, piece)}`));
    } catch {
      // A parser may refuse an input after few steps.
    }
  };

/** A PDF that is read to its end. `objects` have numbers from 3 on, and `kids` are its pages. */
const wholePdf = (objects: (n: number) => string, kids: (n: number) => string) => (n: number) =>
  read(
    "a.pdf",
    bytesOf(
      `%PDF-1.7\n1 0 obj << /Type /Catalog /Pages 2 0 R >> endobj 2 0 obj << /Type /Pages /Count 1 /Kids [ ${kids(n)} ] >> endobj ${objects(n)} trailer << /Root 1 0 R >>`,
    ),
  );
/** A PDF of one page with this content. */
const pdfText = (piece: string) => {
  const stream = (n: number) => `BT /F1 12 Tf ${many(n, piece)} ET`;
  return wholePdf(
    (n) =>
      `3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >> endobj 4 0 obj << /Length ${stream(n).length} >> stream\n${stream(n)}\nendstream endobj`,
    () => "3 0 R",
  );
};

/** The parts of a picture's file after its first bytes. */
const picture = (head: readonly number[], part: readonly number[]) => (n: number) => {
  const bytes = new Uint8Array(head.length + n * part.length);
  bytes.set(head);
  for (let i = 0; i < n; i++) bytes.set(part, head.length + i * part.length);
  pictureSize(bytes);
  chunkOrientation(bytes, head[0] === 0x89 ? "png" : "webp");
};
const codes = (text: string): number[] => [...bytesOf(text)];
const PNG = codes("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0\0\0\0\0");
const WEBP = codes("RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0");

/** Records of a client of the hub in frames of `size` bytes, parsed when they are complete. */
const records = (protocol: ProtocolName, size: number) => (n: number) => {
  const ping = writeMessage(protocol, { type: "ping" });
  const one = typeof ping === "string" ? bytesOf(ping) : ping;
  const all = new Uint8Array(n * one.length);
  for (let i = 0; i < n; i++) all.set(one, i * one.length);
  const reader = new RecordReader();
  for (let at = 0; at < all.length; at += size) {
    reader.push(all.slice(at, at + size).buffer);
    for (let record = reader.next(protocol); record !== null; record = reader.next(protocol))
      parseMessages(protocol, record);
  }
};
/** One record without an end that arrives byte by byte. */
const endless = (protocol: ProtocolName, bytes: readonly number[]) => (n: number) => {
  const reader = new RecordReader();
  for (let i = 0; i < n; i++) {
    reader.push(Uint8Array.of(bytes[i % bytes.length] ?? 0).buffer);
    if (reader.next(protocol) !== null) throw new Error("the record has no end");
  }
};

/** A parser that refuses an input with an error does so after few steps. */
const orRefused = (work: () => unknown) => {
  try {
    work();
  } catch (thrown) {
    if (!(thrown instanceof DomainError)) throw thrown;
  }
};
const template =
  (piece: string, end = "") =>
  (n: number) =>
    orRefused(() => parseTemplate("htmlLayoutTemplate", many(n, piece) + end));
const { labels } = languageOf("en", "", "UTC");
const body = (piece: string) => (n: number) => orRefused(() => renderBody(many(n, piece), labels));
const query = (piece: string) => (n: number) => parseQuery(many(n, piece));

const [SVG, SVG_END] = ['<svg xmlns="http://www.w3.org/2000/svg">', "</svg>"];
const svg = (inner: (n: number) => string) => (n: number) =>
  atOnce(readSvg(new TextEncoder().encode(SVG + inner(n) + SVG_END)));

export const SHAPES: readonly Shape[] = [
  ["SVG: nested groups with ids", 5_000, svg((n) => many(n, '<g id="a%">') + "</g>".repeat(n))],
  [
    "SVG: groups with ids in groups of 200",
    8_000,
    svg((n) => (many(200, '<g id="a%">') + "</g>".repeat(200)).repeat(n / 200)),
  ],
  ["SVG: references to one group", 5_000, svg((n) => `<g id="a"/>${many(n, '<use href="#a"/>')}`)],
  ["SVG: references in one attribute", 5_000, svg((n) => `<g id="a"/><g style="${many(n, "fill:url(#a);")}"/>`)],
  ["SVG: groups of one id, and references to it", 5_000, svg((n) => many(n, '<g id="a"/><use href="#a"/>'))],
  ["SVG: many prefixes", 200, svg((n) => `<g ${many(n, 'xmlns:p%="urn:%" ')}>${many(n, "<p%:g/>")}</g>`)],
  ["PDF: streams without an end", 5_000, pdf(screenPdf, "% 0 obj<</Filter/DCTDecode>>stream\n")],
  ["PDF: streams of a filter that is elsewhere", 2_000, pdf(screenPdf, "% 0 obj<</Filter % 0 R>>stream\nendstream ")],
  ["PDF: dictionaries without an end", 5_000, pdf(screenPdf, "obj<<stream\n")],
  ["PDF: packed streams within each other", 2_000, pdf(screenPdf, "stream\n\x78\x9c\x00\x00\x00\xff\xff")],
  ["PDF: words of encryption", 20_000, pdf(decryptPdf, "/Encrypt 5 0 R ")],
  ["PDF: the lock many times", 2_000, pdf(decryptPdf, "5 0 obj << /V 4 ", "/Encrypt 5 0 R ")],
  ["PDF: lists of kids", 10_000, pdf(repairPageTree, "/Kids [ % 0 R ] ")],
  ["PDF: one list of kids", 10_000, pdf(repairPageTree, "% 0 R ", "/Kids [ ")],
  ["PDF: objects", 5_000, pdf(readPdfNotes, "% 0 obj << /Kids [ % 0 R ] >> endobj ")],
  ["PDF: objects without an end", 5_000, pdf(readPdfNotes, "% 0 obj << /Type /ObjStm /N 1 /First 4 [ ( ")],
  ["PDF: annotations of a page", 5_000, pdf(readPdfNotes, NOTE, `${PAGE}2 0 obj << /Annots [ `)],
  [
    "PDF: one annotation many times",
    5_000,
    pdf(readPdfNotes, "3 0 R ", `${PAGE}3 0 obj ${NOTE} endobj 2 0 obj << /Annots [ `),
  ],
  ["DOCX: paragraphs", 5_000, docx("<w:p><w:r><w:t>word</w:t></w:r></w:p>")],
  ["DOCX: attributes", 5_000, (n) => docx(`<w:p ${many(n, 'a%="1" ')}/>`)(1)],
  ["DOCX: entities", 20_000, docx("&#x41;")],
  ["DOCX: tags that stay open", 2_000, docx("<w:p>")],
  ["ZIP: many parts", 2_000, parts],
  ["HTML: tags that stay open", 2_000, text("a.html", "<div>")],
  ["HTML: ends of what is not open", 10_000, text("a.html", "</b>", ["<p><i>".repeat(500), ""])],
  ["HTML: paragraphs that end each other", 10_000, text("a.html", "<p>word")],
  ["HTML: attributes", 10_000, text("a.html", 'a%="1" ', ["<p ", ">word"])],
  ["HTML: comments that stay open", 10_000, text("a.html", "<!-- ")],
  ["HTML: ampersands", 20_000, text("a.html", "&am")],
  ["RTF: words", 10_000, text("a.rtf", "\\b0 word\\par ", ["{\\rtf1 ", "}"])],
  ["RTF: groups", 10_000, text("a.rtf", "{\\i word}", ["{\\rtf1 ", "}"])],
  ["RTF: one paragraph", 10_000, text("a.rtf", "word ", ["{\\rtf1 ", "}"])],
  ["RTF: fonts", 2_000, text("a.rtf", "{\\f%\\fcharset204 A;}", ["{\\rtf1 {\\fonttbl ", "}}"])],
  ["Markdown: brackets", 20_000, text("a.md", "[")],
  ["Markdown: emphasis", 20_000, text("a.md", "*a")],
  ["Markdown: tables", 5_000, text("a.md", "| a | b |\n")],
  ["CSV: quotation marks", 20_000, text("a.csv", '"a""')],
  ["CSV: one row", 10_000, text("a.csv", "a,")],
  ["JSON: brackets", 20_000, text("a.json", "[")],
  ["JSON: one string", 50_000, text("a.json", "a", ['"', '"'])],
  ["JSON: escapes", 20_000, text("a.json", "\\\\", ['"', '"'])],
  ["text: one line", 20_000, text("a.txt", "word ")],
  ["text: one sentence of signs", 20_000, text("a.txt", ".")],
  ["mail: headers", 5_000, text("a.eml", "X-H%: a\n", ["From: a@b.test\nSubject: a\n", "\nword\n"])],
  ["mail: one header of many lines", 5_000, text("a.eml", " word\n", ["From: a@b.test\nSubject: a\n", "\nword\n"])],
  ["mail: addresses", 2_000, text("a.eml", "a% <a%@b.test>, ", ["From: a@b.test\nTo: ", "\n\nword\n"])],
  ["mail: open comments in an address", 2_000, text("a.eml", "(", ["From: a@b.test\nTo: ", "\n\nword\n"])],
  ["mail: encoded words", 2_000, text("a.eml", "=?utf-8?q?a?= ", ["From: a@b.test\nSubject: ", "\n\nword\n"])],
  [
    "mail: parts",
    2_000,
    text("a.eml", "--x\nContent-Type: text/plain\n\nword\n", [
      "From: a@b.test\nContent-Type: multipart/mixed; boundary=x\n\n",
      "--x--\n",
    ]),
  ],
  ["PDF: one page of many words", 1_000, pdfText("1 0 0 1 0 0 Tm (word) Tj ")],
  ["PDF: one page of nested states", 1_000, pdfText("q ")],
  ["PDF: one long array of strings", 2_000, pdfText("[ (a) ] TJ ")],
  [
    "PDF: one string",
    5_000,
    wholePdf(
      (n) => `3 0 obj << /Type /Page /Parent 2 0 R /T (${"a".repeat(n)}) >> endobj`,
      () => "3 0 R",
    ),
  ],
  [
    "PDF: objects that nobody names",
    1_000,
    wholePdf(
      (n) => `3 0 obj << /Type /Page /Parent 2 0 R >> endobj ${many(n, "% 0 obj << /A 1 >> endobj ")}`,
      () => "3 0 R",
    ),
  ],
  [
    "PDF: one page many times",
    500,
    wholePdf(
      () => "3 0 obj << /Type /Page /Parent 2 0 R >> endobj",
      (n) => "3 0 R ".repeat(n),
    ),
  ],
  [
    "PDF: dictionaries in dictionaries",
    1_000,
    wholePdf(
      (n) => `3 0 obj << /Type /Page /Parent 2 0 R /A ${"<< /A ".repeat(n)} >> endobj`,
      () => "3 0 R",
    ),
  ],
  ["PNG: empty chunks", 5_000, picture(PNG, codes("\0\0\0\0tEXt\0\0\0\0"))],
  ["WebP: empty chunks", 5_000, picture(WEBP, codes("JUNK\0\0\0\0"))],
  ["JPEG header: empty segments", 5_000, picture([0xff, 0xd8], [0xff, 0xe1, 0x00, 0x02])],
  ["JPEG header: bytes between markers", 20_000, picture([0xff, 0xd8, 0xff], [0x00])],
  ["JPEG header: fill bytes", 20_000, picture([0xff, 0xd8], [0xff])],
  ["hub, JSON: records in one frame", 2_000, records("json", Number.MAX_SAFE_INTEGER)],
  ["hub, JSON: records byte by byte", 500, records("json", 1)],
  ["hub, JSON: one record byte by byte", 10_000, endless("json", [0x20])],
  ["hub, MessagePack: records in one frame", 2_000, records("messagepack", Number.MAX_SAFE_INTEGER)],
  ["hub, MessagePack: records byte by byte", 2_000, records("messagepack", 1)],
  ["hub, MessagePack: one record byte by byte", 10_000, endless("messagepack", [0xf0, 0xff, 0x01])],
  ["template: values", 2_000, template("{{a%}} ")],
  ["template: sections", 2_000, template("{{#a}}x{{/a}}")],
  ["template: sections that stay open", 5_000, template("{{#a%}}")],
  ["template: braces", 20_000, template("{")],
  ["template: comments", 2_000, template("{{! a }}\n")],
  ["template: pictures", 2_000, template('{{image_list "a.b[0]" 3}}')],
  ["report body: paragraphs", 2_000, body("Words of a paragraph.\n\n")],
  // marked searches the rest of a paragraph for the end of each emphasis. A body has a budget for these searches.
  ["report body: emphasis", 100, body(`${"***a** ".repeat(20)}\n\n`)],
  ["report body: emphasis in words", 1_000, body("a*b_c")],
  ["report body: struck emphasis", 100, body(`${"~~_*a".repeat(20)}\n\n`)],
  ["report body: emphasis beyond its budget", 8_000, body("***a** ")],
  ["report body: quotations", 200, body("> ")],
  ["report body: numbers", 200, body("1. ")],
  ["report body: brackets", 2_000, body("[[")],
  ["report body: links", 2_000, body("[a](<b")],
  ["report body: pictures with widths", 2_000, body("![a](b.jpg){width=50%} ")],
  ["report body: open braces after pictures", 2_000, body("![a](b.jpg){width=")],
  ["report body: code", 2_000, body("` `` ``` ")],
  ["report body: tables", 2_000, body("|a\n|-\n")],
  ["report body: rows of a table", 2_000, (n) => body(`|a\n|-\n${"| a |\n".repeat(n)}`)(1)],
  ["report body: open HTML", 2_000, body("<a ")],
  ["report body: comments that stay open", 2_000, body("<!--")],
  ["report body: footnotes", 500, body("[^%]: b\n\n")],
  ["report body: references to a footnote", 500, body("[^a]: b\n\n[^a] ")],
  ["report body: footnotes in footnotes", 500, body("[^a]:\n     [^b")],
  ["query: words", 800, query("w% ")],
  ["query: one word many times", 2_000, query("a ")],
  ["query: quotation marks", 4_000, query('"')],
  ["query: phrases", 1_000, query('"a b"')],
  ["query: exclusions", 1_000, query("-a ")],
  ["query: signs", 4_000, query("-")],
  ["query: a script without spaces", 2_000, query("日")],
  ["query: sound marks", 2_000, query("\u3099")],
  ["query: emoji that are joined", 1_000, query("👩\u200d")],
];
