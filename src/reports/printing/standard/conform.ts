import { describeFailure, log } from "../../../platform/log";
import { breathe } from "../../../platform/pace";
import type { PrintWarning } from "../../../platform/ports";
import { MAX_PDF_BYTES } from "../../limits";
import { foundAgainstArchive, MAX_NAME_BYTES, MAX_STRING_BYTES, nameBytes, TOO_LONG } from "./archive";
import { findingsOf } from "./checks";
import { readContent } from "./contents";
import { Figures, type Place } from "./figures";
import { PdfFile } from "./file";
import { type Font, Fonts } from "./fonts";
import { type Attached, attach, describe } from "./metadata";
import { type Element, type Part, partsOf, Structure } from "./structure";
import { type Dict, Ref, Text, textOf, UnknownForm, type Value, wordsOf } from "./syntax";

/** The unpacked content of one page, and of all pages. */
const [MAX_CONTENT_BYTES, MAX_CONTENTS_BYTES] = [24 * 1024 * 1024, 256 * 1024 * 1024];
const MAX_PROFILE_BYTES = 4 * 1024 * 1024;
/** Warnings of one PDF. */
const MAX_WARNINGS = 20;
/** The words that a warning quotes, and those that describe a link, characters. */
const [QUOTED, DESCRIBED] = [60, 500];
/** Parts of an element that are read to quote it. */
const QUOTED_PARTS = 40;
const MAX_DEPTH = 32;
/** The version of the format that PDF/A-3 and PDF/UA-1 are made of. */
const VERSION = "1.7";

/** Types whose drawings are their content: pictures, boxes of forms, and bullets of lists. */
const DRAWN = new Set(["Figure", "Formula", "Form", "Lbl"]);

const quote = (words: string): string => words.replace(/\s+/g, " ").trim().slice(0, QUOTED).toWellFormed();

/** What is around a content: whether it is inside a marked part, and where it begins to draw. */
interface Around {
  isInside: boolean;
  place: Place | null;
}
const INSIDE: Around = { isInside: true, place: null };

interface Page {
  number: number;
  dict: Dict;
}

class Conformer {
  readonly #file: PdfFile;
  readonly #catalogue: Dict;
  readonly #pages: Page[] = [];
  readonly #numbers = new Map<number, number>();
  readonly #structure: Structure;
  readonly #root: Element;
  readonly #fonts: Fonts;
  readonly #figures: Figures;
  /** The element of each part, by page or form and by its number in it. */
  readonly #owners = new Map<number, Map<number, Element>>();
  readonly #wanted = new Set<Part>();
  readonly #wantedIds = new Map<number, Set<number>>();
  readonly #words = new Map<number, Map<number, string>>();
  readonly #decorations = new Map<number, Set<number>>();
  /** Forms with marked parts that a page draws: how often, and where. */
  readonly #forms = new Map<number, { times: number } & Around>();
  readonly #done = new Set<number>();
  #unpacked = 0;
  readonly #accessible: PrintWarning[] = [];
  readonly #archivable: PrintWarning[] = [];

  private constructor(file: PdfFile, catalogue: Dict, structure: Structure, root: Element) {
    this.#file = file;
    this.#catalogue = catalogue;
    this.#structure = structure;
    this.#root = root;
    this.#fonts = new Fonts(file);
    this.#figures = new Figures(file, structure);
    this.#pagesBelow(catalogue.get("Pages"), 0);
  }

  /** Reads a PDF. @throws UnknownForm */
  static async open(bytes: Uint8Array): Promise<Conformer> {
    const file = new PdfFile(bytes);
    const catalogue = file.dict(file.trailer.get("Root"));
    const tree = catalogue.get("StructTreeRoot");
    if (!(tree instanceof Ref)) throw new UnknownForm("the PDF has no structure");
    const { structure, root } = await Structure.open(file, tree);
    return new Conformer(file, catalogue, structure, root);
  }

  #pagesBelow(node: Value | undefined, depth: number): void {
    const dict = this.#file.dict(node);
    if (!(node instanceof Ref) || depth > MAX_DEPTH) throw new UnknownForm("the pages of the PDF have another form");
    if (dict.get("Type") !== "/Pages") {
      this.#pages.push({ number: node.number, dict });
      this.#numbers.set(node.number, this.#pages.length);
      return;
    }
    for (const kid of this.#file.list(dict.get("Kids"))) this.#pagesBelow(kid, depth + 1);
  }

