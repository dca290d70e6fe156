import { useState } from "preact/hooks";
import { INVITATION, SIGN_IN } from "#texts/entry.ts";
import { ROLES } from "#texts/settings.ts";
import { dataOf, type InvitationPreview, ProblemError, type SessionTokens } from "../../../../client/src/index.ts";
import { clusterPath, documentPath, HOME, locationPath } from "../../../../src/platform/paths.ts";
import { Field, Form, NewPassword } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { Alert } from "../../../ui/notice.tsx";
import { useTitle } from "../../../ui/title.ts";
import { address } from "../platform/router.ts";
import { api, beginSession, cookieKind, session } from "../platform/session.ts";
import { chooseOrganization, readOrganizations } from "../platform/workspace.ts";
import { Entrance, Head, KeepSignedIn, ToConsole } from "./entrance.tsx";
import { type BegunSignIn, SecondStepForm, signInOrBegin } from "./second-step.tsx";

const hasEnded = (error: unknown): boolean => error instanceof ProblemError && error.code === "invitation-ended";

interface JoinProps {
  token: string;
  invitation: InvitationPreview;
  onJoined: () => void;
  onEnded: () => void;
}

/** Joins with the session of this browser, and selects the organization in the console. A share gives no organization. */
async function accept(token: string): Promise<void> {
  const { organizationId, share } = await dataOf(api.POST("/v1/invitations/accept", { body: { token } }));
  if (share !== null) return;
  chooseOrganization(organizationId);
  await readOrganizations();
}

/** The ways to join: with the session of this browser, with a new account, or with an existing account. */
function Join({ token, invitation, onJoined, onEnded }: JoinProps) {
  const { email, share } = invitation;
  const text = share === null ? INVITATION : { ...INVITATION, ...INVITATION.share };
  const user = session.value?.user;
  const [isNew, setNew] = useState(true);
  const [begun, setBegun] = useState<BegunSignIn | null>(null);
  /** `work` says false if the person has not joined yet. */
  const join = (work: () => Promise<unknown>) => async () => {
    try {
      if ((await work()) !== false) onJoined();
    } catch (thrown) {
      if (!hasEnded(thrown)) throw thrown;
      onEnded();
    }
  };
  const enter = async (tokens: SessionTokens) => {
    beginSession(tokens);
    await accept(token);
  };
  if (begun !== null)
    return (
      <SecondStepForm begun={begun} onTokens={(tokens) => join(() => enter(tokens))()} onBack={() => setBegun(null)} />
    );
  if (user?.email === email)
    return (
      <Form send={text.accept} failed={text.failed} onSend={join(() => accept(token))}>
        <p>{text.signedIn(user.displayName)}</p>
      </Form>
    );
  return (
    <>
      {user !== undefined && <p class="small muted">{text.otherAccount(user.email)}</p>}
      <fieldset>
        <legend class="sr">{text.account}</legend>
        <div class="seg">
          <button type="button" aria-pressed={isNew} onClick={() => setNew(true)}>
            {text.isNew}
          </button>
          <button type="button" aria-pressed={!isNew} onClick={() => setNew(false)}>
            {text.isKnown}
          </button>
        </div>
      </fieldset>
      {isNew ? (
        <Form
          key="new"
          send={text.register}
          failed={text.failed}
          onSend={(value) =>
            join(async () => {
              const [displayName, password] = [value("name"), value("password")];
              const body = { email, password, displayName, invitation: token, cookie: cookieKind() };
              beginSession(await dataOf(api.POST("/v1/auth/register", { body })));
            })()
          }
        >
          <input type="hidden" autocomplete="username" value={email} />
          <Field label={text.name} name="name" autocomplete="name" required maxLength={100} autofocus />
          <NewPassword label={text.newPassword} name="password" help={SIGN_IN.passwordHelp} />
          <KeepSignedIn />
        </Form>
      ) : (
        <Form
          key="known"
          send={text.signIn}
          failed={text.failed}
          onSend={(value) =>
            join(async () => {
              const answer = await signInOrBegin({ email, password: value("password") });
              if ("accessToken" in answer) await enter(answer);
              else setBegun(answer);
              return "accessToken" in answer;
            })()
          }
        >
          <input type="hidden" autocomplete="username" value={email} />
          <Field
            label={text.password}
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxLength={200}
            autofocus
          />
          <KeepSignedIn />
          <p class="links">
            <a href="/password-reset">{SIGN_IN.forgot}</a>
          </p>
        </Form>
      )}
    </>
  );
}

/** What the page says of an invitation, and where it leads. */
function wordsOf({ organizationName: name, role, email, share }: InvitationPreview) {
  const text = INVITATION;
  if (share === null)
    return {
      title: text.join(name),
      lead: text.invited(ROLES[role], email),
      joined: text.joined(name),
      open: text.open(name),
      href: HOME,
    };
  const { kind, id } = share;
  return {
    title: text.share.title[kind](name),
    lead: text.share.lead(share.name, email),
    joined: text.share.joined(share.name),
    open: text.share.open,
    href: { cluster: clusterPath, location: locationPath, document: documentPath }[kind](id),
  };
}

/** An invitation that leads nowhere: the reason, who can help, and the way on. */
const NotOpen = (reason: { title: string; lead: string }) => (
  <>
    <Head {...reason} />
    <ToConsole />
  </>
);

function Open({ token }: { token: string }) {
  const text = INVITATION;
  const { data, error, slow, reload } = useLoaded(token, () =>
    dataOf(api.POST("/v1/invitations/preview", { body: { token } })),
  );
  const [state, setState] = useState<"invited" | "joined" | "ended">("invited");
  useTitle(data ? wordsOf(data).title : text.title);
  if (state === "ended" || hasEnded(error)) return <NotOpen title={text.ended} lead={text.endedHelp} />;
  if (error !== undefined) return <Alert title={text.unreadable} error={error} onRetry={reload} />;
  if (data === undefined) return slow ? <p role="status">{text.opening}</p> : null;
  const { title, lead, joined, open, href } = wordsOf(data);
  if (state === "joined")
    return (
      <>
        <Head title={joined} />
        <p>
          <a class="btn primary" href={href}>
            {open}
          </a>
        </p>
      </>
    );
  return (
    <>
      <Head title={title} lead={lead} />
      <Join token={token} invitation={data} onJoined={() => setState("joined")} onEnded={() => setState("ended")} />
    </>
  );
}

/** The page of the address `/invitations#<token>`. A fragment is in no server log. */
export default function InvitationPage() {
  const token = address.value.hash.slice(1);
  return (
    <Entrance>
      {/^[0-9a-f]{64}$/.test(token) ? (
        <Open key={token} token={token} />
      ) : (
        <NotOpen title={INVITATION.incomplete} lead={INVITATION.incompleteHelp} />
      )}
    </Entrance>
  );
}
