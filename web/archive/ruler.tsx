import { effect, type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { ARCHIVE } from "#texts/archive.ts";
import { lengthOf } from "../ui/format.ts";
import type { Archive } from "./archive.ts";
import type { Palette } from "./causes.ts";
import { drawMini, drawRuler } from "./draw.ts";
import { readPalette } from "./palette.ts";
import { followMini, followRuler } from "./pointer.ts";
import type { Pen } from "./scene.ts";

/** Pause of the pointer after which previews are read, milliseconds. */
const HOVER_MS = 80;
/** Pause of the ruler after which the causes of its gaps are read, milliseconds. */
const EXPLAIN_MS = 500;
/** Pixels of the ruler between two previews. */
const PREVIEW_PIXELS = 24;

/** A cleared canvas pen with the page's pixels as units; null if the canvas has no size. */
function penOf(canvas: HTMLCanvasElement): { pen: Pen; width: number; height: number } | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const pen = canvas.getContext("2d");
  if (pen === null || width === 0) return null;
  const ratio = devicePixelRatio || 1;
  const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) Object.assign(canvas, { width: wide, height: high });
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.textBaseline = "middle";
  return { pen, width, height };
}

/** Draws the ruler and the minimap again when their contents change, at most once in each frame of the screen. */
function keepDrawn(canvas: HTMLCanvasElement, mini: HTMLCanvasElement, archive: Archive, hover: Signal<number | null>) {
  let palette: Palette | null = null;
  let scheduled = 0;
  const draw = () => {
    scheduled = 0;
    const [ruler, small] = [penOf(canvas), penOf(mini)];
    const frames = archive.frames.peek();
    if (ruler === null || frames === null) return;
    archive.view.width = ruler.width;
    palette ??= readPalette(canvas);
    const [clock, at] = [archive.clock.peek(), archive.finger.peek() ?? archive.shown.peek()];
    const scene = { frames, view: archive.view, clock, palette, at, hover: hover.peek() };
    drawRuler(ruler.pen, scene, ruler.height);
    if (small !== null) drawMini(small.pen, scene, small.width, small.height);
  };
  const schedule = () => {
    if (scheduled === 0) scheduled = requestAnimationFrame(draw);
  };
  const repaint = () => {
    palette = null;
    schedule();
  };
  const stopDrawing = effect(() => {
    archive.viewVersion.value;
    archive.frames.value;
    archive.shown.value;
    archive.clock.value;
    hover.value;
    schedule();
  });
  // For a person who stays at a part of the archive, reads the causes of its short gaps.
  let rested: ReturnType<typeof setTimeout> | undefined;
  const stopExplaining = effect(() => {
    archive.viewVersion.value;
    clearTimeout(rested);
    if (archive.frames.value !== null) rested = setTimeout(() => void archive.explainGaps(), EXPLAIN_MS);
  });
  const resized = new ResizeObserver(schedule);
  resized.observe(canvas);
  const theme = new MutationObserver(repaint);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  const schemes = ["(prefers-color-scheme: dark)", "(forced-colors: active)"].map((query) => matchMedia(query));
  for (const scheme of schemes) scheme.addEventListener("change", repaint);
  return () => {
    stopDrawing();
    stopExplaining();
    clearTimeout(rested);
    resized.disconnect();
    theme.disconnect();
    for (const scheme of schemes) scheme.removeEventListener("change", repaint);
    cancelAnimationFrame(scheduled);
  };
}

/** Reads the previews around the pointer after a pause, at the smallest distance that the ruler can show. */
function readAround(archive: Archive, x: number): void {
  const frames = archive.frames.peek();
  if (frames === null) return;
  const { view } = archive;
  const wanted = [x];
  for (let away = PREVIEW_PIXELS; wanted.length < 31; away += PREVIEW_PIXELS) wanted.push(x + away, x - away);
  const times = wanted.map((one) => {
    const at = view.time(Math.round(one / PREVIEW_PIXELS) * PREVIEW_PIXELS);
    return frames.at(frames.nearest(one === x ? view.time(x) : at));
  });
  void archive.previews.guess([...new Set(times)]);
}

