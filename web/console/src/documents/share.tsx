import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { PEOPLE } from "#texts/people.ts";
import { type Capabilities, type Document, type DocumentSharing, dataOf } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { LevelFields, useMayShare } from "../people/index.ts";
import { dayUtc } from "../platform/days.ts";
import { api } from "../platform/session.ts";

/** Documents that are shared at once: a copy of the limit in `src/documents/limits.ts`. */
const MAX_SHARED = 300;

/** Sends one act of sharing. @returns how many documents it has changed, how many not, and the reason of the first of those */
async function send(locationId: string, body: DocumentSharing) {
  const params = { path: { locationId } };
  const { results, undo } = await dataOf(
    api.POST("/v1/spatial/locations/{locationId}/documents/grants", { params, body }),
  );
  const refusals = results.flatMap(({ error }) => (error === null ? [] : [error.detail]));
  const left = refusals.length === 0 ? "" : ` ${DOCUMENTS.notShared(refusals.length, refusals[0] ?? "")}`;
  return { done: results.length - refusals.length, left, undo };
}

/** Shares documents with one person, says so and offers one undo. @throws the error of the service */
async function share(locationId: string, email: string, body: DocumentSharing): Promise<void> {
  const { done, left, undo } = await send(locationId, body);
  const takeBack = async () => {
    try {
      if (undo === null) return;
      const back = await send(locationId, undo);
      say(DOCUMENTS.unshared(back.done) + back.left);
    } catch (thrown) {
      sayFailed(DOCUMENTS.undoFailed, thrown);
    }
  };
  say(DOCUMENTS.shared(done, email) + left, takeBack);
}

/** Shares several documents with a person, in one act of which the person is told once. */
function ShareDialog({ documents, onClose }: { documents: readonly Document[]; onClose: () => void }) {
  const [levels, setLevels] = useState<Capabilities>({ Documents: "Read" });
  const [first] = documents;
  if (first === undefined) return null;
  return (
    <Dialog title={DOCUMENTS.shareTitle(documents.length)} onClose={onClose}>
      <Form
        send={PEOPLE.send}
        failed={PEOPLE.addFailed}
        onSend={async (value) => {
          if (documents.length > MAX_SHARED) throw new Refusal(DOCUMENTS.shareTooMany(MAX_SHARED));
          const [email, day] = [value("email"), value("ends")];
          await share(first.locationId, email, {
            type: "share",
            documentIds: documents.map(({ id }) => id),
            email,
            capabilities: levels,
            ...(day !== "" && { expiresAtUtc: dayUtc(day, 0) }),
          });
          onClose();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field
          label={PEOPLE.email}
          name="email"
          type="email"
          help={PEOPLE.emailHelp}
          required
          maxLength={254}
          autofocus
        />
        <LevelFields legend={PEOPLE.levels} capabilities={["Documents"]} value={levels} onChange={setLevels} />
        <Field label={PEOPLE.ends} name="ends" type="date" help={PEOPLE.endsHelp} />
      </Form>
    </Dialog>
  );
}

/** The button that shares the selected documents, for people who may share them. */
export function ShareButton({ documents }: { documents: readonly Document[] }) {
  const [open, setOpen] = useState(false);
  const [first] = documents;
  const { organizationId = null, locationId = "" } = first ?? {};
  if (!useMayShare(organizationId, [["location", locationId]])) return null;
  return (
    <>
      <button type="button" class="btn" onClick={() => setOpen(true)}>
        <Icon name="share" />
        {PEOPLE.add}
      </button>
      {open && <ShareDialog documents={documents} onClose={() => setOpen(false)} />}
    </>
  );
}
