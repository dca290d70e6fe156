import { degrees, PDFDocument } from "pdf-lib";

/** A text of each language, with words that no other fixture has. */
export const SCANNED = {
  english:
    "The harbour surveyor inspected the northern caisson and found that the concrete of the upper ledge is sound. " +
    "A fender near the pilot station was replaced in October because the old one had been torn by a barge.",
  german:
    "Der Prüfbericht für die Spundwand wurde von dem Bauleiter unterschrieben und an die Behörde übergeben. " +
    "Die Ankerköpfe sind nicht beschädigt, aber der Korrosionsschutz ist im Bereich der Wasserlinie zu erneuern.",
};

/** A page of paper with a text, as HTML. */
export const paper = (text: string): string =>
  `<!doctype html><meta charset="utf-8"><body style="margin:40px;font:22px/1.5 Georgia,serif;background:#fff">${text}`;

/** A PDF whose pages are pictures (PNG), without any text; those in `turned` (from 1) are upside down. */
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
