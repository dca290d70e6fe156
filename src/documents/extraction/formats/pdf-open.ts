import { AsyncLocalStorage } from "node:async_hooks";
import { breathe } from "../../../platform/pace";

/** The characters that other parsers read while pdf.js carries out one operator or draws one glyph. */
const WORK_PER_UNIT = 16;

/**
 * The work that a page may still cost, operators and glyphs, and the function that stops it. Pages that are read side
 * by side have separate budgets.
 */
const budgets = new AsyncLocalStorage<{ left: number; stop: () => void }>();

/** Loads pdf.js, which gives other work its turns as the parsers of the service do. */
async function load() {
  // pdf.js makes one when it loads. Only drawing uses it.
  if (!("DOMMatrix" in globalThis)) Object.assign(globalThis, { DOMMatrix: class {} });
  const pdfjs = await import("#pdfjs");
  pdfjs.pace.breathe = (units) => {
    const budget = budgets.getStore();
    if (budget !== undefined) {
      budget.left -= units;
      if (budget.left < 0) budget.stop();
    }
    return breathe(units * WORK_PER_UNIT);
  };
  return pdfjs;
}

let loaded: ReturnType<typeof load> | undefined;

/** Opens a PDF with pdf.js, which takes ownership of the bytes. @throws the errors of pdf.js */
export async function openWithPdfjs(data: Uint8Array, options: object) {
  loaded ??= load();
  const { getDocument } = await loaded;
  return getDocument({ data, useSystemFonts: true, ...options }).promise;
}

/** Reads a page, and calls `stop` when pdf.js has carried out more than `most` operators and glyphs for it. */
export const withinOperators = <T>(most: number, stop: () => void, read: () => Promise<T>): Promise<T> =>
  budgets.run({ left: most, stop }, read);

export type PdfDocument = Awaited<ReturnType<typeof openWithPdfjs>>;
export type PdfPage = Awaited<ReturnType<PdfDocument["getPage"]>>;
