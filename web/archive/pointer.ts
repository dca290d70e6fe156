import type { Archive } from "./archive.ts";
import { SCALE_HEIGHT } from "./draw.ts";
import { DoubleTap } from "./taps.ts";

/** Movement after which a touch is a drag, pixels. A shorter one is a tap, or the first of two fingers. */
const DRAG = 5;
/** Minimum distance of two fingers for the calculation, pixels. With a smaller one the zoom would jump. */
const CLOSEST = 16;
/** At an edge of the band, the band moves on by this share of its span. */
const EDGE_PIXELS = 24;
const EDGE_STEP = 0.01;
const WHEEL_ZOOM = 0.0018;

type Drag = { kind: "pan"; x: number; from: number; to: number } | { kind: "scrub" } | { kind: "wait"; x: number };

interface Pointer {
  /** Position of the pointer, pixels; null after it has left. */
  onHover(x: number | null): void;
}

/**
 * Handles the pointer on the ruler: the scale pans, the band scrubs, the wheel, two fingers and a double
 * tap zoom.
 * @returns a function that removes the listeners.
 */
export function followRuler(canvas: HTMLCanvasElement, archive: Archive, { onHover }: Pointer): () => void {
  const { view } = archive;
  const stop = new AbortController();
  const on = <K extends keyof HTMLElementEventMap>(type: K, run: (event: HTMLElementEventMap[K]) => void) =>
    canvas.addEventListener(type, run, { signal: stop.signal, passive: false });
  const xOf = (event: MouseEvent) => event.clientX - canvas.getBoundingClientRect().left;
  const fingers = new Map<number, number>();
  const taps = new DoubleTap();
  let drag: Drag | null = null;

  const scrub = (x: number) => {
    const shift = x < EDGE_PIXELS ? -1 : x > view.width - EDGE_PIXELS ? 1 : 0;
    if (shift !== 0) archive.changeView((one) => one.pan(shift * one.span * EDGE_STEP));
    archive.scrubber.move(view.time(Math.min(Math.max(x, 0), view.width)));
  };
  const pinch = (before: number, x: number, other: number) => {
    const apart = (one: number) => Math.max(CLOSEST, Math.abs(one - other));
    archive.changeView((one) => {
      const about = one.time((before + other) / 2);
      one.zoom(apart(before) / apart(x), about);
      one.pan(about - one.time((x + other) / 2));
    });
  };

  on("pointerdown", (event) => {
    if (event.button !== 0 || archive.frames.peek() === null) return;
    const x = xOf(event);
    const y = event.clientY - canvas.getBoundingClientRect().top;
    const isTouch = event.pointerType === "touch";
    canvas.setPointerCapture(event.pointerId);
    if (taps.isSecond(event, { x, y }, fingers.size)) archive.changeView((one) => one.zoom(0.5, one.time(x)));
    fingers.set(event.pointerId, x);
    if (fingers.size > 1) {
      if (drag?.kind === "scrub") archive.scrubber.end();
      drag = null;
      return;
    }
    if (y < SCALE_HEIGHT) drag = { kind: "pan", x, from: view.from, to: view.to };
    else if (isTouch) drag = { kind: "wait", x };
    else {
      drag = { kind: "scrub" };
      archive.scrubber.move(view.time(x));
    }
  });
  on("pointermove", (event) => {
    const x = xOf(event);
    const before = fingers.get(event.pointerId);
    if (before !== undefined) fingers.set(event.pointerId, x);
    const [other] = [...fingers].filter(([id]) => id !== event.pointerId);
    if (before !== undefined && other !== undefined) pinch(before, x, other[1]);
    if (drag?.kind === "wait" && Math.abs(x - drag.x) > DRAG) drag = { kind: "scrub" };
    if (drag?.kind === "pan") {
      const { from, to, x: begin } = drag;
      const moved = ((x - begin) / view.width) * (to - from);
      archive.changeView((one) => one.show(from - moved, to - moved));
    }
    if (drag?.kind === "scrub") scrub(x);
    onHover(x);
  });
  on("pointerup", (event) => {
    if (drag?.kind === "wait") archive.scrubber.move(view.time(xOf(event)));
  });
  // Runs after each release or cancellation, and when the ruler is removed under the finger.
  on("lostpointercapture", (event) => {
    fingers.delete(event.pointerId);
    if (drag?.kind === "scrub" || drag?.kind === "wait") archive.scrubber.end();
    drag = null;
    if (event.pointerType === "touch") onHover(null);
  });
  on("pointerleave", () => {
    if (drag === null) onHover(null);
  });
  on("wheel", (event) => {
    event.preventDefault();
    if (archive.frames.peek() === null) return;
    const isSideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    const pixels = event.deltaX === 0 ? event.deltaY : event.deltaX;
    archive.changeView((one) => {
      if (isSideways) one.pan(pixels * one.perPixel);
      else one.zoom(Math.exp(event.deltaY * WHEEL_ZOOM), one.time(xOf(event)));
    });
  });
  return () => stop.abort();
}

/**
 * Handles the pointer on the minimap: it moves a moment to the middle of the ruler.
 * @returns a function that removes the listeners.
 */
export function followMini(canvas: HTMLCanvasElement, archive: Archive): () => void {
  const stop = new AbortController();
  const centre = (event: PointerEvent) => {
    const frames = archive.frames.peek();
    if (frames === null || !canvas.hasPointerCapture(event.pointerId)) return;
    const { left, width } = canvas.getBoundingClientRect();
    const at = frames.first + ((event.clientX - left) / width) * (frames.end - frames.first);
    archive.changeView((one) => one.show(at - one.span / 2, at + one.span / 2));
  };
  canvas.addEventListener(
    "pointerdown",
    (event) => {
      canvas.setPointerCapture(event.pointerId);
      centre(event);
    },
    { signal: stop.signal },
  );
  canvas.addEventListener("pointermove", centre, { signal: stop.signal });
  return () => stop.abort();
}
