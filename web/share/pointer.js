import { CAUSES, part } from "./facts.js";
import { length } from "./times.js";

/** Pause of the pointer after which previews are asked for, milliseconds. */
const HOVER = 80;
/** Movement that makes a press a drag, pixels. */
const DRAG = 3;
/** Two fingers are never taken to be closer than this, pixels: the zoom would leap. */
const CLOSEST = 16;

/**
 * The pointer on the ruler: what lies under it, drag to pan, wheel or two fingers to zoom, press to go there.
 * `viewer` is `{ isOpen(), previews(), clock(), seek(ms) }`.
 */
export function followPointer(ruler, viewer) {
  const [scale, bubble] = [part("ruler"), part("bubble")];
  const xOf = (event) => event.clientX - scale.getBoundingClientRect().left;
  let hover;
  /** Where each pointer presses, by its id; and whether they have moved since the first came. */
  const pressed = new Map();
  let moved = false;

  function hint(x) {
    if (!viewer.isOpen()) return;
    const ms = ruler.timeAt(x);
    const gap = ruler.gapAt(ms);
    const image = gap === null ? viewer.previews().at(ms, ruler) : null;
    part("tiny").hidden = !image;
    if (image) part("tiny").src = `data:image/jpeg;base64,${image.jpegBase64}`;
    const cause = CAUSES[gap?.cause];
    part("label").textContent =
      gap === null
        ? viewer.clock().full(image ? Date.parse(image.capturedAtUtc) : ms)
        : `no pictures for ${length(gap.end - gap.start)}${cause ? ` (${cause})` : ""}`;
    bubble.hidden = false;
    const left = Math.min(Math.max(x - bubble.offsetWidth / 2, 0), ruler.width - bubble.offsetWidth);
    bubble.style.transform = `translateX(${left}px)`;
    if (gap !== null) return;
    clearTimeout(hover);
    hover = setTimeout(async () => {
      await viewer.previews()?.around(ms, ruler);
      if (!bubble.hidden && part("tiny").hidden && viewer.previews()?.at(ms, ruler)) hint(x);
    }, HOVER);
  }

  /** One of two fingers goes from `before` to `x`: the moments under both stay under them. */
  function pinch(before, x, other) {
    const apart = (one) => Math.max(CLOSEST, Math.abs(one - other));
    const about = ruler.timeAt((before + other) / 2);
    ruler.zoom(apart(before) / apart(x), about);
    ruler.pan(about - ruler.timeAt((x + other) / 2));
  }

  scale.addEventListener("pointerdown", (event) => {
    moved = pressed.size > 0;
    pressed.set(event.pointerId, xOf(event));
    scale.setPointerCapture(event.pointerId);
  });
  scale.addEventListener("pointermove", (event) => {
    const x = xOf(event);
    const before = pressed.get(event.pointerId);
    if (before !== undefined && (moved || Math.abs(x - before) > DRAG)) {
      const [other] = [...pressed].filter(([id]) => id !== event.pointerId);
      if (other === undefined) ruler.pan(ruler.timeAt(before) - ruler.timeAt(x));
      else if (viewer.isOpen()) pinch(before, x, other[1]);
      pressed.set(event.pointerId, x);
      moved = true;
    }
    hint(x);
  });
  scale.addEventListener("pointerup", (event) => {
    if (pressed.has(event.pointerId) && !moved && viewer.isOpen()) viewer.seek(ruler.timeAt(xOf(event)));
  });
  // After each release, a cancelled one too, and when the ruler is taken away under the finger.
  scale.addEventListener("lostpointercapture", (event) => {
    pressed.delete(event.pointerId);
  });
  scale.addEventListener("pointerleave", () => {
    clearTimeout(hover);
    bubble.hidden = true;
  });
  scale.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (viewer.isOpen()) ruler.zoom(event.deltaY > 0 ? 1.25 : 0.8, ruler.timeAt(xOf(event)));
    },
    { passive: false },
  );
}
