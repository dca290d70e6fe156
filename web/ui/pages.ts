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
  /** Changes the items without a read. A read that runs meanwhile gets the change, too. */
  edit: (change: Edit<T>) => void;
}

/** Changes items; `last` is the page that was read last, as it was then. */
type Edit<T> = (items: readonly T[], last: Page<T>) => T[];

/** The pages that were read: `nextCursor` continues after them. */
interface Read<T> extends Page<T> {
  key: string;
  count: number;
  last: Page<T>;
}

/**
 * Reads a list page by page. One more page is one request. The list starts at the beginning when `key` changes. The items stay
 * during the next read.
 * @param changes A change of it reads all shown pages again.
 * @param idOf With it, an item that `edit` has added before its page was read is shown once.
 */
export function usePages<T>(
  key: string,
  readPage: (cursor: string | undefined) => Promise<Page<T>>,
  changes = "",
  idOf?: (item: T) => string,
): Pages<T> {
  const [shown, setShown] = useState({ key, count: 1 });
  const [, draw] = useState(0);
  const count = shown.key === key ? shown.count : 1;
  const read = useRef<Read<T> | null>(null);
  const present = useRef(key);
  present.current = key;
  const readChanges = useRef(changes);
  // Whether the next read begins with the first page.
  const isWhole = useRef(false);
  // The edits of this key that a read which runs has not seen.
  const edits = useRef<Edit<T>[]>([]);
  const loaded = useLoaded(`${key} ${count} ${changes}`, async (signal) => {
    const before = read.current;
    const isSame = readChanges.current === changes && !isWhole.current;
    const goesOn = isSame && before?.key === key && before.count < count;
    edits.current = [];
    let last = goesOn ? before.last : await readPage(undefined);
    const added = goesOn ? [] : [...last.items];
    for (let pages = goesOn ? before.count : 1; pages < count && last.nextCursor !== null; pages++) {
      last = await readPage(last.nextCursor);
      added.push(...last.items);
    }
    if (signal.aborted) return null;
    const items = joined(goesOn ? before.items : [], added, idOf);
    const edited = edits.current.reduce((some, change) => change(some, last), items);
    edits.current = [];
    isWhole.current = false;
    readChanges.current = changes;
    read.current = { key, count, items: edited, nextCursor: last.nextCursor, last };
    return read.current;
  });
  const page = read.current?.key === key ? read.current : undefined;
  return {
    items: page?.items,
    more:
      page === undefined || page.nextCursor === null
        ? null
        : () => page.count === count && setShown({ key, count: count + 1 }),
    pages: page?.count ?? 0,
    error: loaded.error,
    slow: loaded.slow && page === undefined,
    reload: () => {
      isWhole.current = true;
      loaded.reload();
    },
    restart: () => {
      isWhole.current = true;
      setShown({ key, count: 1 });
      loaded.reload();
    },
    edit: (change) => {
      if (present.current !== key) return;
      edits.current.push(change);
      if (read.current?.key !== key) return;
      read.current = { ...read.current, items: change(read.current.items, read.current.last) };
      draw((n) => n + 1);
    },
  };
}

/** Items with those of more pages, each once. */
function joined<T>(items: T[], added: readonly T[], idOf?: (item: T) => string): T[] {
  if (idOf === undefined) return [...items, ...added];
  const ids = new Set(items.map(idOf));
  return [...items, ...added.filter((one) => !ids.has(idOf(one)))];
}
