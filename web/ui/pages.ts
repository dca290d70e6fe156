import { useEffect, useState } from "preact/hooks";
import type { Page } from "../../client/src/index.ts";
import { useLoaded } from "./loading.ts";

export interface Pages<T> {
  /** The items of all pages that are shown; undefined before the first is read. */
  items: T[] | undefined;
  /** Shows one more page; null if there is none. */
  more: (() => void) | null;
  error: unknown;
  /** Whether the first page takes so long that the page should show it. */
  slow: boolean;
  reload: () => void;
}

/** Reads a list page by page. It starts at the beginning when `key` changes. The items stay during the next read. */
export function usePages<T>(key: string, readPage: (cursor: string | undefined) => Promise<Page<T>>): Pages<T> {
  const [shown, setShown] = useState({ key, count: 1 });
  const count = shown.key === key ? shown.count : 1;
  const [kept, setKept] = useState<{ key: string; page: Page<T> } | null>(null);
  const loaded = useLoaded(`${key} ${count}`, async () => {
    const all = await readPage(undefined);
    for (let read = 1; read < count && all.nextCursor !== null; read++) {
      const next = await readPage(all.nextCursor);
      all.items.push(...next.items);
      all.nextCursor = next.nextCursor;
    }
    return all;
  });
  useEffect(() => {
    if (loaded.data !== undefined) setKept({ key, page: loaded.data });
  }, [loaded.data, key]);
  const page = loaded.data ?? (kept?.key === key ? kept.page : undefined);
  return {
    items: page?.items,
    more: page === undefined || page.nextCursor === null ? null : () => setShown({ key, count: count + 1 }),
    error: loaded.error,
    slow: loaded.slow && page === undefined,
    reload: loaded.reload,
  };
}
