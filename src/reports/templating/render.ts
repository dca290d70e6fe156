import { DomainError } from "../../platform/errors";
import { escapeHtml } from "../../platform/html";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { MAX_IMAGES, MAX_PARTIAL_DEPTH, MAX_RENDERED_CHARACTERS, MAX_RENDERING_STEPS } from "../limits";
import { type FormatProblem, type Formatter, formatterIn } from "./formats";
import { parseTemplate, type TemplateNode, type TemplateSource, templateProblem } from "./parse";
import { dig, type JsonPath, own } from "./paths";

/** A picture of a template or the body. Its value comes from the report's JSON. */
export interface ImageUse {
  value: unknown;
  /** The form on the page: a single picture, in a gallery, or within a line of text. */
  use: "single" | "gallery" | "inline";
  /** The width of the picture as CSS, if the body names a width. */
  width?: string;
}
interface GalleryUse {
  gallery: readonly ImageUse[];
  /** The largest number of pictures if one value names several frames; absent: all. */
  most?: number;
}

/** A rendered piece: HTML, or a picture that is inserted later. */
export type Part = string | ImageUse | GalleryUse;

/** HTML of this service among the values of a view. It is not escaped. */
export class Markup {
  readonly #parts: readonly Part[];
  constructor(...parts: readonly Part[]) {
    this.#parts = parts;
  }
  /** A getter is on the prototype, and the names of a template cannot reach the prototype. */
  get parts(): readonly Part[] {
    return this.#parts;
  }
}

