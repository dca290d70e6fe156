import "./sign-in.css";
import type { ComponentChildren } from "preact";
import { dataOf } from "../../../../client/src/index.ts";
import { REGISTER, SIGN_IN } from "../../../texts/entry.ts";
import { Field, Form } from "../../../ui/form.tsx";
import { Logo } from "../../../ui/icon.tsx";
import { useTitle } from "../../../ui/title.ts";
import { address, HOME, navigate } from "../router.ts";
import { api, client, sessionEnded } from "../session.ts";
import picture from "./harbour.jpg";

const REGISTER_PATH = "/console/register";

function Entrance({ children }: { children: ComponentChildren }) {
  return (
    <div class="signin">
      <aside class="view" aria-label={SIGN_IN.aside}>
        <img src={picture} alt={SIGN_IN.picture} />
      </aside>
      <main id="main">
        <div class="stack entrance">
          <span class="logo">
            <Logo size={40} />
          </span>
          {children}
        </div>
      </main>
    </div>
  );
}

function SignIn() {
  const text = SIGN_IN;
  return (
    <Entrance>
      <div>
        <h1>{text.title}</h1>
        <p class="muted">{text.lead}</p>
      </div>
      {sessionEnded.value && <p role="status">{text.ended}</p>}
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          await client.signIn({ email: value("email"), password: value("password") });
        }}
      >
        <Field label={text.email} name="email" type="email" autocomplete="username" required autofocus />
        <Field label={text.password} name="password" type="password" autocomplete="current-password" required />
      </Form>
      <p class="row wrap links">
        <a href="/password-reset">{text.forgot}</a>
        <a href={REGISTER_PATH}>{text.register}</a>
      </p>
      <p class="small quiet">{text.invitationHelp}</p>
    </Entrance>
  );
}

function Register() {
  const text = REGISTER;
  return (
    <Entrance>
      <div>
        <h1>{text.title}</h1>
        <p class="muted">{text.lead}</p>
      </div>
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const [email, password] = [value("email"), value("password")];
          await dataOf(api.POST("/v1/auth/register", { body: { email, password, displayName: value("name") } }));
          await client.signIn({ email, password });
          navigate(HOME, { replace: true });
        }}
      >
        <Field label={text.name} name="name" autocomplete="name" required maxLength={100} autofocus />
        <Field label={text.email} name="email" type="email" autocomplete="username" required maxLength={254} />
        <Field
          label={text.password}
          name="password"
          type="password"
          autocomplete="new-password"
          help={text.passwordHelp}
          required
          minLength={10}
          maxLength={200}
        />
      </Form>
      <p class="row wrap links">
        <a href={HOME}>{text.known}</a>
      </p>
    </Entrance>
  );
}

/** What somebody sees who is not signed in. The address stays, so that a sign-in leads to what was asked for. */
export function Entry() {
  const registers = address.value.pathname === REGISTER_PATH;
  useTitle(registers ? REGISTER.title : SIGN_IN.title);
  return registers ? <Register /> : <SignIn />;
}
