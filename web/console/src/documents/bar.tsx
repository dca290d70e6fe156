import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { BusyButton, IconButton } from "../../../ui/buttons.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { sayFailed } from "../../../ui/notice.tsx";
import { deleteAt } from "../platform/live/index.ts";
import { changeDocuments } from "./bulk.ts";
import { MoveDialog } from "./move.tsx";
import type { Selection } from "./selection.ts";
import { ShareButton } from "./share.tsx";
import { TagDialog } from "./tags.tsx";
import { downloadZip } from "./zip.ts";

/** Deletes the selected documents, and offers one undo for all of them. */
export async function removeSelected({ documents, clear }: Selection, changed: () => void): Promise<void> {
  const [first] = documents;
  if (first === undefined) return;
  const changes = documents.map(({ id }) => ({ type: "delete" as const, documentId: id }));
  try {
    await deleteAt(first.locationId, () =>
      changeDocuments(first.locationId, changes, DOCUMENTS.removedMany, () => {
        clear();
        changed();
      }),
    );
  } catch (thrown) {
    sayFailed(DOCUMENTS.removeFailed, thrown);
  }
}

/** What can be done with the selected documents. */
export function SelectionBar(props: {
  selection: Selection;
  /** Makes the name of a document a field. */
  rename: (id: string) => void;
  /** The folder that is shown, whose path the names in a ZIP leave out. */
  folder: string;
  changed: () => void;
}) {
  const { selection, rename, folder, changed } = props;
  const text = DOCUMENTS;
  const { documents, clear } = selection;
  const [open, setOpen] = useState<"move" | "tags" | null>(null);
  const close = () => setOpen(null);
  if (documents.length === 0) return null;
  const [first] = documents;
  const isWritable = documents.every(({ capabilities }) => capabilities.Documents === "Write");
  return (
    <>
      <div class="card selected row wrap" role="toolbar" aria-label={text.withSelected}>
        <span class="grow strong nums" role="status">
          {text.selected(documents.length)}
        </span>
        <button type="button" class="btn" onClick={() => void downloadZip(documents, folder)}>
          <Icon name="download" />
          {text.zip}
        </button>
        {isWritable && (
          <>
            {documents.length === 1 && first !== undefined && (
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
            <ShareButton documents={documents} />
            <BusyButton onPress={() => removeSelected(selection, changed)}>
              <Icon name="trash" />
              {text.delete}
            </BusyButton>
          </>
        )}
        <IconButton icon="x" label={text.clearSelection} onPress={clear} />
      </div>
      {open === "move" && <MoveDialog documents={documents} onClose={close} changed={changed} />}
      {open === "tags" && <TagDialog documents={documents} onClose={close} changed={changed} />}
    </>
  );
}
