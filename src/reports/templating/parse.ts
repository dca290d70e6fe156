import Mustache from "mustache";
import { DomainError } from "../../platform/errors";
import { DEFAULT_LIST_IMAGES, MAX_PATH_CHARACTERS, MAX_SECTION_DEPTH, MAX_TAG_CHARACTERS } from "../limits";

/** A part of a template; `at` is its offset in the source. */
export type TemplateNode =
  | { kind: "text"; text: string; at: number }
  | { kind: "value"; path: JsonPath; escaped: boolean; at: number }
  | { kind: "image"; path: JsonPath; at: number }
  /** `most` is the largest number of pictures of the list that are shown. */
  | { kind: "image-list"; path: JsonPath; most: number; at: number }
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
    if (inner.startsWith(">")) throw refuse("partials are not supported");
    at = text.indexOf("{{", end + close.length);
  }
}

/**
 * Parses a template into its nodes. A stylesheet can contain no pictures.
 * @throws DomainError template-invalid with line and column
 */
export function parseTemplate(source: TemplateSource, text: string): readonly TemplateNode[] {
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
    const helper = HELPER.exec(name);
    if (helper === null) return { kind: "value", path: pathAt(name, at), escaped, at };
    if (source === "cssStylesheetTemplate") throw refuse(at, "a stylesheet cannot contain picture helpers");
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

/** A path in JSON: consecutive own properties and array indexes. The empty path is the current value. */
export type JsonPath = readonly string[];

const SEGMENT = /^[^\s.[\]{}"'`<>&=]+$/u;
/** A name with single spaces between its words. */
const SPACED_SEGMENT = /^[^\s.[\]{}"'`<>&=]+(?: [^\s.[\]{}"'`<>&=]+)*$/u;

/** Reads a path such as `a.b.0.c` or `a.b[0].c`; `.` is the current value. Null if the text is not a path. */
export const readPath = (text: string): JsonPath | null => segmentsOf(text, SEGMENT);

/** Reads a path that is alone in its field or in quotes: its names may contain spaces. Null if the text is not a path. */
export const readFieldPath = (text: string): JsonPath | null => segmentsOf(text, SPACED_SEGMENT);

function segmentsOf(text: string, form: RegExp): JsonPath | null {
  if (text === ".") return [];
  if (text.length > MAX_PATH_CHARACTERS) return null;
  const segments = text.replace(/\[(\d{1,6})\]/g, ".$1").split(".");
  return segments.every((segment) => form.test(segment)) ? segments : null;
}

/** An own property of an object or an item of an array; undefined for properties of a prototype. */
export function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  if (Array.isArray(value)) return /^\d+$/.test(key) ? value[Number(key)] : undefined;
  return (value as { readonly [key: string]: unknown })[key];
}

/** The value at a path below a value; undefined if there is none. */
export const dig = (value: unknown, path: JsonPath): unknown =>
  path.reduce<unknown>((at, segment) => own(at, segment), value);

/** The sources of a template, by their names in the API. */
export type TemplateSource = "htmlLayoutTemplate" | "cssStylesheetTemplate";

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
