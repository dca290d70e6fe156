import type { Browser, CDPSession } from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { evaluate, openWalledPage, type WalledPage } from "../../../platform/browsers/page";
import { REPORT_POLICY } from "../../../platform/http/pages";
import { latin1 } from "../../../platform/latin1";
import {
  type PageToPrint,
  PRINT_WARNINGS,
  type Printed,
  PrintFailure,
  type PrintWarning,
} from "../../../platform/ports";
import { MAX_PDF_BYTES } from "../../limits";
import { conform, pdfDate } from "../standard";
import { pagesOfDestinations } from "./destinations";
import { BEYOND, FIT, PICTURES, PIN, UNPIN } from "./fit";
import { type Assets, fontRules } from "./fonts";
import { TURN } from "./orientation";
import { HIDE, NUMBER, REFERENCES, SHOW } from "./references";
import { ARRANGE, FONTS, GLYPHS } from "./scripts";

/** Bytes of the PDF in one message. */
const READ_BYTES = 1024 * 1024;

const mebibytes = (bytes: number): number => Math.round(bytes / 1024 ** 2);

const tooLarge = (what: string, maxBytes: number): PrintFailure =>
  new PrintFailure(
    "print-too-large",
    `${what} more than ${mebibytes(maxBytes)} MiB. Use fewer or smaller pictures, or split the report.`,
  );

const warningsSchema = z.array(
  z.object({
    code: z.enum(PRINT_WARNINGS),
    at: z.string(),
    detail: z.string(),
  }),
);

const charactersSchema = z.array(z.int());
const referencesSchema = z.object({ links: z.int(), warnings: warningsSchema });
const numberedSchema = z.object({ moved: z.array(z.string()), lost: z.array(z.string()) });

const ofJson = (json: string): PrintWarning[] => warningsSchema.parse(JSON.parse(json));

/** Runs scripts in the page one after another, in one round trip. @returns their warnings together, as JSON */
const inOrder = (...scripts: readonly string[]): string =>
  `(async () => JSON.stringify([${scripts.map((script) => `...JSON.parse(await ${script})`).join(",")}]))()`;

/** The scripts that fit a page to its paper and find what does not fit. */
const MEASURE = [`${TURN}()`, `${PIN}()`, `${FIT}()`, `${PICTURES}()`, `${BEYOND}()`, `${UNPIN}()`];

/** A page that is ready to be printed. */
interface Filled {
  warnings: PrintWarning[];
  /** Visible links that show the number of their target's page. */
  links: number;
}

/**
 * Sends the HTML into the page piece by piece, fits it to its paper, and looks for characters that no font draws. A page whose
 * characters the machine draws takes one round trip after its pieces.
 */
async function fill(
  cdp: CDPSession,
  { html, title, language }: PageToPrint,
  largest: number,
  assets: Assets | undefined,
): Promise<Filled> {
  let size = 0;
  const give = await openPieces(cdp);
  for await (const piece of pieces(html)) {
    size += piece.length;
    if (size > largest) throw tooLarge("The page with its pictures has", largest);
    await give(piece);
  }
  const arrange = `${ARRANGE}(${JSON.stringify(title)}, ${JSON.stringify(language)})`;
  // Without fonts to add, characters that no font draws are named at once.
  const measure = assets === undefined ? inOrder(...MEASURE, `${GLYPHS}()`) : inOrder(...MEASURE);
  // The page is measured with its print styles. The browser takes commands in their order.
  const [, first] = await Promise.all([
    cdp.send("Emulation.setEmulatedMedia", { media: "print" }),
    evaluate(
      cdp,
      `(async () => {
        const warnings = await ${arrange};
        const references = ${REFERENCES}();
        const missing = ${assets === undefined ? '"[]"' : `${GLYPHS}(true)`};
        return JSON.stringify([warnings, references, missing, missing === "[]" ? await ${measure} : "[]"]);
      })()`,
    ),
  ]);
  const [arranged, referred, missing, measured] = z
    .tuple([z.string(), z.string(), z.string(), z.string()])
    .parse(JSON.parse(String(first)));
  const { links, warnings: ofReferences } = referencesSchema.parse(JSON.parse(referred));
  const warnings = [...ofJson(arranged), ...ofReferences, ...ofJson(measured)];
  const characters = charactersSchema.parse(JSON.parse(missing));
  if (assets === undefined || characters.length === 0) return { warnings, links };
  for await (const rule of fontRules(assets, new Set(characters), language))
    await evaluate(cdp, `(globalThis.fonts ??= []).push(${JSON.stringify(rule)}); 0`);
  const again = await evaluate(cdp, inOrder(`${FONTS}()`, ...MEASURE, `${GLYPHS}()`));
  return { warnings: [...warnings, ...ofJson(String(again))], links };
}

