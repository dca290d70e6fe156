import { breathe } from "../../../platform/pace";
import type { PdfFile } from "./file";
import { type Dict, Ref, Text, UnknownForm, type Value, wordsOf } from "./syntax";

/** Elements of one structure, about 1,000 pages. */
const MAX_ELEMENTS = 80_000;
/**
 * Memory of the file before and after its change and of the elements, bytes: an isolate has 128 MB. An element takes at most so
 * many bytes, with the changes of its content.
 */
const [MAX_MEMORY_BYTES, ELEMENT_BYTES] = [88_000_000, 1_000];
/** Work of one element, for `breathe`: a thousand of them take some 20 ms. */
const ELEMENT_WORK = 32;
const MAX_DEPTH = 400;

/** A marked part of the content of a page or form. */
export interface Part {
  kind: "part";
  /** The object of the page, and of the form with its content or 0. */
  page: number;
  form: number;
  id: number;
}

/** An annotation, such as a link. */
interface Annotation {
  kind: "annotation";
  object: number;
  value: Value;
}

export interface Element {
  kind: "element";
  number: number;
  /** The name of its type, without a slash. */
  type: string;
  parent: Element | null;
  page: number;
  kids: Kid[];
  hasAlternative: boolean;
  /** The alternative text. */
  alternative: string;
  /** Of a cell. */
  columns: number;
  rows: number;
  hasScope: boolean;
  isChanged: boolean;
}
export type Kid = Element | Part | Annotation;

/** The marked parts of an element and of all below it. */
export function* partsOf(element: Element): Generator<Part> {
  for (const kid of element.kids)
    if (kid.kind === "part") yield kid;
    else if (kid.kind === "element") yield* partsOf(kid);
}

/** The types of PDF 1.7 (ISO 32000-1, 14.8.4) that a browser writes or this code makes. */
const STANDARD = new Set(
  (
    "Document Part Art Sect Div BlockQuote Caption TOC TOCI Index NonStruct Private P H H1 H2 H3 H4 H5 H6 L LI Lbl LBody Table TR TH TD " +
    "THead TBody TFoot Span Quote Note Reference BibEntry Code Link Annot Figure Formula Form"
  ).split(" "),
);
/** What other types mean in PDF 1.7. */
const ROLES: Readonly<Record<string, string>> = {
  Em: "Span",
  Strong: "Span",
  Sub: "Span",
  Title: "P",
  Aside: "Sect",
  DocumentFragment: "Sect",
};
/** Types within a line: a group in them is within the line, too. */
const INLINE = new Set([
  "P",
  "H1",
  "H2",
  "H3",
  "H4",
  "H5",
  "H6",
  "Em",
  "Strong",
  "Span",
  "Link",
  "Lbl",
  "Code",
  "Caption",
]);

/** A well-formed language tag (BCP 47), by its form. */
export const LANGUAGE_TAG = /^(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8}|x)(?:-[a-z\d]{1,8})*$/i;

const PLAIN = { columns: 1, rows: 1, hasScope: false, isChanged: false };

const hasText = (value: Value | undefined): boolean => value instanceof Text && wordsOf(value).trim() !== "";

/** The structure of a tagged PDF: its elements, and the repairs that they need. */
export class Structure {
  readonly elements: Element[] = [];
  readonly rootRef: Ref;
  readonly #file: PdfFile;
  readonly #most: number;

  private constructor(file: PdfFile, rootRef: Ref) {
    this.#file = file;
    this.rootRef = rootRef;
    this.#most = Math.min(MAX_ELEMENTS, (MAX_MEMORY_BYTES - 2 * file.bytes.length) / ELEMENT_BYTES);
  }

