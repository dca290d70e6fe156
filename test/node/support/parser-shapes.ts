import { strToU8, zipSync } from "fflate";
import { readSvg } from "../../../src/branding/assets/svg";
import { decryptPdf } from "../../../src/documents/extraction/formats/pdf-decrypt";
import { readPdfNotes } from "../../../src/documents/extraction/formats/pdf-notes";
import { repairPageTree } from "../../../src/documents/extraction/formats/pdf-page";
import { screenPdf } from "../../../src/documents/extraction/formats/pdf-screen";
import { readSlice, type SliceEnd } from "../../../src/documents/extraction/job";
import { bytesSource } from "../../../src/documents/extraction/source";

/** What a parser is given: `size` times something that one who means harm would repeat. */
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
  (work: (bytes: Uint8Array) => void, piece: string, before = "") =>
  (n: number) => {
    try {
      work(bytesOf(`%PDF-1.7\n${before}${many(n, piece)}`));
    } catch {
      // What is refused is refused after few steps.
    }
  };

const [SVG, SVG_END] = ['<svg xmlns="http://www.w3.org/2000/svg">', "</svg>"];
const svg = (inner: (n: number) => string) => (n: number) =>
  readSvg(new TextEncoder().encode(SVG + inner(n) + SVG_END));

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
  [
    "PDF: streams of a filter that stands elsewhere",
    2_000,
    pdf(screenPdf, "% 0 obj<</Filter % 0 R>>stream\nendstream "),
  ],
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
];
