import { useRef, useState } from "preact/hooks";
import type { Document } from "../../../../client/src/index.ts";

export interface Selection {
  /** The selected documents, in the order of the list. */
  documents: readonly Document[];
  has: (id: string) => boolean;
  /** Selects a document or takes it out; with `extend` all documents from the last one to this one. */
  toggle: (id: string, extend: boolean) => void;
  all: () => void;
  clear: () => void;
}

/** The selected documents of a list. Documents that leave the list leave the selection. */
export function useSelection(items: readonly Document[]): Selection {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<string | null>(null);
  return {
    documents: items.filter(({ id }) => ids.has(id)),
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
      setIds(next);
    },
    all: () => setIds(new Set(items.map(({ id }) => id))),
    clear: () => setIds(new Set()),
  };
}
