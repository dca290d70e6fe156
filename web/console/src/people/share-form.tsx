import { useState } from "preact/hooks";
import { PEOPLE } from "#texts/people.ts";
import type { Capabilities, Grant } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { say } from "../../../ui/notice.tsx";
import { grantsOf, isWaiting, type Kind } from "./grants.ts";
import { ALL_CAPABILITIES, type Capability, LevelFields } from "./levels.tsx";

/** The capabilities that a share of each kind of resource can name. */
const NAMED: Readonly<Record<Kind, readonly Capability[]>> = {
  location: ALL_CAPABILITIES.filter((one) => one !== "OrganizationView" && one !== "ClusterView"),
  cluster: ALL_CAPABILITIES.filter((one) => one !== "OrganizationView"),
  document: ["Documents"],
};
const FIRST: Readonly<Record<Kind, Capabilities>> = {
  location: { LocationView: "Read", Documents: "Read" },
  cluster: { ClusterView: "Read", LocationView: "Read", Documents: "Read" },
  document: { Documents: "Read" },
};

/** A resource whose shares are shown, and the actions that the person may do. */
export interface Shared {
  kind: Kind;
  id: string;
  levels: Capabilities;
}

/** The window that shares a resource with a person, or changes an existing share. */
export function ShareForm(props: { of: Shared; grant: Grant | null; onDone: () => void; onClose: () => void }) {
  const text = PEOPLE;
  const { of, grant, onDone, onClose } = props;
  const { create, update } = grantsOf(of.kind, of.id);
  const [levels, setLevels] = useState<Capabilities>(grant?.capabilities ?? FIRST[of.kind]);
  // People cannot give more than they have here.
  const offered = NAMED[of.kind].filter((one) => (of.levels[one] ?? "None") !== "None");
  const isNew = grant === null;
  return (
    <Dialog title={isNew ? text.addTitle[of.kind] : text.changeTitle(grant.displayName)} onClose={onClose}>
      <Form
        send={isNew ? text.send : text.save}
        failed={isNew ? text.addFailed : text.changeFailed}
        onSend={async (value) => {
          const day = value("ends");
          const expiresAtUtc = day === "" ? null : new Date(`${day}T00:00`).toISOString();
          if (isNew) {
            const body = { email: value("email"), capabilities: levels, ...(expiresAtUtc && { expiresAtUtc }) };
            const made = await create(body);
            say(isWaiting(made) ? text.waits(made.email) : text.added(made.displayName));
          } else {
            await update(grant.id, { capabilities: levels, expiresAtUtc, baseRevision: grant.revision });
            say(text.changed(grant.displayName));
          }
          onDone();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        {isNew && (
          <Field
            label={text.email}
            name="email"
            type="email"
            help={text.emailHelp}
            required
            maxLength={254}
            autofocus
          />
        )}
        <LevelFields legend={text.levels} capabilities={offered} value={levels} most={of.levels} onChange={setLevels} />
        <Field
          label={text.ends}
          name="ends"
          type="date"
          help={text.endsHelp}
          {...(grant?.expiresAtUtc && { defaultValue: dayOf(grant.expiresAtUtc) })}
        />
      </Form>
    </Dialog>
  );
}

/** The day of a moment in the person's time zone, in the format of date fields. */
function dayOf(utc: string): string {
  const date = new Date(utc);
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
