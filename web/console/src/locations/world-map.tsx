import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { MAP } from "#texts/locations.ts";
import { Icon } from "../../../ui/icon.tsx";
import { theme } from "../../../ui/theme.ts";
import { clustered, fitted, type MapView, moved, worldWidth, zoomed } from "./projection.ts";

/* The map of the world with marks. Its outline is a file of the service. */

/** A step of the arrow keys, pixels, and the steps of the zoom by keys and buttons, and by a turn of the wheel. */
const [KEY_STEP, ZOOM_STEP, WHEEL_STEP] = [80, 1, 0.002];
/** The greatest movement of a pointer that is a click, pixels. */
const CLICK_PX = 4;

export interface Marked {
  id: string;
  name: string;
  href: string;
  x: number;
  y: number;
  isTrouble: boolean;
  /** Its state in words. */
  about: string;
}

interface Outline {
  land: Path2D;
  borders: Path2D;
  size: number;
}
let outline: Promise<Outline> | undefined;
const readOutline = (): Promise<Outline> => {
  outline ??= import("virtual:world").then(({ LAND, BORDERS, SIZE }) => ({
    land: new Path2D(LAND),
    borders: new Path2D(BORDERS),
    size: SIZE,
  }));
  return outline;
};

interface Size {
  width: number;
  height: number;
}

function draw(canvas: HTMLCanvasElement, { land, borders, size }: Outline, { x, y, zoom }: MapView, box: Size): void {
  const pixel = devicePixelRatio;
  canvas.width = Math.round(box.width * pixel);
  canvas.height = Math.round(box.height * pixel);
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { color, borderTopColor, outlineColor } = getComputedStyle(canvas);
  const scale = (worldWidth(zoom) * pixel) / size;
  context.setTransform(
    scale,
    0,
    0,
    scale,
    (box.width * pixel) / 2 - x * size * scale,
    (box.height * pixel) / 2 - y * size * scale,
  );
  context.beginPath();
  context.rect(0, 0, size, size);
  context.clip();
  context.fillStyle = color;
  context.fill(land);
  context.lineWidth = pixel / scale;
  context.strokeStyle = outlineColor;
  context.stroke(land);
  context.strokeStyle = borderTopColor;
  context.stroke(borders);
}

/** The outline of the world behind the marks. */
function Base({ view, size }: { view: MapView; size: Size }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [read, setRead] = useState<Outline | null>(null);
  useEffect(() => {
    // Without the outline, the marks are on an empty sea.
    readOutline().then(setRead, () => {
      outline = undefined;
    });
  }, []);
  const shade = theme.value;
  useEffect(() => {
    const paint = () => canvas.current !== null && read !== null && draw(canvas.current, read, view, size);
    paint();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", paint);
    return () => dark.removeEventListener("change", paint);
  }, [read, view, size, shade]);
  return <canvas class="map-base" ref={canvas} />;
}

/** Moves the map with a pointer, and zooms it with two fingers or with the wheel. */
function usePointers(view: { current: MapView }, change: (view: MapView) => void) {
  const down = useRef(new Map<number, { x: number; y: number }>());
  const travelled = useRef(0);
  const spread = () => {
    const [one, other] = [...down.current.values()];
    return one === undefined || other === undefined ? null : Math.hypot(one.x - other.x, one.y - other.y);
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      travelled.current = 0;
    },
    onPointerMove: (event: PointerEvent) => {
      const before = down.current.get(event.pointerId);
      if (before === undefined) return;
      const wide = spread();
      const [right, below] = [event.clientX - before.x, event.clientY - before.y];
      down.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      travelled.current += Math.abs(right) + Math.abs(below);
      // A click on a mark stays one: the map takes the pointer only when it moves.
      if (travelled.current > CLICK_PX && event.currentTarget instanceof Element)
        event.currentTarget.setPointerCapture(event.pointerId);
      const now = spread();
      if (wide === null || now === null) change(moved(view.current, -right, -below));
      else if (wide > 0 && now > 0) change(zoomed(view.current, Math.log2(now / wide)));
    },
    onPointerUp: (event: PointerEvent) => void down.current.delete(event.pointerId),
    onPointerCancel: (event: PointerEvent) => void down.current.delete(event.pointerId),
    onClickCapture: (event: MouseEvent) => {
      if (travelled.current > CLICK_PX) event.preventDefault();
    },
  };
}

