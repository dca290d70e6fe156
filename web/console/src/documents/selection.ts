import { useMemo, useRef, useState } from "preact/hooks";
import type { Document } from "../../../../client/src/index.ts";

/** Where the documents of a list are. */
export interface At {
  organizationId: string | null;
  locationId: string;
  /** The folder that is shown, whose path the names in a ZIP leave out. */
  folder: string;
  /** Whether the person may change all documents of the location. */
  writable: boolean;
}

export interface Selection {
  /** The selected documents of the pages that were read, in the order of the list. */
  documents: readonly Document[];
  /** The ids of all selected documents. The documents of pages that were not read are at the end. */
  ids: readonly string[];
  /** Whether these are all documents of the list. */
  isAll: boolean;
  has: (id: string) => boolean;
  /** Selects a document or takes it out; with `extend` all documents from the last one to this one. */
  toggle: (id: string, extend: boolean) => void;
  /** Selects two neighbours: the keyboard selects on. */
  extend: (from: string, to: string) => void;
  all: () => void;
  clear: () => void;
  /** Takes documents out that do not belong to the list any more. */
  drop: (ids: readonly string[]) => void;
}

interface Selected {
  ids: ReadonlySet<string>;
  /** The list whose documents were all selected, and the ids of all its documents. */
  beyond: { key: string; ids: readonly string[] } | null;
}
const none: Selected = { ids: new Set(), beyond: null };

/**
 * The selected documents of a list. Documents that leave the list leave the selection.
 * @param readIds reads the ids of all documents of the list; null if all of them were read
 */
export function useSelection(
  key: string,
  items: readonly Document[],
  readIds: (() => Promise<readonly string[]>) | null,
): Selection {
  const [selected, select] = useState(none);
  const last = useRef<string | null>(null);
  const present = useRef(key);
  present.current = key;
  // Another selection ends the reading of all ids.
  const turn = useRef(0);
  const { ids } = selected;
  const beyond = selected.beyond?.key === key ? selected.beyond.ids : null;
  const { documents, all, isAll } = useMemo(() => {
    const documents = items.filter(({ id }) => ids.has(id));
    const shown = documents.map(({ id }) => id);
    const hasRead = documents.length === items.length;
    if (beyond === null) return { documents, all: shown, isAll: hasRead && readIds === null };
    const read = new Set(items.map(({ id }) => id));
    const rest = beyond.filter((id) => ids.has(id) && !read.has(id));
    return { documents, all: [...shown, ...rest], isAll: hasRead && beyond.every((id) => ids.has(id)) };
  }, [items, ids, beyond, readIds === null]);
  const change = (next: ReadonlySet<string>) => {
    turn.current++;
    select((before) => ({ ...before, ids: next }));
  };
  return {
    documents,
    ids: all,
    isAll,
    has: (id) => ids.has(id),
    toggle: (id, extend) => {
      const next = new Set(ids);
      const isSelected = !ids.has(id);
      const [from, to] = [items.findIndex((one) => one.id === last.current), items.findIndex((one) => one.id === id)];
      const range = extend && from >= 0 ? items.slice(Math.min(from, to), Math.max(from, to) + 1) : [items[to]];
      for (const one of range) {
        if (one === undefined) continue;
        if (isSelected) next.add(one.id);
        else next.delete(one.id);
      }
      last.current = id;
      change(next);
    },
    extend: (from, to) => {
      last.current = to;
      change(new Set([...ids, from, to]));
    },
    all: () => {
      change(new Set(items.map(({ id }) => id)));
      const now = turn.current;
      void readIds?.().then((every) => {
        if (present.current === key && turn.current === now)
          select({ ids: new Set(every), beyond: { key, ids: every } });
      });
    },
    clear: () => {
      turn.current++;
      select(none);
    },
    drop: (gone) => {
      select((before) => {
        if (!gone.some((id) => before.ids.has(id))) return before;
        const left = new Set(before.ids);
        for (const id of gone) left.delete(id);
        return { ...before, ids: left };
      });
    },
  };
}
