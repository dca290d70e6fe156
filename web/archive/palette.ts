import { CAUSES, type Hatch, type Palette, TOKENS } from "./causes.ts";

/** A canvas does not support light-dark(), so the element gives the current value of each token. */
export function readPalette(canvas: HTMLCanvasElement): Palette {
  const probe = document.createElement("i");
  // With forced colours, every colour of an element would be the colour of its text.
  probe.style.setProperty("forced-color-adjust", "none");
  canvas.parentElement?.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(TOKENS.map((name) => [name, read(name)])) as Palette["colours"];
  probe.remove();
  const hatches = Object.fromEntries(
    Object.entries(CAUSES).map(([cause, { hatch, colour, calm }]) => [
      cause,
      patternOf(hatch, colours[colour], calm ? 0.55 : 0.8) ?? colours[colour],
    ]),
  ) as Palette["hatches"];
  return { colours, hatches, font: getComputedStyle(canvas).fontFamily };
}

/** One tile of 16 pixels, drawn at half its size. The pattern shows the cause first, the colour second. */
function patternOf(hatch: Hatch, colour: string, alpha: number): CanvasPattern | null {
  const tile = document.createElement("canvas");
  tile.width = 16;
  tile.height = 16;
  const pen = tile.getContext("2d");
  if (pen === null) return null;
  pen.strokeStyle = colour;
  pen.fillStyle = colour;
  pen.globalAlpha = alpha;
  pen.lineWidth = hatch === "crossed" ? 1.5 : 2;
  const line = (x0: number, y0: number, x1: number, y1: number) => {
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x1, y1);
    pen.stroke();
  };
  if (hatch === "diagonal") for (const from of [-16, -8, 0, 8, 16]) line(from, 16, from + 16, 0);
  if (hatch === "crossed")
    for (const from of [-16, 0, 16]) {
      line(from, 16, from + 16, 0);
      line(from, 0, from + 16, 16);
    }
  if (hatch === "across") for (const y of [4, 12]) line(0, y, 16, y);
  if (hatch === "down") for (const x of [4, 12]) line(x, 0, x, 16);
  if (hatch === "dots")
    for (const at of [4, 12]) {
      pen.beginPath();
      pen.arc(at, at, 1.6, 0, 7);
      pen.fill();
    }
  const pattern = pen.createPattern(tile, "repeat");
  pattern?.setTransform(new DOMMatrix().scale(0.5));
  return pattern;
}
