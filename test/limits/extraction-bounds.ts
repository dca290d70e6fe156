import { zlibSync } from "fflate";
import { CompoundFile } from "../../src/documents/extraction/compound/compound";
import {
  type ByteSource,
  bytesSource,
  type ExtractionInput,
  Unreadable,
} from "../../src/documents/extraction/extracted";
import { extractDoc } from "../../src/documents/extraction/formats/doc";
import { extractDocx } from "../../src/documents/extraction/formats/docx";
import { extractMail } from "../../src/documents/extraction/formats/eml";
import { extractEpub } from "../../src/documents/extraction/formats/epub";
import { extractOdt } from "../../src/documents/extraction/formats/open-document";
import { extractPdf } from "../../src/documents/extraction/formats/pdf";
import { readPdfNotes } from "../../src/documents/extraction/formats/pdf-notes";
import { pageParagraphs } from "../../src/documents/extraction/formats/pdf-page";
import { screenPdf } from "../../src/documents/extraction/formats/pdf-screen";
import { KnownWords } from "../../src/documents/extraction/formats/pdf-words";
import { extractPpt } from "../../src/documents/extraction/formats/ppt";
import { extractPptx } from "../../src/documents/extraction/formats/pptx";
import { extractRtf } from "../../src/documents/extraction/formats/rtf";
import { extractXls } from "../../src/documents/extraction/formats/xls";
import { extractXlsx } from "../../src/documents/extraction/formats/xlsx";
import { readSlice, type SliceState } from "../../src/documents/extraction/job";
import { Archive } from "../../src/documents/extraction/zip/archive";
import * as documents from "../../src/documents/limits";
import { pdfOf, stream } from "../documents/extraction/hostile-pdf";
import { readDocument } from "../documents/extraction/read";
import { messageOf, scatteredSource } from "../support/compound";
import { docOf, pptOf, xlsOf } from "../support/old-office";
import type { BoundRow } from "./bounds";
import { stored, zeros } from "./fill";

const inputOf = (source: ByteSource): ExtractionInput => ({ source, fileName: "a", contentType: "" });

/** Whether a file is not refused as too large or damaged. Another failure of a fake file does not count. */
const isTaken = async (work: Promise<unknown>): Promise<boolean> => {
  try {
    await work;
    return true;
  } catch (thrown) {
    return !(thrown instanceof Unreadable && /too-large|nested/.test(thrown.message));
  }
};

/** A source of this size whose bytes cannot be read. */
const unreadableSource = (sizeBytes: number): ByteSource => ({
  sizeBytes,
  read: () => Promise.reject(new Error("not read")),
});

const PAGE = "/Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R";
/** A PDF of one page, object 3, with this entry, and with objects from 5 on. */
const pageWith = (entry: string, ...objects: string[]): Uint8Array =>
  pdfOf(
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    `<< ${PAGE} ${entry} >>`,
    stream("", "BT ET"),
    ...objects,
  );
const withNote = (length: number) => pageWith(`/Annots [ << /Subtype /Text /Contents (${"k".repeat(length)}) >> ]`);
const hasNote = async (pdf: Uint8Array): Promise<boolean> => (await readPdfNotes(pdf)).size === 1;

/** Bytes with spaces behind them, up to this size. */
function padded(bytes: Uint8Array, size: number): Uint8Array {
  const whole = new Uint8Array(size).fill(0x20);
  whole.set(bytes);
  return whole;
}

const scanned = (width: string) =>
  pageWith(
    "/Resources << /Font << /T 5 0 R >> /XObject << /P 6 0 R >> >>",
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    stream(`/Type /XObject /Subtype /Image /Width ${width} /Height 1`, "a"),
  );
const isScan = async (width: string): Promise<boolean> => {
  const pdf = scanned(width);
  const text = new TextDecoder("latin1").decode(pdf).replace("BT ET", "BT /T 12 Tf (a) Tj ET");
  const { end } = await readDocument(
    Uint8Array.from(text, (char) => char.charCodeAt(0)),
    "a.pdf",
  );
  return end.unread.length > 0 && end.passages > 0;
};

