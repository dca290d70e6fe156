import type { Document } from "../../../../client/src/index.ts";
import { sortNameOf } from "../../../../src/documents/sorting/names.ts";
import type { SORTS } from "./shown.ts";

type Key = readonly (string | number)[];

/** The keys of the orders, as `src/documents/library/list.ts` has them. */
const KEYS: Readonly<Record<(typeof SORTS)[number], (document: Document) => Key>> = {
  path: ({ path, fileName }) => [path, fileName],
  name: ({ fileName, id }) => [sortNameOf(fileName), id],
  kind: ({ kind, fileName, id }) => [kind, sortNameOf(fileName), id],
  size: ({ sizeBytes, id }) => [sizeBytes, id],
  changed: ({ updatedAtUtc, id }) => [Date.parse(updatedAtUtc), id],
  addedBy: ({ createdBy, fileName, id }) => [createdBy ?? "", sortNameOf(fileName), id],
};

/** Compares texts by their code points, as the service does. */
function compareTexts(a: string, b: string): number {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}

function compareKeys(a: Key, b: Key): number {
  for (const [n, one] of a.entries()) {
    const other = b[n];
    const difference =
      typeof one === "number" && typeof other === "number" ? one - other : compareTexts(`${one}`, `${other}`);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How the list compares two documents. */
type Compare = (a: Document, b: Document) => number;
export const orderOf =
  (sort: (typeof SORTS)[number], order: "asc" | "desc"): Compare =>
  (a, b) => {
    const difference = compareKeys(KEYS[sort](a), KEYS[sort](b));
    return order === "asc" ? difference : -difference;
  };

/** The first place in the list at which a document does not come before the one that is there. */
function placeOf(items: readonly Document[], document: Document, compare: Compare): number {
  let [from, to] = [0, items.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (compare(items[middle] as Document, document) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * The list after some of its documents were read again.
 * @param asked the documents that were read; those that are not in `found` do not belong to the list any more
 * @param end the document after which the rest of the list was not read yet; null if there is no rest
 */
export function merged(
  items: readonly Document[],
  asked: readonly string[],
  found: readonly Document[],
  end: Document | null,
  compare: Compare,
): Document[] {
  const again = new Set(asked);
  const next = items.filter(({ id }) => !again.has(id));
  // What comes after the end arrives with its page.
  for (const one of found) if (end === null || compare(one, end) <= 0) next.splice(placeOf(next, one, compare), 0, one);
  return next;
}