/** Reads a whole stream of the browser. */
async function readAll(cdp: CDPSession, handle: string): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { data, eof, base64Encoded } = await cdp.send("IO.read", { handle, size: READ_BYTES });
    const chunk = base64Encoded === true ? Uint8Array.fromBase64(data) : new TextEncoder().encode(data);
    size += chunk.length;
    if (size > MAX_PDF_BYTES) throw tooLarge("The PDF has", MAX_PDF_BYTES);
    chunks.push(chunk);
    if (eof) break;
  }
  // Nobody needs its answer, and the page closes next.
  cdp.send("IO.close", { handle }).catch(() => {});
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks.splice(0)) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** A PDF whose only use is to find the pages of its links' targets. */
const SKETCH = {};
const WHOLE = { printBackground: true, generateTaggedPDF: true, generateDocumentOutline: true };

async function pdfOf(cdp: CDPSession, settings: typeof SKETCH | typeof WHOLE): Promise<Uint8Array<ArrayBuffer>> {
  const { stream } = await cdp.send("Page.printToPDF", {
    transferMode: "ReturnAsStream",
    preferCSSPageSize: true,
    ...settings,
  });
  if (stream === undefined) throw new Error("the browser returned no stream for the PDF");
  return readAll(cdp, stream);
}

/** PDFs with all page numbers that are made at most: a number can move what comes after it. */
const MAX_NUMBERED = 2;

/**
 * Prints a page whose links show the pages of their targets. A first PDF of the hidden page, which is made much faster,
 * tells the pages. Each whole PDF is compared with the numbers that it shows, and made once more if one is wrong.
 */
async function printNumbered(cdp: CDPSession): Promise<Printed> {
  const number = async (pdf: Uint8Array, isLast = false) => {
    const pages = JSON.stringify([...pagesOfDestinations(pdf)]);
    return numberedSchema.parse(JSON.parse(String(await evaluate(cdp, `${NUMBER}(${pages}, ${isLast})`))));
  };
  await evaluate(cdp, `${HIDE}()`);
  const { lost } = await number(await pdfOf(cdp, SKETCH));
  await evaluate(cdp, `${SHOW}()`);
  const warnings = lost.map((at): PrintWarning => ({ code: "link-without-target", at, detail: NO_TARGET }));
  for (let turn = 1; ; turn++) {
    const pdf = await pdfOf(cdp, WHOLE);
    const isLast = turn === MAX_NUMBERED;
    const { moved } = await number(pdf, isLast);
    if (moved.length > 0 && !isLast) continue;
    const wrong = moved.map((at): PrintWarning => ({ code: "page-number-wrong", at, detail: UNSETTLED }));
    return { pdf, warnings: [...warnings, ...wrong] };
  }
}

const NO_TARGET = "The page of this link has no number, because the report does not show its target. Correct the link.";
const UNSETTLED =
  "The number of this link is not the page of its target, because each number moves other parts of the report. Give the numbers a fixed width.";

/**
 * Prints a page as a tagged PDF with an outline, which is PDF/A-3b and PDF/UA-1 unless a warning tells why not. `assets` have the fonts for characters that the machine may not have. Its own `@page` rules set size and margins; the default is A4.
 * @throws PrintFailure print-too-large.
 */
