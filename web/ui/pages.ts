import { useRef, useState } from "preact/hooks";
import type { Page } from "../../client/src/index.ts";
import { useLoaded } from "./loading.ts";

export interface Pages<T> {
  /** The items of all pages that are shown; undefined before the first is read. */
  items: T[] | undefined;
  /** Shows one more page; null if there is none. While that page is read, another call does nothing. */
  more: (() => void) | null;
  /** The pages that were read. */
  pages: number;
  error: unknown;
  /** Whether the first page takes so long that the page should show it. */
  slow: boolean;
  /** Reads all pages that are shown again. */
  reload: () => void;
  /** Shows the first page alone, which is read again. */
  restart: () => void;
}

/** The pages that were read: `nextCursor` continues after them. */
interface Read<T> extends Page<T> {
  key: string;
  count: number;
}

/**
 * Reads a list page by page. One more page is one request. The list starts at the beginning when `key` changes. The items stay
 * during the next read.
 * @param changes A change of it reads all shown pages again.
 */
export function usePages<T>(
  key: string,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  changes = "",
): Pages<T> {
  const [shown, setShown] = useState({ key, count: 1 });
  const count = shown.key === key ? shown.count : 1;
  const read = useRef<Read<T> | null>(null);
  const readChanges = useRef(changes);
  const loaded = useLoaded(`${key} ${count} ${changes}`, async () => {
    const before = read.current;
    const goesOn = before?.key === key && before.count < count && readChanges.current === changes;
    let { items, nextCursor } = goesOn ? before : await readPage(undefined);
    let pages = goesOn ? before.count : 1;
    for (; pages < count && nextCursor !== null; pages++) {
      const next = await readPage(nextCursor);
      items = [...items, ...next.items];
      nextCursor = next.nextCursor;
    }
    readChanges.current = changes;
    read.current = { key, count, items, nextCursor };
    return read.current;
  });
  const page = loaded.data ?? (read.current?.key === key ? read.current : undefined);
  return {
    items: page?.items,
    more:
      page === undefined || page.nextCursor === null
        ? null
        : () => page.count === count && setShown({ key, count: count + 1 }),
    pages: page?.count ?? 0,
    error: loaded.error,
    slow: loaded.slow && page === undefined,
    reload: loaded.reload,
    restart: () => {
      read.current = null;
      setShown({ key, count: 1 });
      loaded.reload();
    },
  };
}
