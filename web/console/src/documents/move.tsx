import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { VIEWER } from "#texts/viewer.ts";
import type { Document } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Choice, Field, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { changeDocuments } from "./bulk.ts";
import { readTargets } from "./targets.ts";

/** Moves documents to a folder, of this location or of another one of the workspace. */
export function MoveDialog(props: { documents: readonly Document[]; onClose: () => void; changed: () => void }) {
  const text = DOCUMENTS;
  const { documents, onClose, changed } = props;
  const [first] = documents;
  const { organizationId = null, locationId = "", path = "" } = first ?? {};
  const [target, setTarget] = useState(locationId);
  const { data: targets } = useLoaded(`targets ${organizationId}`, () => readTargets(organizationId));
  return (
    <Dialog title={text.moveTitle(documents.length)} onClose={onClose}>
      <Form
        send={text.move}
        failed={text.changeFailed}
        onSend={async (value) => {
          const folder = value("path")
            .trim()
            .replace(/^\/+|\/+$/g, "");
          await changeDocuments(
            locationId,
            documents.map(({ id, revision }) => ({
              type: "move",
              documentId: id,
              path: folder,
              ...(target !== locationId && { locationId: target }),
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
        {targets !== undefined && targets.length > 1 && (
          <Choice
            label={VIEWER.location}
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
