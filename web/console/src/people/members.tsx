import { useState } from "preact/hooks";
import { MEMBERS, PEOPLE } from "#texts/people.ts";
import { ROLES } from "#texts/settings.ts";
import {
  type Capabilities,
  type CreatedInvitation,
  dataOf,
  type Member,
  type Organization,
} from "../../../../client/src/index.ts";
import { AddButton } from "../../../ui/buttons.tsx";
import { Cancel, Confirm, Dialog } from "../../../ui/dialog.tsx";
import { Check, Choice, Field, Form } from "../../../ui/form.tsx";
import { More } from "../../../ui/more.tsx";
import { Alert, say, Waiting } from "../../../ui/notice.tsx";
import { PageHead } from "../../../ui/page-head.tsx";
import { usePages } from "../../../ui/pages.ts";
import { api, session } from "../platform/session.ts";
import { organization } from "../platform/workspace.ts";
import { Invitations, MadeInvitation } from "./invitations.tsx";
import { ALL_CAPABILITIES, inWords, LevelFields } from "./levels.tsx";
import { Person } from "./person.tsx";

type Role = Member["role"];

/** The roles that a person with a role may assign. */
const rolesOf = (own: Role) =>
  (["guest", "member", "admin", "owner"] as const)
    .filter((role) => role !== "owner" || own === "owner")
    .map((value) => ({ value, label: ROLES[value] }));

/** The choice of a role and of exceptions from it. An owner has no exceptions. */
function RoleFields(props: {
  own: Role;
  role: Role;
  onRole: (role: Role) => void;
  overrides: Capabilities;
  onOverrides: ((overrides: Capabilities) => void) | null;
}) {
  const text = MEMBERS;
  const { own, role, onRole, overrides, onOverrides } = props;
  const [open, setOpen] = useState(Object.keys(overrides).length > 0);
  return (
    <>
      <Choice
        label={text.role}
        name="role"
        options={rolesOf(own)}
        value={role}
        onChange={onRole}
        help={text.roles[role]}
      />
      {onOverrides !== null && role !== "owner" && (
        <>
          <Check label={text.showExceptions} help={text.exceptionsHelp} checked={open} onChange={setOpen} />
          {open && (
            <LevelFields
              legend={text.exceptions}
              capabilities={ALL_CAPABILITIES}
              value={overrides}
              unset={() => text.byRole}
              onChange={onOverrides}
            />
          )}
        </>
      )}
    </>
  );
}

