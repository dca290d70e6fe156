import { type Box, type Matrix, type Place, together, UNCHANGED } from "./boxes";
import type { PdfFile } from "./file";
import { type Part, partsOf, type Structure } from "./structure";
import { type Dict, Ref, type Value } from "./syntax";

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
