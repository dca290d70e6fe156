import { PDFDocument, StandardFonts } from "pdf-lib";

/** Words of the sentences. Page and line numbers make each sentence unique. */
const WORDS =
  "harbour lantern keeper signal tide survey concrete caisson anchor mooring vessel ledger cargo pilot breakwater".split(
    " ",
  );
const LINES = 44;

/** The sentence in line `line` of page `page`, both from 1. */
export function sentenceOf(page: number, line: number): string {
  const word = (n: number) => WORDS[(page * 7 + line * 3 + n * (page + 2)) % WORDS.length] ?? "";
  const middle = [0, 1, 2, 3, 4, 5, 6].map(word).join(" ");
  return `Page ${page} line ${line} says ${middle} number${page * 100 + line}.`;
}

/** A PDF with full pages of text in a standard font, like a book. */
export async function pdfOfPages(pages: number): Promise<Uint8Array<ArrayBuffer>> {
  const pdf = await PDFDocument.create();
  const font = await pdf.embedFont(StandardFonts.TimesRoman);
  for (let number = 1; number <= pages; number++) {
    const page = pdf.addPage([595, 842]);
    page.setFont(font);
    page.setFontSize(11);
    for (let line = 1; line <= LINES; line++) page.drawText(sentenceOf(number, line), { x: 50, y: 800 - line * 17 });
  }
  return Uint8Array.from(await pdf.save());
}