  /** Reads the structure of a PDF. @throws UnknownForm */
  static async open(file: PdfFile, rootRef: Ref): Promise<{ structure: Structure; root: Element }> {
    const [first, ...others] = file.list(file.dict(rootRef).get("K"));
    if (!(first instanceof Ref) || others.length > 0)
      throw new UnknownForm("the structure of the PDF has another root");
    const structure = new Structure(file, rootRef);
    return { structure, root: await structure.#open(first, null, 0) };
  }

  async #open(ref: Ref, parent: Element | null, depth: number): Promise<Element> {
    await breathe(ELEMENT_WORK);
    const dict = this.#file.dict(ref);
    const type = dict.get("S");
    if (typeof type !== "string" || depth > MAX_DEPTH)
      throw new UnknownForm("the structure of the PDF has another form");
    if (this.elements.length >= this.#most) throw new UnknownForm("the report has too many parts");
    const page = dict.get("Pg");
    const element: Element = {
      kind: "element",
      number: ref.number,
      type: type.slice(1),
      parent,
      page: page instanceof Ref ? page.number : 0,
      kids: [],
      hasAlternative: hasText(dict.get("Alt")) || hasText(dict.get("ActualText")),
      alternative: dict.get("Alt") instanceof Text ? wordsOf(dict.get("Alt") as Text) : "",
      ...PLAIN,
    };
    if (type === "/TD" || type === "/TH") this.#readCell(dict, element);
    this.elements.push(element);
    this.#repairLanguage(ref, dict, element);
    for (const kid of Array.isArray(dict.get("K")) ? (dict.get("K") as Value[]) : this.#file.list(dict.get("K")))
      element.kids.push(kid instanceof Ref ? await this.#open(kid, element, depth + 1) : this.#kid(kid, element));
    return element;
  }

  #readCell(dict: Dict, cell: Element): void {
    for (const attributes of this.#file.list(dict.get("A"))) {
      const given = this.#file.dict(attributes);
      const [columns, rows] = [given.get("ColSpan"), given.get("RowSpan")];
      if (typeof columns === "number") cell.columns = columns;
      if (typeof rows === "number") cell.rows = rows;
      if (given.has("Scope")) cell.hasScope = true;
    }
  }

  #repairLanguage(ref: Ref, dict: Dict, element: Element): void {
    const language = dict.get("Lang");
    if (language instanceof Text && !LANGUAGE_TAG.test(wordsOf(language))) {
      dict.delete("Lang");
      this.#file.set(ref.number, dict);
      element.isChanged = true;
    }
  }

  #kid(kid: Value, element: Element): Kid {
    if (typeof kid === "number") return { kind: "part", page: element.page, form: 0, id: kid };
    if (!(kid instanceof Map)) throw new UnknownForm("the structure of the PDF has another form");
    const [page, form, id, object] = ["Pg", "Stm", "MCID", "Obj"].map((key) => kid.get(key));
    if (object instanceof Ref) return { kind: "annotation", object: object.number, value: kid };
    if (typeof id !== "number") throw new UnknownForm("the structure of the PDF has another form");
    return {
      kind: "part",
      page: page instanceof Ref ? page.number : element.page,
      form: form instanceof Ref ? form.number : 0,
      id,
    };
  }

  retype(element: Element, type: string): void {
    if (element.type === type) return;
    element.type = type;
    element.isChanged = true;
  }