/** A page of pdf.js whose text is one item of this length. */
const pageOfText = (length: number) =>
  ({
    streamTextContent: () =>
      new ReadableStream({
        start(controller) {
          const item = { str: "k".repeat(length), transform: [1, 0, 0, 1, 0, 0], width: 1, height: 1, fontName: "f" };
          controller.enqueue({ items: [{ ...item, hasEOL: false, dir: "ltr" }], styles: {} });
          controller.close();
        },
      }),
  }) as unknown as Parameters<typeof pageParagraphs>[0];

/** A mail with a text of this many bytes as an attachment. */
function attached(bytes: number): ByteSource {
  const base64 = btoa("girder ".repeat(Math.ceil(bytes / 7)).slice(0, bytes)).replace(/.{76}/g, "$&\r\n");
  const part =
    "Content-Type: text/plain\r\nContent-Disposition: attachment; filename=a.txt\r\nContent-Transfer-Encoding: base64";
  const mail = `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${part}\r\n\r\n${base64}\r\n--b--\r\n`;
  return bytesSource(new TextEncoder().encode(mail));
}

const RELATIONSHIPS = '<R><Relationship Id="a" Type="x/slide" Target="s.xml"/></R>';
const sheets = (count: number, name = "S") =>
  `<workbook xmlns:r="r">${`<sheet name="${name}" r:id="a"/>`.repeat(count)}</workbook>`;
/** Sheets whose names have this many characters together. Each name stays below the limit of a token. */
function sheetsOfNames(length: number): string {
  const [most, name] = [2 * 1024 * 1024, "n"];
  const rest = length % most;
  return sheets(Math.floor(length / most), name.repeat(most)).replace(
    "</workbook>",
    `${rest > 0 ? `<sheet name="${name.repeat(rest)}" r:id="a"/>` : ""}</workbook>`,
  );
}
const workbook = (text: string) =>
  bytesSource(stored({ "xl/workbook.xml": text, "xl/_rels/workbook.xml.rels": RELATIONSHIPS }));

/** Reads an entry to its end. */
async function drain(source: ByteSource): Promise<void> {
  const archive = await Archive.open(source);
  for await (const _ of archive.read("a"));
}

/** Whether the style of this number, the last of a document, still hides its text. */
const hides = async (texts: AsyncGenerator<unknown>): Promise<boolean> =>
  !JSON.stringify(await Array.fromAsync(texts)).includes("girder");
const wordStyles = (count: number) =>
  bytesSource(
    stored({
      "word/document.xml": `<d><p><pPr><pStyle val="s${count}"/></pPr><r><t>girder</t></r></p></d>`,
      "word/_rels/document.xml.rels": '<R><Relationship Id="a" Type="x/styles" Target="styles.xml"/></R>',
      "word/styles.xml": `<s>${Array.from({ length: count }, (_, n) => `<style styleId="s${n + 1}"><rPr><vanish/></rPr></style>`).join("")}</s>`,
    }),
  );
const openStyles = (count: number) =>
  bytesSource(
    stored({
      "content.xml": `<d><automatic-styles>${Array.from({ length: count }, (_, n) => `<style name="s${n + 1}"><text-properties display="none"/></style>`).join("")}</automatic-styles><body><text><p style-name="s${count}">girder</p></text></body></d>`,
    }),
  );

/** A book with this many entries of its manifest and places in its spine. */
const bookOf = (items: number, places: number) =>
  bytesSource(
    stored({
      "META-INF/container.xml": '<c><rootfile full-path="b.opf"/></c>',
      "b.opf": `<p>${Array.from({ length: items }, (_, n) => `<item id="i${n}" href="a" media-type="text/html"/>`).join("")}${'<itemref idref="i0"/>'.repeat(places)}</p>`,
      a: "<p>girder</p>",
    }),
  );

