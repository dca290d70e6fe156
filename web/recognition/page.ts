import { PageLines, type TextRun } from "../../src/documents/extraction/formats/pdf-lines.ts";
import { despeckle, flatten, isBlank } from "./clean.ts";
import type { Decoded } from "./decoder.ts";
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
  /** The pages of a HEIC or TIFF file, by the offsets of their directories. Null for others. */
  frames: { format: "heic" | "tiff"; offsets: number[] } | null;
  /** Maximum length of an edge and maximum number of pixels of such a page, as the Worker has checked them. */
  maxFrameEdge: number;
  maxFramePixels: number;
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

/** A decoded picture with the size at which it is shown. */
interface Shown {
  bitmap: ImageBitmap;
  width: number;
  height: number;
  /** How much smaller it is than in the file. */
  scale: number;
}

let opening: Opening;
let engine: Worker;
let decoder: Worker;
/** The page of a HEIC or TIFF file that was decoded last. */
let frame: { number: number; shown: Shown } | null = null;
let starting: Promise<void> | null = null;
let pdfjs: PdfModule;
let pdf: Pdf | null = null;
let photo: Shown | null = null;
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

function ask(worker: Worker, message: object, given: Transferable[] = []): Promise<unknown> {
  return new Promise((settle, fail) => {
    waiting.set(++lastId, { settle, fail });
    worker.postMessage({ id: lastId, ...message }, given);
  });
}

/** Starts a worker that answers questions. */
async function askable(name: string, type: WorkerType): Promise<Worker> {
  const worker = await workerOf(name, type);
  worker.onmessage = ({ data: { id, result, error } }) => {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) asked?.settle(result);
    else asked?.fail(new Error(error));
  };
  return worker;
}

async function startEngine(): Promise<void> {
  engine = await askable("engine", "classic");
  const models: Record<string, ArrayBuffer> = {};
  for (const name of opening.languages) models[name] = await asset(name);
  const wasm = await asset("core");
  await ask(engine, { first: { wasm, models } }, [wasm, ...Object.values(models)]);
}

/** Starts the decoder with the file, of which each page is decoded when it is asked for. */
async function startDecoder({ format }: NonNullable<Opening["frames"]>): Promise<void> {
  decoder = await askable("decoder", "module");
  const wasm = await asset("magick");
  const file = await (await documentRange(0, opening.size)).arrayBuffer();
  const limits = { maxEdge: opening.maxFrameEdge, maxPixels: opening.maxFramePixels };
  await ask(decoder, { first: { wasm, file, format, ...limits } }, [wasm, file]);
}

/** Decodes a page of a HEIC or TIFF file. The page before it is given back. */
async function decodeFrame(number: number, { offsets }: NonNullable<Opening["frames"]>): Promise<Shown> {
  if (frame?.number === number) return frame.shown;
  frame?.shown.bitmap.close();
  frame = null;
  const page = { offset: offsets[number - 1] ?? 0, most: opening.maxPixels };
  const { pixels, width, height, shown, scale, colorSpace } = (await ask(decoder, { page })) as Decoded;
  const bitmap = await createImageBitmap(new ImageData(pixels, width, height, { colorSpace }));
  frame = { number, shown: { bitmap, ...shown, scale } };
  return frame.shown;
}

const isShown = (bitmap: ImageBitmap): Shown => ({ bitmap, width: bitmap.width, height: bitmap.height, scale: 1 });

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
    else if (opening.frames === null) photo = isShown(await createImageBitmap(await documentRange(0, opening.size)));
    else await startDecoder(opening.frames);
  } catch (thrown) {
    const { name, message } = thrown as Error;
    return { refused: name === "PasswordException" ? "encrypted" : "damaged", why: message };
  }
  return { pages: pdf?.numPages ?? opening.frames?.offsets.length ?? 1 };
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

/** Paints a picture on the canvas, on white, upside down if asked. */
function paint({ bitmap, width, height }: Shown, scale: number, isTurned: boolean): void {
  if (brush === null) throw new Error("the canvas cannot be drawn on");
  brush.save();
  brush.fillStyle = "white";
  brush.fillRect(0, 0, canvas.width, canvas.height);
  if (isTurned) {
    brush.translate(canvas.width, canvas.height);
    brush.rotate(Math.PI);
  }
  brush.drawImage(bitmap, 0, 0, width * scale, height * scale);
  brush.restore();
}

/** Draws a page, upside down if asked. @returns its dots per inch. */
async function draw(number: number, isTurned: boolean): Promise<number> {
  const shown = opening.frames === null ? photo : await decodeFrame(number, opening.frames);
  if (shown !== null) {
    paint(shown, sizeCanvas(shown.width, shown.height, 1), isTurned);
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
    words = (await ask(engine, { page: { grey, width, height, dpi } }, [grey.buffer])) as Word[];
  }
  if (isTurned) for (const { box } of words) [box[0], box[1]] = [width - box[0] - box[2], height - box[1] - box[3]];
  return { words, width, height, outcome: isEmpty ? "blank" : "recognized" };
}

/** Qualities of a JPEG. The first one whose file is small enough is taken. */
const QUALITIES = [0.85, 0.7, 0.5, 0.3, 0.1];

/** Paints a page of a PDF on the canvas, with a longest edge of `edge` pixels. @returns the page's own size. */
async function paintPdf(file: Pdf, number: number, edge: number): Promise<{ width: number; height: number }> {
  const page = await file.getPage(number);
  const { width, height } = page.getViewport({ scale: 1 });
  const viewport = page.getViewport({ scale: edge / Math.max(width, height) });
  canvas.width = Math.max(1, Math.round(viewport.width));
  canvas.height = Math.max(1, Math.round(viewport.height));
  await page.render({ canvas, viewport, background: "white" }).promise;
  page.cleanup();
  return { width: Math.max(1, Math.round(width)), height: Math.max(1, Math.round(height)) };
}

/** Paints a page of a HEIC or TIFF file on the canvas, with a longest edge of at most `edge` pixels. @returns its own size. */
async function paintFrame(frames: NonNullable<Opening["frames"]>, number: number, edge: number) {
  const shown = await decodeFrame(number, frames);
  const { width, height } = shown;
  const scale = Math.min(1, edge / Math.max(width, height));
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  if (brush !== null) brush.imageSmoothingQuality = "high";
  paint(shown, scale, false);
  return { width: width / shown.scale, height: height / shown.scale };
}

/**
 * A page of a PDF, HEIC or TIFF file as a JPEG with a longest edge of at most `edge` pixels and at most `most` bytes, and its own
 * size.
 */
async function picture(
  number: number,
  edge: number,
  most: number,
): Promise<{ jpeg: string; width: number; height: number }> {
  if (pdf === null && opening.frames === null) throw new Error("no such file is open");
  const size =
    opening.frames === null ? await paintPdf(pdf as Pdf, number, edge) : await paintFrame(opening.frames, number, edge);
  for (const quality of QUALITIES) {
    const blob = await new Promise<Blob | null>((give) => canvas.toBlob(give, "image/jpeg", quality));
    if (blob !== null && blob.size <= most) return { jpeg: await base64(blob), ...size };
  }
  throw new Error("the picture of the page is too large");
}

const base64 = (blob: Blob): Promise<string> =>
  new Promise((give, fail) => {
    const reader = new FileReader();
    reader.onload = () => give(String(reader.result).replace(/^.*,/, ""));
    reader.onerror = () => fail(reader.error ?? new Error("not read"));
    reader.readAsDataURL(blob);
  });

Object.assign(globalThis, { recognition: { open, read, text, picture } });
