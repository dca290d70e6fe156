import { breathe } from "../../../platform/pace";
import { MAX_NESTING_DEPTH } from "../../limits";
import { encodingOfBytes } from "../charset";
import { decoderOf } from "../charsets";
import { type ByteSource, chunks, damaged, type Ending, type Extracted, type ExtractionInput } from "../extracted";
import { ParagraphBuilder } from "../passages";
import {
  ASIDES,
  CODEPAGE_OF_CHARSET,
  DEFAULT_ENCODING,
  DESTINATIONS,
  ENCODING_OF_WORD,
  encodingOfCodepage,
  STARRED_TEXT,
  SYMBOLS,
} from "./rtf-words";
import { MAX_FIELD_LENGTH, rubyBase } from "./ruby";

/** The state that a group inherits. At its end the outer group's state counts again. */
interface Group {
  silent: boolean;
  /** Character properties that hide text: hidden, deleted, moved to another place. */
  hidden: ReadonlySet<string>;
  /** Within the code of a field. */
  code: boolean;
  /** Within a note or text box, whose text comes after its paragraph. */
  aside: boolean;
  /** Within the font table: its character sets are recorded, and its names are no text. */
  fonts: boolean;
  font: number;
  /** Number of characters after `\u` that readers without Unicode show instead. */
  fallback: number;
}

/** Number of first bytes of a file that decide the character set of text without a declared one, and maximum of such text. */
const PROBE_BYTES = 1024 * 1024;
const MAX_UNDECLARED_BYTES = 64 * 1024;

/** Maximum number of fonts whose character sets are kept. */
const MAX_FONTS = 4_096;

const NOTHING: ReadonlySet<string> = new Set();
const HIDING_WORDS = new Set(["v", "deleted", "mvf"]);

const ROOT_GROUP: Group = {
  silent: false,
  hidden: NOTHING,
  code: false,
  aside: false,
  fonts: false,
  font: -1,
  fallback: 1,
};
const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;

/** Reads RTF byte by byte (RTF 1.9.1). It keeps only the current word and the stack of groups. */
class RtfText {
  #group: Group = { ...ROOT_GROUP };
  readonly #stack: Group[] = [];
  readonly #asides = new ParagraphBuilder();
  readonly #fonts = new Map<number, string>();
  #encoding: string;
  #isDeclared = false;
  #mode: "text" | "backslash" | "word" | "number" | "hex" = "text";
  #word = "";
  #number = "";
  #starred = false;
  /** Bytes of `\'xx` and 8-bit text that are not decoded yet. A character can have two bytes. */
  #bytes: number[] = [];
  /** The code of the open field. */
  #code = "";
  #skip = 0;
  #binary = 0;

  /** The first bytes of text for which the file declares no character set. */
  readonly undeclared: number[] = [];

