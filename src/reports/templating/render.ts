import { DomainError } from "../../platform/errors";
import { MAX_IMAGES, MAX_RENDERED_CHARACTERS, MAX_RENDERING_STEPS } from "../limits";
import { dig, type JsonPath, own, type TemplateNode, type TemplateSource, templateProblem } from "./parse";

/** A picture that a template or the body asks for, as the report's JSON describes it. */
export interface ImageUse {
  value: unknown;
  /** How it stands on the page: on its own, among others, or within a line of text. */
  use: "single" | "gallery" | "inline";
  /** Its width as CSS, where the body says one. */
  width?: string;
}
export interface GalleryUse {
  gallery: readonly ImageUse[];
  /** Pictures that are shown, where one value stands for several frames; all of them unless said. */
  most?: number;
}

/** Rendered pieces in order: HTML, and pictures that take their place later. */
export type Part = string | ImageUse | GalleryUse;

/** HTML of ours among the values of a view: it is not escaped. */
export class Markup {
  readonly #parts: readonly Part[];
  constructor(...parts: readonly Part[]) {
    this.#parts = parts;
  }
  /** On the prototype, where no name of a template reaches. */
  get parts(): readonly Part[] {
    return this.#parts;
  }
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "=": "&#61;",
};
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`=]/g, (c) => HTML_ESCAPES[c] ?? c);

/** Escapes for a stylesheet (CSS Syntax 4.3.7): right in a quoted string, and nothing but a value outside of one. */
const escapeCss = (text: string): string =>
  text.replace(/[^\w\s#%.,+/:-]|[\n\r\f]/gu, (c) => `\\${(c.codePointAt(0) ?? 0).toString(16)} `);

/** What a template is rendered with. */
export interface Rendering {
  source: TemplateSource;
  text: string;
  nodes: readonly TemplateNode[];
  view: { readonly [name: string]: unknown };
  /** Names of the view that mean the same inside every section, whatever its value has. */
  reserved?: ReadonlySet<string>;
}

const NONE_RESERVED: ReadonlySet<string> = new Set();

/**
 * Renders a parsed template. Names are own properties of the innermost section's value that has them, reserved
 * ones those of the view; nothing of a prototype and no functions; so a template reads its own report's data alone.
 * @throws DomainError template-invalid, with the place, when it takes more steps or text than a page may.
 */
export function renderTemplate({ source, text, nodes, view, reserved = NONE_RESERVED }: Rendering): Part[] {
  const parts: Part[] = [];
  let [steps, length, images] = [0, 0, 0];
  const escapeFor = source === "cssStylesheetTemplate" ? escapeCss : escapeHtml;
  const stop = (at: number, what: string) => templateProblem(source, text, at, what);

  const put = (part: Part, at: number) => {
    if (typeof part === "string") {
      length += part.length;
      if (length > MAX_RENDERED_CHARACTERS)
        throw stop(at, `the page grows beyond ${MAX_RENDERED_CHARACTERS} characters here`);
    } else {
      images += "gallery" in part ? part.gallery.length : 1;
      if (images > MAX_IMAGES) throw stop(at, `the page has more than ${MAX_IMAGES} pictures here`);
    }
    parts.push(part);
  };

  const lookup = (path: JsonPath, stack: readonly unknown[]): unknown => {
    const [head, ...rest] = path;
    if (head === undefined) return stack.at(-1);
    if (reserved.has(head)) return dig(own(view, head), rest);
    for (let depth = stack.length - 1; depth >= 0; depth--) {
      const found = own(stack[depth], head);
      if (found !== undefined) return dig(found, rest);
    }
    return undefined;
  };

  const putValue = (value: unknown, escaped: boolean, at: number) => {
    if (value instanceof Markup) for (const part of value.parts) put(part, at);
    else if (typeof value === "string") put(escaped ? escapeFor(value) : value, at);
    else if (typeof value === "number" || typeof value === "boolean") put(String(value), at);
  };

  const run = (inner: readonly TemplateNode[], stack: readonly unknown[], from: number): void => {
    steps += 1 + inner.length;
    if (steps > MAX_RENDERING_STEPS)
      throw stop(from, "the sections repeat too often here: shorten the lists they go through");
    for (const node of inner) {
      if (node.kind === "text") {
        put(node.text, node.at);
        continue;
      }
      const value = lookup(node.path, stack);
      switch (node.kind) {
        case "value":
          putValue(value, node.escaped, node.at);
          break;
        case "image":
          if (isGiven(value)) put({ value: Array.isArray(value) ? value[0] : value, use: "single" }, node.at);
          break;
        case "image-list": {
          const list = (Array.isArray(value) ? value : [value]).filter(isGiven).slice(0, node.most);
          if (list.length > 0)
            put({ gallery: list.map((item) => ({ value: item, use: "gallery" as const })), most: node.most }, node.at);
          break;
        }
        case "section": {
          const holds = isTruthy(value);
          if (node.inverted) {
            if (!holds) run(node.nodes, stack, node.at);
          } else if (Array.isArray(value)) for (const item of value) run(node.nodes, [...stack, item], node.at);
          else if (holds) run(node.nodes, value === true ? stack : [...stack, value], node.at);
        }
      }
    }
  };
  run(nodes, [view], 0);
  return parts;
}

/** Whether a draft says anything at a picture's place. */
const isGiven = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== "" && !(Array.isArray(value) && value.length === 0);

/** What a section shows for, by mustache's rules: all but null, false, 0, "" and the empty list. */
const isTruthy = (value: unknown): boolean => Boolean(value) && !(Array.isArray(value) && value.length === 0);

/** The text of parts that hold no pictures. @throws for those that do. */
export const textOf = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part !== "string") throw new DomainError("template-invalid", "A picture cannot stand here.");
      return part;
    })
    .join("");
