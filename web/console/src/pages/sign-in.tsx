import type { ComponentChildren } from "preact";
import { dataOf } from "../../../../client/src/index.ts";
import picture from "../../harbour.jpg";
import { Field, Form } from "../form.tsx";
import { Logo } from "../icon.tsx";
import { address, HOME, navigate } from "../router.ts";
import { api, client, sessionEnded } from "../session.ts";
import { TEXTS } from "../texts.ts";
import { useTitle } from "../title.ts";

const REGISTER = "/console/register";

function Entrance({ children }: { children: ComponentChildren }) {
  return (
    <div class="signin">
      <aside class="view" aria-label={TEXTS.signIn.aside}>
        <img src={picture} alt={TEXTS.signIn.picture} />
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
  const text = TEXTS.signIn;
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
        <a href={REGISTER}>{text.register}</a>
      </p>
      <p class="small quiet">{text.invitationHelp}</p>
    </Entrance>
  );
}

function Register() {
  const text = TEXTS.register;
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
  const registers = address.value.pathname === REGISTER;
  useTitle(registers ? TEXTS.register.title : TEXTS.signIn.title);
  return registers ? <Register /> : <SignIn />;
}
