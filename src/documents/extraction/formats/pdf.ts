import { getDocumentProxy } from "unpdf";
import { MAX_PDF_BYTES, MAX_PDF_PAGES, PDF_PAGES_PER_SLICE } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { type ByteSource, readWhole } from "../source";
import { decryptPdf } from "./pdf-decrypt";
import { type PdfNotes, readPdfNotes } from "./pdf-notes";
import { pageParagraphs, repairPageTree } from "./pdf-page";
import { screenPdf } from "./pdf-screen";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** Extracts PDF page by page. It releases the data of each page before the next. */
export async function* extractPdf({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  if (source.sizeBytes > MAX_PDF_BYTES)
    throw tooLarge("The PDF is larger than 16 MiB, the maximum for text extraction. Search finds only its name.");
  const { pdf, notes } = await openWhole(source);
  const numPages = Math.min(pdf.numPages, MAX_PDF_PAGES);
  const last = Math.min(from + PDF_PAGES_PER_SLICE, numPages);
  let unreadable = 0;
  try {
    for (let page = from + 1; page <= last; page++) {
      try {
        for (const text of await readPage(pdf, notes, page)) yield { kind: "text", page, text };
      } catch (thrown) {
        if (thrown instanceof Unreadable && thrown.status !== "damaged") throw thrown;
        unreadable++;
      }
    }
    if (unreadable > 0 && unreadable === last - from) throw damaged("Pages of the PDF cannot be read.");
    if (last < numPages) yield { kind: "checkpoint", at: last, done: last, total: numPages };
  } finally {
    await pdf.loadingTask.destroy();
  }
  if (pdf.numPages > MAX_PDF_PAGES)
    return { pageCount: pdf.numPages, incomplete: `Search finds only the first ${MAX_PDF_PAGES} pages of the PDF.` };
  return { pageCount: numPages };
}

/** Opens a PDF. It repairs the page tree if it is broken. @throws Unreadable like `open`, or too-large; SourceFailure. */
async function openWhole(source: ByteSource): Promise<{ pdf: PdfDocument; notes: PdfNotes }> {
  const bytes = await readWhole(source);
  decryptPdf(bytes);
  screenPdf(bytes);
  // pdf.js takes ownership of the bytes, so the notes are read first.
  const notes = readPdfNotes(bytes);
  const pdf = await open(bytes);
  if (await reachesItsEnd(pdf)) return { pdf, notes };
  await pdf.loadingTask.destroy();
  // The repair comes before the screening, so that pdf.js reads the screened bytes.
  const again = await readWhole(source);
  decryptPdf(again);
  repairPageTree(again);
  screenPdf(again);
  return { pdf: await open(again), notes };
}

/** Whether the last page exists. A broken page tree is counted up to the break, which gives an error or an empty page. */
const reachesItsEnd = (pdf: PdfDocument): Promise<boolean> =>
  pdf.getPage(pdf.numPages).then(
    ({ ref }) => ref !== null,
    () => false,
  );

/** Opens a PDF with pdf.js. @throws Unreadable encrypted if it needs a password, damaged for every other failure. */
async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // These options keep pdf.js from loading fonts. It reads only the text operators of a page.
    return await getDocumentProxy(bytes, { disableFontFace: true, verbosity: 0 });
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "PasswordException")
      throw new Unreadable("encrypted", "The PDF opens only with a password.", thrown);
    throw damaged("The PDF is damaged.", thrown);
  }
}

async function readPage(pdf: PdfDocument, notes: PdfNotes, number: number): Promise<string[]> {
  const page = await pdf.getPage(number);
  try {
    const paragraphs = await pageParagraphs(page);
    // pdf.js returns an empty page without a reference for a page that it cannot read.
    if (page.ref === null && paragraphs.length === 0) throw damaged(`Page ${number} of the PDF cannot be read.`);
    return page.ref === null ? paragraphs : [...paragraphs, ...(notes.get(page.ref.num) ?? [])];
  } finally {
    page.cleanup();
  }
}
