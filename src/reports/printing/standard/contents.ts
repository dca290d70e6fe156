import { latin1 } from "../../../platform/latin1";
import { type Box, Boxes, type Matrix, type Place } from "./figures";
import type { Font } from "./fonts";
import { bytesOf, Reader, Text, UnknownForm, wordsOf } from "./syntax";

/** Nested states of the graphics that PDF/A allows (ISO 19005-3, 6.1.13). */
const MAX_STATES = 28;

/** What a content can refer to, and what is known of its marked parts. */
export interface Around {
  fonts: ReadonlyMap<string, Font>;
  /** What a name draws: a form with marked parts of its own, or anything else. */
  drawing(name: string): "form-with-parts" | "form" | "picture";
  /** Whether the drawings of this part are content. The drawings of a picture are. */
  isDrawn(part: number): boolean;
  /** Where the content begins to draw; null if no box of it is needed. */
  place: Place | null;
  /** Whether the box of this part is needed. */
  isBoxed(part: number): boolean;
  /** The box and the matrix of a form; null for a picture. */
  formOf(name: string): { box: Box; matrix: Matrix } | null;
  /** The width of lines that a state of the graphics sets; null without one. */
  linesOf(name: string): number | null;
  /** Whether the words of this part are needed. */
  isWanted(part: number): boolean;
  /** Whether this part belongs to the structure of the PDF. */
  isKnown(part: number): boolean;
  /** The content is drawn inside a marked part, so nothing of it is unmarked. */
  isInside: boolean;
}

export interface Read {
  /** The content with all unmarked drawings as artifacts. */
  content: Uint8Array<ArrayBuffer>;
  /** Marked parts that only decorate: they are artifacts now. */
  decorations: Set<number>;
  words: Map<number, string>;
  /** The boxes of the parts whose box is needed. */
  boxes: ReadonlyMap<number, Box>;
  /** Names of the forms with marked parts that it draws, whether inside a marked part, and where. */
  forms: { name: string; isInside: boolean; place: Place | null }[];
  isTooDeep: boolean;
  /** It has words or pictures that belong to no element of the structure. */
  hasLoose: boolean;
}

interface Mark {
  kind: "part" | "artifact" | "other";
  part: number;
  /** Where its operands begin, and where its operator ends. */
  start: number;
  end: number;
  hasContent: boolean;
  actual: string | null;
  /** The artifact that is around it ends with it. */
  closes: boolean;
}

interface Edit {
  at: number;
  until: number;
  text: string;
}

/** The first read of a dictionary takes this many bytes, and each further read 16 times as many. After the second number, no other read follows. */
const [DICT_BYTES, MAX_DICT_BYTES] = [128, 64 * 1024];

const OPENED = "/Artifact BMC\n";
const CLOSED = "EMC\n";

const SPACE = 0;
const REGULAR = 1;
const KINDS = new Uint8Array(256).fill(REGULAR);
for (const code of [0, 9, 10, 12, 13, 32]) KINDS[code] = SPACE;
for (const char of "()<>[]{}/%") KINDS[char.charCodeAt(0)] = 2 + "()<>[]{}/%".indexOf(char);

