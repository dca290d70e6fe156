import { useEffect, useRef, useState } from "preact/hooks";
import { REGISTER, SIGN_IN } from "#texts/entry.ts";
import { ACCOUNT } from "#texts/leaving.ts";
import { PASSKEYS } from "#texts/passkeys.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { HOME } from "../../../../src/platform/paths.ts";
import { Field, Form, NewPassword } from "../../../ui/form.tsx";
import { Alert } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { canUsePasskeys, offerPasskeys, signInWithPasskey } from "../platform/passkeys.ts";
import { address, navigate } from "../platform/router.ts";
import { api, beginSession, cookieKind, sessionEnd } from "../platform/session.ts";
import { Entrance, Head, KeepSignedIn } from "./entrance.tsx";
import { type BegunSignIn, SecondStepForm, signInOrBegin } from "./second-step.tsx";

const REGISTER_PATH = "/console/register";

/** The button for a passkey. Until it is pressed, the browser offers passkeys in the field of the address. */
function PasskeySignIn() {
  const [asking, setAsking] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const offer = useRef<AbortController | null>(null);
  const beginOffer = () => {
    offer.current = new AbortController();
    offerPasskeys(offer.current.signal).catch(setError);
  };
  useEffect(() => {
    beginOffer();
    return () => offer.current?.abort();
  }, []);
  const ask = async () => {
    // The browser asks the person one thing at a time.
    offer.current?.abort();
    setAsking(true);
    setError(null);
    try {
      await signInWithPasskey();
    } catch (thrown) {
      setError(thrown);
      setAsking(false);
      beginOffer();
    }
  };
  return (
    <>
      {error !== null && <Alert title={SIGN_IN.failed} error={error} />}
      <div class="stack">
        <button type="button" class="btn" disabled={asking} onClick={ask}>
          {PASSKEYS.signIn}
        </button>
      </div>
    </>
  );
}

function SignIn() {
  const text = SIGN_IN;
  const [begun, setBegun] = useState<BegunSignIn | null>(null);
  if (begun !== null)
    return (
      <Entrance>
        <SecondStepForm begun={begun} onTokens={async (tokens) => beginSession(tokens)} onBack={() => setBegun(null)} />
      </Entrance>
    );
  return (
    <Entrance>
      <Head title={text.title} lead={text.lead} />
      {sessionEnd.value && <p role="status">{sessionEnd.value === "lost" ? text.ended : ACCOUNT.done}</p>}
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const answer = await signInOrBegin({ email: value("email"), password: value("password") });
          if ("accessToken" in answer) beginSession(answer);
          else setBegun(answer);
        }}
      >
        <Field label={text.email} name="email" type="email" autocomplete="username webauthn" required autofocus />
        <Field label={text.password} name="password" type="password" autocomplete="current-password" required />
        <KeepSignedIn />
      </Form>
      {canUsePasskeys() && <PasskeySignIn />}
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
      <Head title={text.title} lead={text.lead} />
      <Form
        send={text.send}
        failed={text.failed}
        onSend={async (value) => {
          const [email, password] = [value("email"), value("password")];
          const body = { email, password, displayName: value("name"), cookie: cookieKind() };
          beginSession(await dataOf(api.POST("/v1/auth/register", { body })));
          navigate(HOME, { replace: true });
        }}
      >
        <Field label={text.name} name="name" autocomplete="name" required maxLength={100} autofocus />
        <Field label={text.email} name="email" type="email" autocomplete="username" required maxLength={254} />
        <NewPassword label={text.password} name="password" help={SIGN_IN.passwordHelp} />
        <KeepSignedIn />
      </Form>
      <p class="row wrap links">
        <a href={HOME}>{text.known}</a>
      </p>
    </Entrance>
  );
}

/** The page for people who are not signed in. The address stays, so that the requested view opens after the sign-in. */
export function Entry() {
  const registers = address.value.pathname === REGISTER_PATH;
  useTitle(registers ? REGISTER.title : SIGN_IN.title);
  return registers ? <Register /> : <SignIn />;
}
