import { useEffect, useRef, useState } from "preact/hooks";
import { SEARCH } from "#texts/search.ts";
import type { SearchPassage, SearchResponse, SearchResult } from "../../../../client/src/index.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { sayFailed } from "../../../ui/notice.tsx";
import { organization } from "../platform/workspace.ts";
import { type Asked, search } from "./asked.ts";
import { type Line, lineOf, linesOf } from "./lines.ts";

const PAGE_SIZE = 20;

/** A result with the passages under it. */
export interface Group {
  hit: SearchResult;
  lines: [Line, ...Line[]];
  /** Passages of the document that are not in `lines`. */
  left: number;
}

/** The additions to the first page: further pages, and all passages of a document by the id of its result. */
interface Added {
  key: string;
  pages: SearchResponse[];
  passages: Record<string, SearchPassage[]>;
}

function groupOf(searchId: string, hit: SearchResult, all: SearchPassage[] | undefined): Group {
  const [head, ...rest] = linesOf(searchId, hit);
  if (all === undefined) return { hit, lines: [head, ...rest], left: hit.passageCount - hit.passages.length };
  return { hit, lines: [head, ...all.slice(1).map((passage) => lineOf(head, passage))], left: 0 };
}

/** The results of a search. The previous results stay until they arrive. */
export function useResults(asked: Asked) {
  const { term, kind, place, asTyped, open } = asked;
  const key = JSON.stringify([term, kind, place, asTyped, place === "here" ? organization.value?.id : null]);
  const [kept, setKept] = useState<Added>({ key, pages: [], passages: {} });
  const added: Added = kept.key === key ? kept : { key, pages: [], passages: {} };
  const loaded = useLoaded(key, (signal) =>
    term === "" ? Promise.resolve(null) : search(asked, { limit: PAGE_SIZE }, signal),
  );
  const before = useRef<SearchResponse | null>(null);
  if (loaded.data !== undefined) before.current = loaded.data;
  const first = loaded.error === undefined ? (loaded.data === undefined ? before.current : loaded.data) : null;
  const pages = first === null ? [] : [first, ...added.pages];
  const groups = pages.flatMap(({ searchId, results }) =>
    results.map((hit) => groupOf(searchId, hit, added.passages[hit.resultId])),
  );
  const cursor = pages.at(-1)?.nextCursor ?? null;

  const add = async (change: () => Promise<(now: Added) => Partial<Added>>) => {
    try {
      const changed = await change();
      setKept((now) => {
        const own = now.key === key ? now : { key, pages: [], passages: {} };
        return { ...own, ...changed(own) };
      });
    } catch (thrown) {
      sayFailed(SEARCH.failed, thrown);
    }
  };
  const showMore = () =>
    add(async () => {
      const page = await search(asked, { limit: PAGE_SIZE, ...(cursor !== null && { cursor }) });
      return (now) => ({ pages: [...now.pages, page] });
    });
  /** Shows all passages of a document. @returns the id of the first one that was not shown before */
  const expand = async ({ hit, lines }: Group): Promise<string | null> => {
    const documentId = hit.source?.documentId;
    let passages = hit.passages;
    await add(async () => {
      const { results } = await search(asked, { limit: 1, ...(documentId !== undefined && { documentId }) });
      passages = results[0]?.passages ?? passages;
      return (now) => ({ passages: { ...now.passages, [hit.resultId]: passages } });
    });
    return passages[lines.length]?.resultId ?? null;
  };

  // A passage in the address can be one that is shown only on request.
  const hidden = groups.find(
    ({ hit, lines, left }) =>
      left > 0 &&
      open?.startsWith(`documentcontent:${hit.source?.documentId}.`) &&
      !lines.some(({ resultId }) => resultId === open),
  );
  useEffect(() => {
    if (hidden !== undefined) void expand(hidden);
  }, [hidden?.hit.resultId]);
  return { loaded, first, groups, cursor, showMore, expand, isStale: loaded.data === undefined };
}
