import { computed, type Signal, signal } from "@preact/signals";
import { distance, type Point } from "./point.ts";
import type { ZoomPlace } from "./port.ts";
import { DoubleTap } from "./taps.ts";

/** Size of a picture's pixel at the closest zoom, in pixels of the screen. */
const MAX_PIXEL = 4;
const WHEEL_ZOOM = 0.0018;
/** Minimum distance of two fingers for the calculation, pixels. With a smaller one the zoom would jump. */
const CLOSEST = 16;
/** Scale that a double tap selects if the whole picture is shown at its actual size already. */
const CLOSER = 2;

/**
 * Zoom of the large picture: wheel and pinch zoom about the pointer, a drag moves it, a double tap shows its actual
 * size.
 */
export class PictureZoom {
  /** The visible part of the picture; null for the whole picture. */
  readonly place: Signal<ZoomPlace | null>;
  readonly scale = computed(() => this.place.value?.scale ?? 1);
  /** The actual size was selected: a better picture that replaces this picture has its actual size too. */
  #isFull = false;
  #host: HTMLElement | null = null;

  constructor(place: ZoomPlace | null) {
    this.place = signal(place);
  }

  /** Follows the pointer on a stage, and moves the pictures in it. @returns an undo. */
  follow(stage: HTMLElement, pictures: HTMLElement): () => void {
    this.#host = pictures;
    this.#apply();
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, run: (event: HTMLElementEventMap[K]) => void) =>
      stage.addEventListener(type, run, { signal: stop.signal, passive: false });
    const fingers = new Map<number, Point>();
    const taps = new DoubleTap();
    const at = ({ clientX, clientY }: MouseEvent): Point => {
      const { left, top } = pictures.parentElement?.getBoundingClientRect() ?? { left: 0, top: 0 };
      return { x: clientX - left, y: clientY - top };
    };
    const isTool = (event: Event) => event.target instanceof Element && event.target.closest("button, input") !== null;
    on("wheel", (event) => {
      if (isTool(event)) return;
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * WHEEL_ZOOM), at(event));
    });
    on("pointerdown", (event) => {
      if (event.button !== 0 || isTool(event)) return;
      const point = at(event);
      if (taps.isSecond(event, point, fingers.size)) this.toggle(point);
      fingers.set(event.pointerId, point);
      if (fingers.size > 1 || this.scale.peek() > 1) stage.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) return;
      const point = at(event);
      fingers.set(event.pointerId, point);
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId);
      if (other === undefined) this.#move(point.x - before.x, point.y - before.y);
      else {
        const factor = Math.max(CLOSEST, distance(point, other[1])) / Math.max(CLOSEST, distance(before, other[1]));
        this.zoom(factor, { x: (point.x + other[1].x) / 2, y: (point.y + other[1].y) / 2 });
        this.#move((point.x - before.x) / 2, (point.y - before.y) / 2);
      }
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      on(type, (event) => fingers.delete(event.pointerId));
    const replaced = new MutationObserver(() => this.#apply());
    replaced.observe(pictures, { childList: true });
    const resized = new ResizeObserver(() => this.#apply());
    resized.observe(pictures);
    return () => {
      stop.abort();
      replaced.disconnect();
      resized.disconnect();
      this.#host = null;
    };
  }

  /** The scale at which one pixel of the picture is one pixel of the screen; 1 if the whole picture is larger. */
  get fullScale(): number {
    return Math.max(1, 1 / (this.#fitted().pixel * devicePixelRatio));
  }

  /** Changes the scale by a factor, about a point of the stage. */
  zoom(factor: number, about: Point): void {
    this.#isFull = false;
    const before = this.scale.peek();
    const scale = Math.min(Math.max(before * factor, 1), this.fullScale * MAX_PIXEL);
    const { x, y } = this.#offset();
    this.#set(scale, { x: about.x - ((about.x - x) * scale) / before, y: about.y - ((about.y - y) * scale) / before });
  }

  /** Switches between the whole picture and its actual size. */
  toggle(about?: Point): void {
    const isWhole = this.scale.peek() === 1;
    const { wide, high } = this.#fitted();
    this.zoom(isWhole ? this.#actual : 1 / this.scale.peek(), about ?? { x: wide / 2, y: high / 2 });
    this.#isFull = isWhole;
  }

  /** Shows a part of the picture. */
  show(place: ZoomPlace | null): void {
    this.#isFull = false;
    this.place.value = place;
    this.#apply();
  }

  get #actual(): number {
    return this.fullScale > 1 ? this.fullScale : CLOSER;
  }

  /** The size of the stage, the picture that fits into it, and the size of one of its pixels; in pixels. */
  #fitted() {
    const { clientWidth: wide = 0, clientHeight: high = 0 } = this.#host ?? {};
    const image = this.#host?.querySelector("img");
    const [width, height] = [image?.naturalWidth || wide || 1, image?.naturalHeight || high || 1];
    const pixel = Math.min(wide / width, high / height) || 1;
    const [shownWide, shownHigh] = [width * pixel, height * pixel];
    return { wide, high, shownWide, shownHigh, left: (wide - shownWide) / 2, top: (high - shownHigh) / 2, pixel };
  }

  /** The position of the scaled pictures. They always cover the stage. */
  #offset(): Point {
    const place = this.place.peek();
    if (place === null) return { x: 0, y: 0 };
    const { wide, high, shownWide, shownHigh, left, top } = this.#fitted();
    return this.#covering(place.scale, {
      x: wide / 2 - place.scale * (left + place.x * shownWide),
      y: high / 2 - place.scale * (top + place.y * shownHigh),
    });
  }

  #covering(scale: number, { x, y }: Point): Point {
    const { wide, high } = this.#fitted();
    return { x: Math.min(0, Math.max(x, wide * (1 - scale))), y: Math.min(0, Math.max(y, high * (1 - scale))) };
  }

  #set(scale: number, offset: Point): void {
    const { wide, high, shownWide, shownHigh, left, top } = this.#fitted();
    const { x, y } = this.#covering(scale, offset);
    const across = (wide / 2 - x) / scale - left;
    const down = (high / 2 - y) / scale - top;
    this.place.value = scale === 1 ? null : { scale, x: across / shownWide, y: down / shownHigh };
    this.#apply();
  }

  #move(x: number, y: number): void {
    const offset = this.#offset();
    this.#set(this.scale.peek(), { x: offset.x + x, y: offset.y + y });
  }

  #apply(): void {
    const host = this.#host;
    if (host === null) return;
    const place = this.place.peek();
    if (place !== null && this.#isFull && place.scale !== this.#actual)
      this.place.value = { ...place, scale: this.#actual };
    const scale = this.scale.peek();
    const { x, y } = this.#offset();
    host.style.transform = scale === 1 ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
    host.classList.toggle("pixels", scale > this.fullScale);
    host.parentElement?.classList.toggle("zoomed", scale > 1);
  }
}