/** Reads the content of a page or form, and marks all that is unmarked as artifacts. */
class Content {
  readonly #bytes: Uint8Array;
  readonly #around: Around;
  readonly #boxes: Boxes | null;
  readonly #edits: Edit[] = [];
  readonly #marks: Mark[] = [];
  readonly #states: (Font | undefined)[] = [];
  #font: Font | undefined;
  /** Whether an artifact that this code has begun is still open. */
  #isOpen = false;
  #isInText = false;
  #path = -1;
  readonly #read: Omit<Read, "content" | "boxes"> = {
    decorations: new Set(),
    words: new Map(),
    forms: [],
    isTooDeep: false,
    hasLoose: false,
  };
  readonly #real = new Set<number>();
  /** The operands of the next operator. */
  #operands = -1;
  #name = "";
  #tag = "";
  #dict: [number, number] | null = null;
  #strings: [number, number][] = [];

  constructor(bytes: Uint8Array, around: Around) {
    this.#bytes = bytes;
    this.#around = around;
    this.#boxes = around.place === null ? null : new Boxes(around.place);
  }

  run(): Read {
    const bytes = this.#bytes;
    let at = 0;
    while (at < bytes.length) {
      const code = bytes[at] as number;
      const kind = KINDS[code] as number;
      if (kind === SPACE) {
        at++;
        continue;
      }
      if (this.#operands === -1) this.#operands = at;
      if (kind === REGULAR) {
        const start = at;
        at = this.#regularEnd(at);
        // Numbers begin with a digit, a sign or a point; operators with a letter or a quote.
        if (code >= 65 || code === 39 || code === 34) this.#operator(start, at);
      } else at = this.#delimited(at, code);
    }
    if (this.#marks.length > 0) throw new UnknownForm("a marked part of the PDF does not end");
    this.#close(bytes.length);
    // A part can be drawn in several pieces.
    for (const part of this.#real) this.#read.decorations.delete(part);
    return { ...this.#read, boxes: this.#boxes?.found ?? new Map(), content: this.#edited() };
  }

  #regularEnd(from: number): number {
    let at = from;
    while (at < this.#bytes.length && KINDS[this.#bytes[at] as number] === REGULAR) at++;
    return at;
  }

  /** Where a dictionary ends. Nearly all are short, and a page has many. */
  #dictEnd(from: number): number {
    for (let size = DICT_BYTES; ; size *= 16) {
      const reader = new Reader(latin1(this.#bytes.subarray(from, from + size)));
      try {
        reader.value();
        return from + reader.at;
      } catch (thrown) {
        if (from + size >= this.#bytes.length || size > MAX_DICT_BYTES) throw thrown;
      }
    }
  }

  #delimited(from: number, code: number): number {
    const bytes = this.#bytes;
    let at = from + 1;
    if (code === 47) {
      at = this.#regularEnd(at);
      this.#tag = this.#name;
      this.#name = latin1(bytes.subarray(from, at));
    } else if (code === 60 && bytes[at] === 60) {
      at = this.#dictEnd(from);
      this.#dict = [from, at];
    } else if (code === 60) {
      at = bytes.indexOf(62, at) + 1;
      if (at === 0) throw new UnknownForm("a string of the PDF does not end");
      this.#strings.push([from, at]);
    } else if (code === 40) {
      for (let open = 1; open > 0; at++) {
        if (at >= bytes.length) throw new UnknownForm("a string of the PDF does not end");
        if (bytes[at] === 92) at++;
        else if (bytes[at] === 40) open++;
        else if (bytes[at] === 41) open--;
      }
      this.#strings.push([from, at]);
    } else if (code === 37) while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at++;
    return at;
  }

  #operator(start: number, end: number): void {
    const operands = this.#operands;
    const operator = latin1(this.#bytes.subarray(start, end));
    // Words that are no operators.
    if (operator === "true" || operator === "false" || operator === "null") return;
    this.#boxes?.take(operator, this.#bytes, operands, start);
    switch (operator) {
      case "m":
      case "re":
        if (this.#path === -1) this.#path = operands;
        break;
      case "n":
        this.#path = -1;
        break;
      case "f":
      case "F":
      case "f*":
      case "S":
      case "s":
      case "B":
      case "B*":
      case "b":
      case "b*":
        this.#paint(this.#path === -1 ? operands : this.#path);
        this.#path = -1;
        break;
      case "sh":
        this.#paint(operands);
        break;
      case "gs":
        this.#boxes?.lines(this.#around.linesOf(this.#name));
        break;
      case "Do":
        this.#draw(operands);
        break;
      case "q":
      case "Q":
        this.#state(operator, operands);
        break;
      case "BT":
        this.#paint(operands);
        this.#isInText = true;
        break;
      case "ET":
        this.#isInText = false;
        break;
      case "Tf":
        this.#font = this.#around.fonts.get(this.#name);
        break;
      case "Tj":
      case "TJ":
      case "'":
      case '"':
        this.#show();
        break;
      case "BMC":
      case "BDC":
        this.#begin(operator, operands, end);
        break;
      case "EMC":
        this.#end(end);
        break;
      case "BI":
        throw new UnknownForm("the PDF has a picture in a page's content");
    }
    this.#operands = -1;
    this.#name = this.#tag = "";
    this.#dict = null;
    this.#strings = [];
  }

  #write(at: number, text: string): void {
    this.#edits.push({ at, until: at, text });
  }

  get #isMarked(): boolean {
    return this.#around.isInside || this.#isOpen || this.#marks.some(({ kind }) => kind !== "other");
  }

  /** The innermost marked part. */
  get #part(): Mark | undefined {
    return this.#marks.findLast(({ kind }) => kind === "part");
  }

  /** Something visible begins here: an artifact begins if it is unmarked. */
  #paint(at: number): void {
    if (this.#isMarked) return;
    if (this.#isInText) throw new UnknownForm("a text of the PDF is marked in another way");
    this.#write(at, OPENED);
    this.#isOpen = true;
  }

  #close(at: number): void {
    if (!this.#isOpen) return;
    this.#write(at, CLOSED);
    this.#isOpen = false;
  }

  #state(operator: "q" | "Q", at: number): void {
    if (this.#isOpen && !this.#marks.some(({ closes }) => closes)) this.#close(at);
    if (operator === "q") this.#states.push(this.#font);
    else this.#font = this.#states.pop();
    if (this.#states.length > MAX_STATES) this.#read.isTooDeep = true;
  }

  #draw(operands: number): void {
    const part = this.#part;
    const drawing = this.#around.drawing(this.#name);
    const form = this.#boxes === null ? null : this.#around.formOf(this.#name);
    const place = form === null ? null : (this.#boxes?.within(form.box, form.matrix) ?? null);
    if (place === null) this.#boxes?.picture();
    else if (drawing === "form") this.#boxes?.form(place);
    // A form can have words.
    if (part !== undefined && drawing !== "picture") part.hasContent = true;
    if (drawing !== "form-with-parts") {
      this.#paint(operands);
      return;
    }
    const isInside = this.#around.isInside || part !== undefined;
    this.#read.forms.push({ name: this.#name, isInside, place });
    if (!isInside) {
      if (this.#marks.length > 0) throw new UnknownForm("a marked part of the PDF is inside an artifact");
      this.#close(operands);
    }
  }

  #show(): void {
    const part = this.#part;
    if (part !== undefined) part.hasContent = true;
    const font = this.#font;
    if (font === undefined) throw new UnknownForm("a text of the PDF has no font");
    const actual = this.#marks.findLast((mark) => mark.actual !== null)?.actual ?? null;
    let words = "";
    for (const [from, to] of this.#strings) {
      const codes = bytesOf(new Text(latin1(this.#bytes.subarray(from, to))));
      words += font.read(codes, actual);
      if (this.#boxes !== null && this.#boxes.part !== -1) this.#boxes.words(font.widthOf(codes));
    }
    if (part !== undefined && actual === null && this.#around.isWanted(part.part)) this.#say(part.part, words);
  }

  #say(part: number, words: string): void {
    this.#read.words.set(part, (this.#read.words.get(part) ?? "") + words);
  }

  #begin(operator: "BMC" | "BDC", operands: number, end: number): void {
    const given = this.#dict === null ? null : new Reader(latin1(this.#bytes.subarray(...this.#dict))).value();
    const properties = given instanceof Map ? given : new Map();
    const part = operator === "BDC" ? properties.get("MCID") : undefined;
    const tag = operator === "BDC" && this.#dict === null ? this.#tag : this.#name;
    const actual = properties.get("ActualText");
    const mark: Mark = {
      kind: typeof part === "number" ? "part" : tag === "/Artifact" ? "artifact" : "other",
      part: typeof part === "number" ? part : -1,
      start: operands,
      end,
      hasContent: false,
      actual: actual instanceof Text ? wordsOf(actual) : null,
      closes: false,
    };
    if (mark.kind !== "other") {
      if (this.#isOpen && this.#isInText) throw new UnknownForm("a text of the PDF is marked in another way");
      this.#close(operands);
      const outer = this.#part;
      if (outer !== undefined) outer.hasContent = true;
    } else if (!this.#isMarked) {
      this.#paint(operands);
      mark.closes = true;
    }
    const outer = this.#part;
    if (mark.actual !== null && outer !== undefined && this.#around.isWanted(outer.part))
      this.#say(outer.part, mark.actual);
    this.#marks.push(mark);
    this.#follow();
  }

  /** The box of the innermost part is searched if it is needed. */
  #follow(): void {
    if (this.#boxes === null) return;
    const part = this.#part?.part ?? -1;
    this.#boxes.part = this.#around.isBoxed(part) ? part : -1;
  }

  #end(end: number): void {
    const mark = this.#marks.pop();
    if (mark === undefined) throw new UnknownForm("a marked part of the PDF does not begin");
    this.#follow();
    if (mark.closes) {
      this.#write(end, `\n${CLOSED}`);
      this.#isOpen = false;
    }
    if (mark.kind !== "part") return;
    if (mark.hasContent || this.#around.isDrawn(mark.part)) {
      this.#real.add(mark.part);
      this.#read.hasLoose ||= !this.#around.isKnown(mark.part);
      return;
    }
    this.#edits.push({ at: mark.start, until: mark.end, text: OPENED.trimEnd() });
    this.#read.decorations.add(mark.part);
  }

  #edited(): Uint8Array<ArrayBuffer> {
    const edits = this.#edits.sort((one, other) => one.at - other.at);
    const size = edits.reduce((sum, { at, until, text }) => sum + text.length - (until - at), this.#bytes.length);
    const content = new Uint8Array(size);
    let [from, to] = [0, 0];
    for (const { at, until, text } of edits) {
      content.set(this.#bytes.subarray(from, at), to);
      to += at - from;
      for (let n = 0; n < text.length; n++) content[to++] = text.charCodeAt(n);
      from = until;
    }
    content.set(this.#bytes.subarray(from), to);
    return content;
  }
}

/** Reads a content, and marks all that is unmarked as artifacts. @throws UnknownForm */
export const readContent = (bytes: Uint8Array, around: Around): Read => new Content(bytes, around).run();