/** The ruler: a scale to pan, a band to scrub, and the whole archive below. It is a slider for assistive technology. */
export function Ruler({ archive }: { archive: Archive }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const mini = useRef<HTMLCanvasElement>(null);
  const hover = useSignal<number | null>(null);
  useEffect(() => {
    const [ruler, small] = [canvas.current, mini.current];
    if (ruler === null || small === null) return;
    let rested: ReturnType<typeof setTimeout> | undefined;
    const onHover = (x: number | null) => {
      hover.value = x;
      clearTimeout(rested);
      // A finger that scrubs has its own previews: the service limits the requests of a network.
      if (x !== null && archive.finger.peek() === null) rested = setTimeout(() => readAround(archive, x), HOVER_MS);
    };
    const undo = [
      keepDrawn(ruler, small, archive, hover),
      followRuler(ruler, archive, { onHover }),
      followMini(small, archive),
    ];
    return () => {
      clearTimeout(rested);
      for (const one of undo) one();
    };
  }, [archive]);
  return (
    <div class="ruler-box">
      <Bubble archive={archive} hover={hover} />
      <canvas class="ruler" ref={canvas} />
      <Slider archive={archive} />
      <canvas class="mini" ref={mini} />
    </div>
  );
}

function Slider({ archive }: { archive: Archive }) {
  const frames = archive.frames.value;
  const shown = archive.shown.value;
  const finger = archive.finger.value;
  const gap = finger === null ? null : (frames?.gapAt(finger) ?? null);
  const inGap = gap === null ? "" : `, ${ARCHIVE.inGap(lengthOf(gap.end - gap.start), ARCHIVE.causes[gap.cause])}`;
  if (frames === null || shown === null) return null;
  return (
    <div
      class="slider"
      role="slider"
      tabIndex={0}
      aria-label={ARCHIVE.slider}
      aria-valuemin={0}
      aria-valuemax={frames.count - 1}
      aria-valuenow={frames.nearest(shown)}
      aria-valuetext={`${archive.describe()}${inGap}`}
    />
  );
}

/** The item under the pointer: a small picture with its time, or a gap with its length, cause and ends. */
function Bubble({ archive, hover }: { archive: Archive; hover: Signal<number | null> }) {
  const box = useRef<HTMLDivElement>(null);
  const frames = archive.frames.value;
  const x = hover.value;
  const clock = archive.clock.value;
  archive.previews.version.value;
  archive.viewVersion.value;
  useEffect(() => {
    const element = box.current;
    if (element === null || x === null) return;
    const half = element.offsetWidth / 2;
    element.style.left = `${Math.min(Math.max(x, half), Math.max(half, archive.view.width - half))}px`;
  });
  if (frames === null || x === null) return null;
  const ms = archive.view.time(x);
  const gap = frames.gapAt(ms);
  if (gap !== null)
    return (
      <div class="bubble gap" ref={box} aria-hidden="true">
        <p class="strong">{ARCHIVE.noPicturesFor(lengthOf(gap.end - gap.start))}</p>
        <p>
          <span class={`hatch ${gap.cause}`} />
          {ARCHIVE.causes[gap.cause]}
        </p>
        <p class="nums">
          {clock.say(gap.start, "day")} {clock.say(gap.start, "time")} –{" "}
          {gap.isOpen ? ARCHIVE.now : `${clock.say(gap.end, "day")} ${clock.say(gap.end, "time")}`}
        </p>
      </div>
    );
  const grid = archive.view.time(Math.round(x / PREVIEW_PIXELS) * PREVIEW_PIXELS);
  const exact = frames.at(frames.nearest(ms));
  const near = frames.at(frames.nearest(grid));
  const time = archive.previews.get(exact) === undefined && archive.previews.get(near) !== undefined ? near : exact;
  const preview = archive.previews.get(time);
  return (
    <div class="bubble" ref={box} aria-hidden="true">
      {preview && <img src={preview.url} alt="" width="160" height="90" />}
      <p class="nums">
        <b>{clock.say(time, "exact")}</b> <span>{clock.say(time, "day")}</span>
      </p>
    </div>
  );
}
