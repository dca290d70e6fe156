import type { Browser, CDPSession } from "@cloudflare/puppeteer";
import { z } from "@hono/zod-openapi";
import { within } from "../../platform/browsers/borrow";
import { CLOSE_TIMEOUT_MS } from "../../platform/browsers/limits";
import { evaluate, openWalledPage, type WallAnswer } from "../../platform/browsers/page";
import { DEFAULT_RECOGNITION_LANGUAGES, modelOf } from "../../platform/languages/recognition";
import { log } from "../../platform/log";
import type { RefusedDocument, ScannedDocument } from "../../platform/ports";
import {
  MAX_FRAME_EDGE,
  MAX_PDF_PAGE_TEXT_LENGTH,
  MAX_PHOTO_PIXELS,
  MAX_RECOGNIZED_PIXELS,
  MAX_SCAN_PICTURE_PIXELS,
  OPEN_SCAN_TIMEOUT_MS,
  SCAN_PIECE_BYTES,
} from "../limits";

/** An address that nobody can own (RFC 2606). */
const HOME = "https://recognition.invalid";

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src blob:",
  "connect-src 'self'",
  "sandbox allow-scripts allow-same-origin",
].join("; ");

const openedSchema = z.union([
  z.object({ pages: z.int().min(1) }),
  z.object({ refused: z.enum(["damaged", "encrypted"]), why: z.string() }),
]);

/** A document that is open in a page of a browser. */
export interface OpenDocument {
  pageCount: number;
  /** Evaluates an expression in the page. @throws PageLost, PageError, and the error of the object store. */
  ask(expression: string, deadlineMs: number): Promise<unknown>;
}

/** The page crashed, or did not answer in time. */
export class PageLost extends Error {
  constructor(readonly reason: "deadline" | "crashed") {
    super(reason);
  }
}

/** The document could not be read while the browser asked for it. Its cause is the object store's error. */
export class UnreadDocument extends Error {}

/** Opens a document in a new browser page, works with it, and closes the page. */
export async function withDocument<T>(
  browser: Browser,
  assets: Fetcher,
  document: ScannedDocument,
  work: (open: OpenDocument) => Promise<T>,
): Promise<T | RefusedDocument> {
  const table = new AnswerTable(assets, document);
  const page = await openWalledPage(browser, (request) => table.answer(request.url));
  const crash = crashed(page.cdp);
  const limited = async <R>(ms: number, asked: Promise<R>): Promise<R> => {
    try {
      return await within(ms, Promise.race([asked, crash, table.unread]), () => new PageLost("deadline"));
    } catch (thrown) {
      table.rethrow();
      throw thrown;
    }
  };
  try {
    const opened = await limited(OPEN_SCAN_TIMEOUT_MS, openDocument(page.cdp, table));
    if ("refused" in opened) {
      log("info", "recognition.refused", { status: opened.refused, why: opened.why.slice(0, 200) });
      table.rethrow();
      return { kind: "refused", status: opened.refused };
    }
    const ask = (expression: string, ms: number) => limited(ms, evaluate(page.cdp, expression));
    return await work({ pageCount: opened.pages, ask });
  } finally {
    // This function enforces the deadline: closing the context ends the page even if its threads do not answer.
    await within(CLOSE_TIMEOUT_MS, page.close(), () => new Error("the page does not close"));
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

const framesOf = ({ frames }: ScannedDocument) =>
  frames === undefined ? null : { format: frames.format, offsets: frames.frames.map(({ offset }) => offset) };

const piecesSchema = z.record(z.string(), z.int().min(1));

/** Answers the requests of the page from the build's files and from ranges of the document, and no others. */
class AnswerTable {
  #failure: UnreadDocument | null = null;
  readonly #unread = Promise.withResolvers<never>();

  constructor(
    private readonly assets: Fetcher,
    private readonly document: ScannedDocument,
  ) {
    this.#unread.promise.catch(() => {});
  }

  /** Rejects when a range cannot be read: pdf.js waits for that range until its deadline. */
  get unread(): Promise<never> {
    return this.#unread.promise;
  }

  async opening() {
    const manifest = await this.#file("pieces.json");
    if (manifest === null) throw new Error("the files of text recognition are missing: run `npm run web`");
    return {
      languages: (this.document.languages ?? DEFAULT_RECOGNITION_LANGUAGES).map(modelOf),
      isPdf: this.document.isPdf,
      frames: framesOf(this.document),
      maxFrameEdge: MAX_FRAME_EDGE,
      maxFramePixels: MAX_PHOTO_PIXELS,
      size: this.document.sizeBytes,
      pieces: piecesSchema.parse(JSON.parse(new TextDecoder().decode(manifest))),
      pieceBytes: SCAN_PIECE_BYTES,
      maxPixels: MAX_RECOGNIZED_PIXELS,
      maxPicturePixels: MAX_SCAN_PICTURE_PIXELS,
      maxTextLength: MAX_PDF_PAGE_TEXT_LENGTH,
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
      this.#unread.reject(this.#failure);
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