/** Reads the stream of a compound file, as if it had this many bytes. */
async function readStream(source: ByteSource, size?: number): Promise<void> {
  const file = await CompoundFile.open(source);
  const entry = file.root.children.get("a");
  if (entry === undefined) throw new Error("no stream");
  await (await file.stream({ ...entry, size: size ?? entry.size })).read(0, entry.size);
}
const isWhole = async (bytes: Uint8Array): Promise<boolean> =>
  (await readDocument(bytes, "a.msg")).end.status === "empty";

const PARAGRAPH = "girder ".repeat(200);
/** Reads paragraphs after the text of earlier slices. @returns the passages, and how it ends. */
async function readAfter(before: Partial<SliceState>, paragraphs: number) {
  const text = `${PARAGRAPH}\n\n`.repeat(paragraphs);
  const source = bytesSource(new TextEncoder().encode(text));
  const state: SliceState = { format: "plain", at: 0, chunkIndex: 0, length: 0, unread: [], ...before };
  const end = await readSlice(inputOf(source), state, async () => {});
  if (end.kind !== "end") throw new Error("the slice is not the last");
  return end;
}

export const extractionBoundRows: readonly BoundRow[] = [
  {
    limit: "MAX_TEXT_LENGTH",
    // With this text, one paragraph more is not indexed.
    value: documents.MAX_TEXT_LENGTH - 1,
    accepts: async (length) => (await readAfter({ length }, 1)).status === "indexed",
  },
  {
    limit: "MAX_PASSAGES",
    value: documents.MAX_PASSAGES - 1,
    accepts: async (chunkIndex) => (await readAfter({ chunkIndex }, 1)).status === "indexed",
  },
  {
    limit: "MAX_PDF_BYTES",
    value: documents.MAX_PDF_BYTES,
    accepts: (n) => isTaken(extractPdf(inputOf(unreadableSource(n)), 0).next()),
  },
  {
    limit: "MAX_PDF_STREAM_BYTES",
    value: documents.MAX_PDF_STREAM_BYTES,
    accepts(n) {
      const packed = Array.from(zlibSync(new Uint8Array(n)), (byte) => String.fromCharCode(byte)).join("");
      return isTaken(screenPdf(pdfOf(stream("/Filter /FlateDecode", packed))));
    },
  },
  {
    limit: "MAX_PDF_PAGES",
    value: documents.MAX_PDF_PAGES,
    async accepts(pageCount) {
      const readInBrowser = async () => ({ kind: "pages" as const, pageCount, pages: [] });
      const source = unreadableSource(documents.MAX_PDF_BYTES + 1);
      const { value } = await extractPdf({ ...inputOf(source), readInBrowser }, 0).next();
      return !("incomplete" in (value ?? {}));
    },
  },
  {
    limit: "MAX_PDF_PAGE_TEXT_LENGTH",
    value: documents.MAX_PDF_PAGE_TEXT_LENGTH,
    // Each item counts with the space behind it.
    accepts: (n) => isTaken(pageParagraphs(pageOfText(n - 1), new KnownWords(async () => ""))),
  },
  {
    limit: "MAX_PDF_NOTES_LENGTH",
    value: documents.MAX_PDF_NOTES_LENGTH,
    accepts: (n) => hasNote(withNote(n)),
  },
  {
    limit: "MAX_PDF_WITH_NOTES_BYTES",
    value: documents.MAX_PDF_WITH_NOTES_BYTES,
    accepts: (n) => hasNote(padded(withNote(1), n)),
  },
  {
    limit: "MIN_SCANNED_PIXELS",
    value: documents.MIN_SCANNED_PIXELS,
    isMinimum: true,
    accepts: (n) => isScan(String(n)),
  },
  {
    limit: "MAX_MAIL_ATTACHMENT_BYTES",
    value: documents.MAX_MAIL_ATTACHMENT_BYTES,
    async accepts(n) {
      const texts = await Array.fromAsync(extractMail(inputOf(attached(n))));
      return JSON.stringify(texts).includes("girder");
    },
  },
  { limit: "MAX_UNPACKED_BYTES", value: documents.MAX_UNPACKED_BYTES, accepts: (n) => isTaken(drain(zeros(n))) },
  {
    limit: "MIN_RATIO_BYTES",
    value: documents.MIN_RATIO_BYTES,
    accepts: (n) => isTaken(drain(zeros(n, { size: 20_000 }))),
  },
  {
    limit: "MAX_UNPACKED_RATIO",
    value: documents.MAX_UNPACKED_RATIO * 50_000,
    accepts: (n) => isTaken(drain(zeros(n, { size: 50_000 }))),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts(n) {
      const slides = `<p xmlns:r="r">${'<sldId r:id="a"/>'.repeat(n)}</p>`;
      const parts = { "ppt/presentation.xml": slides, "ppt/_rels/presentation.xml.rels": RELATIONSHIPS };
      return isTaken(extractPptx(inputOf(bytesSource(stored(parts))), n - 1).next());
    },
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => isTaken(extractXlsx(inputOf(workbook(sheets(n))), n).next()),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => hides(extractDocx(inputOf(wordStyles(n)))),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => hides(extractOdt(inputOf(openStyles(n)))),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => isTaken(extractEpub(inputOf(bookOf(1, n)), 1).next()),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => isTaken(extractEpub(inputOf(bookOf(n, 1)), 1).next()),
  },
  {
    limit: "MAX_TABLE_LENGTH",
    value: documents.MAX_TABLE_LENGTH,
    accepts: (n) => isTaken(extractXlsx(inputOf(workbook(sheetsOfNames(n))), 1_000).next()),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => isTaken(extractXls(inputOf(bytesSource(xlsOf(n, new Uint8Array()))), n).next()),
  },
  {
    limit: "MAX_OFFICE_PARTS",
    value: documents.MAX_OFFICE_PARTS,
    accepts: (n) => isTaken(extractPpt(inputOf(bytesSource(pptOf(n, []))), n).next()),
  },
  {
    limit: "MAX_UNPACKED_BYTES",
    value: documents.MAX_UNPACKED_BYTES,
    // The text is the code of a field, which is not read.
    accepts: (n) =>
      isTaken(extractDoc(inputOf(bytesSource(docOf(`\x13${"a".repeat(1_022)}\x15`, Math.ceil(n / 1_024))))).next()),
  },
  {
    limit: "MAX_SCATTERED_BLOCKS",
    value: documents.MAX_SCATTERED_BLOCKS,
    // One more block has the directory.
    accepts: (n) => isTaken(readStream(scatteredSource(n - 1))),
  },
  {
    limit: "MAX_UNPACKED_BYTES",
    value: documents.MAX_UNPACKED_BYTES,
    accepts: (n) => isTaken(readStream(scatteredSource(1), n)),
  },
  {
    limit: "MAX_DIRECTORY_BYTES",
    value: documents.MAX_DIRECTORY_BYTES,
    accepts: (n) => isTaken(CompoundFile.open(bytesSource(messageOf(Math.ceil(n / 128) - 2, 0)))),
  },
  {
    limit: "MAX_MAIL_PARTS",
    value: documents.MAX_MAIL_PARTS,
    accepts: (n) => isWhole(messageOf(n, 0)),
  },
  {
    limit: "MAX_MAIL_PARTS",
    value: documents.MAX_MAIL_PARTS,
    accepts: (n) => isWhole(messageOf(0, n)),
  },
  {
    limit: "MAX_NESTING_DEPTH",
    value: documents.MAX_NESTING_DEPTH,
    accepts: (n) =>
      isTaken(
        extractRtf(inputOf(bytesSource(new TextEncoder().encode(`{${"{".repeat(n - 1)}${"}".repeat(n)}`)))).next(),
      ),
  },
];
