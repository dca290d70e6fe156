import type { SearchPassage, SearchResult } from "../../../../client/src/index.ts";
import { annotationPath, documentPath, HOME, locationPath } from "../../../../src/platform/paths.ts";
import { snippetParts } from "../../../ui/format.ts";
import { type Reported, reportClick } from "../platform/interactions.ts";
import { navigate } from "../platform/router.ts";

/** One line of the list: a result with its best passage, or a further passage of the document above it. */
export interface Line extends Pick<SearchResult, "resultId" | "snippet" | "source"> {
  hit: SearchResult;
  /** The identity of this line in reports to the search. */
  reported: Reported;
}

/** A result and its passages that the search returned, as lines. */
export function linesOf(searchId: string, hit: SearchResult): [Line, ...Line[]] {
  const { resultId, resultType, rankPosition, snippet, source } = hit;
  const head: Line = { resultId, snippet, source, hit, reported: { searchId, resultId, resultType, rankPosition } };
  return [head, ...hit.passages.slice(1).map((passage) => lineOf(head, passage))];
}

/** A passage of the document of a line. A passage that the search did not return is reported as its document. */
export function lineOf(head: Line, { resultId, snippet, source }: SearchPassage): Line {
  const isKnown = head.hit.passages.some((one) => one.resultId === resultId);
  const reported: Reported = isKnown ? { ...head.reported, resultId, resultType: "DocumentContent" } : head.reported;
  return { resultId, snippet, source, hit: head.hit, reported };
}

/** The found words, as they are in the text. */
export const wordsOf = (snippet: string | null): string[] => [
  ...new Set(
    snippetParts(snippet ?? "")
      .filter(({ marked }) => marked)
      .flatMap(({ text }) => text.toLowerCase().split(/\s+/)),
  ),
];

/** The view of a line: a document at its page, a location, an annotation, or the cluster among the locations. */
function pathOf({ hit, source, snippet }: Line): string {
  const { resultType, resultId, locationId, clusterId } = hit;
  if (source !== null) {
    const words = wordsOf(snippet);
    return documentPath(source.documentId, { page: source.pageNumber, passage: source.chunkIndex, words });
  }
  if (locationId === null) return `${HOME}#${clusterId}`;
  if (resultType === "SpatialMetadata") return annotationPath(locationId, resultId.slice(resultId.indexOf(":") + 1));
  return locationPath(locationId);
}

/** Opens a line, and reports that to the search. */
export function openLine(line: Line): void {
  reportClick(line.reported, line.source?.documentId ?? null);
  navigate(pathOf(line));
}
