import { useState } from "preact/hooks";
import { DOCUMENTS } from "#texts/documents.ts";
import { PEOPLE } from "#texts/people.ts";
import { type Capabilities, type DocumentSharing, dataOf } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { Refusal, say, sayFailed } from "../../../ui/notice.tsx";
import { LevelFields, organizationOf, useMayShare, WhyNotButton } from "../people/index.ts";
import { dayUtc } from "../platform/days.ts";
import { api } from "../platform/session.ts";
import type { At } from "./selection.ts";

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
function ShareDialog({ at, ids, onClose }: { at: At; ids: readonly string[]; onClose: () => void }) {
  const [levels, setLevels] = useState<Capabilities>({ Documents: "Read" });
  return (
    <Dialog title={DOCUMENTS.shareTitle(ids.length)} onClose={onClose}>
      <Form
        send={PEOPLE.send}
        failed={PEOPLE.addFailed}
        onSend={async (value) => {
          if (ids.length > MAX_SHARED) throw new Refusal(DOCUMENTS.shareTooMany(MAX_SHARED));
          const [email, day] = [value("email"), value("ends")];
          await share(at.locationId, email, {
            type: "share",
            documentIds: [...ids],
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
          help={PEOPLE.emailHelpOfSeveral}
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

/** The button that shares the selected documents. People who may not share them see the reason and the names of the people to ask. */
export function ShareButton({ at, ids, isWritable }: { at: At; ids: readonly string[]; isWritable: boolean }) {
  const [open, setOpen] = useState(false);
  const { organizationId, locationId } = at;
  const mayShare = useMayShare(organizationId, [["location", locationId]]);
  if (mayShare === undefined) return null;
  if (!mayShare || !isWritable)
    return <WhyNotButton organization={organizationOf(organizationId)} reason={mayShare ? "level" : "role"} />;
  return (
    <>
      <button type="button" class="btn" onClick={() => setOpen(true)}>
        <Icon name="share" />
        {PEOPLE.add}
      </button>
      {open && <ShareDialog at={at} ids={ids} onClose={() => setOpen(false)} />}
    </>
  );
}
