import { Parser } from "htmlparser2";
import { latin1 } from "../../../platform/latin1";
import { charsetOfType, decoded, detectEncoding } from "../charset";
import { damaged, type Ending, type Extracted, type ExtractionInput, tooLarge } from "../extracted";
import { ParagraphBuilder } from "../passages";

/** Elements whose text nobody reads. */
const IGNORED_ELEMENTS = new Set(["script", "style", "template", "noscript", "object", "iframe", "canvas"]);
/** Elements that stand within a line. */
const INLINE_ELEMENTS = new Set(
  "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split(
    " ",
  ),
);
/** Open elements: the parser searches them at each end tag. */
const MAX_OPEN_ELEMENTS = 5_000;
/** Characters between two events: pictures within the page are attributes of several MiB. */
const MAX_ATTRIBUTE_LENGTH = 16 * 1024 * 1024;
/** Characters given to the parser at once. */
const CHUNK_LENGTH = 8 * 1024;

/** Collects the text of an HTML page or fragment as it streams in. */
export class HtmlText {
  #depth = 0;
  #silent = 0;
  /** Open cells of tables: blocks within one do not end its row. */
  #cells = 0;
  #sinceEvent = 0;
  readonly #parser: Parser;

  constructor(private readonly paragraphs: ParagraphBuilder) {
    this.#parser = new Parser({
      onopentag: (name, attributes) => this.#open(name, attributes.alt),
      onclosetag: (name) => this.#close(name),
      ontext: (text) => {
        this.#sinceEvent = 0;
        if (this.#silent === 0) paragraphs.add(text);
      },
    });
  }

  /** @throws Unreadable for nesting and attributes beyond any real page. */
  push(text: string): void {
    for (let at = 0; at < text.length; at += CHUNK_LENGTH) {
      const slice = text.slice(at, at + CHUNK_LENGTH);
      this.#sinceEvent += slice.length;
      if (this.#sinceEvent > MAX_ATTRIBUTE_LENGTH) throw tooLarge("The page holds a single tag of more than 16 MiB.");
      this.#parser.write(slice);
      if (this.#depth > MAX_OPEN_ELEMENTS) throw damaged("The page is nested deeper than any real one.");
    }
  }

  end(): void {
    this.#parser.end();
    this.paragraphs.end();
  }

  #open(name: string, alt: string | undefined): void {
    this.#sinceEvent = 0;
    this.#depth++;
    if (IGNORED_ELEMENTS.has(name)) this.#silent++;
    if (name === "td" || name === "th") this.#cells++;
    if (name === "br") this.paragraphs.space();
    else if (name === "img" && alt !== undefined && this.#silent === 0) this.paragraphs.add(` ${alt} `);
    else if (!INLINE_ELEMENTS.has(name) && name !== "td" && name !== "th" && name !== "img") this.#breakIn();
  }

  #close(name: string): void {
    this.#sinceEvent = 0;
    this.#depth--;
    if (IGNORED_ELEMENTS.has(name)) this.#silent--;
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

const META_CHARSET = /<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{1,40})/i;

const XML_DECLARATION = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** What whoever sent the page says of its encoding, then the page itself. */
async function encodingOf({ source, contentType }: ExtractionInput): Promise<string> {
  const head = latin1(await source.read(0, 4_096));
  const own = META_CHARSET.exec(head)?.[1] ?? XML_DECLARATION.exec(head)?.[1];
  return detectEncoding(source, charsetOfType(contentType), own);
}

/** HTML as a reader sees it, without scripts and styles. */
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
