import { DOCUMENTS } from "#texts/documents.ts";
import { VIEWER } from "#texts/viewer.ts";
import type { Document } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { changeDocuments } from "./bulk.ts";
import { folderOf, useLocationChoice } from "./location-choice.tsx";

/** Moves documents to a folder, of this location or of another one of the workspace. */
export function MoveDialog(props: { documents: readonly Document[]; onClose: () => void; changed: () => void }) {
  const text = DOCUMENTS;
  const { documents, onClose, changed } = props;
  const [first] = documents;
  const { organizationId = null, locationId = "", path = "" } = first ?? {};
  const location = useLocationChoice({ organizationId, locationId });
  return (
    <Dialog title={text.moveTitle(documents.length)} onClose={onClose}>
      <Form
        send={text.move}
        failed={text.changeFailed}
        onSend={async (value) => {
          await changeDocuments(
            locationId,
            documents.map(({ id, revision }) => ({
              type: "move",
              documentId: id,
              path: folderOf(value("path")),
              ...location.change,
              baseRevision: revision,
            })),
            text.moved,
            changed,
          );
          onClose();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={VIEWER.folder}
          name="path"
          defaultValue={documents.every((one) => one.path === path) ? path : ""}
          maxLength={500}
          help={VIEWER.folderHelp}
          autofocus
        />
        {location.field}
      </Form>
    </Dialog>
  );
}