/** Escapes text for a stylesheet (CSS Syntax 4.3.7). Outside of a quoted string, the result can only be a value. */
const escapeCss = (text: string): string =>
  text.replace(/[^\w\s#%.,+/:-]|[\n\r\f]/gu, (c) => `\\${(c.codePointAt(0) ?? 0).toString(16)} `);

/** What a page shows in another way than its template says. */
export type TemplateProblem =
  | FormatProblem
  /** There is no partial of this name, or it is in itself or in too many others. It shows nothing. */
  | { code: "partial-missing" | "partial-too-deep"; name: string };

/** The inputs of `renderTemplate`. */
export interface Rendering {
  source: TemplateSource;
  text: string;
  nodes: readonly TemplateNode[];
  view: { readonly [name: string]: unknown };
  /** Names of the view that sections cannot replace. */
  reserved?: ReadonlySet<string>;
  /** Writes numbers and dates. Without it, they have their English form. */
  format?: Formatter;
  /** Takes what is printed in another way than the template says. */
  note?: (problem: TemplateProblem) => void;
  /** The sources of the partials, by name. */
  partials?: ReadonlyMap<string, string>;
  /** Called with the place in the view of each value that is shown, and of each picture. */
  onShown?: ((path: JsonPath, isPicture: boolean) => void) | undefined;
}

/** A value, and its place in the view. */
interface Found {
  value: unknown;
  at: JsonPath;
}

const NONE_RESERVED: ReadonlySet<string> = new Set();
const NO_PARTIALS: ReadonlyMap<string, string> = new Map();
const ignore = () => {};

/** A template or a partial. */
interface Unit {
  source: TemplateSource;
  text: string;
  nodes: readonly TemplateNode[];
}

/**
 * Renders a parsed template. A name is an own property of the innermost section's value that has it; a reserved name
 * always belongs to the view. Prototypes and functions are never used, so a template reads only its report's data.
 * @throws DomainError template-invalid, with the place, if the page needs too many steps or too much text
 */
export function renderTemplate(rendering: Rendering): Part[] {
  const { source, text, nodes, view, reserved = NONE_RESERVED, note = ignore, partials = NO_PARTIALS } = rendering;
  const { onShown } = rendering;
  const format = rendering.format ?? formatterIn({ tags: [DEFAULT_LANGUAGE], timeZone: "UTC" });
  const parts: Part[] = [];
  let [steps, length, images] = [0, 0, 0];
  const escapeFor = source === "cssStylesheetTemplate" ? escapeCss : escapeHtml;
  /** The template whose node is rendered, and the partials around it. */
  let [here, around]: [Unit, readonly string[]] = [{ source, text, nodes }, []];
  const stop = (at: number, what: string) => templateProblem(here.source, here.text, at, what);

  const put = (part: Part, at: number) => {
    if (typeof part === "string") {
      length += part.length;
      if (length > MAX_RENDERED_CHARACTERS)
        throw stop(at, `the page exceeds ${MAX_RENDERED_CHARACTERS} characters here`);
    } else {
      images += "gallery" in part ? part.gallery.length : 1;
      if (images > MAX_IMAGES) throw stop(at, `the page has more than ${MAX_IMAGES} pictures here`);
    }
    parts.push(part);
  };

  const lookup = (path: JsonPath, stack: readonly Found[]): Found => {
    const [head, ...rest] = path;
    const top = stack.at(-1) ?? { value: undefined, at: [] };
    if (head === undefined) return top;
    if (reserved.has(head)) return { value: dig(own(view, head), rest), at: path };
    for (let depth = stack.length - 1; depth >= 0; depth--) {
      const { value, at } = stack[depth] ?? top;
      const found = own(value, head);
      if (found !== undefined) return { value: dig(found, rest), at: [...at, ...path] };
    }
    return { value: undefined, at: path };
  };

  const putValue = (value: unknown, escaped: boolean, at: number) => {
    if (value instanceof Markup) for (const part of value.parts) put(part, at);
    else if (typeof value === "string") put(escaped ? escapeFor(value) : value, at);
    else if (typeof value === "number" || typeof value === "boolean") put(String(value), at);
  };

  const parsed = new Map<string, Unit>();
  const unitOf = (name: string, content: string): Unit => {
    const of: TemplateSource = `partial ${name}`;
    const isStyle = source === "cssStylesheetTemplate";
    const unit = parsed.get(name) ?? { source: of, text: content, nodes: parseTemplate(of, content, isStyle) };
    parsed.set(name, unit);
    return unit;
  };
  const putPartial = (name: string, stack: readonly Found[]): void => {
    const content = partials.get(name);
    const isTooDeep = around.includes(name) || around.length === MAX_PARTIAL_DEPTH;
    if (content === undefined || isTooDeep) {
      note({ code: isTooDeep ? "partial-too-deep" : "partial-missing", name });
      return;
    }
    const before = [here, around] as const;
    [here, around] = [unitOf(name, content), [...around, name]];
    run(here.nodes, stack, 0);
    [here, around] = before;
  };

  const run = (inner: readonly TemplateNode[], stack: readonly Found[], from: number): void => {
    steps += 1 + inner.length;
    if (steps > MAX_RENDERING_STEPS) throw stop(from, "the sections repeat too often here: shorten their lists");
    for (const node of inner) {
      if (node.kind === "text") {
        put(node.text, node.at);
        continue;
      }
      if (node.kind === "partial") {
        putPartial(node.name, stack);
        continue;
      }
      const found = lookup(node.path, stack);
      const { value, at } = found;
      switch (node.kind) {
        case "value":
          putValue(value, node.escaped, node.at);
          onShown?.(at, false);
          break;
        case "format": {
          if (value === undefined || value === null || value === "") break;
          const formatted = format(node.format, value);
          if (formatted === null) {
            const code = node.format.kind === "number" ? "value-not-a-number" : "value-not-a-date";
            note({ code, name: node.name, value });
          }
          putValue(formatted ?? value, node.escaped, node.at);
          onShown?.(at, false);
          break;
        }
        case "image":
          if (!isGiven(value)) break;
          put({ value: Array.isArray(value) ? value[0] : value, use: "single" }, node.at);
          onShown?.(Array.isArray(value) ? [...at, "0"] : at, true);
          break;
        case "image-list": {
          const list = itemsOf(found)
            .filter((item) => isGiven(item.value))
            .slice(0, node.most);
          if (list.length === 0) break;
          put({ gallery: list.map((item) => ({ value: item.value, use: "gallery" })), most: node.most }, node.at);
          for (const item of list) onShown?.(item.at, true);
          break;
        }
        case "section": {
          const holds = isTruthy(value);
          if (node.inverted) {
            if (!holds) run(node.nodes, stack, node.at);
          } else if (Array.isArray(value))
            for (const item of itemsOf(found)) run(node.nodes, [...stack, item], node.at);
          else if (holds) run(node.nodes, value === true ? stack : [...stack, found], node.at);
        }
      }
    }
  };
  run(nodes, [{ value: view, at: [] }], 0);
  return parts;
}

/** The items of a list; a value that is no list is one item. */
const itemsOf = ({ value, at }: Found): Found[] =>
  Array.isArray(value) ? value.map((item, n) => ({ value: item, at: [...at, String(n)] })) : [{ value, at }];

/** Whether a draft has a value for a picture. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

/**
 * Whether a section is shown for a value, by the rules of mustache: for all but null, false, 0, "" and the empty list.
 */
const isTruthy = (value: unknown): boolean => Boolean(value) && !(Array.isArray(value) && value.length === 0);

/** The text of parts without pictures. @throws DomainError template-invalid for a picture. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part !== "string")
        throw new DomainError("template-invalid", "A picture cannot be used here. Remove it.");
      return part;
    })
    .join("");
