import { decodeHTML } from "entities";
import {
  Lexer,
  Marked,
  type MarkedOptions,
  Renderer,
  type Token,
  Tokenizer,
  type Tokens,
  type TokensList,
} from "marked";
import markedFootnote from "marked-footnote";
import { DomainError } from "../../platform/errors";
import { escapeHtml } from "../../platform/html";
import { newId } from "../../platform/ids";
import { MAX_BODY_IMAGE_WIDTH } from "../limits";
import type { ImageUse, Part } from "../templating";
import type { Labels } from "./labels";

/** A heading of the body: `level` counts from 1, links use `id`. */
interface Heading {
  level: number;
  id: string;
  text: string;
}

interface RenderedBody {
  parts: Part[];
  headings: Heading[];
}

/**
 * Limits of the work to read a body. Emphasis costs marks × length of its paragraph, and nesting costs the length of
 * the text at each level. Ordinary text of a megabyte needs less than a tenth of both. Hostile text is stopped in a
 * second.
 */
const MAX_MARK_WORK = 200_000_000;
const MAX_BLOCK_LENGTH = 16_000_000;
/** Number of blocks and of pieces of text in them. Each takes up to two microseconds, and nothing else runs meanwhile. */
const MAX_TOKENS = 250_000;

const tooComplex = (): DomainError =>
  new DomainError(
    "rule-violated",
    "The report's text has too much nesting or markup, or too many paragraphs. Split long paragraphs and deep lists, and shorten long lists.",
  );

/** Punctuation of Chinese, Japanese and Korean, and characters of these languages with it. */
const CJK_PUNCTUATION = "[\\u3001-\\u303f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65“”‘’…—·]";
const CJK = `(?:${CJK_PUNCTUATION}|[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}])`;

/**
 * The rules of GitHub's markdown with two changes. A single tilde strikes nothing out: `20~25 °C` is a measurement.
 * Asterisks work beside the punctuation of languages that put no spaces between words: `**「重要」**です`.
 */
const RULES = (() => {
  const { gfm } = Lexer.rules.inline;
  const [punct, space, other] = ["(?!~)[\\p{P}\\p{S}]", "(?!~)[\\s\\p{P}\\p{S}]", "(?:[^\\s\\p{P}\\p{S}]|~)"];
  const own = (rule: RegExp, replaced: readonly (readonly [string, string])[], flags = rule.flags) =>
    new RegExp(
      replaced.reduce((source, [from, to]) => source.replaceAll(from, to), rule.source),
      flags,
    );
  const words = [
    [space, `(?!~|${CJK_PUNCTUATION})[\\s\\p{P}\\p{S}]`],
    [punct, `(?!~|${CJK_PUNCTUATION})[\\p{P}\\p{S}]`],
    [other, `(?:[^\\s\\p{P}\\p{S}]|~|${CJK_PUNCTUATION})`],
  ] as const;
  const closes = [
    // Beside such a character, asterisks after other punctuation close too.
    [`|(?!\\*)${space}(\\*+)(?=${other})`, `|(?:\\s|(?!\\*)${punct}(?!\\*+${CJK}))(\\*+)(?=${other})`],
    [
      `(\\*+)(?!\\*)(?=${punct})|${other}(\\*+)(?=${other})`,
      `(\\*+)(?!\\*)(?=${punct}|${CJK})|${other}(\\*+)(?=${other})`,
    ],
  ] as const;
  return {
    ...gfm,
    delLDelim: own(gfm.delLDelim, [["^~~?", "^~~"]]),
    emStrongLDelim: own(gfm.emStrongLDelim, words),
    emStrongRDelimAst: own(gfm.emStrongRDelimAst, [...closes, ...words]),
    punctuation: own(gfm.punctuation, [["[\\s\\p{P}\\p{S}]", `(?:[\\s\\p{P}\\p{S}]|${CJK})`]]),
  };
})();

/** The tokenizer of marked, with a limit of its tokens: the lexer asks it first for a space and for an escape, each time. */
class BoundedTokenizer extends Tokenizer {
  #tokens = MAX_TOKENS;

  override space(src: string): Tokens.Space | undefined {
    this.#count();
    return super.space(src);
  }

  override escape(src: string): Tokens.Escape | undefined {
    this.#count();
    return super.escape(src);
  }

  #count(): void {
    this.#tokens--;
    if (this.#tokens < 0) throw tooComplex();
  }
}

/** The lexer of marked, with a limit of its work and the rules above. */
class BoundedLexer extends Lexer {
  #marks = MAX_MARK_WORK;
  #length = MAX_BLOCK_LENGTH;