/** The world with a mark at each place. Marks that are close to each other are one mark with their number. */
export function WorldMap(props: {
  marks: readonly Marked[];
  view: MapView | null;
  onView: (view: MapView) => void;
  onSize: (size: Size) => void;
}) {
  const { marks, onView, onSize } = props;
  const box = useRef<HTMLElement>(null);
  const [size, setSize] = useState<Size | null>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      const next = { width: element.clientWidth, height: element.clientHeight };
      setSize(next);
      onSize(next);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const all = useMemo(() => (size === null ? null : fitted(marks, size.width, size.height)), [marks, size]);
  const view = props.view ?? all;
  const shown = useRef<MapView>({ x: 0.5, y: 0.5, zoom: 1 });
  if (view !== null) shown.current = view;
  const change = (next: MapView) => {
    shown.current = next;
    onView(next);
  };
  const pointers = usePointers(shown, change);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const turn = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top, width, height } = element.getBoundingClientRect();
      change(
        zoomed(
          shown.current,
          -event.deltaY * WHEEL_STEP,
          event.clientX - left - width / 2,
          event.clientY - top - height / 2,
        ),
      );
    };
    // The page must not scroll, so the listener is not passive.
    element.addEventListener("wheel", turn, { passive: false });
    return () => element.removeEventListener("wheel", turn);
  }, [size]);
  const press = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, MapView>> = {
      ArrowLeft: moved(shown.current, -KEY_STEP, 0),
      ArrowRight: moved(shown.current, KEY_STEP, 0),
      ArrowUp: moved(shown.current, 0, -KEY_STEP),
      ArrowDown: moved(shown.current, 0, KEY_STEP),
      "+": zoomed(shown.current, ZOOM_STEP),
      "-": zoomed(shown.current, -ZOOM_STEP),
    };
    const next = steps[event.key];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    change(next);
  };
  // The marks of a zoom stay while the map moves.
  const level = view === null ? null : Math.round(view.zoom * 2) / 2;
  const clusters = useMemo(() => (level === null ? [] : clustered(marks, level)), [marks, level]);
  const place = (x: number, y: number) => {
    if (view === null || size === null) return null;
    const width = worldWidth(view.zoom);
    const [left, top] = [size.width / 2 + (x - view.x) * width, size.height / 2 + (y - view.y) * width];
    return left < 0 || top < 0 || left > size.width || top > size.height ? null : { left, top };
  };
  return (
    <div class="world-box">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard moves the map */}
      <section class="world" ref={box} tabIndex={0} aria-label={MAP.label} onKeyDown={press} {...pointers}>
        {view !== null && size !== null && <Base view={view} size={size} />}
        {clusters.map(({ x, y, items }) => {
          const at = place(x, y);
          const [first] = items;
          if (at === null || first === undefined) return null;
          const kind = items.some(({ isTrouble }) => isTrouble) ? "mark-trouble" : "";
          const style = { transform: `translate(${at.left}px, ${at.top}px)` };
          if (items.length === 1)
            return (
              <a key={first.id} class={`map-mark ${kind}`} style={style} href={first.href} draggable={false}>
                <Icon name="pin" />
                <span class="sr">{`${first.name}. ${first.about}`}</span>
                <span class="map-name" aria-hidden="true">
                  {first.name}
                </span>
              </a>
            );
          const troubled = items.filter(({ isTrouble }) => isTrouble).length;
          return (
            <button
              key={first.id}
              type="button"
              class={`map-mark cluster-mark ${kind}`}
              style={style}
              aria-label={MAP.cluster(items.length, troubled)}
              onClick={() => {
                if (size === null) return;
                const near = fitted(items, size.width, size.height);
                // Places at one point stay together: the list beside has them.
                change(near.zoom > shown.current.zoom ? near : zoomed({ ...shown.current, x, y }, 2));
              }}
            >
              {items.length}
            </button>
          );
        })}
      </section>
      <div class="map-tools">
        <button
          type="button"
          class="btn icon-only"
          aria-label={MAP.closer}
          onClick={() => change(zoomed(shown.current, 1))}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="btn icon-only"
          aria-label={MAP.further}
          onClick={() => change(zoomed(shown.current, -1))}
        >
          <Icon name="minus" />
        </button>
        <button type="button" class="btn icon-only" aria-label={MAP.all} onClick={() => all !== null && change(all)}>
          <Icon name="expand" />
        </button>
      </div>
    </div>
  );
}