export async function printPage(
  cdp: CDPSession,
  page: PageToPrint,
  largestPage: number,
  assets?: Assets,
): Promise<Printed> {
  const { warnings, links } = await fill(cdp, page, largestPage, assets);
  const printed = links > 0 ? await printNumbered(cdp) : { pdf: await pdfOf(cdp, WHOLE), warnings: [] };
  pinDates(printed.pdf, page.madeAt);
  const conformed = await conform(printed.pdf, page);
  return { pdf: conformed.pdf, warnings: [...warnings, ...printed.warnings, ...conformed.warnings] };
}

const CREATOR = "Document workspace";

/**
 * Opens an empty page with scripts disabled, all requests blocked, and a policy that allows only resources in the page
 * itself.
 */
export async function openGuardedPage(browser: Browser): Promise<WalledPage> {
  const page = await openWalledPage(browser, ({ url }) => (url.startsWith("data:") ? "own" : null));
  const { cdp } = page;
  // The browser runs these in order, in one round trip, while the page is still empty.
  const [{ frameTree }] = await Promise.all([
    cdp.send("Page.getFrameTree"),
    cdp.send("Emulation.setScriptExecutionDisabled", { value: true }),
    // The browser writes the user agent into the PDF as its creator.
    cdp.send("Emulation.setUserAgentOverride", { userAgent: CREATOR }),
    cdp.send("Page.enable"),
  ]);
  await cdp.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: SHELL });
  return page;
}

/** The information dictionary is within this many bytes from the start of the browser's PDF. */
const DATES_WITHIN_BYTES = 8 * 1024;

/**
 * Sets the PDF's dates to `madeAt`, in place, so that equal pages give equal bytes. A title cannot look like a date
 * entry, because its brackets are escaped.
 */
function pinDates(pdf: Uint8Array, madeAt: number): void {
  const head = latin1(pdf.subarray(0, DATES_WITHIN_BYTES));
  const date = new TextEncoder().encode(pdfDate(madeAt));
  for (const { index, 0: key } of head.matchAll(/\/(?:CreationDate|ModDate) \((?=D:\d{14}\+00'00'\))/g))
    pdf.set(date, index + key.length);
}

/** Characters of a page in one message. */
const PIECE_CHARACTERS = 512 * 1024;

/** Joins and splits texts to pieces of about 512 Ki characters, never inside a surrogate pair. */
async function* pieces(html: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let held: string[] = [];
  let room = PIECE_CHARACTERS;
  for await (const text of html)
    for (let at = 0; at < text.length; ) {
      let end = Math.min(at + room, text.length);
      const last = text.charCodeAt(end - 1);
      if (end < text.length && last >= 0xd800 && last < 0xdc00) end += 1;
      held.push(text.slice(at, end));
      room -= end - at;
      at = end;
      if (room > 0) continue;
      yield held.join("");
      [held, room] = [[], PIECE_CHARACTERS];
    }
  if (held.length > 0) yield held.join("");
}

/**
 * Makes the list of the page that `ARRANGE` reads. @returns a function that adds a piece to it. A piece is an argument and no part of
 * a script, because a script would be one more copy of it in memory.
 */
async function openPieces(cdp: CDPSession): Promise<(piece: string) => Promise<void>> {
  const { result } = await cdp.send("Runtime.evaluate", { expression: "globalThis.pieces = []" });
  const { objectId } = result;
  if (objectId === undefined) throw new Error("the browser returned no list for the page");
  const add = "function (piece) { this.push(piece); }";
  return async (piece) => {
    await cdp.send("Runtime.callFunctionOn", { objectId, functionDeclaration: add, arguments: [{ value: piece }] });
  };
}

/** The empty page that a report is inserted into: its policy applies before the browser reads the report. */
const SHELL = `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${REPORT_POLICY}"><title></title></head><body></body></html>`;
