import { Parser } from "htmlparser2";
import { latin1 } from "../../../platform/latin1";
import { charsetOfType, decoded, detectEncoding } from "../charset";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { ParagraphBuilder } from "../passages";

/** Elements whose content is not visible text. */
const IGNORED_ELEMENTS = new Set("script style template noscript object iframe canvas rp rt rtc".split(" "));
const IGNORED_IN_CHAPTERS = new Set([...IGNORED_ELEMENTS, "title"]);
/** Elements within a line: they do not end the paragraph. */
export const INLINE_ELEMENTS = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt rtc ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
/** Maximum number of open elements. The parser searches them at each end tag. */
const MAX_OPEN_ELEMENTS = 5_000;
/** Maximum number of characters between two events. Inlined pictures are attributes of several MiB. */
const MAX_ATTRIBUTE_LENGTH = 16 * 1024 * 1024;
/** Number of characters that the parser gets at once. */
const CHUNK_LENGTH = 8 * 1024;

/** Collects the text of an HTML page or fragment from chunks. */
export class HtmlText {
  /** The open elements, each with whether it is without visible text. */
  readonly #open: boolean[] = [];
  #silent = 0;
  /** Number of open table cells. A block within a cell does not end the row. */
  #cells = 0;
  #sinceEvent = 0;
  readonly #ignored: ReadonlySet<string>;
  readonly #parser: Parser;

  /** `isXhtml`: it is a chapter of a book. Its elements can close themselves, and no program shows its title. */
  constructor(
    private readonly paragraphs: ParagraphBuilder,
    { isXhtml = false }: { isXhtml?: boolean } = {},
  ) {
    this.#ignored = isXhtml ? IGNORED_IN_CHAPTERS : IGNORED_ELEMENTS;
    this.#parser = new Parser(
      {
        onopentag: (name, attributes) => this.#begin(name, attributes),
        onclosetag: (name) => this.#finish(name),
        ontext: (text) => {
          this.#sinceEvent = 0;
          if (this.#silent === 0) paragraphs.add(text);
        },
      },
      isXhtml ? { recognizeSelfClosing: true } : {},
    );
  }

  /** Parses the next chunk. @throws Unreadable if nesting or an attribute exceeds its limit. */
  push(text: string): void {
    for (let at = 0; at < text.length; at += CHUNK_LENGTH) {
      const slice = text.slice(at, at + CHUNK_LENGTH);
      this.#sinceEvent += slice.length;
      if (this.#sinceEvent > MAX_ATTRIBUTE_LENGTH)
        throw tooLarge("The page contains a single tag of more than 16 MiB.");
      this.#parser.write(slice);
      if (this.#open.length > MAX_OPEN_ELEMENTS) throw damaged("The elements of the page are nested too deep.");
    }
  }

  end(): void {
    this.#parser.end();
    this.paragraphs.end();
  }

  #begin(name: string, attributes: Readonly<Record<string, string>>): void {
    const { alt } = attributes;
    const silent = this.#ignored.has(name) || isHidden(name, attributes);
    this.#sinceEvent = 0;
    this.#open.push(silent);
    if (silent) this.#silent++;
    if (name === "td" || name === "th") this.#cells++;
    if (name === "br") this.paragraphs.space();
    else if (name === "img" && alt !== undefined && this.#silent === 0) this.paragraphs.add(` ${alt} `);
    else if (!INLINE_ELEMENTS.has(name) && name !== "td" && name !== "th" && name !== "img") this.#breakIn();
  }

  #finish(name: string): void {
    this.#sinceEvent = 0;
    if (this.#open.pop() === true) this.#silent--;
    if (name === "td" || name === "th") {
      this.#cells--;
      this.paragraphs.cell();
    } else if (name === "tr" && this.#cells === 0) this.paragraphs.row();
    else if (!INLINE_ELEMENTS.has(name) && name !== "br" && name !== "img") this.#breakIn();
  }

  #breakIn(): void {
    if (this.#cells > 0) this.paragraphs.space();
    else this.paragraphs.end();
  }
}

/** Whether an element is hidden. Scripts show the whole of a page that begins hidden, so `html` and `body` do not count. */
const isHidden = (name: string, { hidden, style }: Readonly<Record<string, string>>): boolean =>
  name !== "html" &&
  name !== "body" &&
  ((hidden !== undefined && hidden !== "until-found") || (style !== undefined && DISPLAY_NONE.test(style)));

const DISPLAY_NONE = /(?:^|;)\s*display\s*:\s*none/i;

const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i;

const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** Detects the encoding. The media type of the upload counts before the declaration in the page. */
async function encodingOf({ source, contentType }: ExtractionInput): Promise<string> {
  const head = latin1(await source.read(0, 4_096));
  const own = META_CHARSET.exec(head)?.[1] ?? XML_DECLARATION.exec(head)?.[1];
  return detectEncoding(source, charsetOfType(contentType), own);
}

/** Extracts the visible text of HTML. */
export async function* extractHtml(input: ExtractionInput): AsyncGenerator<Extracted, Ending> {
  const paragraphs = new ParagraphBuilder();
  const html = new HtmlText(paragraphs);
  for await (const text of decoded(input.source, await encodingOf(input))) {
    html.push(text);
    yield* paragraphs.take();
  }
  html.end();
  yield* paragraphs.take();
  return { pageCount: null };
}
