import type { CDPSession } from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { type PageToPrint, type Printed, PrintFailure, type PrintWarning } from "../../../platform/printer";
import { LARGEST_PDF } from "../limits";
import { ARRANGE } from "./arrange";
import { pinDates } from "./dates";
import { FIT } from "./fit";
import { pieces } from "./pieces";

/** Bytes of the PDF that come in one message. */
const READ_BYTES = 1024 * 1024;

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

const tooLarge = (what: string, most: number): PrintFailure =>
  new PrintFailure(
    "print-too-large",
    `${what} more than ${mebibytes(most)} MiB. Use fewer or smaller pictures, or split the report.`,
  );

const warningsSchema = z.array(
  z.object({ code: z.enum(["table-very-small", "too-wide"]), at: z.string(), detail: z.string() }),
);

/** Evaluates in the page and waits for what it promises. @throws when it throws there. */
async function evaluate(cdp: CDPSession, expression: string): Promise<unknown> {
  const { exceptionDetails, result } = await cdp.send("Runtime.evaluate", { expression, awaitPromise: true });
  if (exceptionDetails !== undefined)
    throw new Error(`the page refused: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}

/** Brings the HTML into the page piece by piece and lays it out on its paper. */
async function fill(cdp: CDPSession, { html, title, language }: PageToPrint, largest: number): Promise<PrintWarning[]> {
  await evaluate(cdp, "globalThis.pieces = []; 0");
  let size = 0;
  for await (const piece of pieces(html)) {
    size += piece.length;
    if (size > largest) throw tooLarge("With its pictures the page has", largest);
    await evaluate(cdp, `globalThis.pieces.push(${JSON.stringify(piece)}); 0`);
  }
  // It is measured as it will be printed.
  await cdp.send("Emulation.setEmulatedMedia", { media: "print" });
  await evaluate(cdp, `${ARRANGE}(${JSON.stringify(title)}, ${JSON.stringify(language)})`);
  return warningsSchema.parse(JSON.parse(String(await evaluate(cdp, `${FIT}()`))));
}

/** Reads a stream of the browser to its end. */
async function readAll(cdp: CDPSession, handle: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { data, eof, base64Encoded } = await cdp.send("IO.read", { handle, size: READ_BYTES });
    const chunk = base64Encoded === true ? Uint8Array.fromBase64(data) : new TextEncoder().encode(data);
    size += chunk.length;
    if (size > LARGEST_PDF) throw tooLarge("The PDF has", LARGEST_PDF);
    chunks.push(chunk);
    if (eof) break;
  }
  await cdp.send("IO.close", { handle });
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks.splice(0)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/**
 * Prints a page: tagged, with an outline, its size and margins from its own `@page` rules (A4 without).
 * @throws PrintFailure print-too-large.
 */
export async function printPage(cdp: CDPSession, page: PageToPrint, largestPage: number): Promise<Printed> {
  const warnings = await fill(cdp, page, largestPage);
  const { stream } = await cdp.send("Page.printToPDF", {
    transferMode: "ReturnAsStream",
    printBackground: true,
    preferCSSPageSize: true,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
  });
  if (stream === undefined) throw new Error("the browser gave no stream for the PDF");
  const pdf = await readAll(cdp, stream);
  pinDates(pdf, page.madeAt);
  return { pdf, warnings };
}
