import { latin1 } from "../../../platform/latin1";
import type { PdfFile } from "./file";
import { type Dict, Ref, UnknownForm, utf16, type Value } from "./syntax";

/** The longest table of a font's characters, bytes. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;
/** Entries in one block of such a table (ISO 32000-1, 9.7.5.4). */
const BLOCK = 100;
/** A glyph that has no character of its own, because the glyph before it has the words of both. */
const NOTHING = "\u200b";

const fromHex = (digits: string): string =>
  utf16(digits.replace(/../g, (two) => String.fromCharCode(Number.parseInt(two, 16))));

/** The characters of the codes in a table of the kind `ToUnicode`. */
function charactersOf(table: string): Map<number, string> {
  const found = new Map<number, string>();
  for (const [, block = ""] of table.matchAll(/beginbfchar\s([\s\S]*?)endbfchar/g))
    for (const [, code = "", words = ""] of block.matchAll(/<([\da-fA-F]+)>\s*<([\da-fA-F]*)>/g))
      found.set(Number.parseInt(code, 16), fromHex(words));
  for (const [, block = ""] of table.matchAll(/beginbfrange\s([\s\S]*?)endbfrange/g))
    for (const [, from = "", to = "", words = ""] of block.matchAll(
      /<([\da-fA-F]+)>\s*<([\da-fA-F]+)>\s*<([\da-fA-F]+)>/g,
    )) {
      const [first, last] = [Number.parseInt(from, 16), Math.min(Number.parseInt(to, 16), 0xffff)];
      const start = fromHex(words);
      const [stem, end] = [start.slice(0, -1), start.charCodeAt(start.length - 1)];
      for (let code = first; code <= last; code++) found.set(code, stem + String.fromCharCode(end + code - first));
    }
  return found;
}

/** The widths of a font's codes, in thousandths of its size (ISO 32000-1, 9.2.4 and 9.7.4.3). */
function widthsOf(file: PdfFile, dict: Dict): (code: number) => number {
  const number = (value: Value | undefined, other: number): number => (typeof value === "number" ? value : other);
  const given = new Map<number, number>();
  if (dict.get("Subtype") !== "/Type0") {
    const first = number(dict.get("FirstChar"), 0);
    // A font that is drawn has a measure of its own.
    const [scale] = file.list(dict.get("FontMatrix"));
    file.list(dict.get("Widths")).forEach((width, at) => {
      given.set(first + at, number(width, 0) * 1000 * number(scale, 0.001));
    });
    return (code) => given.get(code) ?? 0;
  }
  const [below] = file.list(dict.get("DescendantFonts")).map((font) => file.dict(font));
  const rows = file.list(below?.get("W"));
  for (let at = 0; at + 1 < rows.length; ) {
    const [from, next, width] = [number(rows[at], 0), file.get(rows[at + 1]), rows[at + 2]];
    const each = Array.isArray(next) ? next : null;
    const last = each === null ? Math.min(number(next, 0), 0xffff) : from + each.length - 1;
    for (let code = from; code <= last; code++) given.set(code, number(each === null ? width : each[code - from], 0));
    at += each === null ? 3 : 2;
  }
  const usual = number(below?.get("DW"), 1000);
  return (code) => given.get(code) ?? usual;
}

/** A font of the PDF, and what its texts use of it. */
export class Font {
  /** Bytes of one code. */
  readonly width: 1 | 2;
  /** Codes without a character, with the words that they show. */
  readonly needed = new Map<number, string>();
  /** A text uses the glyph for characters that the font does not have. */
  hasEmptyGlyph = false;
  /** A text uses a code whose character is unknown. */
  hasUnknown = false;
  readonly #characters: Map<number, string>;
  readonly #file: PdfFile;
  #widths: ((code: number) => number) | undefined;

  constructor(
    file: PdfFile,
    readonly dict: Dict,
    table: string,
  ) {
    this.#file = file;
    this.width = dict.get("Subtype") === "/Type0" ? 2 : 1;
    this.#characters = charactersOf(table);
  }

