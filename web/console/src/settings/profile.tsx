import { useState } from "preact/hooks";
import { PROFILE } from "#texts/settings.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { Field, Form, NewPassword } from "../../../ui/form.tsx";
import { say } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { api, keepUser, session } from "../platform/session.ts";
import { AccountDeletion } from "./account.tsx";
import { OwnExport } from "./export.tsx";

/** The name, the address and the password of the person, the export of their data, and the end of the account. */
export function ProfilePart() {
  const text = PROFILE;
  const user = session.value?.user;
  const [changes, setChanges] = useState(0);
  if (user === undefined) return null;
  return (
    <>
      <PageHead title={text.title} lead={text.lead} />
      <section class="card pad narrow">
        <Form
          send={text.save}
          failed={text.saveFailed}
          onSend={async (value) => {
            const profile = await dataOf(api.PATCH("/v1/auth/me", { body: { displayName: value("name") } }));
            keepUser(profile.user);
            say(text.saved);
          }}
        >
          <Field
            label={text.name}
            name="name"
            autocomplete="name"
            defaultValue={user.displayName}
            help={text.nameHelp}
            required
            maxLength={100}
          />
          <div class="field">
            <span>{text.email}</span>
            <b class="strong cut">{user.email}</b>
            <span class="help">{user.emailVerified ? text.verified : text.unverified}</span>
          </div>
          {user.isAdmin && <p class="small muted">{text.admin}</p>}
        </Form>
      </section>
      <section class="card pad narrow" aria-labelledby="password-title">
        <h2 id="password-title">{text.password}</h2>
        <p class="muted">{text.passwordLead}</p>
        <Form
          key={changes}
          secondary
          send={text.change}
          failed={text.changeFailed}
          onSend={async (value) => {
            const password = { current: value("current"), new: value("next") };
            await dataOf(api.PATCH("/v1/auth/me", { body: { password } }));
            say(text.changed);
            setChanges(changes + 1);
          }}
        >
          <input type="hidden" name="username" autocomplete="username" value={user.email} />
          <Field label={text.current} name="current" type="password" autocomplete="current-password" required />
          <NewPassword label={text.next} name="next" help={text.nextHelp} />
        </Form>
      </section>
      <OwnExport />
      <AccountDeletion />
    </>
  );
}
