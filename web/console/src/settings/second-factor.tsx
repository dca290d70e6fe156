import { useState } from "preact/hooks";
import { PASSKEYS } from "#texts/passkeys.ts";
import { SECOND_FACTOR } from "#texts/second-factor.ts";
import { dataOf } from "../../../../client/src/index.ts";
import { Secret } from "../../../ui/copy.tsx";
import { Cancel, Dialog } from "../../../ui/dialog.tsx";
import { Field, Form } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert, say } from "../../../ui/notice.tsx";
import { api } from "../platform/session.ts";

/** The field of the password that confirms the person. */
export const OwnPassword = () => (
  <Field
    label={PASSKEYS.password}
    name="password"
    type="password"
    autocomplete="current-password"
    help={PASSKEYS.passwordHelp}
    required
  />
);

interface Act {
  title: string;
  help: string;
  send: string;
  failed: string;
  /** @returns the recovery codes to show; null if there are none */
  run: (password: string) => Promise<string[] | null>;
  done: string | null;
}

const ACTS = {
  on: {
    title: SECOND_FACTOR.switchOnTitle,
    help: SECOND_FACTOR.switchOnHelp,
    send: SECOND_FACTOR.switchOn,
    failed: SECOND_FACTOR.switchOnFailed,
    run: async (password) => (await dataOf(api.POST("/v1/auth/second-factor", { body: { password } }))).recoveryCodes,
    done: SECOND_FACTOR.switchedOn,
  },
  codes: {
    title: SECOND_FACTOR.renewTitle,
    help: SECOND_FACTOR.renewHelp,
    send: SECOND_FACTOR.renew,
    failed: SECOND_FACTOR.renewFailed,
    run: async (password) =>
      (await dataOf(api.POST("/v1/auth/second-factor/recovery-codes", { body: { password } }))).recoveryCodes,
    done: null,
  },
  off: {
    title: SECOND_FACTOR.switchOffTitle,
    help: SECOND_FACTOR.switchOffHelp,
    send: SECOND_FACTOR.switchOff,
    failed: SECOND_FACTOR.switchOffFailed,
    run: async (password) => {
      await dataOf(api.DELETE("/v1/auth/second-factor", { body: { password } }));
      return null;
    },
    done: SECOND_FACTOR.switchedOff,
  },
} satisfies Record<string, Act>;

/** Whether the sign-in of the person asks for a passkey after the password, and the ways to change it. */
export function SecondFactorCard({ hasPasskey }: { hasPasskey: boolean }) {
  const text = SECOND_FACTOR;
  const { data, error, reload } = useLoaded("second-factor", () => dataOf(api.GET("/v1/auth/second-factor")));
  const [asked, setAsked] = useState<keyof typeof ACTS | null>(null);
  const [codes, setCodes] = useState<string[] | null>(null);
  const close = () => setAsked(null);
  const act: Act | null = asked && ACTS[asked];
  const button = (kind: keyof typeof ACTS, label: string) => (
    <button type="button" class="btn" onClick={() => setAsked(kind)}>
      {label}
    </button>
  );
  return (
    <section class="card pad stack">
      <div>
        <h2>{text.title}</h2>
        <p class="muted">{text.lead}</p>
      </div>
      {error !== undefined && <Alert title={text.readFailed} error={error} onRetry={reload} />}
      {data !== undefined && (
        <div class="row wrap">
          <span class="grow">
            <b class="strong">{data.isOn ? text.on : text.off}</b>
            {data.isOn && (
              <>
                <br />
                <span class="small muted">
                  {data.recoveryCodesLeft === 0 ? text.leftNone : text.left(data.recoveryCodesLeft)}
                </span>
              </>
            )}
            {!data.isOn && !hasPasskey && (
              <>
                <br />
                <span class="small muted">{text.needs}</span>
              </>
            )}
          </span>
          {data.isOn && button("codes", text.renew)}
          {data.isOn && button("off", text.switchOff)}
          {!data.isOn && hasPasskey && button("on", text.switchOn)}
        </div>
      )}
      {act && (
        <Dialog title={act.title} onClose={close}>
          <Form
            send={act.send}
            failed={act.failed}
            onSend={async (value) => {
              const made = await act.run(value("password"));
              close();
              setCodes(made);
              if (act.done !== null) say(act.done);
              reload();
            }}
            beside={<Cancel onClose={close} />}
          >
            <p>{act.help}</p>
            <OwnPassword />
          </Form>
        </Dialog>
      )}
      {codes && (
        <Dialog title={text.codesTitle} onClose={() => setCodes(null)}>
          <div class="stack">
            <p>{text.codesHelp}</p>
            <Secret text={codes.join("\n")} label={text.codes} done={text.done} onDone={() => setCodes(null)} />
          </div>
        </Dialog>
      )}
    </section>
  );
}
