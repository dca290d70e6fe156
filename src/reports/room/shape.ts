import * as Y from "yjs";
import { isForbiddenKey } from "../../platform/http/fields";
import { DRAFT_LIMITS } from "../limits";
import { type JsonPath, own } from "../templating";
import { SHARED_MAP } from "./bootstrap";
import { patchMap, withBody } from "./shared-json";

/*
 * The required shape of a shared draft. It has one root, a Y.Map. Objects are Y.Map, lists are Y.Array, the string at
 * the body's path is a Y.Text of plain text, and every other value is a plain JSON value.
 */

/** The message to a writer whose content was removed, by rule. */
export const RULES = {
  "other-root": `only the map "${SHARED_MAP}" is shared; an edit outside it is taken back`,
  xml: "a draft holds no XML types; write the body as markdown",
  "formatted-text": "the body is plain text; formats and attributes are taken back, the text stays",
  embed: "the body is plain text; embeds are taken back",
  "body-replaced": "the body is one Y.Text; change it with insert and delete, and do not replace or delete it",
  "text-elsewhere": "the only Y.Text is the body; this field became a plain string",
  "not-json": "a draft holds JSON values, Y.Map and Y.Array; this value is taken back",
  "not-a-draft": "the draft would be too large or too deep, or has a key that is not allowed; the edit is taken back",
} as const;
export type Rule = keyof typeof RULES;

/** The clock of each client before an update. */
type Clocks = ReadonlyMap<number, number>;

const isName = (key: string): boolean => key.length <= DRAFT_LIMITS.maxKeyLength && !isForbiddenKey(key);

/** The rule that a plain value at this depth breaks. */
function breachOfPlain(value: unknown, depth: number): Rule | null {
  if (value === undefined || typeof value === "bigint" || value instanceof Uint8Array) return "not-json";
  if (typeof value !== "object" || value === null) return null;
  if (depth === DRAFT_LIMITS.maxDepth || !Object.keys(value).every(isName)) return "not-a-draft";
  for (const inner of Object.values(value)) {
    const rule = breachOfPlain(inner, depth + 1);
    if (rule !== null) return rule;
  }
  return null;
}

/** The root type and the depth of an item; null when it is inside deleted content. */
function placeOf(item: Y.Item): { root: Y.AbstractType<unknown>; depth: number } | null {
  for (let at = item, depth = 1; ; depth++) {
    const { parent } = at;
    if (!(parent instanceof Y.AbstractType)) return null;
    if (parent._item === null) return { root: parent, depth };
    at = parent._item;
  }
}

/** The rule that a value inside a map or a list breaks. */
function breachOfValue(content: Y.Item["content"], depth: number): Rule | null {
  if (content instanceof Y.ContentAny || content instanceof Y.ContentJSON) {
    for (const value of content.getContent()) {
      const rule = breachOfPlain(value, depth);
      if (rule !== null) return rule;
    }
    return null;
  }
  if (!(content instanceof Y.ContentType)) return "not-json";
  // XML types are subclasses of these types, so the class itself is compared.
  const kind = content.type.constructor;
  if (kind === Y.Text) return "text-elsewhere";
  if (kind !== Y.Map && kind !== Y.Array) return "xml";
  return depth === DRAFT_LIMITS.maxDepth ? "not-a-draft" : null;
}

/** The rule that an item breaks. `keepBody` checks whether the body is one text. */
function breachOf(item: Y.Item, draft: Y.Map<unknown>, body: unknown): Rule | null {
  const { parent, parentSub, content } = item;
  const place = placeOf(item);
  if (place?.root !== draft) return "other-root";
  if (parent instanceof Y.Text) {
    if (parentSub !== null || content instanceof Y.ContentFormat) return "formatted-text";
    return content instanceof Y.ContentString ? null : "embed";
  }
  if (parent instanceof Y.Map !== (parentSub !== null)) return "not-json";
  if (parentSub !== null && !isName(parentSub)) return "not-a-draft";
  if (content instanceof Y.ContentType && content.type === body) return null;
  return breachOfValue(content, place.depth);
}

/** Items that were added after `before` and are not deleted. */
function newItems(doc: Y.Doc, before: Clocks): Y.Item[] {
  const found: Y.Item[] = [];
  for (const [client, structs] of doc.store.clients) {
    const known = before.get(client) ?? 0;
    for (let n = structs.length - 1; n >= 0; n--) {
      const struct = structs[n];
      if (struct === undefined || struct.id.clock < known) break;
      if (struct instanceof Y.Item && !struct.deleted) found.push(struct);
    }
  }
  return found.reverse();
}

/** Whether an item still has its content. A deleted item keeps it until its transaction ends. */
const isIntact = (item: Y.Item): boolean => !(item.content instanceof Y.ContentDeleted);

/** The content of a text before it was deleted in this transaction. */
function textBefore(text: Y.Text): string {
  let said = "";
  for (let item = text._start; item !== null; item = item.right)
    if (item.content instanceof Y.ContentString) said += item.content.str;
  return said;
}

