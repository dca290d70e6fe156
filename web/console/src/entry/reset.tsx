import { useState } from "preact/hooks";
import { RESET } from "#texts/entry.ts";
import { dataOf, ProblemError } from "../../../../client/src/index.ts";
import { HOME } from "../../../../src/platform/paths.ts";
import { Field, Form, NewPassword } from "../../../ui/form.tsx";
import { Refusal } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { address } from "../platform/router.ts";
import { api } from "../platform/session.ts";
import { Entrance, Head, ToConsole } from "./entrance.tsx";

/** Requests a link. The answer is the same for every address. */
function Ask() {
  const text = RESET;
  const [sentTo, setSentTo] = useState<string | null>(null);
  useTitle(text.title);
  if (sentTo !== null)
    return (
      <>
        <Head title={text.sent} lead={text.sentHelp(sentTo)} />
        <ToConsole />
      </>
    );
  return (
    <>
      <Head title={text.title} lead={text.lead} />
      <Form
        send={text.send}
        failed={text.sendFailed}
        onSend={async (value) => {
          const email = value("email");
          await dataOf(api.POST("/v1/auth/password-reset", { body: { email } }));
          setSentTo(email);
        }}
      >
        <Field
          label={text.email}
          name="email"
          type="email"
          autocomplete="username"
          required
          maxLength={254}
          autofocus
        />
      </Form>
      <ToConsole />
    </>
  );
}

/** Sets a password with the token of a link. */
function SetPassword({ token }: { token: string }) {
  const text = RESET;
  const [state, setState] = useState<"set" | "done" | "ended">("set");
  useTitle(text.set);
  if (state === "done")
    return (
      <>
        <Head title={text.done} lead={text.doneHelp} />
        <p>
          <a class="btn primary" href={HOME}>
            {text.signIn}
          </a>
        </p>
      </>
    );
  if (state === "ended")
    return (
      <>
        <Head title={text.ended} lead={text.endedHelp} />
        <p>
          <a class="btn" href="/password-reset">
            {text.newLink}
          </a>
        </p>
      </>
    );
  return (
    <>
      <Head title={text.set} lead={text.setLead} />
      <Form
        send={text.save}
        failed={text.saveFailed}
        onSend={async (value) => {
          const password = value("password");
          if (password !== value("again")) throw new Refusal(text.differ);
          try {
            await dataOf(api.POST("/v1/auth/password-reset/complete", { body: { token, password } }));
            setState("done");
          } catch (thrown) {
            if (!(thrown instanceof ProblemError) || thrown.code !== "reset-ended") throw thrown;
            setState("ended");
          }
        }}
      >
        <NewPassword label={text.password} name="password" autofocus />
        <Field label={text.again} name="again" type="password" autocomplete="new-password" required maxLength={200} />
      </Form>
    </>
  );
}

/** The page of the address `/password-reset#<token>`. Without a token it asks for an e-mail address. */
export default function ResetPage() {
  const token = address.value.hash.slice(1);
  return <Entrance>{token === "" ? <Ask /> : <SetPassword key={token} token={token} />}</Entrance>;
}
