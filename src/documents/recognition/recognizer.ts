import type { Browser } from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { type BrowserBindings, type BrowserUse, withBrowser } from "../../platform/browsers/borrow";
import { PageError } from "../../platform/browsers/page";
import { DomainError } from "../../platform/errors";
import { log } from "../../platform/log";
import {
  BrowsersBusy,
  type Drawing,
  type DrawnPage,
  type PageText,
  type PdfText,
  type Recognition,
  type RecognizedPage,
  type Recognizer,
  type ScannedDocument,
} from "../../platform/ports";
import {
  FRAME_PICTURE_EDGE,
  LARGE_PDF_PAGES_PER_SLICE,
  MAX_FRAME_PICTURE_BYTES,
  MAX_PDF_PAGE_TEXT_LENGTH,
  MIN_PAGE_CONFIDENCE,
  READ_PAGE_TEXT_TIMEOUT_MS,
  RECOGNITION_SLICE_MS,
  RECOGNIZE_PAGE_TIMEOUT_MS,
  TEXT_BROWSERS,
} from "../limits";
import { type OpenDocument, PageLost, UnreadDocument, withDocument } from "./scan-page";
import { meanConfidence } from "./text";

type Bindings = BrowserBindings & Pick<Cloudflare.Env, "ASSETS">;

/**
 * Opens the recognizer over at most `browsers` of the Worker's browsers; 0 switches it off.
 * @param limits `pageDeadlineMs`: time to recognize one page
 */
export const openRecognizer = (
  bindings: Bindings,
  browsers: number,
  { pageDeadlineMs = RECOGNIZE_PAGE_TIMEOUT_MS }: { pageDeadlineMs?: number } = {},
): Recognizer => {
  const use = <T>(of: BrowserUse, work: (browser: Browser) => Promise<T>): Promise<T> =>
    withBrowser(bindings, of, work).catch((thrown) => {
      throw thrown instanceof BrowsersBusy || thrown instanceof DomainError || thrown instanceof UnreadDocument
        ? (thrown.cause ?? thrown)
        : new DomainError("unavailable", "The browser ended while it read the pages. Try again.", { cause: thrown });
    });
  return {
    isOn: browsers > 0,
    recognize: (document, pages) =>
      use({ pool: "recognition", most: browsers }, (browser) =>
        recognizePages(browser, bindings.ASSETS, document, { pages, pageDeadlineMs }),
      ),
    readText: (pdf, from) =>
      use({ pool: "reading", most: TEXT_BROWSERS }, (browser) => readTexts(browser, bindings.ASSETS, pdf, from)),
    draw: (document, pages) =>
      use({ pool: "reading", most: TEXT_BROWSERS }, (browser) => drawPages(browser, bindings.ASSETS, document, pages)),
  };
};

const number = z.number().transform(Math.round);
const readSchema = z.object({
  width: z.int(),
  height: z.int(),
  outcome: z.enum(["recognized", "blank"]),
  words: z.array(
    z.object({
      text: z.string().max(1_000),
      box: z.tuple([number, number, number, number]),
      confidence: number.pipe(z.int().min(0).max(100)),
      line: z.string().max(40),
    }),
  ),
});
type PageRead = z.infer<typeof readSchema>;

/** Opens the document and recognizes pages until the slice is over. */
const recognizePages = (
  browser: Browser,
  assets: Fetcher,
  document: ScannedDocument,
  { pages: wanted, pageDeadlineMs }: { pages: readonly number[]; pageDeadlineMs: number },
): Promise<Recognition> => {
  const until = Date.now() + RECOGNITION_SLICE_MS;
  return withDocument(browser, assets, document, async (open) => {
    const pages: RecognizedPage[] = [];
    for (const page of wanted) {
      if (pages.length > 0 && Date.now() >= until) break;
      try {
        pages.push({ page, ...(await recognizePage(open, page, pageDeadlineMs)) });
      } catch (thrown) {
        if (pages.length === 0 && isUnsupported(thrown)) return UNSUPPORTED;
        const outcome = outcomeOf(thrown, page);
        // A page that was lost after other pages is tried once more: it is the first of the next slice.
        if (outcome === "broken" || pages.length === 0) pages.push({ page, width: 0, height: 0, words: [], outcome });
        if (outcome !== "broken") break;
      }
    }
    return { kind: "pages", pages };
  });
};

