import { MAX_PDF_BYTES, MAX_PDF_PAGES, MIN_SCANNED_PIXELS, PDF_PAGES_PER_SLICE } from "../../limits";
import {
  type ByteSource,
  damaged,
  type Ending,
  type Extracted,
  type ExtractionInput,
  readWhole,
  SourceFailure,
  tooLarge,
  Unreadable,
} from "../extracted";

import { decryptPdf } from "./pdf-decrypt";
import { CharacterMaps, repairCollections } from "./pdf-maps";
import { type PdfNotes, readPdfNotes } from "./pdf-notes";
import { openWithPdfjs, type PdfDocument } from "./pdf-open";
import { isTextPage, pageParagraphs, repairPageTree } from "./pdf-page";
import { screenPdf } from "./pdf-screen";
import { KnownWords } from "./pdf-words";

/** Extracts PDF page by page. It releases the data of each page before the next. */
export async function* extractPdf(
  { source, readInBrowser, readAsset }: ExtractionInput,
  from: number,
): AsyncGenerator<Extracted, Ending> {
  if (source.sizeBytes > MAX_PDF_BYTES) return yield* extractInBrowser(readInBrowser, from);
  const maps = readAsset === undefined ? null : new CharacterMaps(readAsset);
  const words = new KnownWords(() => readEnglish(readAsset));
  const { pdf, notes, pictures } = await openWhole(source, maps);
  const hasScans = pictures >= MIN_SCANNED_PIXELS;
  const numPages = Math.min(pdf.numPages, MAX_PDF_PAGES);
  const last = Math.min(from + PDF_PAGES_PER_SLICE, numPages);
  let unreadable = 0;
  try {
    for (let page = from + 1; page <= last; page++) {
      try {
        const { paragraphs, comments } = await readPage(pdf, notes, page, words);
        if (maps?.failed) throw maps.failed;
        for (const text of [...paragraphs, ...comments]) yield { kind: "text", page, text };
        if (hasScans && !isTextPage(paragraphs)) yield { kind: "scan", page };
      } catch (thrown) {
        if (thrown instanceof SourceFailure) throw thrown;
        if (thrown instanceof Unreadable && thrown.status !== "damaged") throw thrown;
        unreadable++;
      }
    }
    if (unreadable > 0 && unreadable === last - from) throw damaged("Pages of the PDF cannot be read.");
    if (last < numPages) yield { kind: "checkpoint", at: last, done: last, total: numPages };
  } finally {
    await pdf.loadingTask.destroy();
  }
  return endingOf(pdf.numPages);
}

/** Where the build puts the 10,000 most frequent English words, one a line, the most frequent first. */
const ENGLISH = "/words/english.txt";

/** The frequent English words; none without static files. @throws SourceFailure if the list cannot be read. */
async function readEnglish(readAsset: ExtractionInput["readAsset"]): Promise<string> {
  try {
    return new TextDecoder().decode((await readAsset?.(ENGLISH)) ?? new Uint8Array());
  } catch (thrown) {
    throw new SourceFailure("the list of English words failed", thrown);
  }
}

/** Reads the text of a PDF that is too large for the memory of the Worker. Pages without text are read like scans. */
async function* extractInBrowser(
  readInBrowser: ExtractionInput["readInBrowser"],
  from: number,
): AsyncGenerator<Extracted, Ending> {
  if (readInBrowser === undefined)
    throw tooLarge(
      "The PDF is larger than 16 MiB. This service reads such a PDF only while text recognition is on. Split it into smaller files and upload them.",
    );
  const read = await readInBrowser(from + 1);
  if (read.kind === "refused")
    throw read.status === "encrypted"
      ? new Unreadable("encrypted", "The PDF opens only with a password.")
      : damaged("The PDF is damaged.");
  for (const { page, paragraphs } of read.pages) {
    for (const text of paragraphs ?? []) yield { kind: "text", page, text };
    if (paragraphs !== null && !isTextPage(paragraphs)) yield { kind: "scan", page };
  }
  const last = from + read.pages.length;
  if (last < Math.min(read.pageCount, MAX_PDF_PAGES) && read.pages.length > 0)
    yield { kind: "checkpoint", at: last, done: last, total: Math.min(read.pageCount, MAX_PDF_PAGES) };
  return endingOf(read.pageCount);
}

/** The result of an extraction that has read the last page that is indexed. */
const endingOf = (pageCount: number): Ending =>
  pageCount > MAX_PDF_PAGES
    ? { pageCount, incomplete: `Search finds only the first ${MAX_PDF_PAGES} pages of the PDF.` }
    : { pageCount };

/**
 * Opens a PDF. It repairs the page tree if it is broken. `pictures` is the number of pixels of its pictures.
 * @throws Unreadable like `open`, or too-large; SourceFailure.
 */
async function openWhole(
  source: ByteSource,
  maps: CharacterMaps | null,
): Promise<{ pdf: PdfDocument; notes: PdfNotes; pictures: number }> {
  const bytes = await readWhole(source);
  await decryptPdf(bytes);
  const pictures = await screenPdf(bytes);
  repairCollections(bytes);
  // pdf.js takes ownership of the bytes, so the notes are read first.
  const notes = await readPdfNotes(bytes);
  const pdf = await open(bytes, maps);
  if (await reachesItsEnd(pdf)) return { pdf, notes, pictures };
  await pdf.loadingTask.destroy();
  // The repair comes before the screening, so that pdf.js reads the screened bytes.
  const again = await readWhole(source);
  await decryptPdf(again);
  await repairPageTree(again);
  await screenPdf(again);
  repairCollections(again);
  return { pdf: await open(again, maps), notes, pictures };
}

/** Whether the last page exists. A broken page tree is counted up to the break, which gives an error or an empty page. */
const reachesItsEnd = (pdf: PdfDocument): Promise<boolean> =>
  pdf.getPage(pdf.numPages).then(
    ({ ref }) => ref !== null,
    () => false,
  );

/** Opens a PDF with pdf.js. @throws Unreadable encrypted if it needs a password, damaged for every other failure. */
async function open(bytes: Uint8Array, maps: CharacterMaps | null): Promise<PdfDocument> {
  try {
    // These options keep pdf.js from loading fonts. It reads only the text operators of a page.
    return await openWithPdfjs(bytes, { disableFontFace: true, verbosity: 0, ...maps?.options() });
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === "PasswordException")
      throw new Unreadable("encrypted", "The PDF opens only with a password.", thrown);
    throw damaged("The PDF is damaged.", thrown);
  }
}

/** The own text of a page, and its form values and comments. */
async function readPage(
  pdf: PdfDocument,
  notes: PdfNotes,
  number: number,
  words: KnownWords,
): Promise<{ paragraphs: string[]; comments: readonly string[] }> {
  const page = await pdf.getPage(number);
  try {
    const paragraphs = await pageParagraphs(page, words);
    // pdf.js returns an empty page without a reference for a page that it cannot read.
    if (page.ref === null && paragraphs.length === 0) throw damaged(`Page ${number} of the PDF cannot be read.`);
    return { paragraphs, comments: page.ref === null ? [] : (notes.get(page.ref.num) ?? []) };
  } finally {
    page.cleanup();
  }
}
