import { DOCUMENTS } from "#texts/documents.ts";
import { BusyButton, IconButton } from "../../../ui/buttons.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { sayFailed } from "../../../ui/notice.tsx";
import { deleteAt } from "../platform/live/index.ts";
import { changeDocuments } from "./bulk.ts";
import { MoveDialog } from "./move.tsx";
import type { At, Selection } from "./selection.ts";
import { ShareButton } from "./share.tsx";
import { TagDialog } from "./tags.tsx";
import { downloadSelected } from "./zip.ts";

/** Deletes the selected documents, and offers one undo for all of them. */
export async function removeSelected(locationId: string, { ids, clear }: Selection): Promise<void> {
  const changes = ids.map((documentId) => ({ type: "delete" as const, documentId }));
  try {
    await deleteAt(locationId, () => changeDocuments(locationId, changes, DOCUMENTS.removedMany, clear));
  } catch (thrown) {
    sayFailed(DOCUMENTS.removeFailed, thrown);
  }
}

/** What can be done with the selected documents. */
export function SelectionBar(props: {
  at: At;
  selection: Selection;
  /** Makes the name of a document a field. */
  rename: (id: string) => void;
  /** The window that is open. */
  open: "move" | "tags" | null;
  setOpen: (open: "move" | "tags" | null) => void;
}) {
  const { at, selection, rename, open, setOpen } = props;
  const text = DOCUMENTS;
  const { documents, ids, isAll, clear } = selection;
  const close = () => setOpen(null);
  if (ids.length === 0) return null;
  const [first] = documents;
  const areWritable = documents.every(({ capabilities }) => capabilities.Documents === "Write");
  const isWritable = areWritable && (at.writable || ids.length === documents.length);
  return (
    <>
      <div class="card selected row wrap" role="toolbar" aria-label={text.withSelected}>
        <span class="grow strong nums" role="status">
          {isAll ? text.allSelected(ids.length) : text.selected(ids.length)}
        </span>
        {!isAll && (
          <button type="button" class="btn bare" onClick={() => selection.all()}>
            {text.selectAll}
          </button>
        )}
        <button type="button" class="btn" onClick={() => void downloadSelected(at, selection)}>
          <Icon name="download" />
          {text.zip}
        </button>
        {isWritable && (
          <>
            {ids.length === 1 && first !== undefined && (
              <button type="button" class="btn" onClick={() => rename(first.id)}>
                <Icon name="pen" />
                {text.rename}
              </button>
            )}
            <button type="button" class="btn" onClick={() => setOpen("move")}>
              <Icon name="folder" />
              {text.move}
            </button>
            <button type="button" class="btn" onClick={() => setOpen("tags")}>
              <Icon name="note" />
              {text.tags}
            </button>
          </>
        )}
        <ShareButton at={at} ids={ids} isWritable={isWritable} />
        {isWritable && (
          <BusyButton onPress={() => removeSelected(at.locationId, selection)}>
            <Icon name="trash" />
            {text.delete}
          </BusyButton>
        )}
        <IconButton icon="x" label={text.clearSelection} onPress={clear} />
      </div>
      {isWritable && open === "move" && <MoveDialog at={at} selection={selection} onClose={close} />}
      {isWritable && open === "tags" && <TagDialog at={at} selection={selection} onClose={close} />}
    </>
  );
}
