import { latin1 } from "../../../platform/latin1";

/** The information dictionary stands at the beginning of what the browser writes. */
const LOOKED_AT = 8 * 1024;

/** A time as PDF writes it, in as many characters as the browser takes: `D:20261121073006+00'00'`. */
const pdfDate = (ms: number): string => `D:${new Date(ms).toISOString().replace(/\D/g, "").slice(0, 14)}+00'00'`;

/**
 * Sets the PDF's dates to `madeAt`, in place: without them equal pages give equal bytes. A title cannot
 * stand in for them, since its brackets are escaped.
 */
export function pinDates(pdf: Uint8Array, madeAt: number): void {
  const head = latin1(pdf.subarray(0, LOOKED_AT));
  const date = new TextEncoder().encode(pdfDate(madeAt));
  for (const { index, 0: key } of head.matchAll(/\/(?:CreationDate|ModDate) \((?=D:\d{14}\+00'00'\))/g))
    pdf.set(date, index + key.length);
}
