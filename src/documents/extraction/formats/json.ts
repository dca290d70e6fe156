import { charsetOfType, decoded, detectEncoding } from "../charset";
import type { Ending, Extracted, ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";

/** Maximum number of characters of a string that are kept until its end. A longer string is split. */
const MAX_STRING_LENGTH = 64 * 1024;

/**
 * Scans JSON or JSON lines for strings, numbers and keys. Each value becomes a paragraph `key: value`. It keeps no
 * structure, so depth costs nothing, and a damaged file still gives its values.
 */
class JsonScanner {
  #key = "";
  #string: string | null = null;
  #escaped = false;
  /** The last string. The next character decides whether it is a key. */
  #pending: string | null = null;
  #bare = "";

  constructor(private readonly paragraphs: ParagraphBuilder) {}

  push(text: string): void {
    for (const char of text) this.#string === null ? this.#outside(char) : this.#inside(this.#string, char);
  }

  end(): void {
    if (this.#string !== null) this.#pending = this.#string;
    this.#settle();
  }

  #inside(open: string, char: string): void {
    if (!this.#escaped && char === '"') {
      this.#pending = unescaped(open);
      this.#string = null;
    } else {
      this.#escaped = !this.#escaped && char === "\\";
      this.#string = open + char;
      if (open.length <= MAX_STRING_LENGTH || this.#escaped) return;
      this.paragraphs.add(unescaped(this.#string));
      this.#string = "";
    }
  }

  #outside(char: string): void {
    if (char === '"') {
      this.#settle();
      this.#string = "";
    } else if (char === ":" && this.#pending !== null) {
      this.#key = this.#pending;
      this.#pending = null;
    } else if (/[\s,[\]{}]/.test(char)) {
      if (char.trim() !== "" || this.#bare !== "") this.#settle();
      if (char === "{" || char === "}") this.#key = "";
    } else if (this.#bare.length < 100) this.#bare += char;
  }

  /** Adds a complete value with its key as a paragraph. */
  #settle(): void {
    const value = this.#pending ?? (this.#bare === "null" ? "" : this.#bare);
    [this.#pending, this.#bare] = [null, ""];
    if (value === "") return;
    this.paragraphs.add(this.#key === "" ? value : `${this.#key}: ${value}`);
    this.paragraphs.end();
  }
}

function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, hex: string | undefined, char: string | undefined) =>
    hex !== undefined
      ? String.fromCharCode(Number.parseInt(hex, 16))
      : "bfnrt".includes(char ?? "")
        ? " "
        : (char ?? ""),
  );
}

export async function* extractJson({ source, contentType }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const paragraphs = new ParagraphBuilder();
  const scanner = new JsonScanner(paragraphs);
  for await (const text of decoded(source, await detectEncoding(source, charsetOfType(contentType)))) {
    scanner.push(text);
    yield* paragraphs.take();
  }
  scanner.end();
  yield* paragraphs.take();
  return { pageCount: null };
}
