import { useState } from "preact/hooks";
import { ACCOUNT } from "#texts/leaving.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Check, Field, Form } from "../../../ui/form.tsx";
import { api, endDeleted } from "../platform/session.ts";

/** The button that deletes the person's account, with a window that asks for the password. */
export function AccountDeletion() {
  const text = ACCOUNT;
  const [asking, setAsking] = useState(false);
  return (
    <section class="card pad narrow stack">
      <div>
        <h2>{text.title}</h2>
        <p class="muted">{text.lead}</p>
      </div>
      <p>
        <button type="button" class="btn" onClick={() => setAsking(true)}>
          {text.title}
        </button>
      </p>
      {asking && (
        <Dialog title={text.ask} onClose={() => setAsking(false)}>
          <Form
            send={text.send}
            failed={text.failed}
            onSend={async (value) => {
              const body = { password: value("password"), revokeShareLinks: value("links") === "on" };
              await dataOf(api.DELETE("/v1/auth/me", { body }));
              endDeleted();
            }}
            beside={<Cancel onClose={() => setAsking(false)} />}
          >
            <p>{text.help}</p>
            <Field
              label={text.password}
              name="password"
              type="password"
              autocomplete="current-password"
              help={text.passwordHelp}
              required
            />
            <Check label={text.links} name="links" checked={false} help={text.linksHelp} />
          </Form>
        </Dialog>
      )}
    </section>
  );
}
