import type * as Y from "yjs";
import { contentSchema } from "../drafts/present";
import type { Content } from "../tables";
import type { JsonPath } from "../templating/path";
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

/** Makes a shared document say what a draft says, by a small edit of `origin`. */
export function sayDraft(doc: Y.Doc, content: Content, body: JsonPath | null, origin: string): void {
  doc.transact(() => patchMap(doc.getMap(SHARED_MAP), content, body), origin);
}