  constructor(options: MarkedOptions) {
    const tokenizer = new BoundedTokenizer(options);
    super({ ...options, tokenizer });
    tokenizer.rules = { ...tokenizer.rules, inline: RULES };
  }

  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): Token[];
  override blockTokens(src: string, tokens?: TokensList, lastParagraphClipped?: boolean): TokensList;
  override blockTokens(src: string, tokens?: Token[], lastParagraphClipped?: boolean): TokensList {
    this.#length -= src.length;
    if (this.#length < 0) throw tooComplex();
    return super.blockTokens(src, tokens, lastParagraphClipped) as TokensList;
  }

  override inlineTokens(src: string, tokens?: Token[]): Token[] {
    this.#marks -= src.length * (src.match(/[*_~`]+|[[\]<]/g)?.length ?? 0);
    if (this.#marks < 0) throw tooComplex();
    const inline = super.inlineTokens(src, tokens);
    takeWidths(inline);
    return inline;
  }
}

/** Limits footnotes: each reference searches all of them. Everything that looks like a reference or a note counts. */
function boundFootnotes(markdown: string): void {
  const [references, notes] = [markdown.split("[^").length - 1, markdown.split("]:").length - 1];
  if (references * notes > MAX_MARK_WORK) throw tooComplex();
}

/** A picture and its width as CSS. */
interface SizedImage extends Tokens.Image {
  width?: string;
}

const WIDTH = /^\{ {0,4}width=("?)([1-9]\d{0,3})(%|px)?\1 {0,4}\}/;

/** Reads and removes a width such as `{width=50%}` after each picture. Other braces stay text. */
function takeWidths(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.type !== "image" || next?.type !== "text") continue;
    const [written, , number, unit = "px"] = WIDTH.exec(next.raw) ?? [];
    if (written === undefined || Number(number) > (unit === "%" ? 100 : MAX_BODY_IMAGE_WIDTH)) continue;
    Object.assign(token, { width: `${number}${unit}` });
    Object.assign(next, { raw: next.raw.slice(written.length), text: next.raw.slice(written.length) });
  }
}

/** A picture of the library has a path. Other pictures are shown only as `data:` addresses in the text. */
const isOwnPath = (href: string): boolean => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href);
const isInText = (href: string): boolean => /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(href);

/** A camera's frame in the text: `camera:` and the camera's id, then the moment. */
const FRAME = /^camera:([0-9a-f-]{36})\/([^/]+)$/;

/** The value of a picture in the text, as a draft would write it. */
function pictureOf(href: string, caption: string): unknown {
  const [, cameraId, at] = FRAME.exec(href) ?? [];
  if (cameraId !== undefined && at !== undefined) return { cameraId, at: decodePath(at), caption };
  return isOwnPath(href) ? { documentPath: decodePath(href), caption } : href;
}

const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === "html" || token.type === "image") return "";
      if (token.type === "br") return " ";
      if ("tokens" in token && token.tokens !== undefined) return plain(token.tokens);
      const text = "text" in token ? String(token.text) : "";
      return token.type === "text" ? decodeHTML(text) : text;
    })
    .join("");

/**
 * Gives ids to headings as GitHub does: lower-case letters and digits, hyphens for spaces, and a number after an id that
 * the page has already. `taken` is HTML and markdown whose ids are not given again.
 */
class HeadingIds {
  readonly #taken = new Set<string>();
  readonly #next = new Map<string, number>();

