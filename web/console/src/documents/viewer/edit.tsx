import { useState } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { type Document, dataOf } from "../../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../../ui/dialog.tsx";
import { Choice, Field, Form } from "../../../../ui/form.tsx";
import { useLoaded } from "../../../../ui/loading.ts";
import { api } from "../../platform/session.ts";
import { readTargets } from "../targets.ts";

/** Renames a document or moves it to another folder or location. */
export function EditDocument({ document, onClose }: { document: Document; onClose: (changed: boolean) => void }) {
  const text = VIEWER;
  const { id, organizationId, locationId, revision } = document;
  const [target, setTarget] = useState(locationId);
  const { data: targets } = useLoaded(id, () => readTargets(organizationId));
  return (
    <Dialog title={text.editTitle} onClose={() => onClose(false)}>
      <Form
        send={text.save}
        failed={text.editFailed}
        onSend={async (value) => {
          const body = {
            fileName: value("fileName").trim(),
            path: value("path")
              .trim()
              .replace(/^\/+|\/+$/g, ""),
            ...(target !== locationId && { locationId: target }),
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
        {targets !== undefined && targets.length > 1 && (
          <Choice
            label={text.location}
            name="location"
            options={targets.map(({ id: value, name: label }) => ({ value, label }))}
            value={target}
            onChange={setTarget}
          />
        )}
      </Form>
    </Dialog>
  );
}
