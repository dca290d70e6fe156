import { getDocumentProxy } from "unpdf";
import { MAX_PDF_BYTES, MAX_PDF_PAGES, PDF_PAGES_PER_SLICE } from "../../limits";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge, Unreadable } from "../extracted";
import { type ByteSource, readWhole } from "../source";
import { decryptPdf } from "./pdf-decrypt";
import { type PdfNotes, readPdfNotes } from "./pdf-notes";
import { pageParagraphs, repairPageTree } from "./pdf-page";
import { screenPdf } from "./pdf-screen";

type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;

/** PDF, page by page; each page's data is let go of before the next. */
export async function* extractPdf({ source }: ExtractionInput, from: number): AsyncGenerator<Extracted, Ending> {
  if (source.sizeBytes > MAX_PDF_BYTES)
    throw tooLarge("The PDF is larger than 16 MiB, the most whose text is read. Its name can be found.");
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
    return { pageCount: pdf.numPages, incomplete: `Only the first ${MAX_PDF_PAGES} pages of the PDF can be found.` };
  return { pageCount: numPages };
}

/** Opens a PDF, mended where its page tree breaks off. @throws Unreadable as `open`, too-large; SourceFailure. */
async function openWhole(source: ByteSource): Promise<{ pdf: PdfDocument; notes: PdfNotes }> {
  const bytes = await readWhole(source);
  decryptPdf(bytes);
  screenPdf(bytes);
  // pdf.js takes the bytes away: what is read of them besides is read before.
  const notes = readPdfNotes(bytes);
  const pdf = await open(bytes);
  if (await reachesItsEnd(pdf)) return { pdf, notes };
  await pdf.loadingTask.destroy();
  // What is screened is what is read, so mending comes before it.
  const again = await readWhole(source);
  decryptPdf(again);
  repairPageTree(again);
  screenPdf(again);
  return { pdf: await open(again), notes };
}

/** Whether the last page is there: a tree that breaks off is counted to the break, which is an error or an empty page. */
const reachesItsEnd = (pdf: PdfDocument): Promise<boolean> =>
  pdf.getPage(pdf.numPages).then(
    ({ ref }) => ref !== null,
    () => false,
  );

/** @throws Unreadable encrypted for a password, damaged for everything else that keeps a PDF shut. */
async function open(bytes: Uint8Array): Promise<PdfDocument> {
  try {
    // Nothing is fetched, evaluated or drawn: only the text operators of a page are read.
    return await getDocumentProxy(bytes, { disableFontFace: true, verbosity: 0 });
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "PasswordException")
      throw new Unreadable("encrypted", "The PDF opens with a password only.", thrown);
    throw damaged("The PDF is broken.", thrown);
  }
}

async function readPage(pdf: PdfDocument, notes: PdfNotes, number: number): Promise<string[]> {
  const page = await pdf.getPage(number);
  try {
    const paragraphs = await pageParagraphs(page);
    // pdf.js puts an empty page, which stands nowhere in the file, where it finds none that can be read.
    if (page.ref === null && paragraphs.length === 0) throw damaged(`Page ${number} of the PDF cannot be read.`);
    return page.ref === null ? paragraphs : [...paragraphs, ...(notes.get(page.ref.num) ?? [])];
  } finally {
    page.cleanup();
  }
}
