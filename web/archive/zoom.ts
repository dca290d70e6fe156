import { signal } from "@preact/signals";

/** Size of a picture's pixel at the closest zoom, in pixels of the screen. */
const MAX_PIXEL = 4;
const WHEEL_ZOOM = 0.0018;
const DOUBLE_TAP_MS = 300;
const TAP_PIXELS = 24;

interface Point {
  x: number;
  y: number;
}

/**
 * Zoom of the large picture: wheel and pinch zoom about the pointer, a drag moves it, a double tap shows its actual
 * size.
 */
export class PictureZoom {
  readonly scale = signal(1);
  #x = 0;
  #y = 0;
  #host: HTMLElement | null = null;

  /** Follows the pointer on a stage, and moves the pictures in it. @returns an undo. */
  follow(stage: HTMLElement, pictures: HTMLElement): () => void {
    this.#host = pictures;
    this.#apply();
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, run: (event: HTMLElementEventMap[K]) => void) =>
      stage.addEventListener(type, run, { signal: stop.signal, passive: false });
    const fingers = new Map<number, Point>();
    let tapped = { at: 0, x: 0, y: 0 };
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
      const isSecond = event.timeStamp - tapped.at < DOUBLE_TAP_MS && distance(point, tapped) < TAP_PIXELS;
      tapped = isSecond ? { at: 0, x: 0, y: 0 } : { at: event.timeStamp, ...point };
      if (isSecond) this.toggle(point);
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
        const factor = Math.max(16, distance(point, other[1])) / Math.max(16, distance(before, other[1]));
        this.zoom(factor, { x: (point.x + other[1].x) / 2, y: (point.y + other[1].y) / 2 });
        this.#move((point.x - before.x) / 2, (point.y - before.y) / 2);
      }
    });
    for (const type of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      on(type, (event) => fingers.delete(event.pointerId));
    return () => {
      stop.abort();
      this.#host = null;
    };
  }

  /** The scale at which one pixel of the picture is one pixel of the screen. */
  get fullScale(): number {
    const image = this.#host?.querySelector("img");
    if (!image || image.naturalWidth === 0) return 2;
    const shown = Math.min(image.clientWidth / image.naturalWidth, image.clientHeight / image.naturalHeight);
    return Math.max(1, 1 / (shown * devicePixelRatio));
  }

  zoom(factor: number, about: Point): void {
    const before = this.scale.peek();
    const scale = Math.min(Math.max(before * factor, 1), this.fullScale * MAX_PIXEL);
    this.#x = about.x - ((about.x - this.#x) * scale) / before;
    this.#y = about.y - ((about.y - this.#y) * scale) / before;
    this.scale.value = scale;
    this.#apply();
  }

  /** Switches between the whole picture and its actual size. */
  toggle(about?: Point): void {
    const { clientWidth = 0, clientHeight = 0 } = this.#host ?? {};
    const middle = { x: clientWidth / 2, y: clientHeight / 2 };
    const target = this.scale.peek() > 1 ? 1 : Math.max(this.fullScale, 1.01);
    this.zoom(target / this.scale.peek(), about ?? middle);
  }

  reset(): void {
    this.scale.value = 1;
    this.#apply();
  }

  #move(x: number, y: number): void {
    this.#x += x;
    this.#y += y;
    this.#apply();
  }

  /** The picture always covers its place. */
  #apply(): void {
    const host = this.#host;
    if (host === null) return;
    const scale = this.scale.peek();
    this.#x = Math.min(0, Math.max(this.#x, host.clientWidth * (1 - scale)));
    this.#y = Math.min(0, Math.max(this.#y, host.clientHeight * (1 - scale)));
    host.style.transform = scale === 1 ? "" : `translate(${this.#x}px, ${this.#y}px) scale(${scale})`;
    host.classList.toggle("pixels", scale > this.fullScale);
    host.parentElement?.classList.toggle("zoomed", scale > 1);
  }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);
