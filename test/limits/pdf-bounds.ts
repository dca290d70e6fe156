import * as pdfjs from "#pdfjs";
import { Unreadable } from "../../src/documents/extraction/extracted";
import { decryptPdf } from "../../src/documents/extraction/formats/pdf-decrypt";
import { pageParagraphs } from "../../src/documents/extraction/formats/pdf-page";
import { screenPdf } from "../../src/documents/extraction/formats/pdf-screen";
import { KnownWords } from "../../src/documents/extraction/formats/pdf-words";
import * as documents from "../../src/documents/limits";
import { latin1 } from "../../src/platform/latin1";
import { fixture, readFixture } from "../documents/extraction/read";
import type { BoundRow } from "./bounds";

/** Whether a PDF is not refused as too large. */
const isTaken = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (thrown) => !(thrown instanceof Unreadable && thrown.status === "too-large"),
  );

/** A PDF with these bytes behind it. */
function followed(pdf: Uint8Array, by: Uint8Array): Uint8Array {
  const whole = new Uint8Array(pdf.length + by.length);
  whole.set(pdf);
  whole.set(by, pdf.length);
  return whole;
}
const streams = (count: number): Uint8Array => new TextEncoder().encode("stream\nendstream\n".repeat(count));
const NOTHING = new Uint8Array(0);

/** Streams of runs that unpack to this number of bytes together, each to 16 MiB at most. */
function runs(size: number): Uint8Array {
  const most = documents.MAX_PDF_STREAM_BYTES;
  const [begin, end] = ["1 0 obj << /Filter /RunLengthDecode >> stream\n", "\u0080\nendstream endobj\n"].map((text) =>
    Uint8Array.from(text, (char) => char.charCodeAt(0)),
  );
  const run = (bytes: Uint8Array) => followed(followed(begin ?? NOTHING, bytes), end ?? NOTHING);
  // A byte of 129 repeats the next byte 128 times.
  const full = run(new Uint8Array((2 * most) / 128).fill(129));
  let whole: Uint8Array = NOTHING;
  for (let left = size; left > 0; left -= most)
    whole = followed(whole, left < most ? run(Uint8Array.of(left - 1, ...new Array<number>(left).fill(107))) : full);
  return whole;
}

const locked = () => fixture("lock-rc4-v4.pdf");

/** Rows that take seconds: test/resilience runs them. */
export const slowPdfBoundRows: readonly BoundRow[] = [
  {
    limit: "MAX_PDF_STREAMS",
    value: documents.MAX_PDF_STREAMS,
    accepts: (n) => isTaken(screenPdf(streams(n))),
  },
  {
    limit: "MAX_PDF_STREAMS",
    value: documents.MAX_PDF_STREAMS,
    accepts(n) {
      const own = latin1(locked()).match(/(?<!end)stream/g)?.length ?? 0;
      return isTaken(decryptPdf(followed(locked(), streams(n - own))));
    },
  },
];

export const pdfBoundRows: readonly BoundRow[] = [
  {
    limit: "MAX_PDF_UNPACKED_BYTES",
    value: documents.MAX_PDF_UNPACKED_BYTES,
    accepts: (n) => isTaken(screenPdf(runs(n))),
  },
  {
    limit: "MAX_PDF_PAGE_OPERATORS",
    value: documents.MAX_PDF_PAGE_OPERATORS,
    async accepts(n) {
      // It loads pdf.js.
      await readFixture("report.pdf");
      const start = async (controller: ReadableStreamDefaultController) => {
        await pdfjs.pace.breathe(n);
        controller.close();
      };
      const page = { streamTextContent: () => new ReadableStream({ start }) };
      return isTaken(
        pageParagraphs(page as unknown as Parameters<typeof pageParagraphs>[0], new KnownWords(async () => "")),
      );
    },
  },
];
