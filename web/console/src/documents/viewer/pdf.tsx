import {
  GlobalWorkerOptions,
  getDocument,
  PasswordException,
  type PDFDocumentProxy,
  ResponseException,
  TextLayer,
} from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { VIEWER } from "#texts/viewer.ts";
import { Icon } from "../../../../ui/icon.tsx";
import { Alert, Calmly, Refusal, Waiting } from "../../../../ui/notice.tsx";
import { useEvents } from "../../platform/live/index.ts";
import { type Marks, mark } from "./mark.ts";
import { layWords, type WordsReader } from "./scan.ts";
import { Turn, turnByKey } from "./turn.tsx";

GlobalWorkerOptions.workerSrc = workerUrl;

/** The addresses of pdf.js for files that it fetches when needed: fonts, character maps and decoders. */
const PARTS = "/console/pdf";
const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];
/** The index of 1 in the list. With it the page is as wide as the window. */
const FIT = 2;
/** Maximum scale at which a page is fitted to the window. */
const MAX_FIT_SCALE = 1.7;
const SIDE_SPACE_PX = 32;
const MAX_CANVAS_PIXELS = 16_777_216;

interface PdfProps {
  url: string;
  page: number;
  onPage: (page: number) => void;
  marks: Marks;
  /** Returns the recognized words of a page that has no text. */
  readWords: WordsReader;
  /** Gets another link to the file, and makes a new view of it. */
  onRetry: () => void;
  /** The text of a page or of the whole file. It is shown if the page cannot be drawn. */
  textOf: (page: number | null) => ComponentChildren;
}

interface Drawing extends Pick<PdfProps, "page" | "marks" | "readWords"> {
  zoom: number;
  stage: HTMLElement;
}

/**
 * Draws a page with its text over it.
 * @param onBroken called if it cannot be drawn
 * @returns a function that stops the drawing
 */
function drawPage(
  pdf: PDFDocumentProxy,
  { page, zoom, stage, marks, readWords }: Drawing,
  onBroken: () => void,
): () => void {
  let ended = false;
  const fail = () => {
    // A drawing that is stopped rejects.
    if (!ended) onBroken();
  };
  const ends: (() => void)[] = [() => (ended = true)];
  const run = async () => {
    const [canvas, layer] = [stage.querySelector("canvas"), stage.querySelector<HTMLElement>(".textLayer")];
    const scanLayer = stage.querySelector<HTMLElement>(".scanLayer");
    const drawn = await pdf.getPage(page);
    if (ended || canvas === null || layer === null || scanLayer === null) return;
    const { width } = drawn.getViewport({ scale: 1 });
    const scale = Math.min((stage.clientWidth - SIDE_SPACE_PX) / width, MAX_FIT_SCALE) * zoom;
    const viewport = drawn.getViewport({ scale });
    const most = Math.sqrt(MAX_CANVAS_PIXELS / (viewport.width * viewport.height));
    const density = Math.min(devicePixelRatio, most);
    canvas.width = Math.floor(viewport.width * density);
    canvas.height = Math.floor(viewport.height * density);
    canvas.style.width = `${viewport.width}px`;
    canvas.style.height = `${viewport.height}px`;
    const task = drawn.render({ canvas, viewport, transform: [density, 0, 0, density, 0, 0] });
    task.promise.catch(fail);
    ends.push(() => task.cancel());
    layer.replaceChildren();
    scanLayer.replaceChildren();
    layer.style.setProperty("--total-scale-factor", String(scale));
    const text = new TextLayer({ textContentSource: drawn.streamTextContent(), container: layer, viewport });
    ends.push(() => text.cancel());
    await text.render();
    // Without the words, the page is still shown.
    const words = await readWords(page).catch(() => null);
    if (ended) return;
    if (words !== null) layWords(scanLayer, words);
    ends.push(mark(words === null ? layer : scanLayer, marks));
  };
  run().catch(fail);
  return () => {
    for (const end of ends) end();
  };
}

