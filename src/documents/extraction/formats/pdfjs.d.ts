export * from "unpdf/pdfjs";

/** The pace of pdf.js, which `scripts/setup/pdfjs.mjs` adds. Its work counts in operators and glyphs. */
export declare const pace: { breathe: (units: number) => Promise<void> };
