import * as Y from "yjs";
import { contentSchema } from "../drafts";
import { DRAFT_LIMITS } from "../limits";
import type { Content } from "../tables";
import { type JsonPath, own } from "../templating";
import { SHARED_MAP } from "./bootstrap";

/*
 * Converts between JSON and its shared form: an object is a Y.Map, a list is a Y.Array, the string at the body's path
 * is a Y.Text, and every other leaf is a plain value.
 */

type Path = readonly string[];
type JsonObject = { readonly [key: string]: unknown };

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isBody = (path: Path, body: Path | null): boolean =>
  body !== null && path.length === body.length && path.every((segment, n) => segment === body[n]);

/** Whether a shared value equals a JSON value. */
function says(shared: unknown, value: unknown): boolean {
  if (shared instanceof Y.Text) return typeof value === "string" && shared.toString() === value;
  if (shared instanceof Y.Array)
    return (
      Array.isArray(value) && shared.length === value.length && value.every((item, n) => says(shared.get(n), item))
    );
  if (shared instanceof Y.Map)
    return (
      isObject(value) &&
      Object.keys(value).length === shared.size &&
      Object.entries(value).every(([key, item]) => shared.has(key) && says(shared.get(key), item))
    );
  return Object.is(shared, value) || (shared === undefined && value === null);
}

/** The shared form of the JSON value at `path`. */
function share(value: unknown, path: Path, body: Path | null): unknown {
  if (typeof value === "string" && isBody(path, body)) return new Y.Text(value);
  if (Array.isArray(value)) {
    const list = new Y.Array<unknown>();
    list.push(value.map((item, n) => share(item, [...path, String(n)], body)));
    return list;
  }
  if (!isObject(value)) return value;
  return new Y.Map(Object.entries(value).map(([key, item]) => [key, share(item, [...path, key], body)] as const));
}

/** Whether a code unit is the first half of a surrogate pair; with `second`, the second half. */
const isHalf = (text: string, at: number, second = false): boolean => {
  const code = text.charCodeAt(at);
  return second ? code >= 0xdc00 && code <= 0xdfff : code >= 0xd800 && code <= 0xdbff;
};

/** Replaces only the text between the common start and the common end, never half of a surrogate pair. */
function patchText(shared: Y.Text, text: string): void {
  const before = shared.toString();
  const most = Math.min(before.length, text.length);
  let start = 0;
  while (start < most && before[start] === text[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
  if (start > 0 && isHalf(before, start - 1)) start--;
  if (end > 0 && isHalf(before, before.length - end, true)) end--;
  const gone = before.length - start - end;
  if (gone > 0) shared.delete(start, gone);
  if (text.length > start + end) shared.insert(start, text.slice(start, text.length - end));
}

/** Changes a shared value to `value` in place; returns false when its type requires a replacement. */
function patchInside(shared: unknown, value: unknown, path: Path, body: Path | null): boolean {
  if (shared instanceof Y.Text && typeof value === "string") patchText(shared, value);
  else if (shared instanceof Y.Map && isObject(value)) patchMap(shared, value, body, path);
  else if (shared instanceof Y.Array && Array.isArray(value)) patchArray(shared, value, path, body);
  else return typeof value !== "string" || !isBody(path, body) ? says(shared, value) : false;
  return true;
}

/** Keeps equal items at both ends. Items between them are changed in place, pair by pair, where possible. */
function patchArray(shared: Y.Array<unknown>, items: readonly unknown[], path: Path, body: Path | null): void {
  const most = Math.min(shared.length, items.length);
  let start = 0;
  while (start < most && says(shared.get(start), items[start])) start++;
  let end = 0;
  while (end < most - start && says(shared.get(shared.length - 1 - end), items[items.length - 1 - end])) end++;
  const paired = most - end;
  for (let n = start; n < paired; n++) {
    const at = [...path, String(n)];
    if (patchInside(shared.get(n), items[n], at, body)) continue;
    shared.delete(n);
    shared.insert(n, [share(items[n], at, body)]);
  }
  const surplus = shared.length - items.length;
  if (surplus > 0) shared.delete(paired, surplus);
  else if (surplus < 0)
    shared.insert(
      paired,
      items.slice(paired, paired - surplus).map((item, n) => share(item, [...path, String(paired + n)], body)),
    );
}

/**
 * Changes a shared map to `content` by a small edit. Equal values are not touched, so that cursors and edits of others
 * elsewhere survive. `body` is the path of the string that is a Y.Text.
 */
export function patchMap(shared: Y.Map<unknown>, content: JsonObject, body: Path | null, path: Path = []): void {
  for (const key of [...shared.keys()]) if (!Object.hasOwn(content, key)) shared.delete(key);
  for (const [key, value] of Object.entries(content)) {
    const at = [...path, key];
    if (shared.has(key) && patchInside(shared.get(key), value, at, body)) continue;
    shared.set(key, share(value, at, body));
  }
}

/** The draft with `text` at its body's path, if the path exists. Without `text` an existing body stays. */
export function withBody(content: Content, path: JsonPath | null, text: string | null = null): Content {
  if (path === null || path.length === 0) return content;
  return placed(content, path, text) as Content;
}

function placed(at: unknown, [segment, ...rest]: JsonPath, text: string | null): unknown {
  if (segment === undefined) return text ?? at ?? "";
  if (at === undefined || at === null) return { [segment]: placed(undefined, rest, text) };
  if (typeof at !== "object") return at;
  const inner = placed(own(at, segment), rest, text);
  if (!Array.isArray(at)) return { ...at, [segment]: inner };
  const n = Number(segment);
  return /^\d+$/.test(segment) && n <= at.length ? [...at.slice(0, n), inner, ...at.slice(n + 1)] : at;
}

/**
 * Reads a shared document as a draft; null when it is not a valid draft: too large, too deep, with a refused key, or
 * with a value that is not JSON.
 */
export function draftOf(doc: Y.Doc): Content | null {
  try {
    const parsed = contentSchema.safeParse(JSON.parse(JSON.stringify(doc.getMap(SHARED_MAP).toJSON())));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Changes a shared document to a draft by a small edit of `origin`. The body becomes at least an empty text. */
export function writeSharedDraft(doc: Y.Doc, content: Content, body: JsonPath | null, origin: string): void {
  doc.transact(() => patchMap(doc.getMap(SHARED_MAP), withBody(content, body), body), origin);
}

const keysOf = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, inner) => sum + 1 + keysOf(inner), 0);

/** Most bytes of JSON for one byte of an update: JSON writes a control character as six bytes. */
const JSON_OF_A_BYTE = 6;

/** Bytes of updates that surely fit into a draft before it must be measured again. */
export function headroomOf(content: Content): number {
  const left = DRAFT_LIMITS.maxBytes - new TextEncoder().encode(JSON.stringify(content)).byteLength;
  return Math.min(Math.floor(left / JSON_OF_A_BYTE), DRAFT_LIMITS.maxKeys - keysOf(content));
}
