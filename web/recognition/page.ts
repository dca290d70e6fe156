import { PageLines, type TextRun } from "../../src/documents/extraction/formats/pdf-lines.ts";
import { despeckle, flatten, isBlank } from "./clean.ts";
import { pictureShare } from "./pictures.ts";

/*
 * The page in which scans are recognized. It runs in a browser without a network: the Worker answers its requests from a
 * table. Workers are made of blobs, so that all requests are the page's own.
 */

type PdfModule = typeof import("pdfjs-dist");
type Pdf = Awaited<ReturnType<PdfModule["getDocument"]>["promise"]>;
type PdfPage = Awaited<ReturnType<Pdf["getPage"]>>;

/** The data that the Worker gives to the page, in `globalThis.begin`. */
interface Opening {
  languages: string[];
  isPdf: boolean;
  /** Size of the document, bytes. */
  size: number;
  /** Number of pieces of each file, by its name. */
  pieces: Record<string, number>;
  /** Bytes of one piece of the document. */
  pieceBytes: number;
  /** Maximum number of pixels of a page or photo. A larger one is made smaller. */
  maxPixels: number;
  /** Maximum number of pixels of a picture in a PDF. A larger one is left out. */
  maxPicturePixels: number;
  /** Characters of a page's own text that are read. */
  maxTextLength: number;
}

interface Word {
  text: string;
  /** Left, top, width and height in pixels of the picture. */
  box: [number, number, number, number];
  confidence: number;
  line: string;
}

/** Dots per inch at which a page of a PDF is drawn. */
const DPI = 300;
/** Minimum size that the engine accepts. */
const MIN_DPI = 70;
/** A page with some embedded text is a scan if pictures cover at least this share of it. */
const MIN_PICTURE_SHARE = 0.2;

let opening: Opening;
let engine: Worker;
let starting: Promise<void> | null = null;
let pdfjs: PdfModule;
let pdf: Pdf | null = null;
let photo: ImageBitmap | null = null;
let lastId = 0;
const waiting = new Map<number, { settle: (result: unknown) => void; fail: (thrown: Error) => void }>();

async function fetched(path: string): Promise<Blob> {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.blob();
}

