/*
 * The syntax of PDF objects (ISO 32000-1, 7.3). A name is a string with its slash; a string keeps the form in which it
 * was written, so that what is not changed is written as it was.
 */

/** A reference to an object of generation 0, the only one that a browser writes. */
export class Ref {
  constructor(readonly number: number) {}
}

/** A string with its brackets, such as `(Quay)` or `<FEFF00DC>`. */
export class Text {
  constructor(readonly written: string) {}
}

export type Dict = Map<string, Value>;
export type Value = number | boolean | null | string | Text | Ref | Value[] | Dict;

/** The file has a form that this code does not expect: it is left as it is. */
export class UnknownForm extends Error {}

const MAX_NESTING = 64;
const TOKEN =
  /[\s\0]*(?:(\d+) 0 R(?![^\s\0<>[\](){}/%])|([+-]?(?:\d+\.?\d*|\.\d+))|(\/[^\s\0<>[\](){}/%]*)|(<<|>>|\[|\])|(<[\da-fA-F\s]*>)|(\()|([a-z]+))/y;

/** Reads objects from a text in Latin-1. */
export class Reader {
  constructor(
    readonly text: string,
    public at = 0,
  ) {}

  /** Reads one object. @throws UnknownForm */
  value(depth = 0): Value {
    TOKEN.lastIndex = this.at;
    const token = TOKEN.exec(this.text);
    if (token === null || depth > MAX_NESTING) throw new UnknownForm("an object of the PDF has another form");
    this.at = TOKEN.lastIndex;
    const [, reference, number, name, bracket, hex, round, word] = token;
    if (reference !== undefined) return new Ref(Number(reference));
    if (number !== undefined) return Number(number);
    if (name !== undefined) return name;
    if (hex !== undefined) return new Text(hex);
    if (round !== undefined) return new Text(this.#literal());
    if (bracket === "[") return this.#list(depth);
    if (bracket === "<<") return this.#dict(depth);
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    throw new UnknownForm("an object of the PDF has another form");
  }

  /** Moves behind the next token if it is the given one. @returns whether it did */
  takes(token: string): boolean {
    const space = /[\s\0]*/y;
    space.lastIndex = this.at;
    space.exec(this.text);
    if (!this.text.startsWith(token, space.lastIndex)) return false;
    this.at = space.lastIndex + token.length;
    return true;
  }

  #list(depth: number): Value[] {
    const values: Value[] = [];
    while (!this.takes("]")) values.push(this.value(depth + 1));
    return values;
  }

  #dict(depth: number): Dict {
    const dict: Dict = new Map();
    while (!this.takes(">>")) {
      const key = this.value(depth + 1);
      if (typeof key !== "string") throw new UnknownForm("a key of the PDF is no name");
      dict.set(key.slice(1), this.value(depth + 1));
    }
    return dict;
  }

  #literal(): string {
    const start = this.at - 1;
    for (let open = 1; open > 0; this.at++) {
      if (this.at >= this.text.length) throw new UnknownForm("a string of the PDF does not end");
      const char = this.text[this.at];
      if (char === "\\") this.at++;
      else if (char === "(") open++;
      else if (char === ")") open--;
    }
    return this.text.slice(start, this.at);
  }
}

/** Writes an object. */
export function written(value: Value): string {
  if (value === null) return "null";
  if (value instanceof Ref) return `${value.number} 0 R`;
  if (value instanceof Text) return value.written;
  if (Array.isArray(value)) return `[${value.map(written).join(" ")}]`;
  if (value instanceof Map) return `<<${[...value].map(([key, held]) => `/${key} ${written(held)}`).join("\n")}>>`;
  return String(value);
}

const hexOf = (code: number): string => code.toString(16).toUpperCase().padStart(4, "0");

/** A text as a string of a PDF, in UTF-16. */
export const textOf = (words: string): Text =>
  new Text(`<FEFF${[...Array(words.length).keys()].map((at) => hexOf(words.charCodeAt(at))).join("")}>`);

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** The bytes of a string, as characters in Latin-1. */
export function bytesOf({ written: form }: Text): string {
  if (form.startsWith("<")) {
    const digits = form.replace(/[^\da-fA-F]/g, "");
    return (digits.length % 2 === 1 ? `${digits}0` : digits).replace(/../g, (two) =>
      String.fromCharCode(Number.parseInt(two, 16)),
    );
  }
  return form
    .slice(1, -1)
    .replace(/\\(?:([0-7]{1,3})|(\r\n|[\s\S]))/g, (_, octal: string | undefined, char = "") =>
      octal !== undefined
        ? String.fromCharCode(Number.parseInt(octal, 8) & 255)
        : (ESCAPES[char] ?? (/[\r\n]/.test(char) ? "" : char)),
    );
}

/** UTF-16 in big-endian order, given as characters in Latin-1. */
export function utf16(bytes: string): string {
  let words = "";
  for (let at = 0; at + 1 < bytes.length; at += 2)
    words += String.fromCharCode((bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1));
  return words;
}

/** The words of a string. */
export function wordsOf(text: Text): string {
  const bytes = bytesOf(text);
  return bytes.startsWith("\u00fe\u00ff") ? utf16(bytes.slice(2)) : bytes;
}
