import type * as Y from "yjs";
import { contentSchema } from "../drafts/present";
import { DRAFT_LIMITS } from "../limits";
import type { Content } from "../tables";
import type { JsonPath } from "../templating/path";
import { withBody } from "./body";
import { SHARED_MAP } from "./bootstrap";
import { patchMap } from "./merge";

/**
 * What a shared document says as a draft; null when a draft may not say that: too large, too deep, a key
 * that is refused, or a value that is no JSON.
 */
export function draftOf(doc: Y.Doc): Content | null {
  try {
    const parsed = contentSchema.safeParse(JSON.parse(JSON.stringify(doc.getMap(SHARED_MAP).toJSON())));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/** Makes a shared document say what a draft says, its body at least an empty text, by a small edit of `origin`. */
export function sayDraft(doc: Y.Doc, content: Content, body: JsonPath | null, origin: string): void {
  doc.transact(() => patchMap(doc.getMap(SHARED_MAP), withBody(content, body), body), origin);
}

const keysOf = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 0
    : Object.values(value).reduce<number>((sum, inner) => sum + 1 + keysOf(inner), 0);

/** JSON that one byte of an update may become at most: a control character of text is written as six. */
const JSON_OF_A_BYTE = 6;

/** Bytes of updates that a draft takes for sure before it must be measured again. */
export function headroomOf(content: Content): number {
  const left = DRAFT_LIMITS.largestBytes - new TextEncoder().encode(JSON.stringify(content)).byteLength;
  return Math.min(Math.floor(left / JSON_OF_A_BYTE), DRAFT_LIMITS.mostKeys - keysOf(content));
}
