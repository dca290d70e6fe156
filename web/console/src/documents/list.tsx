import { useRef, useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { type Document, dataOf, eachItem } from "../../../../client/src/index.ts";
import { TableHead } from "../../../ui/card-table.tsx";
import { Chunks } from "../../../ui/chunks.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { MoreAhead } from "../../../ui/more.tsx";
import { Alert, CalmCard, sayFailed, Waiting } from "../../../ui/notice.tsx";
import { singleKeys } from "../../../ui/single-keys.ts";
import { collect } from "../platform/listed.ts";
import { api } from "../platform/session.ts";
import { removeSelected, SelectionBar } from "./bar.tsx";
import { useChanged } from "./changed.ts";
import { Filters } from "./filters.tsx";
import { Card, Row } from "./items.tsx";
import { useKeptFocus } from "./kept-focus.ts";
import { useListed } from "./listed.ts";
import { type Selection, useSelection } from "./selection.ts";
import { clearFilters, isFiltered, shown } from "./shown.ts";

interface DocumentsProps {
  organizationId: string | null;
  locationId: string;
  /** Only documents in this folder and below it; all for "". */
  folder: string;
  /** Whether the person may change all documents of the location. */
  writable: boolean;
  /** Whether what is above the list is there, so that the list does not jump. */
  isReady: boolean;
  /** Opens the file input; null if the person may not add files. */
  choose: (() => void) | null;
}

/** Moves the focus from the box of a document to the one above or below it. With `selects`, both are selected. */
function step(list: Element, from: HTMLElement, by: 1 | -1, selects: boolean, selection: Selection): void {
  const boxes = [...list.querySelectorAll<HTMLElement>(".pick input")];
  const next = boxes[boxes.indexOf(from) + by];
  if (next === undefined) return;
  next.focus();
  const idOf = (one: Element) => one.closest("[data-document]")?.getAttribute("data-document") ?? "";
  if (selects) selection.extend(idOf(from), idOf(next));
}

/** The documents of a location. */
export function Documents({ organizationId, locationId, folder, writable, isReady, choose }: DocumentsProps) {
  const text = DOCUMENTS;
  const { view } = shown.value;
  const listed = useListed(locationId, folder, (ids) => selection.drop(ids));
  const { items, more, pages, error, slow, reload, key, query } = listed;
  /** The ids of all documents of the list. */
  const readIds = async (): Promise<string[]> => {
    const params = (cursor: string | undefined) => ({ path: { locationId }, query: { ...query, cursor } });
    const all = eachItem((cursor) =>
      dataOf(api.GET("/v1/spatial/locations/{locationId}/documents/ids", { params: params(cursor) })),
    );
    try {
      return await collect(all, Number.POSITIVE_INFINITY);
    } catch (thrown) {
      sayFailed(text.selectFailed, thrown);
      return (items ?? []).map(({ id }) => id);
    }
  };
  const selection = useSelection(key, items ?? [], more === null ? null : readIds);
  const list = useRef<HTMLDivElement>(null);
  const bringFocus = useKeptFocus(list, items ?? []);
  useChanged(({ ids, by }) => by === "undo" && bringFocus(ids));
  const [renamed, setRenamed] = useState<string | null>(null);
  const [open, setOpen] = useState<"move" | "tags" | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const { target, key: pressed, shiftKey } = event;
    const isWriting =
      target instanceof HTMLElement && target.closest("dialog, select, input:not([type=checkbox])") !== null;
    if (isWriting) return;
    const isCommand = event.ctrlKey || event.metaKey;
    const [one] = selection.documents;
    const isAny = selection.ids.length > 0;
    const box = target instanceof HTMLElement && target.matches(".pick input") ? target : null;
    const act = { m: "move", t: "tags" } as const;
    const opens = !isCommand && !event.altKey && singleKeys.peek() ? act[pressed as keyof typeof act] : undefined;
    if (pressed === "Escape" && isAny) selection.clear();
    else if (pressed === "a" && isCommand) selection.all();
    else if (pressed === "F2" && one?.capabilities.Documents === "Write") setRenamed(one.id);
    else if (pressed === "Delete" && isAny) void removeSelected(locationId, selection);
    else if (opens !== undefined && isAny) setOpen(opens);
    else if (pressed === "ArrowDown" && box && list.current) step(list.current, box, 1, shiftKey, selection);
    else if (pressed === "ArrowUp" && box && list.current) step(list.current, box, -1, shiftKey, selection);
    else return;
    event.preventDefault();
  };

  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (items === undefined || !isReady) return slow ? <Waiting text={text.loading} /> : null;
  if (items.length === 0 && more === null && !isFiltered.value)
    return (
      <div ref={list} class="doc-list" tabIndex={-1}>
        <CalmCard icon="upload" title={text.none} help={choose ? text.noneHelp : text.noneReadOnly}>
          {choose && (
            <button type="button" class="btn" onClick={choose}>
              {text.choose}
            </button>
          )}
        </CalmCard>
      </div>
    );
  const { columns } = text;
  const propsOf = (document: Document) => {
    const isRenamed = renamed === document.id;
    return { document, isRenamed, rename: setRenamed, selection };
  };
  const row = (document: Document) => <Row key={document.id} {...propsOf(document)} />;
  const card = (document: Document) => <Card key={document.id} {...propsOf(document)} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole list; each control has its own too
    <div ref={list} class="stack doc-list" tabIndex={-1} onKeyDown={onKeyDown}>
      <Filters organizationId={organizationId} />
      {listed.isOld && (
        <p class="row wrap" role="status">
          <span class="grow">{text.old}</span>
          <button type="button" class="btn" onClick={listed.readAgain}>
            {text.readAgain}
          </button>
        </p>
      )}
      <SelectionBar
        at={{ organizationId, locationId, folder, writable }}
        selection={selection}
        rename={setRenamed}
        open={open}
        setOpen={setOpen}
      />
      {items.length === 0 && more === null ? (
        <CalmCard icon="search" title={text.noneFound} help={text.noneFoundHelp}>
          <button type="button" class="btn" onClick={clearFilters}>
            {text.clearFilters}
          </button>
        </CalmCard>
      ) : view === "grid" ? (
        <Chunks as="div" class="doc-grid" items={items} row={card} space={(height) => <div style={{ height }} />} />
      ) : (
        <div class="card table doc-table">
          <table>
            <TableHead
              title={text.title}
              columns={[
                columns.name,
                columns.version,
                columns.text,
                { number: columns.size },
                columns.changed,
                columns.addedBy,
              ]}
              actions={columns.actions}
            />
            <Chunks
              as="tbody"
              items={items}
              row={row}
              space={(height) => (
                <tr>
                  <td colSpan={7} style={{ height }} />
                </tr>
              )}
            />
          </table>
        </div>
      )}
      <MoreAhead more={more} pages={pages} />
      {choose && (
        <p class="drop">
          <Icon name="upload" />
          <span>
            {text.drop}{" "}
            <button type="button" class="link" onClick={choose}>
              {text.dropChoose}
            </button>
          </span>
          <span class="quiet small">{text.dropLimit}</span>
        </p>
      )}
    </div>
  );
}