  constructor(taken: string) {
    this.#taken.add("footnote-label");
    for (const [, id = ""] of taken.matchAll(/\bid\s*=\s*["']?([^\s"'>]+)/gi)) this.#taken.add(id);
    for (const [, label = ""] of taken.matchAll(/\[\^([^\]\s]+)\]/g))
      for (const kind of ["footnote-", "footnote-ref-"]) this.#taken.add(kind + label.toLowerCase());
  }

  give(text: string): string {
    const slug = slugOf(text) || "section";
    let id = slug;
    for (let n = this.#next.get(slug) ?? 1; this.#taken.has(id); n++) {
      id = `${slug}-${n}`;
      this.#next.set(slug, n + 1);
    }
    this.#taken.add(id);
    return id;
  }

  has = (id: string): boolean => this.#taken.has(id);
}

const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");

/** The headings of blocks, quotations and lists in their order. marked's own walk copies its list at each token. */
function* headingsIn(tokens: readonly Token[]): Generator<Token & { tokens?: Token[] }> {
  for (const token of tokens)
    if (token.type === "heading") yield token;
    else if (token.type === "list") for (const item of (token as Tokens.List).items) yield* headingsIn(item.tokens);
    else if (token.type === "blockquote") yield* headingsIn((token as Tokens.Blockquote).tokens);
}

/** Decodes a path of markdown, in which spaces and other characters are escaped. */
function decodePath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/**
 * Renders the body of a report: GitHub's markdown with footnotes and raw HTML. Pictures have the path of a document.
 * Headings get no id that `layout`, the HTML around the body, already has.
 * @throws DomainError rule-violated for text that is too complex
 */
export function renderBody(markdown: string, labels: Labels, layout = ""): RenderedBody {
  const headings: Heading[] = [];
  const ids = new HeadingIds(layout + markdown);
  const idOf = new Map<Token, string>();
  const images: ImageUse[] = [];
  // A random mark for the place of each picture, where the text is split later. No author can guess it.
  const mark = `picture-${newId()}-${crypto.randomUUID()}-`;
  const place = (image: ImageUse) => `${mark}${images.push(image) - 1};`;
  // A list, quotation or table takes its text direction from its first words. Blocks inside it have no separate
  // direction.
  let containers = 0;
  const direction = () => (containers === 0 ? ' dir="auto"' : "");
  const container = (render: () => string): string => {
    containers += 1;
    const html = render();
    containers -= 1;
    return html.replace(/^<\w+/, '$& dir="auto"');
  };
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(token) {
        const { tokens, depth } = token;
        const text = plain(tokens).trim();
        const id = idOf.get(token) ?? ids.give(text);
        headings.push({ level: depth, id, text });
        return `<h${depth} id="${id}"${direction()}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      paragraph({ tokens }) {
        const alone = tokens.every(
          (token) => token.type === "image" || (token.type === "text" && token.raw.trim() === ""),
        );
        if (!alone || tokens.length === 0) return `<p${direction()}>${this.parser.parseInline(tokens)}</p>\n`;
        const pictures = tokens.filter((token): token is Tokens.Image => token.type === "image");
        return pictures.map((picture) => imageOf(picture, "single")).join("");
      },
      list(token) {
        return container(() => Renderer.prototype.list.call(this, token));
      },
      blockquote(token) {
        return container(() => Renderer.prototype.blockquote.call(this, token));
      },
      table(token) {
        return container(() => Renderer.prototype.table.call(this, token));
      },
      link(token) {
        // A link within the page finds its heading in any case, as on GitHub.
        const written = token.href.startsWith("#") ? decodePath(token.href.slice(1)) : "";
        const href =
          written === "" || ids.has(written) || !ids.has(slugOf(written)) ? token.href : `#${slugOf(written)}`;
        return Renderer.prototype.link.call(this, { ...token, href });
      },
      checkbox: ({ checked }) =>
        `<input disabled type="checkbox"${checked ? " checked" : ""}><span class="report-state">${escapeHtml(checked ? labels.done : labels.open)}: </span>`,
      image: (picture) => imageOf(picture, "inline"),
    },
  });
  const imageOf = ({ href, text: written, tokens, title, width }: SizedImage, use: "single" | "inline"): string => {
    const text = tokens === undefined ? written : plain(tokens);
    const style = width === undefined ? "" : ` style="width:${width}"`;
    if (isInText(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"${style}>`;
    return place({ value: pictureOf(href, title ?? text), use, ...(width !== undefined && { width }) });
  };
  const { extensions = [], walkTokens } = markedFootnote({
    description: labels.footnotes,
    backRefLabel: labels.backToReference,
  });
  marked.use({ extensions });
  let html: string;
  try {
    boundFootnotes(markdown);
    const tokens = new BoundedLexer(marked.defaults).lex(markdown);
    // marked-footnote collects the notes in the first token. This moves them to the end.
    if (tokens[0] !== undefined) void walkTokens?.(tokens[0]);
    // Ids are given first: a link can come before its heading.
    for (const heading of headingsIn(tokens)) idOf.set(heading, ids.give(plain(heading.tokens ?? []).trim()));
    html = marked.parser(tokens);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw tooComplex();
    throw thrown;
  }
  return { parts: cutAtPictures(html, mark, images), headings };
}

/** Splits the HTML at the places of its pictures. */
function cutAtPictures(html: string, mark: string, images: readonly ImageUse[]): Part[] {
  const [first = "", ...rest] = html.split(mark);
  return [
    first,
    ...rest.flatMap((piece): Part[] => {
      const end = piece.indexOf(";");
      const image = images[Number(piece.slice(0, end))];
      return image === undefined ? [] : [image, piece.slice(end + 1)];
    }),
  ];
}

/** Levels of headings in the contents, counted from the highest level of the body. */
const CONTENTS_LEVELS = 2;
/** The number of headings from which a page has contents. */
const MIN_HEADINGS = 5;

/** A list of links to all headings of the body's two highest levels; empty for a body with fewer than five of them. */
export function contentsOf(headings: readonly Heading[]): string {
  const top = headings.reduce((least, { level }) => Math.min(least, level), Number.POSITIVE_INFINITY);
  const shown = headings.filter(({ level, text }) => level < top + CONTENTS_LEVELS && text !== "");
  if (shown.length < MIN_HEADINGS) return "";
  const items = shown.map(
    ({ level, id, text }) =>
      `<li class="contents-level-${level - top + 1}"><a href="#${id}" dir="auto">${escapeHtml(text)}</a></li>`,
  );
  return `<ol class="report-contents">${items.join("")}</ol>`;
}
