import { useEffect, useRef, useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { sizeOf } from "#texts/language.ts";
import { type Document, dataOf } from "../../../../client/src/index.ts";
import { documentPath, folderPath } from "../../../../src/platform/paths.ts";
import { BusyButton, IconButton } from "../../../ui/buttons.tsx";
import { TableHead } from "../../../ui/card-table.tsx";
import { Chunks } from "../../../ui/chunks.tsx";
import { timeOf } from "../../../ui/format.ts";
import { Icon } from "../../../ui/icon.tsx";
import { MoreAhead } from "../../../ui/more.tsx";
import { Alert, CalmCard, Waiting } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { useFresh, useSpaced } from "../platform/live/index.ts";
import { api } from "../platform/session.ts";
import { download, remove } from "./actions.ts";
import { removeSelected, SelectionBar } from "./bar.tsx";
import { draggable } from "./dragging.ts";
import { Filters } from "./filters.tsx";
import { folderEdition } from "./folders.ts";
import { RenameField } from "./rename.tsx";
import { type Selection, useSelection } from "./selection.ts";
import { clearFilters, isFiltered, shown } from "./shown.ts";
import { TagChip } from "./tags.tsx";
import { Thumbnail } from "./thumbnail.tsx";
import { isOwnUpload, uploaded } from "./uploads.ts";

const PAGE_SIZE = 100;
/** Minimum time between two reads of the list when others, or uploads, change it, milliseconds. */
const REFRESH_MS = 2_500;
/** The most pages that are read again then. A person who has scrolled further reads the list again with a button. */
const MAX_REFRESHED_PAGES = 10;

interface ItemProps {
  document: Document;
  /** Whether its name is a field now; `rename` makes the name of a document a field, or of none. */
  isRenamed: boolean;
  rename: (id: string | null) => void;
  selection: Selection;
  reload: () => void;
}

/** Selects a document. With Shift, all documents from the last one. */
const PickBox = ({ document: { id, fileName }, selection }: Pick<ItemProps, "document" | "selection">) => (
  <label class="pick">
    <input
      type="checkbox"
      aria-label={DOCUMENTS.select(fileName)}
      checked={selection.has(id)}
      onClick={(event) => selection.toggle(id, event.shiftKey)}
    />
  </label>
);

/** The properties of an item that is dragged to a folder: with it all selected documents, if it is selected. */
function draggedItem({ document, selection, isRenamed }: ItemProps) {
  if (document.capabilities.Documents !== "Write" || isRenamed) return {};
  const { locationId } = document;
  return draggable(() => ({
    locationId,
    documents: selection.has(document.id)
      ? selection.documents.filter(({ capabilities }) => capabilities.Documents === "Write")
      : [document],
  }));
}

/** The name of a document: a link to it, or a field while it is renamed. */
function Name({ document, isRenamed, rename, reload }: ItemProps) {
  if (!isRenamed) return <a href={documentPath(document.id)}>{document.fileName}</a>;
  const onEnd = (renamed: boolean) => {
    rename(null);
    if (renamed) reload();
  };
  return <RenameField document={document} onEnd={onEnd} />;
}

const Tags = ({ tags }: Pick<Document, "tags">) =>
  tags.length === 0 ? null : (
    <span class="row wrap tags">
      {tags.map((tag) => (
        <TagChip key={tag.id} tag={tag} />
      ))}
    </span>
  );

function Row(props: ItemProps) {
  const { document, selection, reload } = props;
  const text = DOCUMENTS;
  const { id, locationId, fileName, contentType, sizeBytes, updatedAtUtc } = document;
  const size = sizeOf(sizeBytes);
  const version = text.version(document.version);
  return (
    <tr class={selection.has(id) ? "open" : undefined} {...draggedItem(props)}>
      <td>
        <span class="row">
          <PickBox document={document} selection={selection} />
          <Icon name={contentType.startsWith("image/") ? "image" : "file"} />
          <span class="grow">
            <Name {...props} />
            {document.path !== "" && (
              <a class="folder small muted" href={folderPath(locationId, document.path)}>
                {document.path}
              </a>
            )}
            <Tags tags={document.tags} />
            <span class="phone-only xs muted nums">
              {version} · {text.text(document)} · {size}
            </span>
          </span>
        </span>
      </td>
      <td class="nums">{version}</td>
      <td>{text.text(document)}</td>
      <td class="num nums">{size}</td>
      <td class="nums">
        <time dateTime={updatedAtUtc}>{timeOf(updatedAtUtc)}</time>
      </td>
      <td>{document.createdByName}</td>
      <td class="actions">
        <IconButton icon="download" label={text.download(fileName)} onPress={() => download(document)} />
        {document.capabilities.Documents === "Write" && (
          <BusyButton bare label={text.remove(fileName)} onPress={() => remove(document, reload)}>
            <Icon name="trash" />
          </BusyButton>
        )}
      </td>
    </tr>
  );
}

function Card(props: ItemProps) {
  const { document, selection } = props;
  const { id, sizeBytes } = document;
  return (
    <article class={selection.has(id) ? "card doc-card open" : "card doc-card"} {...draggedItem(props)}>
      <Thumbnail document={document} />
      <span class="row">
        <PickBox document={document} selection={selection} />
        <span class="grow">
          <Name {...props} />
          <span class="xs muted nums">{sizeOf(sizeBytes)}</span>
          <Tags tags={document.tags} />
        </span>
      </span>
    </article>
  );
}

interface DocumentsProps {
  organizationId: string | null;
  locationId: string;
  /** Only documents in this folder and below it; all for "". */
  folder: string;
  /** Whether what is above the list is there, so that the list does not jump. */
  isReady: boolean;
  /** Opens the file input; null if the person may not add files. */
  choose: (() => void) | null;
}

/** The documents of a location. */
export function Documents({ organizationId, locationId, folder, isReady, choose }: DocumentsProps) {
  const text = DOCUMENTS;
  const { sort, order, filters, view } = shown.value;
  const { items, more, pages, error, slow, reload, restart } = usePages(
    JSON.stringify([locationId, folder, sort, order, filters]),
    (cursor) =>
      dataOf(
        api.GET("/v1/spatial/locations/{locationId}/documents", {
          params: {
            path: { locationId },
            query: { limit: PAGE_SIZE, path: folder, sort, order, ...filters, cursor },
          },
        }),
      ),
    String(folderEdition.value),
  );
  // Hundreds of files that arrive one after the other do not read the list as often.
  const [isOld, setOld] = useState(false);
  const refresh = useSpaced(() => (pages > MAX_REFRESHED_PAGES ? setOld(true) : reload()), REFRESH_MS);
  const readAgain = () => {
    setOld(false);
    restart();
  };
  const latest = uploaded.value;
  const read = useRef(latest);
  useEffect(() => {
    if (read.current !== latest) refresh();
    read.current = latest;
  }, [latest]);
  useFresh(
    [locationId],
    refresh,
    (event) =>
      (event.kind === "DocumentUploaded" && !isOwnUpload(event)) ||
      (event.kind === "StateUpdated" && event.subject.type === "document"),
  );

  const selection = useSelection(items ?? []);
  const [renamed, setRenamed] = useState<string | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const isWriting =
      event.target instanceof HTMLElement && event.target.closest("dialog, select, input:not([type=checkbox])");
    if (isWriting) return;
    const [one] = selection.documents;
    if (event.key === "Escape" && selection.documents.length > 0) selection.clear();
    else if (event.key === "a" && (event.ctrlKey || event.metaKey)) selection.all();
    else if (event.key === "F2" && one?.capabilities.Documents === "Write") setRenamed(one.id);
    else if (event.key === "Delete" && selection.documents.length > 0) void removeSelected(selection, reload);
    else return;
    event.preventDefault();
  };

  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (items === undefined || !isReady) return slow ? <Waiting text={text.loading} /> : null;
  if (items.length === 0 && more === null && !isFiltered.value)
    return (
      <CalmCard icon="upload" title={text.none} help={choose ? text.noneHelp : text.noneReadOnly}>
        {choose && (
          <button type="button" class="btn" onClick={choose}>
            {text.choose}
          </button>
        )}
      </CalmCard>
    );
  const { columns } = text;
  const propsOf = (document: Document) => {
    const isRenamed = renamed === document.id;
    return { document, isRenamed, rename: setRenamed, selection, reload };
  };
  const row = (document: Document) => <Row key={document.id} {...propsOf(document)} />;
  const card = (document: Document) => <Card key={document.id} {...propsOf(document)} />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole list; each control has its own too
    <div class="stack" onKeyDown={onKeyDown}>
      <Filters organizationId={organizationId} />
      {isOld && pages > MAX_REFRESHED_PAGES && (
        <p class="row wrap" role="status">
          <span class="grow">{text.old}</span>
          <button type="button" class="btn" onClick={readAgain}>
            {text.readAgain}
          </button>
        </p>
      )}
      <SelectionBar selection={selection} rename={setRenamed} folder={folder} changed={reload} />
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