  /** The words of the codes of a string. `actual` are the words that the PDF gives for a run of glyphs. */
  read(bytes: string, actual: string | null): string {
    let words = "";
    for (let at = 0; at + this.width <= bytes.length; at += this.width) {
      const code = this.#code(bytes, at);
      if (code === 0 && this.width === 2) {
        this.hasEmptyGlyph = true;
        continue;
      }
      const known = this.#characters.get(code) ?? this.needed.get(code);
      if (known === undefined && actual === null) this.hasUnknown = true;
      if (known === undefined && actual !== null) this.needed.set(code, words === "" && at === 0 ? actual : NOTHING);
      words += known ?? "";
    }
    return words;
  }

  /** The width of a string, in thousandths of the font's size. */
  widthOf(bytes: string): number {
    this.#widths ??= widthsOf(this.#file, this.dict);
    let width = 0;
    for (let at = 0; at + this.width <= bytes.length; at += this.width) width += this.#widths(this.#code(bytes, at));
    return width;
  }

  #code(bytes: string, at: number): number {
    return this.width === 1 ? bytes.charCodeAt(at) : (bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1);
  }

  /** Whether no text shows characters that nobody can read out. */
  get isReadable(): boolean {
    return !this.hasUnknown && [...this.#characters.values()].every((words) => !/[\0\uFEFF\uFFFE]/.test(words));
  }
}

/** The fonts of a PDF by the number of their object. */
export class Fonts {
  readonly all = new Map<number, Font>();
  readonly #file: PdfFile;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** The fonts of a page by their names in it. */
  async of(resources: Dict): Promise<Map<string, Font>> {
    const named = new Map<string, Font>();
    for (const [name, ref] of this.#file.dict(resources.get("Font"))) {
      if (!(ref instanceof Ref)) throw new UnknownForm("a font of the PDF has another form");
      named.set(`/${name}`, this.all.get(ref.number) ?? (await this.#open(ref)));
    }
    return named;
  }

  async #open(ref: Ref): Promise<Font> {
    const dict = this.#file.dict(ref);
    const table = dict.get("ToUnicode");
    const text = table instanceof Ref ? latin1(await this.#file.unpacked(table.number, MAX_TABLE_BYTES)) : "";
    const font = new Font(this.#file, dict, text);
    this.all.set(ref.number, font);
    return font;
  }

  /** Whether all fonts are in the file. */
  get areEmbedded(): boolean {
    const file = this.#file;
    const hasFile = (holder: Dict): boolean => {
      const descriptor = file.dict(holder.get("FontDescriptor"));
      return ["FontFile", "FontFile2", "FontFile3"].some((key) => descriptor.has(key));
    };
    const isEmbedded = ({ dict }: Font): boolean => {
      if (dict.get("Subtype") === "/Type3") return true;
      if (dict.get("Subtype") !== "/Type0") return hasFile(dict);
      const below = file.list(dict.get("DescendantFonts")).map((font: Value) => file.dict(font));
      return (
        dict.get("Encoding") === "/Identity-H" &&
        below.every((font) => hasFile(font) && (font.get("Subtype") !== "/CIDFontType2" || font.has("CIDToGIDMap")))
      );
    };
    return [...this.all.values()].every(isEmbedded);
  }

  /** Adds the characters of glyphs that show several of them, such as ligatures, to the tables of the fonts. */
  async complete(): Promise<void> {
    for (const { dict, needed, width } of this.all.values()) {
      const table = dict.get("ToUnicode");
      if (needed.size === 0 || !(table instanceof Ref)) continue;
      const rows = [...needed].map(([code, words]) => {
        const units = [...Array(words.length).keys()].map((at) => words.charCodeAt(at).toString(16).padStart(4, "0"));
        return `<${code.toString(16).padStart(width * 2, "0")}> <${units.join("")}>\n`;
      });
      let added = "";
      for (let at = 0; at < rows.length; at += BLOCK) {
        const block = rows.slice(at, at + BLOCK);
        added += `${block.length} beginbfchar\n${block.join("")}endbfchar\n`;
      }
      const text = latin1(await this.#file.unpacked(table.number, MAX_TABLE_BYTES));
      const changed = text.replace("endcmap", () => `${added}endcmap`);
      await this.#file.setPacked(table.number, this.#file.dict(table), new TextEncoder().encode(changed));
    }
  }
}
