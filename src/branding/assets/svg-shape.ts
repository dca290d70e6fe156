import type { Pieces } from "../../platform/pace";

/** A transformation as SVG writes it: x' = a·x + c·y + e, y' = b·x + d·y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number];

const PLAIN: Matrix = [1, 0, 0, 1, 0, 0];

export const multiplied = (m: Matrix, n: Matrix): Matrix => [
  m[0] * n[0] + m[2] * n[1],
  m[1] * n[0] + m[3] * n[1],
  m[0] * n[2] + m[2] * n[3],
  m[1] * n[2] + m[3] * n[3],
  m[0] * n[4] + m[2] * n[5] + m[4],
  m[1] * n[4] + m[3] * n[5] + m[5],
];

/** Reads `matrix(…)`, the one form that resvg writes. */
export function readMatrix(transform: string | undefined): Matrix {
  const numbers =
    /^matrix\((.*)\)$/
      .exec(transform ?? "")?.[1]
      ?.split(/[\s,]+/)
      .map(Number) ?? [];
  const [a, b, c, d, e, f] = numbers;
  return f === undefined ? PLAIN : ([a, b, c, d, e, f] as Matrix);
}

/** A rectangle, pixels. Right is less than left in an empty one. */
export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const [FAR, NEAR] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
export const EMPTY_BOX: Box = { left: FAR, top: FAR, right: NEAR, bottom: NEAR };

export const joined = (one: Box, other: Box): Box => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

/** What the cost of a path depends on, pixels. */
interface Shape {
  box: Box;
  /** Number of straight lines, where a curve counts as `CHORDS`. */
  lines: number;
  /** Sum of the lengths of all lines, and of their parts that can be in the picture. */
  length: number;
  visibleLength: number;
  /** Sum of the heights of straight and of curved lines that can be in the picture. */
  straightHeight: number;
  curvedHeight: number;
  /** An upper bound of the number of pairs of lines that cross. */
  crossings: number;
}

/** Straight lines as which a curve is counted. */
const CHORDS = 4;
/** Cells along an edge of the grid in which lines can cross, at most. */
const MAX_CELLS = 64;
/** Numbers that are read in one piece of work. */
const PIECE = 2_048;

/**
 * Measures the path `d` after a transformation. It reads absolute M, L, Q, C and Z with spaces between, as resvg writes them.
 */
export function* shapeOf(d: string, matrix: Matrix, canvas: { width: number; height: number }): Pieces<Shape> {
  const lines = yield* linesOf(d, matrix);
  const shape: Shape = {
    box: { ...EMPTY_BOX },
    lines: 0,
    length: 0,
    visibleLength: 0,
    straightHeight: 0,
    curvedHeight: 0,
    crossings: 0,
  };
  const { box } = shape;
  const diagonal = Math.hypot(canvas.width, canvas.height);
  for (let at = 0; at < lines.length; at += NUMBERS) {
    const [x, y, toX, toY, isCurved] = [lines[at], lines[at + 1], lines[at + 2], lines[at + 3], lines[at + 4]] as [
      number,
      number,
      number,
      number,
      number,
    ];
    box.left = Math.min(box.left, x, toX);
    box.right = Math.max(box.right, x, toX);
    box.top = Math.min(box.top, y, toY);
    box.bottom = Math.max(box.bottom, y, toY);
    const length = Math.hypot(toX - x, toY - y);
    const high = Math.min(Math.abs(toY - y), canvas.height);
    shape.lines += 1;
    shape.length += length;
    shape.visibleLength += Math.min(length, diagonal);
    if (isCurved === 1) shape.curvedHeight += high;
    else shape.straightHeight += high;
    if (at % (PIECE * NUMBERS) === 0) yield PIECE;
  }
  shape.crossings = yield* crossingsOf(lines, box);
  return shape;
}

/** Numbers of a line in the list of lines: from, to, and whether it is a part of a curve. */
const NUMBERS = 5;

function* linesOf(d: string, [a, b, c, dd, e, f]: Matrix): Pieces<number[]> {
  const lines: number[] = [];
  const tokens = d.split(/\s+/);
  yield d.length;
  let [x, y, startX, startY] = [0, 0, 0, 0];
  const point = (at: number): [number, number] => {
    const [px, py] = [Number(tokens[at]), Number(tokens[at + 1])];
    return [a * px + c * py + e, b * px + dd * py + f];
  };
  const lineTo = (toX: number, toY: number, isCurved: boolean) => {
    lines.push(x, y, toX, toY, isCurved ? 1 : 0);
    [x, y] = [toX, toY];
  };
  let since = 0;
  for (let at = 0; at < tokens.length; ) {
    const command = tokens[at++];
    if (command === "M") {
      [x, y] = point(at);
      [startX, startY] = [x, y];
      at += 2;
    } else if (command === "L") {
      lineTo(...point(at), false);
      at += 2;
    } else if (command === "Z") lineTo(startX, startY, false);
    else if (command === "Q" || command === "C") {
      const [fromX, fromY] = [x, y];
      const controls = command === "Q" ? 1 : 2;
      const [x1, y1] = point(at);
      const [x2, y2] = controls === 1 ? [x1, y1] : point(at + 2);
      const [toX, toY] = point(at + 2 * controls);
      at += 2 * controls + 2;
      for (let chord = 1; chord <= CHORDS; chord += 1) {
        const t = chord / CHORDS;
        const on = (from: number, one: number, two: number, to: number) =>
          controls === 1
            ? (1 - t) ** 2 * from + 2 * t * (1 - t) * one + t ** 2 * to
            : (1 - t) ** 3 * from + 3 * t * (1 - t) ** 2 * one + 3 * t ** 2 * (1 - t) * two + t ** 3 * to;
        lineTo(on(fromX, x1, x2, toX), on(fromY, y1, y2, toY), true);
      }
    }
    since += 1;
    if (since % PIECE === 0) yield PIECE;
  }
  return lines;
}

/**
 * Bounds the number of pairs of lines that cross: two lines can cross only in a cell that both touch. resvg sorts the lines of each row,
 * and exchanges two of them where they cross.
 */
function* crossingsOf(lines: readonly number[], { left, top, right, bottom }: Box): Pieces<number> {
  const count = lines.length / NUMBERS;
  const cells = Math.max(1, Math.min(MAX_CELLS, Math.ceil(Math.sqrt(count))));
  const [wide, high] = [Math.max(right - left, 1e-9) / cells, Math.max(bottom - top, 1e-9) / cells];
  const touching = new Float64Array((cells + 1) ** 2);
  let since = 0;
  for (let at = 0; at < lines.length; at += NUMBERS) {
    const [x, y, toX, toY] = [lines[at], lines[at + 1], lines[at + 2], lines[at + 3]] as [
      number,
      number,
      number,
      number,
    ];
    // A line without a height covers no row.
    if (y === toY) continue;
    const steps = Math.min(cells, Math.ceil(Math.max(Math.abs(toX - x) / wide, Math.abs(toY - y) / high)));
    for (let step = 0; step <= steps; step += 1) {
      const t = steps === 0 ? 0 : step / steps;
      const column = Math.floor((x + (toX - x) * t - left) / wide);
      const row = Math.floor((y + (toY - y) * t - top) / high);
      const cell = row * (cells + 1) + column;
      touching[cell] = (touching[cell] ?? 0) + 1;
    }
    since += steps + 1;
    if (since < PIECE) continue;
    yield PIECE;
    since = 0;
  }
  return touching.reduce((sum, n) => sum + (n * n) / 2, 0);
}