function AddPerson(props: {
  present: Organization;
  onAdded: (invitation: CreatedInvitation | null) => void;
  onClose: () => void;
}) {
  const text = MEMBERS;
  const { present, onAdded, onClose } = props;
  const [role, setRole] = useState<Role>("member");
  const [overrides, setOverrides] = useState<Capabilities>({});
  return (
    <Dialog title={text.invite} onClose={onClose}>
      <Form
        send={text.send}
        failed={text.inviteFailed}
        onSend={async (value) => {
          const { member, invitation } = await dataOf(
            api.POST("/v1/orgs/{organizationId}/members", {
              params: { path: { organizationId: present.id } },
              body: { email: value("email"), role, ...(role !== "owner" && { overrides }) },
            }),
          );
          if (member !== null) say(text.added(member.displayName));
          onAdded(invitation);
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <Field label={text.email} name="email" type="email" help={text.inviteHelp} required maxLength={254} autofocus />
        <RoleFields own={present.role} role={role} onRole={setRole} overrides={overrides} onOverrides={setOverrides} />
      </Form>
    </Dialog>
  );
}

/** Adds a person to an organization. If that makes an invitation, its link is shown then. */
export function InvitePerson(props: { present: Organization; onAdded: () => void; onClose: () => void }) {
  const { present, onAdded, onClose } = props;
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  if (made !== null) return <MadeInvitation made={made} onClose={onClose} />;
  const added = (invitation: CreatedInvitation | null) => {
    setMade(invitation);
    onAdded();
    if (invitation === null) onClose();
  };
  return <AddPerson present={present} onAdded={added} onClose={onClose} />;
}

/** The short name of an issuer: its host. */
const nameOf = (issuer: string): string => (URL.canParse(issuer) ? new URL(issuer).host : issuer);

function ChangeMember(props: { present: Organization; member: Member; onDone: () => void; onClose: () => void }) {
  const text = MEMBERS;
  const { present, member, onDone, onClose } = props;
  const [role, setRole] = useState<Role>(member.role);
  const [overrides, setOverrides] = useState<Capabilities>(member.overrides);
  // People cannot change their own exceptions.
  const isOwn = member.userId === session.value?.user.id;
  return (
    <Dialog title={text.changeTitle(member.displayName)} onClose={onClose}>
      <Form
        send={text.save}
        failed={text.changeFailed}
        onSend={async () => {
          await dataOf(
            api.PATCH("/v1/orgs/{organizationId}/members/{userId}", {
              params: { path: { organizationId: present.id, userId: member.userId } },
              body: {
                role,
                ...(!isOwn && { overrides: role === "owner" ? {} : overrides }),
                baseRevision: member.revision,
              },
            }),
          );
          say(text.changed(member.displayName));
          onDone();
        }}
        beside={<Cancel onClose={onClose} />}
      >
        <RoleFields
          own={present.role}
          role={role}
          onRole={setRole}
          overrides={overrides}
          onOverrides={isOwn ? null : setOverrides}
        />
        {member.origin !== null && <p class="small muted">{text.takesOver(nameOf(member.origin))}</p>}
      </Form>
    </Dialog>
  );
}

/** Asks before a member is removed, and whether the links that they made end too. */
function RemoveMember(props: {
  organizationId: string;
  member: Member;
  hasLinks: boolean;
  onDone: () => void;
  onClose: () => void;
}) {
  const text = MEMBERS;
  const { organizationId, member } = props;
  const [revokeShareLinks, setRevoke] = useState(true);
  return (
    <Confirm
      title={text.removeTitle(member.displayName)}
      help={text.removeHelp}
      send={text.remove}
      failed={text.removeFailed}
      onSend={async () => {
        const path = { organizationId, userId: member.userId };
        const query = props.hasLinks ? { revokeShareLinks } : {};
        await dataOf(api.DELETE("/v1/orgs/{organizationId}/members/{userId}", { params: { path, query } }));
        say(text.removed(member.displayName));
        props.onDone();
      }}
      onClose={props.onClose}
    >
      {props.hasLinks && <Check label={text.removeLinks} help={text.removeLinksHelp} checked onChange={setRevoke} />}
    </Confirm>
  );
}

type Asking = { kind: "add" } | { kind: "change" | "remove"; member: Member } | null;

/** The members of the organization and its open invitations. */
export function MembersPart() {
  const present = organization.value;
  return present === null ? null : <Members present={present} />;
}

function Members({ present }: { present: Organization }) {
  const text = MEMBERS;
  const path = { organizationId: present.id };
  const members = usePages(`members ${present.id}`, (cursor) =>
    dataOf(api.GET("/v1/orgs/{organizationId}/members", { params: { path, query: { limit: 100, cursor } } })),
  );
  const [asking, setAsking] = useState<Asking>(null);
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const [changes, setChanges] = useState(0);
  const manages = present.capabilities.OrganizationView === "Write" && /owner|admin/.test(present.role);
  const mayChange = (member: Member) => manages && (member.role !== "owner" || present.role === "owner");
  const ownId = session.value?.user.id;
  const close = () => setAsking(null);
  const reload = () => {
    members.reload();
    setChanges(changes + 1);
  };
  const done = () => {
    close();
    reload();
  };
  return (
    <>
      <PageHead title={text.title} lead={text.lead}>
        {manages && <AddButton label={text.invite} onPress={() => setAsking({ kind: "add" })} />}
      </PageHead>
      {members.error !== undefined && <Alert title={text.failed} error={members.error} onRetry={members.reload} />}
      {members.slow && <Waiting text={text.loading} />}
      {members.items && (
        <ul class="card list">
          {members.items.map((member) => (
            <Person
              key={member.userId}
              name={member.displayName}
              email={member.email}
              chips={
                <>
                  <span class="chip">{ROLES[member.role]}</span>{" "}
                  {member.userId === ownId && <span class="chip">{text.you}</span>}
                </>
              }
              say={[
                ...(member.origin === null ? [] : [text.through(nameOf(member.origin))]),
                ...(Object.keys(member.overrides).length === 0
                  ? []
                  : [PEOPLE.exceptions(inWords(member.overrides) || PEOPLE.nothingShared)]),
              ].join(" · ")}
            >
              {mayChange(member) && (
                <>
                  <button
                    type="button"
                    class="btn"
                    aria-label={text.changeOf(member.displayName)}
                    onClick={() => setAsking({ kind: "change", member })}
                  >
                    {text.change}
                  </button>
                  {member.userId !== ownId && (
                    <button
                      type="button"
                      class="btn"
                      aria-label={text.removeOf(member.displayName)}
                      onClick={() => setAsking({ kind: "remove", member })}
                    >
                      {text.remove}
                    </button>
                  )}
                </>
              )}
            </Person>
          ))}
        </ul>
      )}
      <More more={members.more} />
      {manages && <Invitations organizationId={present.id} changes={changes} onMade={setMade} />}
      {asking?.kind === "add" && <InvitePerson present={present} onAdded={reload} onClose={close} />}
      {asking?.kind === "change" && (
        <ChangeMember present={present} member={asking.member} onDone={done} onClose={close} />
      )}
      {asking?.kind === "remove" && (
        <RemoveMember
          organizationId={present.id}
          member={asking.member}
          hasLinks={/Read|Write/.test(present.capabilities.ExternalShareLinksManage ?? "")}
          onDone={members.reload}
          onClose={close}
        />
      )}
      {made && <MadeInvitation made={made} onClose={() => setMade(null)} />}
    </>
  );
}
