import { VIEWER } from "#texts/viewer.ts";
import { type Document, dataOf } from "../../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../../ui/dialog.tsx";
import { Field, Form } from "../../../../ui/form.tsx";
import { api } from "../../platform/session.ts";
import { folderOf, useLocationChoice } from "../location-choice.tsx";

/** Renames a document or moves it to another folder or location. */
export function EditDocument({ document, onClose }: { document: Document; onClose: (changed: boolean) => void }) {
  const text = VIEWER;
  const { id, revision } = document;
  const location = useLocationChoice(document);
  return (
    <Dialog title={text.editTitle} onClose={() => onClose(false)}>
      <Form
        send={text.save}
        failed={text.editFailed}
        onSend={async (value) => {
          const body = {
            fileName: value("fileName").trim(),
            path: folderOf(value("path")),
            ...location.change,
            baseRevision: revision,
          };
          await dataOf(api.PATCH("/v1/documents/{documentId}", { params: { path: { documentId: id } }, body }));
          onClose(true);
        }}
        beside={<Cancel onClose={() => onClose(false)} />}
      >
        <Field
          label={text.fileName}
          name="fileName"
          defaultValue={document.fileName}
          required
          maxLength={255}
          autofocus
        />
        <Field label={text.folder} name="path" defaultValue={document.path} maxLength={500} help={text.folderHelp} />
        {location.field}
      </Form>
    </Dialog>
  );
}
