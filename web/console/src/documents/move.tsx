import { DOCUMENTS } from "#texts/documents.ts";
import { VIEWER } from "#texts/viewer.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { changeMany } from "./bulk.ts";
import { folderOf, useLocationChoice } from "./location-choice.tsx";
import type { At, Selection } from "./selection.ts";

/** Moves the selected documents to a folder, of this location or of another one of the workspace. */
export function MoveDialog({ at, selection, onClose }: { at: At; selection: Selection; onClose: () => void }) {
  const text = DOCUMENTS;
  const { locationId } = at;
  const { documents, ids } = selection;
  const path = documents[0]?.path ?? "";
  const isOneFolder = documents.length === ids.length && documents.every((one) => one.path === path);
  const location = useLocationChoice(at);
  return (
    <Dialog title={text.moveTitle(ids.length)} onClose={onClose}>
      <Form
        send={text.move}
        failed={text.changeFailed}
        onSend={async (value) => {
          const revisions = new Map(documents.map(({ id, revision }) => [id, revision]));
          const changes = ids.map((documentId) => {
            const baseRevision = revisions.get(documentId);
            return {
              type: "move" as const,
              documentId,
              path: folderOf(value("path")),
              ...location.change,
              ...(baseRevision !== undefined && { baseRevision }),
            };
          });
          await changeMany(locationId, changes, text.moved, onClose);
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={VIEWER.folder}
          name="path"
          defaultValue={isOneFolder ? path : ""}
          maxLength={500}
          help={VIEWER.folderHelp}
          autofocus
        />
        {location.field}
      </Form>
    </Dialog>
  );
}