  /** `fallback` is the encoding of text without a declared character set. */
  constructor(
    private readonly paragraphs: ParagraphBuilder,
    fallback: string,
  ) {
    this.#encoding = fallback;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#binary > 0) this.#binary--;
      else this.#byte(byte);
    }
  }

  /** @returns whether all groups were closed. */
  end(): boolean {
    this.#decode();
    this.paragraphs.end();
    this.#asides.end();
    this.paragraphs.follow(this.#asides);
    return this.#stack.length === 0;
  }

  #byte(byte: number): void {
    switch (this.#mode) {
      case "text":
        this.#plain(byte);
        break;
      case "backslash":
        this.#afterBackslash(byte);
        break;
      case "hex":
        this.#word += String.fromCharCode(byte);
        if (this.#word.length < 2) break;
        this.#mode = "text";
        this.#character(Number.parseInt(this.#word, 16) || 0x20);
        break;
      case "word":
        if (isLetter(byte) && this.#word.length < 40) this.#word += String.fromCharCode(byte);
        else if (isDigit(byte) || (byte === 0x2d && this.#number === "")) {
          this.#number = String.fromCharCode(byte);
          this.#mode = "number";
        } else this.#endWord(byte);
        break;
      case "number":
        if (isDigit(byte) && this.#number.length < 10) this.#number += String.fromCharCode(byte);
        else this.#endWord(byte);
    }
  }

  #plain(byte: number): void {
    if (byte === 0x5c) this.#mode = "backslash";
    else if (byte === 0x7b) this.#open();
    else if (byte === 0x7d) this.#close();
    else if (byte !== 0x0a && byte !== 0x0d) this.#character(byte);
  }

  #afterBackslash(byte: number): void {
    [this.#word, this.#number] = ["", ""];
    if (isLetter(byte)) {
      this.#word = String.fromCharCode(byte);
      this.#mode = "word";
      return;
    }
    this.#mode = byte === 0x27 ? "hex" : "text";
    if (byte === 0x2a) this.#starred = true;
    else if (byte === 0x0a || byte === 0x0d) this.#paragraph();
    else if (byte === 0x7e) this.#say("\u00a0");
    else if (byte === 0x5f) this.#say("-");
    else if (byte === 0x5c || byte === 0x7b || byte === 0x7d) this.#character(byte);
  }

  #endWord(byte: number): void {
    this.#mode = "text";
    this.#control(this.#word, this.#number === "" ? null : Number(this.#number));
    if (byte !== 0x20) this.#plain(byte);
  }

  #open(): void {
    this.#decode();
    this.#skip = 0;
    if (this.#stack.length >= MAX_NESTING_DEPTH) throw damaged("The groups of the file are nested too deep.");
    this.#stack.push({ ...this.#group });
  }

  #close(): void {
    this.#decode();
    const { aside: wasAside, code: wasCode } = this.#group;
    this.#skip = 0;
    this.#starred = false;
    this.#group = this.#stack.pop() ?? { ...ROOT_GROUP };
    if (wasAside && !this.#group.aside) this.#asides.end();
    if (wasCode && !this.#group.code) {
      this.#say(rubyBase(this.#code));
      this.#code = "";
    }
  }

  #control(word: string, number: number | null): void {
    const starred = this.#starred;
    this.#starred = false;
    this.#decode();
    if (word === "u") this.#unicode(number ?? 0x20);
    else if (word === "bin") this.#binary = Math.max(0, number ?? 0);
    else if (word === "uc") this.#group.fallback = Math.min(Math.max(0, number ?? 1), 16);
    else if (word === "f" || word === "deff") this.#setFont(word, number ?? 0);
    else if (word === "fonttbl") [this.#group.fonts, this.#group.silent] = [true, true];
    else if (word === "fcharset") this.#learnFont(CODEPAGE_OF_CHARSET[number ?? 0]);
    else if (word === "cpg" && this.#group.fonts) this.#learnFont(number ?? undefined);
    else if (word === "ansicpg") this.#declare(encodingOfCodepage(number));
    else if (Object.hasOwn(ENCODING_OF_WORD, word)) this.#declare(ENCODING_OF_WORD[word] ?? null);
    else if (word === "plain") [this.#group.font, this.#group.hidden] = [-1, NOTHING];
    else if (HIDING_WORDS.has(word)) this.#hide(word, number !== 0);
    else if (word === "fldinst") this.#group.code = true;
    else if (ASIDES.has(word)) this.#group.aside = true;
    else if ((starred && !STARRED_TEXT.has(word)) || DESTINATIONS.has(word)) this.#group.silent = true;
    else this.#layout(word);
  }

  #declare(encoding: string | null): void {
    if (encoding !== null) [this.#encoding, this.#isDeclared] = [encoding, true];
  }

  #layout(word: string): void {
    const symbol = SYMBOLS[word];
    if (symbol !== undefined) this.#say(symbol);
    else if (word === "par" || word === "page" || word === "sect" || word === "line") this.#paragraph();
    else if (word === "cell" || word === "nestcell") this.#current().cell();
    else if (word === "row" || word === "nestrow") this.#current().row();
  }

  #hide(word: string, on: boolean): void {
    const hidden = new Set(this.#group.hidden);
    on ? hidden.add(word) : hidden.delete(word);
    this.#group.hidden = hidden;
  }

  #setFont(word: string, number: number): void {
    if (word === "f" || this.#group.font === -1) this.#group.font = number;
  }

  #learnFont(codepage: number | undefined): void {
    const encoding = encodingOfCodepage(codepage ?? null);
    if (this.#group.fonts && encoding !== null && this.#fonts.size < MAX_FONTS)
      this.#fonts.set(this.#group.font, encoding);
  }

  #unicode(number: number): void {
    this.#say(String.fromCharCode(number & 0xffff));
    this.#skip = this.#group.fallback;
  }

  #character(byte: number): void {
    if (this.#skip > 0) this.#skip--;
    else if (!this.#group.silent) this.#bytes.push(byte);
    if (this.#bytes.length > 4_096) this.#decode();
  }

  #decode(): void {
    if (this.#bytes.length === 0) return;
    const ofFont = this.#fonts.get(this.#group.font);
    if (ofFont === undefined && !this.#isDeclared && this.undeclared.length < MAX_UNDECLARED_BYTES)
      this.undeclared.push(...this.#bytes, 0x20);
    this.#say(decoderOf(ofFont ?? this.#encoding).decode(Uint8Array.from(this.#bytes)));
    this.#bytes = [];
  }

  #say(text: string): void {
    if (this.#group.silent || this.#group.hidden.size > 0) return;
    if (this.#group.code) this.#code = (this.#code + text).slice(0, MAX_FIELD_LENGTH);
    else this.#current().add(text);
  }

  #paragraph(): void {
    this.#decode();
    if (this.#group.silent) return;
    this.#current().end();
    if (!this.#group.aside) this.paragraphs.follow(this.#asides);
  }

  #current(): ParagraphBuilder {
    return this.#group.aside ? this.#asides : this.paragraphs;
  }
}

/** The encoding of text for which the file declares no encoding: windows-1252, unless its letters show another encoding. */
async function fallbackOf(source: ByteSource): Promise<string> {
  const probe = new RtfText(new ParagraphBuilder(), DEFAULT_ENCODING);
  for await (const piece of chunks(source, 0, Math.min(source.sizeBytes, PROBE_BYTES))) {
    await breathe(piece.length);
    probe.push(piece);
  }
  return probe.undeclared.some((byte) => byte >= 0x80)
    ? encodingOfBytes(Uint8Array.from(probe.undeclared), DEFAULT_ENCODING)
    : DEFAULT_ENCODING;
}

/** Extracts RTF with its notes, headers and tables. It skips pictures and embedded data. */
export async function* extractRtf({ source }: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const paragraphs = new ParagraphBuilder();
  const rtf = new RtfText(paragraphs, await fallbackOf(source));
  let said = 0;
  for await (const piece of chunks(source, 0, source.sizeBytes)) {
    await breathe(piece.length);
    rtf.push(piece);
    for (const text of paragraphs.take()) {
      said++;
      yield text;
    }
  }
  const whole = rtf.end();
  const last = paragraphs.take();
  yield* last;
  if (!whole && said + last.length === 0) throw damaged("The file ends before its text.");
  return { pageCount: null };
}
