import { type Document, dataOf, type PageWords, ProblemError } from "../../../../../client/src/index.ts";
import { api } from "../../platform/session.ts";
import { partsOf } from "./text-status.ts";

/** Reads the recognized words of a page; null if the page has none. */
export type WordsReader = (page: number) => Promise<PageWords | null>;

async function readWords(documentId: string, page: number): Promise<PageWords | null> {
  const path = { documentId, page };
  try {
    return await dataOf(api.GET("/v1/documents/{documentId}/pages/{page}/words", { params: { path } }));
  } catch (thrown) {
    if (thrown instanceof ProblemError && thrown.status === 404) return null;
    throw thrown;
  }
}

/**
 * A reader of a document's words that requests each page once. The service has only the words of the newest version.
 */
export function wordsReader({ id, textStatus }: Pick<Document, "id" | "textStatus">, isNewest: boolean): WordsReader {
  if (!isNewest || !partsOf(textStatus).words) return async () => null;
  const asked = new Map<number, Promise<PageWords | null>>();
  return (page) => {
    const before = asked.get(page);
    if (before !== undefined) return before;
    const words = readWords(id, page);
    asked.set(page, words);
    words.catch(() => asked.delete(page));
    return words;
  };
}

/**
 * Lays transparent words over the picture of a page, so that they can be marked, selected and copied like the text of a
 * PDF. Places and sizes are shares of the layer, which can change its size afterwards.
 */
export function layWords(layer: HTMLElement, { width, height, words }: PageWords): void {
  const all = words.map(({ text, left, top, width: wide, height: high }) => {
    const span = document.createElement("span");
    const letters = document.createTextNode(text);
    span.append(letters, " ");
    span.style.left = `${(100 * left) / width}%`;
    span.style.top = `${(100 * top) / height}%`;
    span.style.fontSize = `${(100 * high) / height}cqh`;
    return { span, letters, share: wide / width };
  });
  layer.replaceChildren(...all.map(({ span }) => span));
  const range = document.createRange();
  // All words are measured before the first is stretched, so that the browser lays out the page once.
  const natural = all.map(({ letters }) => {
    range.selectNodeContents(letters);
    return range.getBoundingClientRect().width;
  });
  for (const [index, { span, share }] of all.entries())
    span.style.transform = `scaleX(${(share * layer.clientWidth) / Math.max(1, natural[index] ?? 1)})`;
}