const UNSUPPORTED = { kind: "refused", status: "unsupported" } as const;

/** Whether the page's decoder does not know the kind of the file. */
const isUnsupported = (thrown: unknown): boolean =>
  thrown instanceof PageError && thrown.message.includes("Error: unsupported: ");

/** The reason why a page could not be read. @throws every other error. */
function outcomeOf(thrown: unknown, page: number): "deadline" | "crashed" | "broken" {
  if (!(thrown instanceof PageLost || thrown instanceof PageError)) throw thrown;
  const outcome = thrown instanceof PageLost ? thrown.reason : "broken";
  log("warn", "recognition.page-failed", { page, outcome, error: thrown.message.slice(0, 200) });
  return outcome;
}

/** Recognizes a page, and once more upside down if its words are doubtful. */
async function recognizePage(open: OpenDocument, page: number, deadlineMs: number): Promise<PageRead> {
  const until = Date.now() + deadlineMs;
  const read = async (isTurned: boolean): Promise<PageRead> =>
    readSchema.parse(await open.ask(`globalThis.recognition.read(${page}, ${isTurned})`, until - Date.now()));
  const upright = await read(false);
  const confidence = meanConfidence(upright.words);
  if (upright.words.length === 0 || confidence >= MIN_PAGE_CONFIDENCE) return upright;
  const turned = await read(true);
  return meanConfidence(turned.words) > confidence ? turned : upright;
}

const paragraphsSchema = z.array(z.string().max(MAX_PDF_PAGE_TEXT_LENGTH)).max(MAX_PDF_PAGE_TEXT_LENGTH);

/** Opens a PDF and reads the own text of its pages until the slice is over. */
const readTexts = (browser: Browser, assets: Fetcher, pdf: ScannedDocument, from: number): Promise<PdfText> => {
  const until = Date.now() + RECOGNITION_SLICE_MS;
  return withDocument(browser, assets, pdf, async (open) => {
    const { pageCount } = open;
    const pages: PageText[] = [];
    const last = Math.min(pageCount, from + LARGE_PDF_PAGES_PER_SLICE - 1);
    for (let page = from; page <= last && (pages.length === 0 || Date.now() < until); page++) {
      try {
        const read = await open.ask(`globalThis.recognition.text(${page})`, READ_PAGE_TEXT_TIMEOUT_MS);
        pages.push({ page, paragraphs: paragraphsSchema.parse(read) });
      } catch (thrown) {
        const outcome = outcomeOf(thrown, page);
        if (outcome === "broken" || pages.length === 0) pages.push({ page, paragraphs: null });
        if (outcome !== "broken") break;
      }
    }
    return { kind: "pages", pageCount, pages };
  });
};

const drawnSchema = z.object({
  jpeg: z.base64().max(2 * MAX_FRAME_PICTURE_BYTES),
  width: number.pipe(z.int().min(1)),
  height: number.pipe(z.int().min(1)),
});

/** Opens a HEIC or TIFF file and draws pages of it until the slice is over. */
const drawPages = (
  browser: Browser,
  assets: Fetcher,
  document: ScannedDocument,
  wanted: readonly number[],
): Promise<Drawing> => {
  const until = Date.now() + RECOGNITION_SLICE_MS;
  return withDocument(browser, assets, document, async (open) => {
    const pages: DrawnPage[] = [];
    for (const page of wanted) {
      if (pages.length > 0 && Date.now() >= until) break;
      const asked = `globalThis.recognition.picture(${page}, ${FRAME_PICTURE_EDGE}, ${MAX_FRAME_PICTURE_BYTES})`;
      try {
        const { jpeg, ...size } = drawnSchema.parse(await open.ask(asked, READ_PAGE_TEXT_TIMEOUT_MS));
        pages.push({ page, drawn: { jpeg: Uint8Array.fromBase64(jpeg), ...size } });
      } catch (thrown) {
        if (pages.length === 0 && isUnsupported(thrown)) return UNSUPPORTED;
        const outcome = outcomeOf(thrown, page);
        if (outcome === "broken" || pages.length === 0) pages.push({ page, drawn: null });
        if (outcome !== "broken") break;
      }
    }
    return { kind: "pages", pages };
  });
};
