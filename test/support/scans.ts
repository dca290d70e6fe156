import { degrees, PDFDocument, StandardFonts, setTextRenderingMode, TextRenderingMode } from "pdf-lib";
import { sentenceOf } from "./long-pdf";

/** A text of each language, with words that no other fixture has. */
export const SCANNED = {
  english:
    "The harbour surveyor inspected the northern caisson and found that the concrete of the upper ledge is sound. " +
    "A fender near the pilot station was replaced in October because the old one had been torn by a barge.",
  german:
    "Der Prüfbericht für die Spundwand wurde von dem Bauleiter unterschrieben und an die Behörde übergeben. " +
    "Die Ankerköpfe sind nicht beschädigt, aber der Korrosionsschutz ist im Bereich der Wasserlinie zu erneuern.",
  french:
    "Le contrôle de la façade a été effectué après la tempête, et la fenêtre côté forêt est fêlée près de la poignée. " +
    "Le maître d’œuvre a demandé une étude complémentaire, car la fuite s’étend déjà jusqu’au troisième étage.",
};

/** A page of paper with a text, as HTML. */
export const paper = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><body style="margin:40px;font:22px/1.5 Georgia,serif;background:#fff">${text}`;

/** A PDF whose pages are pictures (PNG), without any text; the pages in `turned` (from 1) are upside down. */
export async function scanOf(
  pictures: readonly Uint8Array[],
  turned: readonly number[] = [],
): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = await PDFDocument.create();
  for (const [index, bytes] of pictures.entries()) {
    const picture = await pdf.embedPng(bytes);
    const [width, height] = [595, (595 * picture.height) / picture.width];
    const page = pdf.addPage([width, height]);
    if (turned.includes(index + 1))
      page.drawImage(picture, { x: width, y: height, width, height, rotate: degrees(180) });
    else page.drawImage(picture, { x: 0, y: 0, width, height });
  }
  return Uint8Array.from(await pdf.save());
}

/** The pages of a PDF that has text and pictures. */
export type MixedPage = "text" | "scan" | "blank" | "header and scan" | "scan with invisible text" | "header and logo";

const HEADER = "Harbour office, file 12, confidential";

/**
 * A PDF with these pages. The scans are a picture (PNG). The text of page n is `sentenceOf(n, …)`.
 * @param padding bytes of an attached file that does not compress
 */
export async function mixedPdf(
  pages: readonly MixedPage[],
  picture: Uint8Array,
  padding = 0,
): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.TimesRoman);
  const scan = await pdf.embedPng(picture);
  for (const [index, kind] of pages.entries()) {
    const page = pdf.addPage([595, 842]);
    page.setFont(font);
    page.setFontSize(11);
    if (kind.includes("scan"))
      page.drawImage(scan, { x: 0, y: 400, width: 595, height: (595 * scan.height) / scan.width });
    if (kind.includes("logo")) page.drawImage(scan, { x: 500, y: 750, width: 80, height: 40 });
    if (kind.includes("header")) page.drawText(HEADER, { x: 50, y: 810 });
    if (kind.includes("invisible")) page.pushOperators(setTextRenderingMode(TextRenderingMode.Invisible));
    if (kind.includes("text"))
      for (let line = 1; line <= 4; line++) page.drawText(sentenceOf(index + 1, line), { x: 50, y: 790 - line * 17 });
  }
  if (padding > 0) {
    const bytes = new Uint8Array(padding);
    for (let at = 0, value = 1; at < padding; at++) {
      value = (value * 1_103_515_245 + 12_345) & 0x7fffffff;
      bytes[at] = value >> 16;
    }
    pdf.context.register(pdf.context.stream(bytes));
  }
  return Uint8Array.from(await pdf.save());
}
