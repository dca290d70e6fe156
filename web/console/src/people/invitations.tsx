import { useState } from "preact/hooks";
import { INVITATIONS } from "#texts/people.ts";
import { ROLES } from "#texts/settings.ts";
import { type CreatedInvitation, dataOf, type Invitation } from "../../../../client/src/index.ts";
import { Secret } from "../../../ui/copy.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { timeOf } from "../../../ui/format.ts";
import { More } from "../../../ui/more.tsx";
import { Alert, say, sayFailed } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { api } from "../platform/session.ts";

/** The link of a new invitation, which is shown once. */
export function MadeInvitation({ made, onClose }: { made: CreatedInvitation; onClose: () => void }) {
  const text = INVITATIONS;
  return (
    <Dialog title={text.madeTitle(made.email)} onClose={onClose}>
      <div class="stack">
        <p>{made.isMailed ? text.mailed : text.notMailed}</p>
        <Secret text={made.link} label={text.link} done={text.done} onDone={onClose}>
          <p class="small muted">{text.once}</p>
        </Secret>
      </div>
    </Dialog>
  );
}

function InvitationLine(props: {
  organizationId: string;
  invitation: Invitation;
  onMade: (made: CreatedInvitation) => void;
  reload: () => void;
}) {
  const text = INVITATIONS;
  const { organizationId, invitation, onMade, reload } = props;
  const { id, email, role, overrides, expiresAtUtc } = invitation;
  const [busy, setBusy] = useState(false);
  const run = async (failed: string, work: () => Promise<void>) => {
    setBusy(true);
    try {
      await work();
      // The invitation has ended: its buttons stay off until the list is read again.
      reload();
    } catch (thrown) {
      sayFailed(failed, thrown);
      setBusy(false);
    }
  };
  // A new invitation replaces the open one of the same address.
  const sendAgain = () =>
    run(text.againFailed, async () => {
      const made = await dataOf(
        api.POST("/v1/orgs/{organizationId}/members", {
          params: { path: { organizationId } },
          body: { email, role, overrides },
        }),
      );
      if (made.invitation !== null) onMade(made.invitation);
    });
  const withdraw = () =>
    run(text.withdrawFailed, async () => {
      const path = { organizationId, invitationId: id };
      await dataOf(api.DELETE("/v1/orgs/{organizationId}/invitations/{invitationId}", { params: { path } }));
      say(text.withdrawn(email));
    });
  return (
    <li class="person">
      <span class="grow">
        <b class="strong">{email}</b> <span class="chip">{ROLES[role]}</span>
        <span class="small muted email nums">{text.until(timeOf(expiresAtUtc))}</span>
      </span>
      <span class="row wrap does">
        <button type="button" class="btn" aria-label={text.againOf(email)} disabled={busy} onClick={sendAgain}>
          {text.again}
        </button>
        <button type="button" class="btn" aria-label={text.withdrawOf(email)} disabled={busy} onClick={withdraw}>
          {text.withdraw}
        </button>
      </span>
    </li>
  );
}

/** The open invitations of an organization. They are read again when `changes` is another number. */
export function Invitations(props: {
  organizationId: string;
  changes: number;
  onMade: (made: CreatedInvitation) => void;
}) {
  const text = INVITATIONS;
  const { organizationId, changes, onMade } = props;
  const { items, more, error, reload } = usePages(`invitations ${organizationId} ${changes}`, (cursor) =>
    dataOf(
      api.GET("/v1/orgs/{organizationId}/invitations", {
        params: { path: { organizationId }, query: { limit: 100, cursor } },
      }),
    ),
  );
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  if (items === undefined || items.length === 0) return null;
  return (
    <section class="card" aria-labelledby="invitations-title">
      <h2 id="invitations-title" class="list-head">
        {text.title}
      </h2>
      <ul class="list">
        {items.map((invitation) => (
          <InvitationLine
            key={invitation.id}
            organizationId={organizationId}
            invitation={invitation}
            onMade={onMade}
            reload={reload}
          />
        ))}
      </ul>
      <More more={more} isInCard />
    </section>
  );
}