/** A file of the build, unzipped from its pieces. */
async function asset(name: string): Promise<ArrayBuffer> {
  const parts = [];
  for (let piece = 0; piece < (opening.pieces[name] ?? 0); piece++) parts.push(await fetched(`/${name}/${piece}`));
  return new Response(new Blob(parts).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/** A range of the document. */
async function documentRange(begin: number, end: number): Promise<Blob> {
  const parts = [];
  for (let at = begin; at < end; at += opening.pieceBytes)
    parts.push(await fetched(`/document/${at}-${Math.min(end, at + opening.pieceBytes)}`));
  return new Blob(parts);
}

async function workerOf(name: string, type: WorkerType): Promise<Worker> {
  const script = new Blob([await asset(name)], { type: "text/javascript" });
  return new Worker(URL.createObjectURL(script), { type });
}

function ask(message: object, given: Transferable[]): Promise<unknown> {
  return new Promise((settle, fail) => {
    waiting.set(++lastId, { settle, fail });
    engine.postMessage({ id: lastId, ...message }, given);
  });
}

async function startEngine(): Promise<void> {
  engine = await workerOf("engine", "classic");
  engine.onmessage = ({ data: { id, result, error } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.settle(result);
    else asked?.fail(new Error(error));
  };
  const models: Record<string, ArrayBuffer> = {};
  for (const name of opening.languages) models[name] = await asset(name);
  const wasm = await asset("core");
  await ask({ first: { wasm, models } }, [wasm, ...Object.values(models)]);
}

async function openPdf(): Promise<Pdf> {
  class Ranges extends pdfjs.PDFDataRangeTransport {
    // The whole range is one answer, because pdf.js waits endlessly for a range that arrives in parts.
    // If it fails, the Worker knows and closes this page: pdf.js cannot be told.
    override requestDataRange(begin: number, end: number): void {
      void documentRange(begin, end)
        .then((range) => range.arrayBuffer())
        .then((bytes) => this.onDataRange(begin, new Uint8Array(bytes)));
    }
  }
  pdfjs.GlobalWorkerOptions.workerPort = await workerOf("pdf.worker", "module");
  return pdfjs.getDocument({
    range: new Ranges(opening.size, null),
    rangeChunkSize: 65_536,
    disableAutoFetch: true,
    disableStream: true,
    useWorkerFetch: false,
    verbosity: 0,
    maxImageSize: opening.maxPicturePixels,
    wasmUrl: "/wasm/",
    cMapUrl: "/cmaps/",
    standardFontDataUrl: "/standard_fonts/",
    iccUrl: "/iccs/",
  }).promise;
}

/** Opens the document. @returns its number of pages, or the reason why it cannot be opened. */
async function open(): Promise<{ pages: number } | { refused: "damaged" | "encrypted"; why: string }> {
  opening = (globalThis as unknown as { begin: Opening }).begin;
  if (opening.isPdf) pdfjs = await import(new URL("/pdf.mjs", location.href).href);
  try {
    if (opening.isPdf) pdf = await openPdf();
    else photo = await createImageBitmap(await documentRange(0, opening.size));
  } catch (thrown) {
    const { name, message } = thrown as Error;
    return { refused: name === "PasswordException" ? "encrypted" : "damaged", why: message };
  }
  return { pages: pdf?.numPages ?? 1 };
}

const canvas = document.createElement("canvas");
const brush = canvas.getContext("2d", { willReadFrequently: true });

/** Sizes the canvas for a picture, which is enlarged by at most the factor `most`. @returns the scale. */
function sizeCanvas(width: number, height: number, most: number): number {
  const scale = Math.min(most, Math.sqrt(opening.maxPixels / (width * height)));
  canvas.width = Math.max(1, width * scale);
  canvas.height = Math.max(1, height * scale);
  return scale;
}

/** Draws a page, upside down if asked. @returns its dots per inch. */
async function draw(number: number, isTurned: boolean): Promise<number> {
  if (photo !== null && brush !== null) {
    const scale = sizeCanvas(photo.width, photo.height, 1);
    brush.save();
    if (isTurned) {
      brush.translate(canvas.width, canvas.height);
      brush.rotate(Math.PI);
    }
    brush.drawImage(photo, 0, 0, photo.width * scale, photo.height * scale);
    brush.restore();
    return DPI;
  }
  if (pdf === null) throw new Error("no document is open");
  const page = await pdf.getPage(number);
  const rotation = (page.rotate + (isTurned ? 180 : 0)) % 360;
  const { width, height } = page.getViewport({ scale: 1, rotation });
  const scale = sizeCanvas(width, height, DPI / 72);
  await page.render({ canvas, viewport: page.getViewport({ scale, rotation }), background: "white" }).promise;
  page.cleanup();
  return Math.max(MIN_DPI, Math.round(scale * 72));
}

/** The drawn page in grey. */
function greyOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  const data = brush?.getImageData(0, 0, width, height).data ?? new Uint8ClampedArray();
  const grey = new Uint8Array(width * height);
  for (let i = 0, at = 0; i < grey.length; i++, at += 4)
    grey[i] = ((data[at] ?? 0) * 77 + (data[at + 1] ?? 0) * 150 + (data[at + 2] ?? 0) * 29) >> 8;
  return grey;
}

/** The runs of a page's own text up to the limit, including invisible text over a scan that was recognized before. */
async function* runsOf(page: PdfPage, lines = new PageLines()): AsyncGenerator<TextRun> {
  const reader = page.streamTextContent({ disableNormalization: true }).getReader();
  let length = 0;
  try {
    while (length < opening.maxTextLength) {
      const { done, value } = await reader.read();
      if (done) return;
      lines.learn(value.styles);
      for (const item of value.items as Partial<TextRun>[]) {
        if (item.str === undefined || length >= opening.maxTextLength) continue;
        // One run can be longer than the limit.
        const str = item.str.slice(0, opening.maxTextLength - length);
        length += str.length + 1;
        yield { ...item, str } as TextRun;
      }
    }
  } finally {
    void reader.cancel(new Error("the rest is not needed")).catch(() => {});
  }
}

/** The paragraphs of a page's own text. */
async function text(number: number): Promise<string[]> {
  if (pdf === null) throw new Error("no PDF is open");
  const page = await pdf.getPage(number);
  const lines = new PageLines();
  for await (const run of runsOf(page, lines)) lines.add(run);
  page.cleanup();
  return lines.end();
}

/** Whether all text of a page is characters: some text, and no picture that can be a scan. */
async function isTyped(number: number): Promise<boolean> {
  if (pdf === null) return false;
  const page = await pdf.getPage(number);
  for await (const { str } of runsOf(page))
    if (str.trim() !== "") return pictureShare(await page.getOperatorList(), page.view, pdfjs.OPS) < MIN_PICTURE_SHARE;
  return false;
}

interface PageRead {
  words: Word[];
  width: number;
  height: number;
  /** `blank`: the page has nothing to recognize. */
  outcome: "recognized" | "blank";
}

/**
 * Recognizes a page, upside down if asked. The boxes are boxes of the upright page, in pixels of `width` × `height`.
 */
async function read(number: number, isTurned: boolean): Promise<PageRead> {
  if (!isTurned && (await isTyped(number))) return { words: [], width: 0, height: 0, outcome: "blank" };
  const dpi = await draw(number, isTurned);
  const { width, height } = canvas;
  const grey = despeckle(greyOf(width, height), width, height);
  canvas.width = 1;
  canvas.height = 1;
  flatten(grey, width, height);
  const isEmpty = isBlank(grey);
  let words: Word[] = [];
  if (!isEmpty) {
    starting ??= startEngine();
    await starting;
    words = (await ask({ page: { grey, width, height, dpi } }, [grey.buffer])) as Word[];
  }
  if (isTurned) for (const { box } of words) [box[0], box[1]] = [width - box[0] - box[2], height - box[1] - box[3]];
  return { words, width, height, outcome: isEmpty ? "blank" : "recognized" };
}

Object.assign(globalThis, { recognition: { open, read, text } });
