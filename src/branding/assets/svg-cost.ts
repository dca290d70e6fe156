import { SaxesParser } from "saxes";
import type { Pieces } from "../../platform/pace";
import { pictureSize, pictureType } from "../../platform/pictures/headers";
import { MAX_SVG_DRAWING_MS, MAX_SVG_LAYER_BYTES, MEDIUM_EDGE_PIXELS } from "../limits";
import { givenTo } from "./svg-layers";
import { type Box, EMPTY_BOX, joined, type Matrix, multiplied, readMatrix, shapeOf } from "./svg-shape";

/*
 * Estimates what resvg spends on an SVG. It reads the form that resvg itself makes of the file: references followed, styles applied,
 * every shape a path. The prices are measured in nanoseconds on a busy computer, and the sums are upper bounds of real
 * drawings.
 */

/** The time of drawing at the largest size: by the area, by the length of lines, and at any size. Nanoseconds. */
export interface DrawingCost {
  area: number;
  length: number;
  fixed: number;
  /** Number of layers that are in memory at the same time. */
  layers: number;
}

const NANOSECONDS = 1_000_000;
const BYTES_PER_PIXEL = 4;

/**
 * The longest edge at which an SVG can be drawn within the limits of time and memory, at most `MEDIUM_EDGE_PIXELS`. 0 if the cost
 * does not depend on the size and is too high.
 */
export function edgeOf({ area, length, fixed, layers }: DrawingCost): number {
  const rest = MAX_SVG_DRAWING_MS * NANOSECONDS - fixed;
  if (!(rest > 0)) return 0;
  const bySize = area + length <= rest ? 1 : (2 * rest) / (length + Math.sqrt(length ** 2 + 4 * area * rest));
  const byMemory = Math.sqrt(MAX_SVG_LAYER_BYTES / (Math.max(1, layers) * BYTES_PER_PIXEL)) / MEDIUM_EDGE_PIXELS;
  return Math.floor(MEDIUM_EDGE_PIXELS * Math.min(1, bySize, byMemory));
}

/** A reason why an SVG cannot be drawn, to be shown to the person. */
export class SvgNotDrawable extends Error {}

/** Prices for each pixel of the area of a path, by its paint. */
const [OPAQUE, TRANSPARENT, LINEAR, RADIAL, STOP, PATTERN] = [1, 10, 20, 50, 1, 80] as const;
/** Prices for each pixel of a pattern's tile, of an embedded picture's file, and of the area on which it is drawn. */
const [TILE, EMBEDDED, PICTURE] = [60, 60, 470] as const;
/** Prices of a layer, for each pixel of the whole picture and of the layer's content. */
const LAYERS = { opacity: [1.5, 45], blending: [1.5, 80], clip: [4.2, 85], mask: [1.5, 90] } as const;
/** Prices for each pixel of the height of a filled straight or curved line, and of the length of a stroked line. */
const [STRAIGHT, CURVED, STROKED] = [250, 300, 500] as const;
/** Prices of a path, of its line, of two lines that can cross, of a dash, and of one with round ends. */
const [PATH, LINE, CROSSING, DASH, ROUND_DASH] = [3_500, 400, 12, 2_000, 6_500] as const;
/** Lines of the outline of a stroked line, and pairs of them that can cross where two stroked lines do. */
const OUTLINE = 4;
/** Nesting of patterns and masks in each other. The references of a file that was read form no circle. */
const MAX_NESTING = 32;
/** Units of work of a path or a group. */
const WORK = 64;
interface Node {
  name: string;
  attributes: Record<string, string>;
  children: Node[];
}

/** Reads resvg's own form of an SVG. */
function* readForm(text: string): Pieces<{ root: Node; byId: Map<string, Node> }> {
  const root: Node = { name: "", attributes: {}, children: [] };
  const byId = new Map<string, Node>();
  const open = [root];
  const parser = new SaxesParser({ xmlns: false });
  parser.on("opentag", ({ name, attributes }) => {
    const node: Node = { name, attributes, children: [] };
    open.at(-1)?.children.push(node);
    open.push(node);
    if (attributes.id !== undefined) byId.set(attributes.id, node);
  });
  parser.on("closetag", () => void open.pop());
  yield* givenTo(parser, text);
  const svg = root.children[0];
  if (svg === undefined) throw new Error("resvg's form has no root");
  return { root: svg, byId };
}

