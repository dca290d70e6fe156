type Matrix = readonly [number, number, number, number];

/** The drawing operations of a page: the operators by their numbers, and their arguments. */
interface OperatorList {
  fnArray: number[];
  argsArray: unknown[];
}

type Operators = typeof import("pdfjs-dist").OPS;

/** The linear part of a matrix that is applied before another. */
const applied = ([a, b, c, d]: Matrix, [e, f, g, h]: Matrix): Matrix => [
  a * e + b * g,
  a * f + b * h,
  c * e + d * g,
  c * f + d * h,
];

const matrixOf = (given: unknown): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1] =
    Array.isArray(given) || ArrayBuffer.isView(given) ? Array.from(given as number[]) : [];
  return [a, b, c, d];
};

/** The area of all pictures on a page, as a share of the page. Each picture is drawn into a square of one unit. */
export function pictureShare({ fnArray, argsArray }: OperatorList, view: readonly number[], ops: Operators): number {
  const [left = 0, bottom = 0, right = 1, top = 1] = view;
  let at: Matrix = [1, 0, 0, 1];
  const before: Matrix[] = [];
  let area = 0;
  for (const [index, operator] of fnArray.entries()) {
    const args = argsArray[index];
    switch (operator) {
      case ops.save:
        before.push(at);
        break;
      case ops.paintFormXObjectBegin:
        before.push(at);
        at = applied(matrixOf(Array.isArray(args) ? args[0] : null), at);
        break;
      case ops.restore:
      case ops.paintFormXObjectEnd:
        at = before.pop() ?? at;
        break;
      case ops.transform:
        at = applied(matrixOf(args), at);
        break;
      case ops.paintImageXObject:
      case ops.paintInlineImageXObject:
      case ops.paintImageMaskXObject:
        area += Math.abs(at[0] * at[3] - at[1] * at[2]);
        break;
      // Many small pictures, such as the strips of a scan, in one operator.
      case ops.paintImageXObjectRepeat:
      case ops.paintInlineImageXObjectGroup:
      case ops.paintImageMaskXObjectGroup:
      case ops.paintImageMaskXObjectRepeat:
        return 1;
    }
  }
  return area / Math.abs((right - left) * (top - bottom) || 1);
}
