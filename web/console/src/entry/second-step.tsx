import { useRef, useState } from "preact/hooks";
import { SECOND_STEP } from "#texts/second-factor.ts";
import { dataOf, type Login, ProblemError, type SecondStep, type SessionTokens } from "../../../../client/src/index.ts";
import { Field, Form } from "../../../ui/form.tsx";
import { canUsePasskeys, signStep } from "../platform/passkeys.ts";
import { api, cookieKind } from "../platform/session.ts";
import { Head } from "./entrance.tsx";

/** A sign-in whose password was right. The password is kept until the sign-in ends: each try of the second step needs a new ticket. */
export interface BegunSignIn {
  login: Login;
  step: SecondStep;
}

/** Signs in with a password. @returns the tokens, or what the second step needs. @throws ProblemError */
export async function signInOrBegin(login: Login): Promise<SessionTokens | BegunSignIn> {
  try {
    return await dataOf(api.POST("/v1/auth/login", { body: { ...login, cookie: cookieKind() } }));
  } catch (thrown) {
    const step = thrown instanceof ProblemError ? thrown.problem?.secondStep : undefined;
    if (step === undefined) throw thrown;
    return { login, step };
  }
}

interface Props {
  begun: BegunSignIn;
  onTokens: (tokens: SessionTokens) => Promise<void>;
  onBack: () => void;
}

/** The second step of a sign-in: a passkey, or a recovery code. */
export function SecondStepForm({ begun, onTokens, onBack }: Props) {
  const text = SECOND_STEP;
  const canAsk = canUsePasskeys();
  const [isCode, setCode] = useState(!canAsk);
  const ready = useRef<SecondStep | null>(begun.step);
  /** A ticket works once, so the next try gets another one. */
  const confirm = async (answer: (step: SecondStep) => Promise<object>) => {
    if (ready.current === null) {
      const again = await signInOrBegin(begun.login);
      if ("accessToken" in again) return onTokens(again);
      ready.current = again.step;
    }
    const step = ready.current;
    const body = { ticket: step.ticket, ...(await answer(step)), cookie: cookieKind() };
    ready.current = null;
    await onTokens(await dataOf(api.POST("/v1/auth/login/second-factor", { body })));
  };
  return (
    <>
      <Head title={text.title} lead={isCode ? text.codeLead : text.lead} />
      {isCode ? (
        <Form
          key="code"
          send={text.send}
          failed={text.failed}
          onSend={(value) => confirm(async () => ({ recoveryCode: value("code") }))}
        >
          <Field
            label={text.code}
            name="code"
            help={text.codeHelp}
            autocomplete="one-time-code"
            required
            maxLength={100}
            autofocus
          />
        </Form>
      ) : (
        <Form
          key="passkey"
          send={text.passkey}
          failed={text.failed}
          onSend={() => confirm(async (step) => ({ response: await signStep(step) }))}
        >
          <p class="small quiet">{text.passkeyHelp}</p>
        </Form>
      )}
      <p class="row wrap links">
        {canAsk && (
          <button type="button" class="link" onClick={() => setCode(!isCode)}>
            {isCode ? text.usePasskey : text.useCode}
          </button>
        )}
        <button type="button" class="link" onClick={onBack}>
          {text.back}
        </button>
      </p>
    </>
  );
}