/** A shared value before it was deleted in this transaction, as JSON. */
function valueBefore(item: Y.Item): unknown {
  const { content } = item;
  if (!(content instanceof Y.ContentType)) return content.getContent().at(-1);
  const { type } = content;
  if (type instanceof Y.Text) return textBefore(type);
  if (type instanceof Y.Map)
    return Object.fromEntries(
      [...type._map].filter(([, inner]) => isIntact(inner)).map(([key, inner]) => [key, valueBefore(inner)]),
    );
  const items: unknown[] = [];
  for (let inner = type._start; inner !== null; inner = inner.right)
    if (isIntact(inner))
      items.push(...(inner.content instanceof Y.ContentType ? [valueBefore(inner)] : inner.content.getContent()));
  return items;
}

/** Removes an item; a field gets back its previous value. */
function takeBack(transaction: Y.Transaction, item: Y.Item, before: Clocks): void {
  const { parent, parentSub } = item;
  item.delete(transaction);
  if (!(parent instanceof Y.Map) || parentSub === null || parent._map.get(parentSub) !== item) return;
  let old = item.left;
  while (old !== null && old.id.clock >= (before.get(old.id.client) ?? 0)) old = old.left;
  if (old === null || !isIntact(old)) return;
  const value = valueBefore(old);
  const holder = new Y.Doc().getMap("holder");
  patchMap(holder, { value }, null);
  const shared = holder.get("value");
  parent.set(parentSub, shared instanceof Y.AbstractType ? shared.clone() : shared);
}

/** The value at the body's path of a shared draft. */
const bodyAt = (draft: Y.Map<unknown>, path: JsonPath): unknown =>
  path.reduce<unknown>((at, segment) => {
    if (at instanceof Y.Map) return at.get(segment);
    if (at instanceof Y.Array) return /^\d+$/.test(segment) ? at.get(Number(segment)) : undefined;
    return own(at, segment);
  }, draft);

/** Enforces the shape of one document, and of its body. */
export class Shape {
  readonly #draft: Y.Map<unknown>;
  /** The path of the body. */
  path: JsonPath | null = null;
  /** The body's text at its last known place. */
  #body: Y.Text | null = null;

  constructor(private readonly doc: Y.Doc) {
    // The root is requested before anything is read, because the first request sets its type.
    this.#draft = doc.getMap(SHARED_MAP);
  }

  /** Sets the path of the body. */
  lookAt(path: JsonPath | null): void {
    this.path = path;
    const found = path === null ? null : bodyAt(this.#draft, path);
    this.#body = found instanceof Y.Text ? found : null;
  }

  /** The state vector before an update, for `keep`. */
  clocks(): Clocks {
    return new Map([...this.doc.store.clients.keys()].map((client) => [client, Y.getState(this.doc.store, client)]));
  }

  /** Removes new content since `before` that breaks the shape. @returns the broken rules. */
  keep(transaction: Y.Transaction, before: Clocks): Set<Rule> {
    const broken = new Set<Rule>();
    const body = this.path === null ? null : bodyAt(this.#draft, this.path);
    for (const item of newItems(this.doc, before)) {
      if (item.deleted) continue;
      const rule = breachOf(item, this.#draft, body);
      if (rule === null) continue;
      broken.add(rule);
      if (rule === "text-elsewhere") this.#makePlain(transaction, item);
      else takeBack(transaction, item, before);
    }
    if (this.path !== null && !this.#keepBody(this.path)) broken.add("body-replaced");
    return broken;
  }

  /** Replaces a text that is not the body by a plain string. */
  #makePlain(transaction: Y.Transaction, item: Y.Item): void {
    const { parent, parentSub, content } = item;
    if (!(content instanceof Y.ContentType)) return;
    const said = textBefore(content.type as Y.Text);
    if (parent instanceof Y.Map && parentSub !== null) parent.set(parentSub, said);
    else if (parent instanceof Y.Array) {
      const at = parent.toArray().indexOf(content.type);
      parent.insert(at, [said]);
    }
    if (!item.deleted) item.delete(transaction);
  }

  /** Whether the body is still one text. A replaced or deleted body is restored. */
  #keepBody(path: JsonPath): boolean {
    const found = bodyAt(this.#draft, path);
    const lost = this.#body?._item?.deleted === true ? this.#body : null;
    // In a list, another item with a string can have moved to the place of the body.
    const isMoved = typeof found === "string" && path.some((segment) => /^\d+$/.test(segment));
    if (lost !== null && !isMoved) this.#say(path, textBefore(lost));
    else if (typeof found === "string") this.#say(path, found);
    else if (found === undefined || found === null) this.#say(path, "");
    this.lookAt(path);
    return lost === null || isMoved;
  }

  #say(path: JsonPath, text: string): void {
    patchMap(this.#draft, withBody(this.#draft.toJSON(), path, text), path);
  }
}

/**
 * Whether an update has a name that is not allowed in a draft. Such a name stays in the history also after its
 * deletion.
 */
export const hasLongNames = ({ structs }: ReturnType<typeof Y.decodeUpdate>): boolean =>
  structs.some((struct) => {
    if (!(struct instanceof Y.Item)) return false;
    // An item at the top has the name of its root until it is part of a document.
    const root: unknown = struct.parent;
    return (
      (struct.parentSub?.length ?? 0) > DRAFT_LIMITS.maxKeyLength ||
      (typeof root === "string" && root.length > DRAFT_LIMITS.maxKeyLength)
    );
  });
