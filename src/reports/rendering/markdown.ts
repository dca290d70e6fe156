import { Lexer, Marked, Renderer, type Token, type Tokens, type TokensList } from "marked";
import markedFootnote from "marked-footnote";
import { DomainError } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { escapeHtml, type ImageUse, type Part } from "../templating";
import type { Labels } from "./language";

/** A heading of the body: `level` from 1, `id` to link to. */
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
 * What reading a body may cost. Emphasis takes marks × length of its paragraph, nesting takes every level's
 * length again: ordinary text of a megabyte stays below a tenth of both, hostile text is stopped within a second.
 */
const MAX_MARK_WORK = 200_000_000;
const MAX_BLOCK_LENGTH = 16_000_000;

const tooComplex = (): DomainError =>
  new DomainError(
    "rule-violated",
    "The report's text is nested or marked up too heavily to be read. Split long paragraphs and deep lists.",
  );

/** marked's lexer with a bound on its work. */
class BoundedLexer extends Lexer {
  #marks = MAX_MARK_WORK;
  #length = MAX_BLOCK_LENGTH;

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

/** Each reference to a footnote looks through all of them; what may be one is counted, whether it is or not. */
function boundFootnotes(markdown: string): void {
  const [references, notes] = [markdown.split("[^").length - 1, markdown.split("]:").length - 1];
  if (references * notes > MAX_MARK_WORK) throw tooComplex();
}

/** A picture and its width as CSS. */
interface SizedImage extends Tokens.Image {
  width?: string;
}

/** The widest picture that a body can ask for, CSS pixels. */
const MAX_WIDTH = 2_000;
const WIDTH = /^\{ {0,4}width=("?)([1-9]\d{0,3})(%|px)?\1 {0,4}\}/;

/** Takes a width such as `{width=50%}` from the text behind each picture. Other braces stay text. */
function takeWidths(tokens: Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1];
    if (token.type !== "image" || next?.type !== "text") continue;
    const [written, , number, unit = "px"] = WIDTH.exec(next.raw) ?? [];
    if (written === undefined || Number(number) > (unit === "%" ? 100 : MAX_WIDTH)) continue;
    Object.assign(token, { width: `${number}${unit}` });
    Object.assign(next, { raw: next.raw.slice(written.length), text: next.raw.slice(written.length) });
  }
}

/** Pictures of the library are named by path; of others only what the text itself holds is shown. */
const isOwnPath = (href: string): boolean => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(href);
const isInText = (href: string): boolean => /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(href);

const plain = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if ("tokens" in token && token.tokens !== undefined) return plain(token.tokens);
      return token.type === "html" || token.type === "image" ? "" : "text" in token ? String(token.text) : "";
    })
    .join("");

/** A path as markdown writes it, where spaces and others are escaped. */
function decodePath(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/**
 * Renders a report's body: GitHub's markdown with footnotes, raw HTML kept, pictures named by their document path.
 * @throws DomainError rule-violated for text that costs too much to read.
 */
export function renderBody(markdown: string, labels: Labels): RenderedBody {
  const headings: Heading[] = [];
  const images: ImageUse[] = [];
  // Stands where a picture goes until the text is cut there; nobody can write it beforehand.
  const mark = `picture-${newId()}-${crypto.randomUUID()}-`;
  const place = (image: ImageUse) => `${mark}${images.push(image) - 1};`;
  // A list, a quotation or a table takes its direction from its first words, which are those of a block in it without
  // a direction of its own.
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
      heading({ tokens, depth }) {
        const id = `section-${headings.length + 1}`;
        headings.push({ level: depth, id, text: plain(tokens).trim() });
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
      image: (picture) => imageOf(picture, "inline"),
    },
  });
  const imageOf = ({ href, text, title, width }: SizedImage, use: "single" | "inline"): string => {
    const style = width === undefined ? "" : ` style="width:${width}"`;
    if (isInText(href)) return `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}"${style}>`;
    const value = isOwnPath(href) ? { documentPath: decodePath(href), caption: title ?? text } : href;
    return place({ value, use, ...(width !== undefined && { width }) });
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
    // The notes are collected in the first token, from which this brings them to the end.
    if (tokens[0] !== undefined) void walkTokens?.(tokens[0]);
    html = marked.parser(tokens);
  } catch (thrown) {
    if (thrown instanceof RangeError) throw tooComplex();
    throw thrown;
  }
  return { parts: cutAtPictures(html, mark, images), headings };
}

/** The HTML between the pictures' places, and the pictures. */
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

/** Levels of headings that contents show, counted from the highest that the body uses. */
const LEVELS = 2;
/** Headings from which contents are worth their place, and the most they show. */
const MIN_HEADINGS = 5;
const MAX_HEADINGS = 80;

/** A list of links to the body's headings; empty for a short body. */
export function contentsOf(headings: readonly Heading[]): string {
  const top = Math.min(...headings.map(({ level }) => level));
  const shown = headings.filter(({ level, text }) => level < top + LEVELS && text !== "").slice(0, MAX_HEADINGS);
  if (shown.length < MIN_HEADINGS) return "";
  const items = shown.map(
    ({ level, id, text }) =>
      `<li class="contents-level-${level - top + 1}"><a href="#${id}" dir="auto">${escapeHtml(text)}</a></li>`,
  );
  return `<ol class="report-contents">${items.join("")}</ol>`;
}
