import { useState } from "preact/hooks";
import { NEW_ORGANIZATION } from "#texts/settings.ts";
import { SHELL } from "#texts/shell.ts";
import { dataOf } from "../../../client/src/index.ts";
import { HOME, SETTINGS } from "../../../src/platform/paths.ts";
import { Cancel, Dialog } from "../../ui/dialog.tsx";
import { Field, Form } from "../../ui/form.tsx";
import { say } from "../../ui/notice.tsx";
import { address, navigate } from "./platform/router.ts";
import { api } from "./platform/session.ts";
import { chooseOrganization, organization, organizations, PERSONAL, readOrganizations } from "./platform/workspace.ts";

const NEW = "new";

/** The settings have the same parts in every organization. Other views belong to one organization. */
function show(organizationId: string): void {
  chooseOrganization(organizationId);
  if (!address.peek().pathname.startsWith(SETTINGS)) navigate(HOME);
}

function CreateOrganization({ onClose }: { onClose: () => void }) {
  const text = NEW_ORGANIZATION;
  return (
    <Dialog title={text.title} onClose={onClose}>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const made = await dataOf(api.POST("/v1/orgs", { body: { name: value("name") } }));
          await readOrganizations();
          show(made.id);
          say(text.done(made.name));
          onClose();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.name} name="name" help={text.help} required maxLength={200} autofocus />
      </Form>
    </Dialog>
  );
}

/** The choice of the organization that the console shows, and a link to create a new one. */
export function OrganizationSwitcher() {
  const [creating, setCreating] = useState(false);
  const all = organizations.value;
  if (all === null) return <span class="org" />;
  const present = organization.value?.id ?? PERSONAL;
  return (
    <>
      <label class="org">
        <span class="sr">{SHELL.organization}</span>
        <select
          class="input"
          value={present}
          onChange={(event) => {
            const chosen = event.currentTarget.value;
            if (chosen !== NEW) return show(chosen);
            event.currentTarget.value = present;
            setCreating(true);
          }}
        >
          {all.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value={PERSONAL}>{SHELL.personal}</option>
          <option value={NEW}>{NEW_ORGANIZATION.option}</option>
        </select>
      </label>
      {creating && <CreateOrganization onClose={() => setCreating(false)} />}
    </>
  );
}