/** Whether the file did not arrive. pdf.js passes on the message of the browser, not its error. */
const isUnreachable = (error: unknown): boolean =>
  error instanceof ResponseException ||
  (error instanceof Error && /failed to fetch|load failed|network/i.test(error.message));

/** The width of an element, which changes with the window. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return width;
}

/** A PDF, one page at a time, with the passage marked in its text. */
export default function PdfView({ url, page, onPage, marks, readWords, onRetry, textOf }: PdfProps) {
  const text = VIEWER;
  const stage = useRef<HTMLDivElement>(null);
  const width = useWidth(stage);
  const [pdf, setPdf] = useState<PDFDocumentProxy | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [zoom, setZoom] = useState(FIT);
  const [broken, setBroken] = useState<number | null>(null);
  useEffect(() => {
    let isWanted = true;
    setPdf(null);
    setError(null);
    const task = getDocument({
      url,
      // The link expires after some minutes, so the file is fetched at once and not in parts later.
      disableRange: true,
      cMapUrl: `${PARTS}/cmaps/`,
      standardFontDataUrl: `${PARTS}/standard_fonts/`,
      wasmUrl: `${PARTS}/wasm/`,
      useWasm: false,
    });
    // A task that is destroyed rejects, perhaps after the next one has begun.
    task.promise.then(
      (opened) => isWanted && setPdf(opened),
      (thrown) => isWanted && setError(thrown),
    );
    return () => {
      isWanted = false;
      void task.destroy();
    };
  }, [url]);
  const percent = text.percent(ZOOMS[zoom] ?? 1);
  const count = pdf?.numPages ?? 1;
  const shown = Math.min(page, count);
  const key = JSON.stringify([shown, zoom, width, marks]);
  useEffect(() => {
    if (pdf === null || stage.current === null || width === 0) return;
    setBroken(null);
    const how = { page: shown, zoom: ZOOMS[zoom] ?? 1, stage: stage.current, marks, readWords };
    return drawPage(pdf, how, () => setBroken(shown));
  }, [pdf, key, readWords]);
  const isLost = isUnreachable(error);
  useEvents(["Stale"], [], () => isLost && onRetry());
  const onKeyDown = (event: KeyboardEvent) => turnByKey(event, { page: shown, count, onPage });

  if (error instanceof PasswordException) return <Calmly icon="lock" title={text.locked} help={text.downloadInstead} />;
  if (isLost) return <Alert title={text.failed} error={new Refusal(COMMON.unreachable)} onRetry={onRetry} />;
  if (error !== null) return textOf(null) ?? <Calmly icon="file" title={text.notShown} help={text.downloadInstead} />;
  const textOfBroken = broken === shown ? textOf(shown) : null;
  return (
    <>
      <div class="viewbar">
        <Turn page={shown} count={pdf === null ? null : count} onPage={onPage} />
        <div class="row zoom">
          <button
            type="button"
            class="btn icon-only"
            aria-label={text.smaller}
            disabled={zoom === 0}
            onClick={() => setZoom(zoom - 1)}
          >
            <Icon name="minus" />
          </button>
          <button type="button" class="btn nums" onClick={() => setZoom(FIT)} aria-label={text.fit(percent)}>
            {percent}
          </button>
          <button
            type="button"
            class="btn icon-only"
            aria-label={text.larger}
            disabled={zoom === ZOOMS.length - 1}
            onClick={() => setZoom(zoom + 1)}
          >
            <Icon name="plus" />
          </button>
        </div>
      </div>
      <section
        class="sheets"
        ref={stage}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
        tabIndex={0}
        aria-label={text.page(shown)}
        onKeyDown={onKeyDown}
      >
        {pdf === null && <Waiting text={text.opening} />}
        {broken === shown &&
          (textOfBroken ?? <Calmly icon="file" title={text.pageNotShown} help={text.downloadInstead} />)}
        <div class="pdfpage" hidden={pdf === null || broken === shown}>
          <canvas />
          <div class="textLayer" />
          <div class="scanLayer" />
        </div>
      </section>
    </>
  );
}
