import type { Browser, CDPSession } from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { type BrowserBindings, withBrowser, within } from "../../platform/browsers/borrow";
import { CLOSE_TIMEOUT_MS } from "../../platform/browsers/limits";
import { evaluate, openWalledPage, PageError, type WallAnswer } from "../../platform/browsers/page";
import { DomainError } from "../../platform/errors";
import { log } from "../../platform/log";
import {
  BrowsersBusy,
  type Recognition,
  type RecognizedPage,
  type Recognizer,
  type ScannedDocument,
} from "../../platform/ports";
import {
  MAX_RECOGNIZED_PIXELS,
  MAX_SCAN_PICTURE_PIXELS,
  MIN_PAGE_CONFIDENCE,
  OPEN_SCAN_TIMEOUT_MS,
  RECOGNITION_SLICE_MS,
  RECOGNIZE_PAGE_TIMEOUT_MS,
  SCAN_PIECE_BYTES,
} from "../limits";
import { meanConfidence } from "./text";

type Bindings = BrowserBindings & Pick<Cloudflare.Env, "ASSETS">;

const POOL = "recognition";

/** An address that nobody can own (RFC 2606). */
const HOME = "https://recognition.invalid";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src blob:",
  "connect-src 'self'",
  "sandbox allow-scripts allow-same-origin",
].join("; ");

/**
 * The data of the engine. English and German together cost up to 0.7 CPU seconds a page more than one of them, and read
 * pages of both: German read as English alone loses one word in eight.
 */
const MODELS = ["deu", "eng"];

/** Opens the recognizer over at most `browsers` of the Worker's browsers; 0 switches it off. */
export const openRecognizer = (bindings: Bindings, browsers: number): Recognizer => ({
  isOn: browsers > 0,
  recognize: (document, range) =>
    withBrowser(bindings, { pool: POOL, most: browsers }, (browser) =>
      readPages(browser, bindings.ASSETS, document, range),
    ).catch((thrown) => {
      throw thrown instanceof BrowsersBusy || thrown instanceof DomainError || thrown instanceof UnreadDocument
        ? (thrown.cause ?? thrown)
        : new DomainError("unavailable", "The browser ended while it read the pages. Try again.", { cause: thrown });
    }),
});

/** The document could not be read while the browser asked for it. Its cause is the object store's error. */
class UnreadDocument extends Error {}

const openedSchema = z.union([
  z.object({ pages: z.int().min(1) }),
  z.object({ refused: z.enum(["damaged", "encrypted"]), why: z.string() }),
]);

