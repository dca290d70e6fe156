import { type Dict, type Json, type Objects, operationsOf, textIn } from "./pdf-objects.ts";

/** What the contents of a PDF show, by the rules of marked content (ISO 32000-1, 14.6). */
export interface Contents {
  artifactInTagged: string[];
  taggedInArtifact: string[];
  unmarked: string[];
  /** Codes that a text shows, by the reference of its font. */
  codes: Map<string, Set<number>>;
  /** Forms with marked parts, by the number of times that they are drawn. */
  drawn: Map<string, number>;
  /** The marked parts of each page or form. */
  parts: Map<string, Set<number>>;
  deepest: number;
}

const PAINTS = new Set("f F f* S s B B* b b* sh Tj TJ ' \"".split(" "));

const bytesOf = (text: string): Buffer => {
  if (text.startsWith("<")) return Buffer.from(text.replace(/[^\da-fA-F]/g, ""), "hex");
  const plain = text
    .slice(1, -1)
    .replace(/\\([0-7]{1,3}|[\s\S])/g, (_, escaped: string) =>
      /^[0-7]/.test(escaped)
        ? String.fromCharCode(Number.parseInt(escaped, 8))
        : ({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" }[escaped] ?? escaped),
    );
  return Buffer.from(plain, "latin1");
};

/** Reads the contents of all pages and of the forms that they draw. */
export function readContents(objects: Objects): Contents {
  const read: Contents = {
    artifactInTagged: [],
    taggedInArtifact: [],
    unmarked: [],
    codes: new Map(),
    drawn: new Map(),
    parts: new Map(),
    deepest: 0,
  };
  for (const { ref, dict } of objects.pages)
    for (const content of objects.list(dict["/Contents"]))
      readOne(objects, read, ref, String(content), objects.dict(dict["/Resources"]), []);
  return read;
}

function readOne(
  objects: Objects,
  read: Contents,
  holder: string,
  stream: string,
  resources: Dict,
  around: readonly ("part" | "artifact" | "other")[],
): void {
  const marks = [...around];
  const fonts = objects.dict(resources["/Font"]);
  const forms = objects.dict(resources["/XObject"]);
  const states: (string | null)[] = [];
  let font: string | null = null;
  const isMarked = () => marks.some((mark) => mark !== "other");
  const paint = (what: string) => {
    if (!isMarked()) read.unmarked.push(`${holder}: ${what}`);
  };
  for (const { operator, operands } of operationsOf(objects.bytes(stream))) {
    if (operator === "q") states.push(font);
    else if (operator === "Q") font = states.pop() ?? null;
    else if (operator === "Tf") font = String(fonts[operands[0] ?? ""]);
    else if (operator === "BMC" || operator === "BDC") {
      const part = /\/MCID\s+(\d+)/.exec(operands[1] ?? "")?.[1];
      const kind = operands[0] === "/Artifact" ? "artifact" : part === undefined ? "other" : "part";
      if (kind === "artifact" && marks.includes("part")) read.artifactInTagged.push(holder);
      if (kind === "part" && marks.includes("artifact")) read.taggedInArtifact.push(holder);
      if (part !== undefined) read.parts.set(holder, (read.parts.get(holder) ?? new Set()).add(Number(part)));
      marks.push(kind);
    } else if (operator === "EMC") marks.pop();
    else if (operator === "Do") {
      const ref = String(forms[operands[0] ?? ""]);
      const form = objects.dict(ref);
      if (form["/Subtype"] !== "/Form") paint("a picture");
      else {
        readOne(objects, read, ref, ref, objects.dict(form["/Resources"]), marks);
        if (read.parts.has(ref)) read.drawn.set(ref, (read.drawn.get(ref) ?? 0) + 1);
      }
    } else if (PAINTS.has(operator)) paint(operator);
    read.deepest = Math.max(read.deepest, states.length);
    if (/^(?:Tj|TJ|'|")$/.test(operator)) show(objects, read, font, operands.at(-1) ?? "");
  }
  if (marks.length !== around.length) read.unmarked.push(`${holder}: a mark does not end`);
}

function show(objects: Objects, read: Contents, font: string | null, operand: string): void {
  const known = read.codes.get(String(font)) ?? new Set<number>();
  read.codes.set(String(font), known);
  const wide = objects.dict(font)["/Subtype"] === "/Type0";
  for (const [text] of operand.matchAll(/<[\da-fA-F\s]*>|\((?:[^\\()]|\\[\s\S])*\)/g)) {
    const bytes = bytesOf(text);
    for (let at = 0; at < bytes.length; at += wide ? 2 : 1)
      known.add(wide ? bytes.readUInt16BE(at) : bytes.readUInt8(at));
  }
}

/** The characters of a `ToUnicode` table by code. */
export function charactersIn(table: string): Map<number, string> {
  const found = new Map<number, string>();
  const words = (hex: string) => Buffer.from(hex, "hex").swap16().toString("utf16le");
  for (const [, block = ""] of table.matchAll(/beginbfchar([\s\S]*?)endbfchar/g))
    for (const [, code = "", hex = ""] of block.matchAll(/<(\w+)>\s*<(\w+)>/g))
      found.set(Number.parseInt(code, 16), words(hex));
  for (const [, block = ""] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g))
    for (const [, from = "", to = "", hex = ""] of block.matchAll(/<(\w+)>\s*<(\w+)>\s*<(\w+)>/g))
      for (let n = 0; n <= Number.parseInt(to, 16) - Number.parseInt(from, 16); n++)
        found.set(
          Number.parseInt(from, 16) + n,
          words((Number.parseInt(hex, 16) + n).toString(16).padStart(hex.length, "0")),
        );
  return found;
}

/** The widths of an embedded TrueType font, thousandths, by glyph. */
export function glyphWidths(program: Buffer): number[] {
  const tables = new Map<string, Buffer>();
  for (let n = 0; n < program.readUInt16BE(4); n++) {
    const row = 12 + n * 16;
    const [offset, length] = [program.readUInt32BE(row + 8), program.readUInt32BE(row + 12)];
    tables.set(program.toString("latin1", row, row + 4), program.subarray(offset, offset + length));
  }
  const table = (name: string): Buffer => tables.get(name) ?? Buffer.alloc(64);
  const [units, count, glyphs] = [
    table("head").readUInt16BE(18),
    table("hhea").readUInt16BE(34),
    table("maxp").readUInt16BE(4),
  ];
  return Array.from(
    { length: glyphs },
    (_, glyph) => (table("hmtx").readUInt16BE(Math.min(glyph, count - 1) * 4) * 1000) / units,
  );
}

/** The widths that a CID font tells, by glyph. */
export function toldWidths(objects: Objects, font: Dict): (glyph: number) => number {
  const told = new Map<number, number>();
  const rows = objects.list(font["/W"]);
  for (let at = 0; at < rows.length; ) {
    const [first, next, third] = rows.slice(at, at + 3).map((row) => objects.get(row));
    if (Array.isArray(next)) {
      next.forEach((width: Json, n: number) => {
        told.set(Number(first) + n, Number(width));
      });
      at += 2;
    } else {
      for (let glyph = Number(first); glyph <= Number(next); glyph++) told.set(glyph, Number(third));
      at += 3;
    }
  }
  return (glyph) => told.get(glyph) ?? Number(font["/DW"] ?? 1000);
}

export { textIn };