const target = (value: string | undefined): string | null => /^url\(#(.*)\)$/.exec(value ?? "")?.[1] ?? null;
const isTransparent = (value: string | undefined): boolean => value !== undefined && Number(value) < 1;

/** Estimates the cost of drawing an SVG with its longer edge at `MEDIUM_EDGE_PIXELS`. @throws SvgNotDrawable */
export function* estimateDrawing(form: string): Pieces<DrawingCost> {
  const { root, byId } = yield* readForm(form);
  const [width, height] = [Number(root.attributes.width), Number(root.attributes.height)];
  const scale = MEDIUM_EDGE_PIXELS / Math.max(width, height);
  const canvas = { width: width * scale, height: height * scale };
  const [, , viewWidth = 1, viewHeight = 1] = (root.attributes.viewBox ?? "").split(" ").map(Number);
  const [across, down] = [canvas.width / viewWidth, canvas.height / viewHeight];
  const isWhole = !/none|slice/.test(root.attributes.preserveAspectRatio ?? "");
  const zoom = isWhole ? Math.min(across, down) : Math.max(across, down);
  const cost: DrawingCost = { area: 0, length: 0, fixed: 0, layers: 0 };
  const estimate = new Estimate(canvas, byId, cost);
  for (const child of root.children) yield* estimate.draw(child, [zoom, 0, 0, zoom, 0, 0], { nesting: 0, layers: 1 });
  return cost;
}

/** Where an element is: its nesting in patterns and masks, and the layers around it. */
interface Place {
  nesting: number;
  layers: number;
}

class Estimate {
  private readonly canvas: { width: number; height: number };
  private readonly byId: ReadonlyMap<string, Node>;
  private readonly cost: DrawingCost;

  constructor(canvas: { width: number; height: number }, byId: ReadonlyMap<string, Node>, cost: DrawingCost) {
    this.canvas = canvas;
    this.byId = byId;
    this.cost = cost;
  }

  /** Area of the part of a box that can be in the picture. Its place does not count, so that nothing is missed. */
  #areaOf({ left, top, right, bottom }: Box, margin = 0): number {
    const [width, height] = [right - left + 2 * margin + 2, bottom - top + 2 * margin + 2];
    if (!(width > 0 && height > 0)) return 0;
    return Math.min(width, this.canvas.width) * Math.min(height, this.canvas.height);
  }

  /** Adds the cost of an element. @returns the box of what it draws, pixels. */
  *draw(node: Node, around: Matrix, place: Place): Pieces<Box> {
    if (place.nesting > MAX_NESTING) throw new SvgNotDrawable("its references are nested too deep");
    const matrix = multiplied(around, readMatrix(node.attributes.transform));
    if (node.name === "g") return yield* this.#drawGroup(node, matrix, place);
    if (node.name === "path") return yield* this.#drawPath(node, matrix, place);
    if (node.name === "image") return this.#drawPicture(node, matrix);
    return EMPTY_BOX;
  }

  *#drawGroup({ attributes, children }: Node, matrix: Matrix, place: Place): Pieces<Box> {
    const { opacity, style = "", mask, "clip-path": clip } = attributes;
    const used = [
      ...(isTransparent(opacity) ? [LAYERS.opacity] : []),
      ...(/mix-blend-mode|isolation/.test(style) ? [LAYERS.blending] : []),
      ...(clip === undefined ? [] : [LAYERS.clip]),
      ...(mask === undefined ? [] : [LAYERS.mask]),
    ];
    const inner = { ...place, layers: place.layers + used.length };
    this.cost.layers = Math.max(this.cost.layers, inner.layers);
    let box = EMPTY_BOX;
    for (const child of children) box = joined(box, yield* this.draw(child, matrix, inner));
    for (const [whole, content] of used)
      this.cost.area += this.canvas.width * this.canvas.height * whole + this.#areaOf(box) * content;
    for (const id of [target(clip), target(mask)])
      if (id !== null) yield* this.#drawContent(id, matrix, { nesting: place.nesting + 1, layers: inner.layers });
    yield WORK;
    return box;
  }

  /** Adds the cost of what a clipping path or a mask contains, and of what clips or masks it. */
  *#drawContent(id: string, matrix: Matrix, place: Place): Pieces<void> {
    const node = this.byId.get(id);
    if (node === undefined) return;
    // A clipping path in units of a box is at most as large as the picture, as is the box.
    const edge = Math.max(this.canvas.width, this.canvas.height);
    const isInBox = /objectBoundingBox/.test(`${node.attributes.clipPathUnits} ${node.attributes.maskContentUnits}`);
    const inner: Matrix = isInBox ? [edge, 0, 0, edge, 0, 0] : matrix;
    yield* this.#drawGroup({ ...node, attributes: { ...node.attributes, opacity: "1" } }, inner, place);
  }

  *#drawPath({ attributes }: Node, matrix: Matrix, place: Place): Pieces<Box> {
    const { d = "", fill, stroke, "stroke-width": width, "stroke-dasharray": dashes } = attributes;
    const shape = yield* shapeOf(d, matrix, this.canvas);
    const { cost } = this;
    let [box, boxArea] = [shape.box, this.#areaOf(shape.box)];
    if (fill !== "none") {
      const price = yield* this.#paint(fill ?? "", attributes["fill-opacity"], shape.box, matrix, place);
      cost.area += boxArea * price;
      cost.length += shape.straightHeight * STRAIGHT + shape.curvedHeight * CURVED;
      cost.fixed += PATH + shape.lines * LINE + shape.crossings * CROSSING;
    }
    if (stroke !== "none" && stroke !== undefined) {
      const zoom = Math.sqrt(Math.abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]));
      const [wide, limit] = [Number(width ?? 1) * zoom, Number(attributes["stroke-miterlimit"] ?? 4)];
      const margin = (wide / 2) * Math.max(1, attributes["stroke-linejoin"] === undefined ? limit : 1);
      box = widened(box, margin);
      boxArea = this.#areaOf(box);
      const lines =
        shape.lines + (dashes === undefined ? 0 : this.#dashesOf(dashes, zoom > 0 ? shape.length / zoom : 0));
      const price = yield* this.#paint(stroke, attributes["stroke-opacity"], box, matrix, place);
      cost.area += Math.min(boxArea, (shape.visibleLength + lines * wide) * (wide + 2)) * price;
      cost.length += shape.visibleLength * STROKED + lines * Math.min(wide, 2 * this.canvas.height) * 2 * STRAIGHT;
      const crossings = shape.crossings * OUTLINE * (lines / Math.max(1, shape.lines));
      const dash = attributes["stroke-linecap"] === "round" ? ROUND_DASH : DASH;
      cost.fixed += PATH + lines * OUTLINE * LINE + crossings * CROSSING + (lines - shape.lines) * dash;
    }
    yield WORK;
    return box;
  }

  /** Number of dashes of a line. Its length and the dashes have the units of the file. */
  #dashesOf(dashes: string, length: number): number {
    const lengths = dashes.split(/[\s,]+/).map(Number);
    const period = lengths.reduce((sum, each) => sum + each, 0);
    return period > 0 ? (length / period) * Math.ceil(lengths.length / 2) : 0;
  }

  /** The price of a pixel with a paint. A pattern's tile is drawn once for each path. */
  *#paint(paint: string, opacity: string | undefined, box: Box, matrix: Matrix, place: Place): Pieces<number> {
    const id = target(paint);
    const node = id === null ? undefined : this.byId.get(id);
    if (node === undefined) return isTransparent(opacity) ? TRANSPARENT : OPAQUE;
    const stops = node.children.length * STOP;
    if (node.name === "linearGradient") return LINEAR + stops;
    if (node.name === "radialGradient") return RADIAL + stops;
    yield* this.#drawTile(node, box, matrix, place);
    return PATTERN;
  }

  *#drawTile({ attributes, children }: Node, box: Box, matrix: Matrix, place: Place): Pieces<void> {
    const inner = multiplied(matrix, readMatrix(attributes.patternTransform));
    const zoom = Math.max(Math.hypot(inner[0], inner[1]), Math.hypot(inner[2], inner[3]));
    const isOfBox = attributes.patternUnits !== "userSpaceOnUse";
    const [wide, high] = [box.right - box.left, box.bottom - box.top];
    if (!(wide >= 0 && high >= 0)) return;
    const width = Number(attributes.width) * (isOfBox ? wide : zoom);
    const height = Number(attributes.height) * (isOfBox ? high : zoom);
    this.cost.area += (width + 1) * (height + 1) * TILE;
    const [, , viewWidth = 0, viewHeight = 0] = (attributes.viewBox ?? "").split(" ").map(Number);
    const isContentOfBox = attributes.patternContentUnits === "objectBoundingBox";
    const content =
      viewWidth > 0 ? Math.max(width / viewWidth, height / viewHeight) : isContentOfBox ? Math.max(wide, high) : zoom;
    const own = new Estimate({ width: Math.max(1, width), height: Math.max(1, height) }, this.byId, this.cost);
    for (const child of children)
      yield* own.draw(child, [content, 0, 0, content, 0, 0], { nesting: place.nesting + 1, layers: place.layers + 1 });
  }

  #drawPicture({ attributes }: Node, matrix: Matrix): Box {
    const href = attributes["xlink:href"] ?? attributes.href ?? "";
    const [head = "", data = ""] = href.split(",", 2);
    if (!/^data:/i.test(head)) return EMPTY_BOX;
    let bytes: Uint8Array;
    try {
      bytes = /;base64/i.test(head) ? Uint8Array.fromBase64(data.replace(/\s+/g, "")) : new Uint8Array();
    } catch {
      return EMPTY_BOX;
    }
    const size = pictureType(bytes) === null ? null : pictureSize(bytes);
    if (size === null)
      throw new SvgNotDrawable("a picture in it is not PNG, JPEG or WebP. Put its shapes into the SVG itself");
    this.cost.fixed += size.width * size.height * EMBEDDED;
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(attributes[name] ?? 0));
    const corners = cornersOf(x ?? 0, y ?? 0, width ?? 0, height ?? 0, matrix);
    this.cost.area += this.#areaOf(corners) * PICTURE;
    return corners;
  }
}

const widened = (box: Box, by: number): Box => ({
  left: box.left - by,
  top: box.top - by,
  right: box.right + by,
  bottom: box.bottom + by,
});

/** The box of a rectangle after a transformation. */
function cornersOf(x: number, y: number, width: number, height: number, [a, b, c, d, e, f]: Matrix): Box {
  const corners = [
    [x, y],
    [x + width, y],
    [x, y + height],
    [x + width, y + height],
  ].map(([px = 0, py = 0]) => [a * px + c * py + e, b * px + d * py + f] as const);
  const [xs, ys] = [corners.map(([px]) => px), corners.map(([, py]) => py)];
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) };
}