const number = z.number().transform(Math.round);
const readSchema = z.object({
  width: z.int(),
  height: z.int(),
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

/** Opens the document in a page of its own and reads pages until the slice is over. */
async function readPages(
  browser: Browser,
  assets: Fetcher,
  document: ScannedDocument,
  { from, count }: { from: number; count: number },
): Promise<Recognition> {
  const until = Date.now() + RECOGNITION_SLICE_MS;
  const table = new AnswerTable(assets, document);
  const page = await openWalledPage(browser, (request) => table.answer(request.url));
  const crash = crashed(page.cdp);
  const limited = <T>(ms: number, work: Promise<T>): Promise<T> =>
    within(ms, Promise.race([work, crash]), () => new PageLost("deadline"));
  try {
    const opened = await limited(OPEN_SCAN_TIMEOUT_MS, openDocument(page.cdp, table));
    if ("refused" in opened) {
      log("info", "recognition.refused", { status: opened.refused, why: opened.why.slice(0, 200) });
      return { kind: "refused", status: opened.refused };
    }
    const pages: RecognizedPage[] = [];
    const last = Math.min(opened.pages, from + count - 1);
    for (let number = from; number <= last && (pages.length === 0 || Date.now() < until); number++) {
      try {
        const read = await limited(RECOGNIZE_PAGE_TIMEOUT_MS, readPage(page.cdp, number));
        pages.push({ page: number, ...read, failure: null });
      } catch (thrown) {
        table.rethrow();
        if (!(thrown instanceof PageLost || thrown instanceof PageError)) throw thrown;
        const failure = thrown instanceof PageLost ? thrown.reason : "broken";
        log("warn", "recognition.page-failed", { page: number, failure, error: thrown.message.slice(0, 200) });
        // A page that was lost after other pages is tried once more: it is the first of the next slice.
        if (failure === "broken" || pages.length === 0)
          pages.push({ page: number, width: 0, height: 0, words: [], failure });
        if (failure !== "broken") break;
      }
    }
    return { kind: "pages", pageCount: opened.pages, pages };
  } catch (thrown) {
    table.rethrow();
    throw thrown;
  } finally {
    // The deadline is kept here: closing the context ends the page also while its threads spin.
    await within(CLOSE_TIMEOUT_MS, page.close(), () => new Error("the page does not close"));
  }
}

/** The page crashed, or did not answer in time. */
class PageLost extends Error {
  constructor(readonly reason: "deadline" | "crashed") {
    super(reason);
  }
}

function crashed(cdp: CDPSession): Promise<never> {
  const crash = new Promise<never>((_, fail) => {
    cdp.on("Inspector.targetCrashed", () => fail(new PageLost("crashed")));
  });
  crash.catch(() => {});
  return crash;
}

async function openDocument(cdp: CDPSession, table: AnswerTable): Promise<z.infer<typeof openedSchema>> {
  const loaded = new Promise<void>((done) => cdp.once("Page.loadEventFired", () => done()));
  await Promise.all([cdp.send("Page.enable"), cdp.send("Inspector.enable")]);
  await cdp.send("Page.navigate", { url: `${HOME}/` });
  await loaded;
  const opening = JSON.stringify(await table.opening());
  return openedSchema.parse(await evaluate(cdp, `globalThis.begin = ${opening}; globalThis.recognition.open()`));
}

/** Reads a page, and once more upside down if its words are doubtful. */
async function readPage(cdp: CDPSession, number: number): Promise<PageRead> {
  const read = async (isTurned: boolean): Promise<PageRead> =>
    readSchema.parse(await evaluate(cdp, `globalThis.recognition.read(${number}, ${isTurned})`));
  const upright = await read(false);
  const confidence = meanConfidence(upright.words);
  if (upright.words.length === 0 || confidence >= MIN_PAGE_CONFIDENCE) return upright;
  const turned = await read(true);
  return meanConfidence(turned.words) > confidence ? turned : upright;
}

const piecesSchema = z.record(z.string(), z.int().min(1));

/** Answers the requests of the page from the build's files and from ranges of the document, and no others. */
class AnswerTable {
  #failure: UnreadDocument | null = null;

  constructor(
    private readonly assets: Fetcher,
    private readonly document: ScannedDocument,
  ) {}

  async opening() {
    const manifest = await this.#file("pieces.json");
    if (manifest === null) throw new Error("the files of text recognition are missing: run `npm run web`");
    return {
      languages: MODELS,
      isPdf: this.document.isPdf,
      size: this.document.sizeBytes,
      pieces: piecesSchema.parse(JSON.parse(new TextDecoder().decode(manifest))),
      pieceBytes: SCAN_PIECE_BYTES,
      maxPixels: MAX_RECOGNIZED_PIXELS,
      maxPicturePixels: MAX_SCAN_PICTURE_PIXELS,
    };
  }

  async answer(url: string): Promise<WallAnswer> {
    const { origin, pathname } = new URL(url);
    if (origin !== HOME) return null;
    const body = await this.#body(pathname);
    if (body === null) return null;
    const type = pathname === "/" ? "text/html" : /js$/.test(pathname) ? "text/javascript" : "application/octet-stream";
    return { body, headers: { "content-type": type, "content-security-policy": POLICY } };
  }

  /** Throws the error of the object store that kept the page from reading the document. */
  rethrow(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  async #body(path: string): Promise<Uint8Array | null> {
    if (path === "/") return this.#file("page.html");
    const range = /^\/document\/(\d{1,15})-(\d{1,15})$/.exec(path);
    if (range === null) return /^\/[\w.-]+(?:\/[\w.-]+)?$/.test(path) ? this.#file(path.slice(1)) : null;
    const [begin, end] = [Number(range[1]), Number(range[2])];
    if (end <= begin || end - begin > SCAN_PIECE_BYTES || end > this.document.sizeBytes) return null;
    try {
      return await this.document.read(begin, end - begin);
    } catch (cause) {
      this.#failure = new UnreadDocument("a range could not be read", { cause });
      return null;
    }
  }

  async #file(path: string): Promise<Uint8Array | null> {
    const answer = await this.assets.fetch(`${HOME}/recognition/${path}`);
    if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer());
    await answer.body?.cancel();
    return null;
  }
}
