import Mustache from "mustache";
import { DomainError } from "../../platform/errors";
import { MAX_SECTION_DEPTH, MAX_TAG_CHARACTERS } from "../limits";

/** A part of a template; `at` is its offset in the source. */
export type TemplateNode =
  | { kind: "text"; text: string; at: number }
  | { kind: "value"; path: JsonPath; escaped: boolean; at: number }
  | { kind: "image"; path: JsonPath; at: number }
  /** `most`: pictures that are shown of the list. */
  | { kind: "image-list"; path: JsonPath; most: number; at: number }
  | { kind: "section"; path: JsonPath; inverted: boolean; nodes: readonly TemplateNode[]; at: number };

const HELPER = /^(image|image_list)\s+"([^"]*)"(?:\s+(\d{1,3}))?$/;
/** Pictures of a list when its helper names no number. */
const ALL = 100;

type Span = ReturnType<typeof Mustache.parse>[number];

/** Finds what mustache itself would take without complaint, or take very long over. */
function scanTags(source: TemplateSource, text: string): void {
  for (let at = text.indexOf("{{"); at !== -1; ) {
    const refuse = (what: string) => templateProblem(source, text, at, what);
    const close = text[at + 2] === "{" ? "}}}" : "}}";
    const end = text.indexOf(close, at + 2);
    if (end === -1 || end - at > MAX_TAG_CHARACTERS)
      throw refuse(`the tag is not closed by ${close} within ${MAX_TAG_CHARACTERS} characters`);
    const inner = text.slice(at + 2, end).trim();
    if (inner.startsWith("=")) throw refuse("other delimiters than double braces are not supported");
    if (inner.startsWith(">")) throw refuse("partials are not supported");
    at = text.indexOf("{{", end + close.length);
  }
}

/**
 * Reads a template into its nodes. Sources of stylesheets take no pictures.
 * @throws DomainError template-invalid with line and column.
 */
export function parseTemplate(source: TemplateSource, text: string): readonly TemplateNode[] {
  scanTags(source, text);
  const refuse = (at: number, what: string) => templateProblem(source, text, at, what);
  const writer = new Mustache.Writer();
  // Parsed templates are not kept: mustache's own cache grows without a bound.
  Reflect.set(writer, "templateCache", undefined);

  const pathAt = (name: string, at: number): JsonPath => {
    const path = readPath(name);
    if (path === null)
      throw refuse(at, `"${name}" is neither a path, such as report.title, nor a helper, such as image "photo"`);
    return path;
  };
  const valueAt = (name: string, escaped: boolean, at: number): TemplateNode => {
    const helper = HELPER.exec(name);
    if (helper === null) return { kind: "value", path: pathAt(name, at), escaped, at };
    if (source === "cssStylesheetTemplate") throw refuse(at, "a stylesheet takes no picture helpers");
    const [, kind, written = "", most] = helper;
    const path = pathAt(written, at);
    if (kind === "image") {
      if (most !== undefined) throw refuse(at, "image takes one path and no number");
      return { kind, path, at };
    }
    return { kind: "image-list", path, most: most === undefined ? ALL : Number(most), at };
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
      case "#":
      case "^": {
        if (depth === MAX_SECTION_DEPTH) throw refuse(at, `sections may be ${MAX_SECTION_DEPTH} deep`);
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

/** A way into JSON: own properties and places in arrays, one after the other. Empty is the value at hand. */
export type JsonPath = readonly string[];

/** Longest path as written, characters. */
export const MAX_PATH_CHARACTERS = 200;

const SEGMENT = /^[^\s.[\]{}"'`<>&=]+$/u;

/** Reads `a.b.0.c`, also written `a.b[0].c`; `.` is the value at hand. Null for what is no path. */
export function readPath(text: string): JsonPath | null {
  if (text === ".") return [];
  if (text.length > MAX_PATH_CHARACTERS) return null;
  const segments = text.replace(/\[(\d{1,6})\]/g, ".$1").split(".");
  return segments.every((segment) => SEGMENT.test(segment)) ? segments : null;
}

/** An own property of an object or an item of an array; undefined for everything a prototype has. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as { readonly [key: string]: unknown })[key];
}

/** What stands at a path below a value; undefined where nothing does. */
export const dig = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>((at, segment) => own(at, segment), value);

/** Which source of a template is meant, by its name on the wire. */
export type TemplateSource = "htmlLayoutTemplate" | "cssStylesheetTemplate";

/** Line and column (both from 1) of an offset. */
function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset);
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: offset - lastBreak };
}

/** The refusal of a template, with the place in its source that has to be mended. */
export function templateProblem(source: TemplateSource, text: string, offset: number, what: string): DomainError {
  const { line, column } = positionOf(text, offset);
  return new DomainError("template-invalid", `${source}, line ${line}, column ${column}: ${what}`, {
    errors: [{ path: source, message: what, line, column }],
  });
}
