import { useEffect, useRef, useState } from "preact/hooks";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { usePages } from "../../../ui/pages.ts";
import { type LiveEvent, useEvents, useSpaced } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";
import { act, acting, type Changed, useChanged } from "./changed.ts";
import { contentEdition } from "./folders.ts";
import { merged, orderOf } from "./order.ts";
import { shown } from "./shown.ts";
import { isOwnUpload } from "./uploads.ts";

/** Documents of one request: the most that the service answers. */
const PAGE_SIZE = 100;
/** Minimum time between two reads of the list when others, or uploads, change it, milliseconds. */
const REFRESH_MS = 2_500;
/** The most documents that are read one by one. After a change of more, the list is read again. */
const MAX_NAMED = 1_000;
/** The most pages that are read again then. A person who has scrolled further reads the list again with a button. */
const MAX_REFRESHED_PAGES = 10;

/** What events have said since the last read: all may have changed, or documents with the revision that they have at least. */
interface Heard {
  all: boolean;
  documents: Map<string, { revision: number | null; isGone: boolean }>;
}
const nothing = (): Heard => ({ all: false, documents: new Map() });

/**
 * The documents of a list, and what changes them: acts of this tab, and events. A page is read once. Later, only documents
 * that have changed are read.
 * @param onGone is called with documents that do not belong to the list any more
 */
export function useListed(locationId: string, folder: string, onGone: (ids: readonly string[]) => void) {
  const { sort, order, filters } = shown.value;
  const query = { path: folder, sort, order, ...filters };
  const key = JSON.stringify([locationId, query]);
  const read = (more: { cursor?: string | undefined; ids?: string }) =>
    dataOf(
      api.GET("/v1/spatial/locations/{locationId}/documents", {
        params: { path: { locationId }, query: { limit: PAGE_SIZE, ...query, ...more } },
      }),
    );
  const listed = usePages(
    key,
    (cursor) => read({ cursor }),
    "",
    ({ id }) => id,
  );
  const { items = [], pages, edit } = listed;
  const present = useRef(items);
  present.current = items;

  const take = (asked: readonly string[], found: readonly Document[]) => {
    const compare = orderOf(sort, order);
    edit((before, last) => {
      const end = last.nextCursor !== null && last.items.length === PAGE_SIZE ? (last.items.at(-1) ?? null) : null;
      return merged(before, asked, found, end, compare);
    });
    const there = new Set(found.map(({ id }) => id));
    const gone = asked.filter((id) => !there.has(id));
    if (gone.length > 0) onGone(gone);
  };
  const readNamed = async (ids: readonly string[]): Promise<void> => {
    for (let at = 0; at < ids.length; at += PAGE_SIZE) {
      const asked = ids.slice(at, at + PAGE_SIZE);
      take(asked, (await read({ ids: asked.join(",") })).items);
    }
  };

  const [isOld, setOld] = useState(false);
  const heard = useRef(nothing());
  /** The documents that events name and that this list does not show in that state yet. */
  const unseen = (named: Heard["documents"]): string[] => {
    const has = new Map(present.current.map((one) => [one.id, one]));
    return [...named].flatMap(([id, { revision }]) => {
      const known = has.get(id)?.revision;
      return revision !== null && known !== undefined && known >= revision ? [] : [id];
    });
  };
  const refresh = useSpaced(() => {
    // The answer of an act says what its events say.
    if (acting.peek() > 0) return;
    const { all, documents } = heard.current;
    heard.current = nothing();
    const deleted = [...documents].filter(([, { isGone }]) => isGone);
    for (const [id] of deleted) documents.delete(id);
    // An event can be older than the list: the document has come back since.
    const has = new Map(present.current.map((one) => [one.id, one.revision]));
    const gone = deleted.filter(([id, { revision }]) => (has.get(id) ?? 0) <= (revision ?? Number.POSITIVE_INFINITY));
    if (gone.length > 0)
      take(
        gone.map(([id]) => id),
        [],
      );
    const ids = unseen(documents);
    if (all || ids.length > MAX_NAMED) return pages > MAX_REFRESHED_PAGES ? setOld(true) : listed.reload();
    void readNamed(ids).catch(hearAll);
  }, REFRESH_MS);
  const hearAll = () => {
    heard.current.all = true;
    refresh();
  };
  const hear = (event: LiveEvent<"DocumentUploaded" | "StateUpdated">) => {
    if (event.kind === "StateUpdated" && event.subject.type !== "document") return;
    if (event.kind === "DocumentUploaded" && isOwnUpload(event)) return;
    const { documents } = heard.current;
    if (event.kind === "DocumentUploaded") documents.set(event.documentId, { revision: null, isGone: false });
    else {
      const { action, subject, revision } = event;
      const before = documents.get(subject.id);
      const isGone = action === "deleted";
      // Without a revision, the document has changed in another way, and is read in any case.
      const isRead = !isGone && before?.isGone === false && before.revision === null;
      documents.set(subject.id, { revision: isRead ? null : revision, isGone });
    }
    refresh();
  };
  useEvents(["DocumentUploaded", "StateUpdated", "Stale"], [locationId], (event) =>
    event.kind === "Stale" ? hearAll() : hear(event),
  );
  useChanged(({ ids, gone, by, tag }: Changed) => {
    if (tag !== undefined) {
      const { id, now } = tag;
      const next = (one: Document) => one.tags.flatMap((had) => (had.id !== id ? [had] : now === null ? [] : [now]));
      edit((before) => before.map((one) => ({ ...one, tags: next(one) })));
    }
    if (by === "upload") {
      for (const id of ids) heard.current.documents.set(id, { revision: null, isGone: false });
      return refresh();
    }
    // What was heard of them until now is older than what is read now.
    for (const id of [...ids, ...gone]) heard.current.documents.delete(id);
    if (gone.length > 0) take(gone, []);
    if (ids.length > MAX_NAMED) listed.restart();
    else void act(() => readNamed(ids)).catch(hearAll);
  });
  // What was heard during an act is looked at after it.
  const isActing = acting.value > 0;
  useEffect(() => {
    if (!isActing && (heard.current.all || heard.current.documents.size > 0)) refresh();
  }, [isActing]);
  const edition = contentEdition.value;
  const seen = useRef(edition);
  useEffect(() => {
    if (seen.current !== edition) hearAll();
    seen.current = edition;
  }, [edition]);

  return {
    ...listed,
    key,
    query,
    /** Whether the list is older than what it shows, and too long to be read again by itself. */
    isOld: isOld && pages > MAX_REFRESHED_PAGES,
    readAgain: () => {
      setOld(false);
      listed.restart();
    },
  };
}