  /** A new element around some kids of an element. The caller puts it in their place. */
  #around(element: Element, kids: readonly Kid[], type: string): Element {
    const made: Element = {
      kind: "element",
      number: this.#file.add().number,
      type,
      parent: element,
      page: element.page,
      kids: [...kids],
      hasAlternative: false,
      alternative: "",
      ...PLAIN,
      isChanged: true,
    };
    element.isChanged = true;
    for (const kid of kids)
      if (kid.kind === "element") {
        kid.parent = made;
        kid.isChanged = true;
      }
    this.elements.push(made);
    return made;
  }

  /** Gives lists, groups and unusual types the form that PDF/UA-1 asks for. */
  repair(): void {
    for (const element of [...this.elements]) {
      const { type, parent } = element;
      if (type === "L") this.#repairList(element);
      else if (type === "LI" && parent?.type !== "L") this.retype(element, "Div");
      else if (type === "Lbl" && parent?.type !== "LI") this.retype(element, "Span");
      else if (type === "Figure") this.#repairFigure(element);
      else if (type === "Link" && !element.kids.some(({ kind }) => kind === "annotation")) this.retype(element, "Span");
      else if (type === "Div" && parent !== null && INLINE.has(parent.type)) this.retype(element, "Span");
      else if (type === "Note") this.retype(element, "NonStruct");
      else if (!STANDARD.has(type) && ROLES[type] === undefined) this.retype(element, "NonStruct");
    }
  }

  #repairList(list: Element): void {
    list.kids = list.kids.map((kid) =>
      kid.kind !== "element" || ["LI", "L", "Caption"].includes(kid.type) ? kid : this.#around(list, [kid], "LI"),
    );
    for (const item of list.kids) {
      if (item.kind !== "element" || item.type !== "LI") continue;
      const isBody = (kid: Kid) => kid.kind !== "element" || !["Lbl", "LBody"].includes(kid.type);
      const at = item.kids.findIndex(isBody);
      if (at === -1) continue;
      const body = this.#around(item, item.kids.filter(isBody), "LBody");
      // The labels before the body stay before it.
      const others = item.kids.filter((kid) => !isBody(kid));
      item.kids = [...others.slice(0, at), body, ...others.slice(at)];
    }
  }

  /** A group with a picture in it is no picture. */
  #repairFigure(element: Element): void {
    if (!element.hasAlternative && element.kids.some((kid) => kid.kind === "element")) this.retype(element, "Sect");
  }

  /** Removes a marked part. */
  drop(element: Element, isGone: (part: Part) => boolean): void {
    const kept = element.kids.filter((kid) => kid.kind !== "part" || !isGone(kid));
    if (kept.length === element.kids.length) return;
    element.kids = kept;
    element.isChanged = true;
  }

  /** Writes the changed elements, the meaning of their types, and where the parts of each page belong. */
  async write(): Promise<void> {
    const file = this.#file;
    for (const element of this.elements) {
      if (!element.isChanged) continue;
      await breathe(ELEMENT_WORK);
      const dict = file.dict(new Ref(element.number));
      dict.set("Type", "/StructElem");
      dict.set("S", `/${element.type}`);
      dict.set("P", new Ref(element.parent?.number ?? this.rootRef.number));
      if (element.page !== 0) dict.set("Pg", new Ref(element.page));
      dict.delete("K");
      if (element.kids.length > 0)
        dict.set(
          "K",
          element.kids.map((kid) => this.#written(kid, element)),
        );
      file.set(element.number, dict);
    }
    const root = file.dict(this.rootRef);
    const roles = [...new Set(this.elements.map(({ type }) => type))].filter((type) => ROLES[type] !== undefined);
    if (roles.length > 0) root.set("RoleMap", new Map(roles.sort().map((type) => [type, `/${ROLES[type]}`])));
    file.set(this.rootRef.number, root);
    this.#writeParents(root);
  }

  #written(kid: Kid, element: Element): Value {
    if (kid.kind === "element") return new Ref(kid.number);
    if (kid.kind === "annotation") return kid.value;
    if (kid.form === 0 && kid.page === element.page) return kid.id;
    const part: Dict = new Map<string, Value>([["Type", "/MCR"]]);
    if (kid.page !== 0) part.set("Pg", new Ref(kid.page));
    if (kid.form !== 0) part.set("Stm", new Ref(kid.form));
    return part.set("MCID", kid.id);
  }

  #writeParents(root: Dict): void {
    const file = this.#file;
    const owners = new Map<number, Map<number, number>>();
    for (const { number, kids } of this.elements)
      for (const kid of kids)
        if (kid.kind === "part") {
          const holder = kid.form || kid.page;
          const known = owners.get(holder) ?? new Map<number, number>();
          owners.set(holder, known.set(kid.id, number));
        }
    const ofKey = new Map<number, Map<number, number>>();
    for (const [holder, known] of owners) {
      const key = file.dict(new Ref(holder)).get("StructParents");
      if (typeof key !== "number") throw new UnknownForm("a page of the PDF has no place in its structure");
      ofKey.set(key, known);
    }
    const tree = file.dict(root.get("ParentTree"));
    const rows = file.list(tree.get("Nums"));
    for (let at = 0; at + 1 < rows.length; at += 2) {
      const [key, held] = [rows[at], rows[at + 1]];
      const list = file.get(held);
      if (!Array.isArray(list) || !(held instanceof Ref)) continue;
      const known = ofKey.get(Number(key));
      const owner = (id: number) => known?.get(id);
      file.set(
        held.number,
        list.map((_, id) => (owner(id) === undefined ? null : new Ref(owner(id) as number))),
      );
    }
  }
}
