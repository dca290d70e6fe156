import * as Y from "yjs";
import { contentSchema } from "../drafts";
import { DRAFT_LIMITS } from "../limits";
import { Equality, longestIncreasing, matchItems, mergeThreeWays, newBudget } from "../merging";
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

/** Where a value is in the draft, the body's path, and the moved items so far. */
interface Place {
  path: Path;
  body: Path | null;
  moves: Move[];
}

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
function patchInside(shared: unknown, value: unknown, at: Place): boolean {
  const { path, body } = at;
  if (shared instanceof Y.Text && typeof value === "string") patchText(shared, value);
  else if (shared instanceof Y.Map && isObject(value)) patchFields(shared, value, at);
  else if (shared instanceof Y.Array && Array.isArray(value)) patchArray(shared, value, at);
  else return typeof value !== "string" || !isBody(path, body) ? says(shared, value) : false;
  return true;
}

/** An item of a list that an edit moved. Yjs has no move, so the old item is deleted and a new one is added. */
export interface Move {
  was: Y.ID;
  is: Y.ID;
  path: Path;
  before: JsonObject;
  after: JsonObject;
}

const idOf = (shared: unknown): Y.ID | null => (shared instanceof Y.Map ? (shared._item?.id ?? null) : null);

/**
 * Changes a shared list. Items are matched by their identity and stay the same shared item, so that concurrent edits stay
 * on them. `moves` receives the items that had to be replaced because their order changed.
 */
function patchArray(shared: Y.Array<unknown>, items: readonly unknown[], at: Place): void {
  const before = shared.toJSON() as unknown[];
  const { to, from } = matchItems(before, items, new Equality(), newBudget());
  const old = from.map((n) => (n === -1 ? null : shared.get(n)));
  // The item with the body is replaced when its index changes, because the body's path has the index.
  const bodyIndex =
    at.body !== null && isBody(at.path, at.body.slice(0, at.path.length)) ? at.body[at.path.length] : null;
  const stays = [...from.keys()].filter(
    (n) => from[n] !== -1 && (from[n] === n || (String(n) !== bodyIndex && String(from[n]) !== bodyIndex)),
  );
  const kept = new Set(longestIncreasing(stays.map((n) => from[n] as number)).map((n) => stays[n] as number));
  for (let n = before.length - 1; n >= 0; n--) if (!kept.has(to[n] as number)) shared.delete(n);
  for (let n = 0; n < items.length; ) {
    let end = n;
    while (end < items.length && !kept.has(end)) end++;
    const run = items.slice(n, end).map((item, i) => share(item, [...at.path, String(n + i)], at.body));
    if (run.length > 0) shared.insert(n, run);
    for (; n < end; n++) {
      const [was, is] = [idOf(old[n]), idOf(shared.get(n))];
      const [item, moved] = [before[from[n] as number], items[n]];
      if (was !== null && is !== null && isObject(item) && isObject(moved))
        at.moves.push({ was, is, path: [...at.path, String(n)], before: item, after: moved });
    }
    if (n === items.length) return;
    const inside = { ...at, path: [...at.path, String(n)] };
    if (!patchInside(shared.get(n), items[n], inside)) {
      shared.delete(n);
      shared.insert(n, [share(items[n], inside.path, at.body)]);
    }
    n++;
  }
}

function patchFields(shared: Y.Map<unknown>, content: JsonObject, at: Place): void {
  for (const key of [...shared.keys()]) if (!Object.hasOwn(content, key)) shared.delete(key);
  for (const [key, value] of Object.entries(content)) {
    const inside = { ...at, path: [...at.path, key] };
    if (shared.has(key) && patchInside(shared.get(key), value, inside)) continue;
    shared.set(key, share(value, inside.path, at.body));
  }
}

/**
 * Changes a shared map to `content` by a small edit. Equal values are not touched, so that cursors and edits of others
 * elsewhere survive. `body` is the path of the string that is a Y.Text. @returns the items that the edit moved.
 */
export function patchMap(shared: Y.Map<unknown>, content: JsonObject, body: Path | null, path: Path = []): Move[] {
  const moves: Move[] = [];
  patchFields(shared, content, { path, body, moves });
  return moves;
}

/** The shared object that an item holds; null when it was deleted. */
function objectAt(doc: Y.Doc, id: Y.ID): Y.Map<unknown> | null {
  const item = Y.getItem(doc.store, id);
  if (!(item instanceof Y.Item) || item.deleted || !(item.content instanceof Y.ContentType)) return null;
  return item.content.type instanceof Y.Map ? item.content.type : null;
}

/**
 * Applies an update that moved items, and takes what was written into the old items meanwhile over to the new ones. Where
 * both wrote the same, the update's value stays.
 */
export function applyMoves(
  doc: Y.Doc,
  update: Uint8Array,
  moves: readonly Move[],
  body: Path | null,
  origins: { update: string; taken: string },
): void {
  const written = moves.map(({ was }) => objectAt(doc, was)?.toJSON() ?? null);
  Y.applyUpdate(doc, update, origins.update);
  doc.transact(() => {
    for (const [n, { is, path, before, after }] of moves.entries()) {
      const moved = objectAt(doc, is);
      const mine = written[n] ?? null;
      if (moved === null) continue;
      if (mine !== null) patchMap(moved, mergeThreeWays(before, mine, after).value as JsonObject, body, path);
      else if (moved.parent instanceof Y.Array) moved.parent.delete(moved.parent.toArray().indexOf(moved));
    }
  }, origins.taken);
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

/**
 * Changes a shared document to a draft by a small edit of `origin`. The body becomes at least an empty text.
 * @returns the items that the edit moved.
 */
export function writeSharedDraft(doc: Y.Doc, content: Content, body: JsonPath | null, origin: string): Move[] {
  return doc.transact(() => patchMap(doc.getMap(SHARED_MAP), withBody(content, body), body), origin);
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
