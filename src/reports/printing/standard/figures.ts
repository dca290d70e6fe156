import type { PdfFile } from "./file";
import { type Part, partsOf, type Structure } from "./structure";
import { type Dict, Ref, type Value } from "./syntax";

/*
 * Where the drawings of a content are on the paper (ISO 32000-1, 8.3 to 8.5, and 9.4). A box is left, bottom, right and top; a
 * matrix has the six numbers of the operator `cm`.
 */

export type Matrix = readonly [number, number, number, number, number, number];
export type Box = readonly [number, number, number, number];

/** Where a content begins to draw: its matrix, and the box outside of which nothing is visible. */
export interface Place {
  matrix: Matrix;
  clip: Box;
}

export const UNCHANGED: Matrix = [1, 0, 0, 1, 0, 0];
/** The square in which a picture is drawn. */
const SQUARE: Box = [0, 0, 1, 1];
const NOWHERE: Box = [Infinity, Infinity, -Infinity, -Infinity];
/** How far the words of a line reach below and above it, parts of their size. */
const [BELOW, ABOVE] = [-0.25, 1];

/** The matrix that applies `first` and then `next`. */
export const after = ([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix => [
  a * g + b * i,
  a * h + b * j,
  c * g + d * i,
  c * h + d * j,
  e * g + f * i + k,
  e * h + f * j + l,
];

export const together = (one: Box, other: Box): Box => [
  Math.min(one[0], other[0]),
  Math.min(one[1], other[1]),
  Math.max(one[2], other[2]),
  Math.max(one[3], other[3]),
];

export const shared = (one: Box, other: Box): Box => [
  Math.max(one[0], other[0]),
  Math.max(one[1], other[1]),
  Math.min(one[2], other[2]),
  Math.min(one[3], other[3]),
];

export const isVisible = ([left, bottom, right, top]: Box): boolean => left < right && bottom < top;

/** The box around a box that a matrix moves. */
export function moved([left, bottom, right, top]: Box, [a, b, c, d, e, f]: Matrix): Box {
  if (left > right) return NOWHERE;
  const across = [a * left, a * right, c * bottom, c * top] as const;
  const up = [b * left, b * right, d * bottom, d * top] as const;
  return [
    Math.min(across[0], across[1]) + Math.min(across[2], across[3]) + e,
    Math.min(up[0], up[1]) + Math.min(up[2], up[3]) + f,
    Math.max(across[0], across[1]) + Math.max(across[2], across[3]) + e,
    Math.max(up[0], up[1]) + Math.max(up[2], up[3]) + f,
  ];
}

/** Reads numbers as PDF writes them, at most `given.length`. @returns how many there are */
function readNumbers(bytes: Uint8Array, from: number, to: number, given: number[]): number {
  let count = 0;
  for (let at = from; at < to && count < given.length; ) {
    const code = bytes[at] as number;
    const isNumber = (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46;
    if (!isNumber) {
      at++;
      continue;
    }
    const sign = code === 45 ? -1 : 1;
    if (code === 45 || code === 43) at++;
    let [value, scale] = [0, 0];
    for (; at < to; at++) {
      const digit = (bytes[at] as number) - 48;
      if (digit === -2) scale = 1;
      else if (digit < 0 || digit > 9) break;
      else {
        value = value * 10 + digit;
        scale *= 10;
      }
    }
    given[count++] = (sign * value) / (scale || 1);
  }
  return count;
}

interface State extends Place {
  lineWidth: number;
}

/** Follows the operators of a content, and finds the boxes of what it draws. */
export class Boxes {
  readonly found = new Map<number, Box>();
  readonly #states: State[] = [];
  readonly #given: number[] = [0, 0, 0, 0, 0, 0];
  #state: State;
  /** The box of the path so far, and whether it limits what is visible next. */
  #path: Box = NOWHERE;
  #clips = false;
  #line: Matrix = UNCHANGED;
  #size = 0;
  /** The marked part whose box is searched, or -1. */
  part = -1;

  constructor(place: Place) {
    this.#state = { ...place, lineWidth: 1 };
  }

  get place(): Place {
    return this.#state;
  }

  /** Follows one operator, whose operands are in this range. */
  take(operator: string, bytes: Uint8Array, from: number, to: number): void {
    const given = this.#given;
    switch (operator) {
      case "q":
        this.#states.push(this.#state);
        break;
      case "Q":
        this.#state = this.#states.pop() ?? this.#state;
        break;
      case "cm":
        if (readNumbers(bytes, from, to, given) === 6)
          this.#state = { ...this.#state, matrix: after(given as unknown as Matrix, this.#state.matrix) };
        break;
      case "m":
      case "l":
      case "c":
      case "v":
      case "y":
        this.#through(readNumbers(bytes, from, to, given));
        break;
      case "re": {
        readNumbers(bytes, from, to, given);
        const [x, y, width, height] = given as unknown as [number, number, number, number];
        this.#meet(x, y);
        this.#meet(x + width, y);
        this.#meet(x, y + height);
        this.#meet(x + width, y + height);
        break;
      }
      case "W":
      case "W*":
        this.#clips = true;
        break;
      case "n":
        this.#endPath();
        break;
      case "f":
      case "F":
      case "f*":
        this.#add(this.#path);
        this.#endPath();
        break;
      case "S":
      case "s":
      case "B":
      case "B*":
      case "b":
      case "b*":
        this.#stroke();
        this.#endPath();
        break;
      case "sh":
        this.#add(this.#state.clip);
        break;
      case "BT":
        this.#line = UNCHANGED;
        break;
      case "Tf":
        // The name of the font can have digits.
        readNumbers(bytes, bytes.indexOf(32, from), to, given);
        this.#size = given[0] as number;
        break;
      case "Tm":
        readNumbers(bytes, from, to, given);
        this.#line = [...(given as unknown as Matrix)];
        break;
      case "Td":
        readNumbers(bytes, from, to, given);
        this.#line = after([1, 0, 0, 1, given[0] as number, given[1] as number], this.#line);
        break;
    }
  }

  #meet(atX: number, atY: number): void {
    const [a, b, c, d, e, f] = this.#state.matrix;
    const [x, y] = [a * atX + c * atY + e, b * atX + d * atY + f];
    const [left, bottom, right, top] = this.#path;
    this.#path = [Math.min(left, x), Math.min(bottom, y), Math.max(right, x), Math.max(top, y)];
  }

  #through(count: number): void {
    for (let at = 0; at + 1 < count; at += 2) this.#meet(this.#given[at] as number, this.#given[at + 1] as number);
  }

  #endPath(): void {
    if (this.#clips) this.#state = { ...this.#state, clip: shared(this.#state.clip, this.#path) };
    this.#path = NOWHERE;
    this.#clips = false;
  }

  #stroke(): void {
    const { lineWidth, matrix } = this.#state;
    const [across, up] = [Math.hypot(matrix[0], matrix[2]), Math.hypot(matrix[1], matrix[3])];
    const [wide, high] = [(across * lineWidth) / 2, (up * lineWidth) / 2];
    const [left, bottom, right, top] = this.#path;
    this.#add([left - wide, bottom - high, right + wide, top + high]);
  }

  /** Something is drawn within this box of the present matrix. */
  #draw(box: Box): void {
    if (this.part !== -1) this.#add(moved(box, this.#state.matrix));
  }

  #add(box: Box): void {
    if (this.part === -1) return;
    const visible = shared(box, this.#state.clip);
    if (isVisible(visible)) this.found.set(this.part, together(this.found.get(this.part) ?? NOWHERE, visible));
  }

  /** The browser writes the width of lines into the states of graphics. */
  lines(lineWidth: number | null): void {
    if (lineWidth !== null) this.#state = { ...this.#state, lineWidth };
  }

  /** A picture is drawn. */
  picture(): void {
    this.#draw(SQUARE);
  }

  /** Where a form draws, which has a box and a matrix of its own. */
  within(box: Box, matrix: Matrix): Place {
    const whole = after(matrix, this.#state.matrix);
    return { matrix: whole, clip: shared(moved(box, whole), this.#state.clip) };
  }

  /** A form is drawn in this place. */
  form({ clip }: Place): void {
    this.#add(clip);
  }

  /** Words of this width are drawn, in thousandths of their size. */
  words(width: number): void {
    const size = this.#size;
    if (this.part === -1) return;
    this.#add(moved([0, BELOW * size, (width * size) / 1000, ABOVE * size], after(this.#line, this.#state.matrix)));
  }
}

/** Types whose box a viewer wants to know (ISO 32000-1, 14.8.5.4.3). */
const BOXED = new Set(["Figure", "Formula"]);
/** Decimals of a box: a hundredth of a point is finer than any printer. */
const DECIMALS = 100;
const MAX_DEPTH = 32;

const round = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;

/** Finds where the pictures and formulas of a PDF are on their pages, and writes it into the structure. */
export class Figures {
  readonly #file: PdfFile;
  readonly #structure: Structure;
  /** Parts of pictures by page or form, and the pages with such parts. */
  readonly #parts = new Map<number, Set<number>>();
  readonly #pages = new Set<number>();
  readonly #boxes = new Map<number, ReadonlyMap<number, Box>>();

  constructor(file: PdfFile, structure: Structure) {
    this.#file = file;
    this.#structure = structure;
  }

  /** Finds the parts whose boxes are needed. */
  find(): void {
    for (const element of this.#structure.elements)
      if (BOXED.has(element.type))
        for (const { form, page, id } of partsOf(element)) {
          const holder = form || page;
          this.#parts.set(holder, (this.#parts.get(holder) ?? new Set()).add(id));
          this.#pages.add(page);
        }
  }

  isBoxed(holder: number, part: number): boolean {
    return this.#parts.get(holder)?.has(part) ?? false;
  }

  /** Where a page begins to draw; null for a page without pictures. */
  placeOf(page: number): Place | null {
    if (!this.#pages.has(page)) return null;
    const file = this.#file;
    let holder = file.dict(new Ref(page));
    for (let depth = 0; depth < MAX_DEPTH && !holder.has("MediaBox"); depth++) holder = file.dict(holder.get("Parent"));
    const clip = this.#boxIn(holder.get("MediaBox"));
    return clip === null ? null : { matrix: UNCHANGED, clip };
  }

  #numbers(value: Value | undefined): number[] {
    return this.#file.list(value).map(Number);
  }

  #boxIn(value: Value | undefined): Box | null {
    const [a, b, c, d, ...others] = this.#numbers(value);
    if (a === undefined || b === undefined || c === undefined || d === undefined || others.length > 0) return null;
    return [Math.min(a, c), Math.min(b, d), Math.max(a, c), Math.max(b, d)];
  }

  /** The box and the matrix of a form; null for anything else. */
  formOf(object: Value | undefined): { box: Box; matrix: Matrix } | null {
    const dict: Dict = this.#file.dict(object);
    const box = dict.get("Subtype") === "/Form" ? this.#boxIn(dict.get("BBox")) : null;
    if (box === null) return null;
    const given = this.#numbers(dict.get("Matrix"));
    return { box, matrix: given.length === 6 ? (given as unknown as Matrix) : UNCHANGED };
  }

  /** The width of lines that a state of the graphics sets; null without one. */
  linesOf(state: Value | undefined): number | null {
    const width = this.#file.dict(state).get("LW");
    return typeof width === "number" ? width : null;
  }

  /** Keeps the boxes of the parts of a page or form. */
  keep(holder: number, boxes: ReadonlyMap<number, Box>): void {
    if (boxes.size > 0) this.#boxes.set(holder, boxes);
  }

  /** Writes the box of each picture that is on one page. */
  write(): void {
    for (const element of this.#structure.elements) {
      if (!BOXED.has(element.type)) continue;
      const pages = new Set<number>();
      let whole: Box | null = null;
      for (const part of partsOf(element)) {
        const box = this.#boxOf(part);
        if (box === null) continue;
        pages.add(part.page);
        whole = whole === null ? box : together(whole, box);
      }
      if (whole === null || pages.size > 1) continue;
      const dict = this.#file.dict(new Ref(element.number));
      const layout: Dict = new Map<string, Value>([
        ["O", "/Layout"],
        ["BBox", whole.map(round)],
      ]);
      const before = this.#file.list(dict.get("A"));
      if (before.some((one) => this.#file.dict(one).has("BBox"))) continue;
      this.#file.set(element.number, dict.set("A", before.length === 0 ? layout : [...before, layout]));
    }
  }

  #boxOf({ form, page, id }: Part): Box | null {
    return this.#boxes.get(form || page)?.get(id) ?? null;
  }
}