  async run(described: Described, most: number): Promise<Conformed> {
    const structure = this.#structure;
    structure.repair();
    this.#findOwners();
    this.#figures.find();
    const findings = [...findingsOf(this.#root)].slice(0, MAX_WARNINGS);
    for (const { element } of findings) this.#want(element, QUOTED_PARTS);
    for (const element of structure.elements)
      if (element.type === "Link") this.#want(element, Number.POSITIVE_INFINITY);
    await this.#readPages();
    for (const element of structure.elements)
      structure.drop(element, ({ page, form, id }) => this.#decorations.get(form || page)?.has(id) ?? false);
    for (const { element, say } of findings)
      this.#refuse(say(this.#pageOf(element)), quote(this.#wordsOf(element)) || quote(element.alternative));
    this.#figures.write();
    this.#describeLinks();
    this.#shortenNames();
    await this.#checkFonts();
    await structure.write();
    if (structure.elements.some(({ alternative }) => alternative.length * 2 > MAX_STRING_BYTES)) this.#reject(TOO_LONG);
    for (const sentence of await foundAgainstArchive(this.#file, this.#others, MAX_PROFILE_BYTES))
      this.#reject(sentence);
    return this.#finish(described, most);
  }

  /** All objects that are no elements of the structure, which are most of them. */
  get #others(): number[] {
    const elements = new Set(this.#structure.elements.map(({ number }) => number));
    return this.#file.numbers.filter((number) => !elements.has(number));
  }

  #refuse(detail: string, at = ""): void {
    if (this.#accessible.length < MAX_WARNINGS) this.#accessible.push({ code: "not-accessible", at, detail });
  }

  #reject(detail: string): void {
    this.#archivable.push({ code: "not-archivable", at: "", detail });
  }

  #findOwners(): void {
    for (const element of this.#structure.elements)
      for (const kid of element.kids)
        if (kid.kind === "part") {
          const holder = kid.form || kid.page;
          const known = this.#owners.get(holder) ?? new Map<number, Element>();
          this.#owners.set(holder, known.set(kid.id, element));
        }
  }

  #want(element: Element, most: number): void {
    let count = 0;
    for (const part of partsOf(element)) {
      if (count++ >= most) break;
      this.#wanted.add(part);
      const holder = part.form || part.page;
      this.#wantedIds.set(holder, (this.#wantedIds.get(holder) ?? new Set()).add(part.id));
    }
  }

  #wordsOf(element: Element): string {
    const words: string[] = [];
    for (const part of partsOf(element)) {
      const said = this.#words.get(part.form || part.page)?.get(part.id);
      if (said !== undefined) words.push(said);
      if (words.length > QUOTED_PARTS) break;
    }
    return words.join(" ");
  }

  #pageOf(element: Element): number {
    for (const { page } of partsOf(element)) if (this.#numbers.has(page)) return this.#numbers.get(page) ?? 1;
    return this.#numbers.get(element.page) ?? 1;
  }

  async #readPages(): Promise<void> {
    for (const { dict, number } of this.#pages) {
      const [content, ...others] = this.#file.list(dict.get("Contents"));
      if (!(content instanceof Ref) || others.length > 0) throw new UnknownForm("a page of the PDF has another form");
      const place = this.#figures.placeOf(number);
      await this.#readOne(content.number, number, this.#file.dict(dict.get("Resources")), { isInside: false, place });
    }
    for (const [number, drawn] of this.#forms)
      await this.#readOne(number, number, this.#file.dict(this.#file.dict(new Ref(number)).get("Resources")), drawn);
    if ([...this.#forms.values()].some(({ times }) => times > 1))
      throw new UnknownForm("a part of the PDF is drawn several times");
    // What is left is inside of other content: patterns, masks and groups. Only its texts matter.
    for (const number of this.#others) {
      const dict = this.#file.dict(new Ref(number));
      const isContent = dict.get("Subtype") === "/Form" || dict.get("PatternType") === 1;
      if (isContent && !this.#done.has(number) && dict.has("Length"))
        await this.#readOne(number, number, this.#file.dict(dict.get("Resources")), INSIDE);
    }
  }

  /** Reads a content. `holder` is the page or form whose parts it has. Content inside marked content stays as it is. */
  async #readOne(number: number, holder: number, resources: Dict, { isInside, place }: Around): Promise<void> {
    this.#done.add(number);
    const bytes = await this.#file.unpacked(number, MAX_CONTENT_BYTES);
    this.#unpacked += bytes.length;
    await breathe(bytes.length);
    if (this.#unpacked > MAX_CONTENTS_BYTES) throw new UnknownForm("the content of the report is too long");
    const owners = this.#owners.get(holder);
    const [objects, states] = ["XObject", "ExtGState"].map((kind) => this.#file.dict(resources.get(kind))) as [
      Dict,
      Dict,
    ];
    const fonts: Map<string, Font> = await this.#fonts.of(resources);
    const read = readContent(bytes, {
      fonts,
      isInside,
      place,
      isBoxed: (part) => this.#figures.isBoxed(holder, part),
      linesOf: (name) => this.#figures.linesOf(states.get(name.slice(1))),
      formOf: (name) => this.#figures.formOf(objects.get(name.slice(1))),
      isKnown: (part) => owners?.has(part) ?? false,
      isDrawn: (part) => isDrawn(owners?.get(part)),
      isWanted: (part) => this.#wantedIds.get(holder)?.has(part) ?? false,
      drawing: (name) => this.#drawing(objects.get(name.slice(1))),
    });
    if (read.isTooDeep) this.#reject("The styles of the report are nested too deeply for an archive. Simplify them.");
    if (read.hasLoose)
      this.#refuse(
        `Words on page ${this.#numbers.get(holder) ?? 1} are hidden from screen readers. Remove aria-hidden.`,
      );
    this.#words.set(holder, read.words);
    this.#figures.keep(holder, read.boxes);
    if (isInside) return;
    this.#decorations.set(holder, read.decorations);
    for (const { name, isInside: isWithin, place } of read.forms) {
      const form = objects.get(name.slice(1));
      if (!(form instanceof Ref)) continue;
      const known = this.#forms.get(form.number);
      this.#forms.set(form.number, {
        times: (known?.times ?? 0) + 1,
        isInside: isWithin || (known?.isInside ?? false),
        place,
      });
    }
    await this.#file.setPacked(number, this.#file.dict(new Ref(number)), read.content);
  }

  #drawing(object: Value | undefined): "form-with-parts" | "form" | "picture" {
    const dict = this.#file.dict(object);
    if (dict.get("Subtype") !== "/Form" || !(object instanceof Ref)) return "picture";
    if (this.#owners.has(object.number)) return "form-with-parts";
    const inside = this.#file.dict(this.#file.dict(dict.get("Resources")).get("XObject"));
    return [...inside.values()].some((held) => this.#drawing(held) === "form-with-parts") ? "form-with-parts" : "form";
  }

  #describeLinks(): void {
    const held = new Set<number>();
    for (const element of this.#structure.elements)
      for (const kid of element.kids) {
        if (kid.kind !== "annotation") continue;
        held.add(kid.object);
        const dict = this.#file.dict(new Ref(kid.object));
        const pictures = element.kids.flatMap((one) => (one.kind === "element" ? [one.alternative] : []));
        const words = [...pictures, this.#wordsOf(element)].join(" ").replace(/\s+/g, " ").trim();
        const address = this.#file.dict(dict.get("A")).get("URI");
        const said = words || (address instanceof Text ? wordsOf(address) : "→");
        if (!dict.has("Contents")) dict.set("Contents", textOf(said.slice(0, DESCRIBED).toWellFormed()));
        this.#file.set(kid.object, dict);
      }
    for (const [at, { dict, number }] of this.#pages.entries()) {
      const all = this.#file.list(dict.get("Annots"));
      if (all.length === 0) continue;
      if (!all.every((one) => one instanceof Ref && held.has(one.number)))
        this.#refuse(`A link on page ${at + 1} is hidden from screen readers. Remove aria-hidden.`);
      if (dict.get("Tabs") === "/S") continue;
      this.#file.set(number, dict.set("Tabs", "/S"));
    }
  }

  /** The names of the targets of links are texts of the report, and can be longer than PDF/A allows. */
  #shortenNames(): void {
    const ref = this.#catalogue.get("Dests");
    const targets = this.#file.dict(ref);
    const long = [...targets.keys()].filter((name) => nameBytes(`/${name}`) > MAX_NAME_BYTES);
    if (long.length === 0 || !(ref instanceof Ref)) return;
    const places = new Map(long.map((name) => [`/${name}`, targets.get(name) ?? null]));
    for (const name of long) targets.delete(name);
    this.#file.set(ref.number, targets);
    for (const { dict } of this.#pages)
      for (const link of this.#file.list(dict.get("Annots"))) {
        const held = this.#file.dict(link);
        const place = places.get(String(held.get("Dest")));
        if (place !== undefined && link instanceof Ref) this.#file.set(link.number, held.set("Dest", place));
      }
  }

  async #checkFonts(): Promise<void> {
    const fonts = [...this.#fonts.all.values()];
    if (fonts.some(({ hasEmptyGlyph }) => hasEmptyGlyph)) {
      const detail =
        "No font has some characters of the report, and an empty box is printed for each. Write them differently.";
      this.#refuse(detail);
      this.#reject(detail);
    }
    if (!fonts.every(({ isReadable }) => isReadable))
      this.#refuse("A font of the report does not tell which characters it draws. Use another font.");
    if (!this.#fonts.areEmbedded) {
      const detail = "A font of the report may not be put into a PDF. Use another font.";
      this.#refuse(detail);
      this.#reject(detail);
    }
    await this.#fonts.complete();
  }

  async #finish({ data, ...described }: Described, most: number): Promise<Conformed> {
    const file = this.#file;
    const rootRef = file.trailer.get("Root");
    if (!(rootRef instanceof Ref)) throw new UnknownForm("the PDF has another end");
    const catalogue = this.#catalogue;
    await describe(file, catalogue, {
      ...described,
      isArchivable: this.#archivable.length === 0,
      isAccessible: this.#accessible.length === 0,
    });
    if (data !== undefined) await attach(file, catalogue, data, described.madeAt);
    file.set(rootRef.number, catalogue);
    const digest = await crypto.subtle.digest("SHA-256", file.bytes as Uint8Array<ArrayBuffer>);
    const id = new Text(`<${new Uint8Array(digest, 0, 16).toHex()}>`);
    file.trailer.set("ID", [id, id]);
    return { pdf: file.write(VERSION, most), warnings: [...this.#accessible, ...this.#archivable] };
  }
}

/** Whether drawings without words are the content of an element. */
function isDrawn(owner: Element | undefined): boolean {
  for (let element = owner ?? null; element !== null; element = element.parent)
    if (DRAWN.has(element.type)) return true;
  return false;
}

const NOT_ATTACHED =
  "The PDF does not have the data of the report in it, because its form is too unusual. Simplify its styles, or split the report.";

interface Described {
  /** The title and the language for a page without its own. */
  title: string;
  language: string;
  /** Milliseconds. */
  madeAt: number;
  /** The file to put into the PDF. */
  data?: Attached;
}

interface Conformed {
  pdf: Uint8Array<ArrayBuffer>;
  warnings: PrintWarning[];
}

/**
 * Completes a tagged PDF that the browser has printed to PDF/A-3b and PDF/UA-1: what is unmarked or decorates becomes an
 * artifact, lists and links get their whole structure, and the file describes itself. It claims each of the two only if
 * nothing is found against it; the warnings tell what is. A PDF of another form, and one that
 * would be longer than `most` bytes, stays as it is.
 */
export async function conform(
  pdf: Uint8Array<ArrayBuffer>,
  described: Described,
  most = MAX_PDF_BYTES,
): Promise<Conformed> {
  try {
    return await (await Conformer.open(pdf)).run(described, most);
  } catch (thrown) {
    // The report is worth more than what it claims.
    if (thrown instanceof UnknownForm) log("info", "report.not-conformed", { reason: thrown.message });
    else log("warn", "report.conforming-failed", describeFailure(thrown));
    const detail =
      "The report is too long or too unusual to be prepared for screen readers and archives. Simplify its styles, or split it.";
    const warnings = (["not-accessible", "not-archivable"] as const).map(
      (code): PrintWarning => ({ code, at: "", detail }),
    );
    if (described.data !== undefined) warnings.push({ code: "data-not-attached", at: "", detail: NOT_ATTACHED });
    return { pdf, warnings };
  }
}
