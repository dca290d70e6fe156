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
