import Mustache from "mustache";
import { DomainError } from "../../platform/errors";
import { DEFAULT_LIST_IMAGES, MAX_SECTION_DEPTH, MAX_TAG_CHARACTERS } from "../limits";
import { type Format, readFormat } from "./formats";
import { type JsonPath, readFieldPath, readPath } from "./paths";

/** A part of a template; `at` is its offset in the source. */
export type TemplateNode =
  | { kind: "text"; text: string; at: number }
  | { kind: "value"; path: JsonPath; escaped: boolean; at: number }
  | { kind: "format"; path: JsonPath; name: string; format: Format; escaped: boolean; at: number }
  | { kind: "image"; path: JsonPath; at: number }
  /** `most` is the largest number of pictures of the list that are shown. */
  | { kind: "image-list"; path: JsonPath; most: number; at: number }
  /** A partial, which is rendered at this place with the same values. */
  | { kind: "partial"; name: string; at: number }
  | { kind: "section"; path: JsonPath; inverted: boolean; nodes: readonly TemplateNode[]; at: number };

const HELPER = /^(image|image_list)\s+"([^"]*)"(?:\s+(\d{1,3}))?$/;

type Span = ReturnType<typeof Mustache.parse>[number];

/** Refuses tags that mustache would accept without an error, or would need very long to read. */
function scanTags(source: TemplateSource, text: string): void {
  for (let at = text.indexOf("{{"); at !== -1; ) {
    const refuse = (what: string) => templateProblem(source, text, at, what);
    const close = text[at + 2] === "{" ? "}}}" : "}}";
    const end = text.indexOf(close, at + 2);
    if (end === -1 || end - at > MAX_TAG_CHARACTERS)
      throw refuse(`the tag is not closed by ${close} within ${MAX_TAG_CHARACTERS} characters`);
    const inner = text.slice(at + 2, end).trim();
    if (inner.startsWith("=")) throw refuse("other delimiters than double braces are not supported");
    at = text.indexOf("{{", end + close.length);
  }
}

/** The name of a partial. */
export const PARTIAL_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The names of the partials of a template, each once. Not those that its partials name. */
export function partialNames(nodes: readonly TemplateNode[]): string[] {
  const found = new Set<string>();
  const visit = (inner: readonly TemplateNode[]): void => {
    for (const node of inner)
      if (node.kind === "partial") found.add(node.name);
      else if (node.kind === "section") visit(node.nodes);
  };
  visit(nodes);
  return [...found].sort();
}

/**
 * Parses a template into its nodes. A stylesheet can contain no pictures; `isStyle` is set for a partial within one.
 * @throws DomainError template-invalid with line and column
 */
export function parseTemplate(
  source: TemplateSource,
  text: string,
  isStyle = source === "cssStylesheetTemplate",
): readonly TemplateNode[] {
  scanTags(source, text);
  const refuse = (at: number, what: string) => templateProblem(source, text, at, what);
  const writer = new Mustache.Writer();
  // Parsed templates are not cached: the cache of mustache has no limit.
  Reflect.set(writer, "templateCache", undefined);

  const pathAt = (name: string, at: number, read = readPath): JsonPath => {
    const path = read(name);
    if (path === null)
      throw refuse(at, `"${name}" is neither a path, such as report.title, nor a helper, such as image "photo"`);
    return path;
  };
  const valueAt = (name: string, escaped: boolean, at: number): TemplateNode => {
    const format = readFormat(name);
    if (format !== null) {
      if ("wrong" in format) throw refuse(at, format.wrong);
      return { kind: "format", ...format, escaped, at };
    }
    const helper = HELPER.exec(name);
    if (helper === null) return { kind: "value", path: pathAt(name, at), escaped, at };
    if (isStyle) throw refuse(at, "a stylesheet cannot contain picture helpers");
    const [, kind, written = "", most] = helper;
    const path = pathAt(written, at, readFieldPath);
    if (kind === "image") {
      if (most !== undefined) throw refuse(at, "the helper image takes only one path");
      return { kind, path, at };
    }
    return { kind: "image-list", path, most: most === undefined ? DEFAULT_LIST_IMAGES : Number(most), at };
  };
  const nodeOf = (span: Span, depth: number): TemplateNode[] => {
    const [type, value, at] = span;
    switch (type) {
      case "text":
        return [{ kind: "text", text: value, at }];
      case "name":
        return [valueAt(value, true, at)];
      case "&":
        return [valueAt(value, false, at)];
      case ">":
        if (!PARTIAL_NAME.test(value)) throw refuse(at, `"${value}" is not the name of a partial, such as letterhead`);
        return [{ kind: "partial", name: value, at }];
      case "#":
      case "^": {
        if (depth === MAX_SECTION_DEPTH) throw refuse(at, `sections can have at most ${MAX_SECTION_DEPTH} levels`);
        const inner = span[4];
        const nodes = Array.isArray(inner) ? inner.flatMap((child) => nodeOf(child, depth + 1)) : [];
        return [{ kind: "section", path: pathAt(value, at), inverted: type === "^", nodes, at }];
      }
      default:
        return [];
    }
  };
  let spans: ReturnType<typeof Mustache.parse>;
  try {
    spans = writer.parse(text);
  } catch (thrown) {
    const [, what = "it cannot be read", offset = "0"] =
      /^(.*?)(?: at (\d+))?$/s.exec(thrown instanceof Error ? thrown.message : "") ?? [];
    throw refuse(Number(offset), what.charAt(0).toLowerCase() + what.slice(1));
  }
  return spans.flatMap((span) => nodeOf(span, 0));
}

/** The sources of a template, by their names in the API. */
export type TemplateSource = "htmlLayoutTemplate" | "cssStylesheetTemplate" | "source" | `partial ${string}`;

/** The line and column of an offset; both count from 1. */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: offset - lastBreak };
}

/** The error of a template, with the place in its source that must be corrected. */
export function templateProblem(source: TemplateSource, text: string, offset: number, what: string): DomainError {
  const { line, column } = positionOf(text, offset);
  return new DomainError("template-invalid", `${source}, line ${line}, column ${column}: ${what}`, {
    errors: [{ path: source, message: what, line, column }],
  });
}
