import { CAUSES, part } from "./facts.js";
import { length } from "./times.js";

/** Pause of the pointer after which previews are asked for, milliseconds. */
const HOVER = 80;
/** Movement that makes a press a drag, pixels. */
const DRAG = 3;

/**
 * The pointer on the ruler: what lies under it, drag to pan, wheel to zoom, press to go there.
 * `viewer` is `{ isOpen(), previews(), clock(), seek(ms) }`.
 */
export function followPointer(ruler, viewer) {
  const [scale, bubble] = [part("ruler"), part("bubble")];
  const xOf = (event) => event.clientX - scale.getBoundingClientRect().left;
  let hover;
  let drag = null;

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

  scale.addEventListener("pointerdown", (event) => {
    drag = { x: xOf(event), moved: false };
    scale.setPointerCapture(event.pointerId);
  });
  scale.addEventListener("pointermove", (event) => {
    const x = xOf(event);
    if (drag !== null && (drag.moved || Math.abs(x - drag.x) > DRAG)) {
      ruler.pan(ruler.timeAt(drag.x) - ruler.timeAt(x));
      drag = { x, moved: true };
    }
    hint(x);
  });
  scale.addEventListener("pointerup", (event) => {
    const wasDrag = drag?.moved ?? false;
    drag = null;
    if (!wasDrag && viewer.isOpen()) viewer.seek(ruler.timeAt(xOf(event)));
  });
  scale.addEventListener("pointercancel", () => {
    drag = null;
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
