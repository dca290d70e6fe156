import { useState } from "preact/hooks";
import { COMMON } from "#texts/common.ts";
import { list } from "#texts/language.ts";
import { PEOPLE } from "#texts/people.ts";
import { ROLES } from "#texts/settings.ts";
import { dataOf, eachItem, type Organization } from "../../../../client/src/index.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Icon } from "../../../ui/icon.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { collect } from "../platform/listed.ts";
import { api } from "../platform/session.ts";
import { roleShares } from "./by-role.tsx";

/** Maximum number of people who are named. */
const MAX_NAMED = 3;

/** The owners and admins of an organization, whom its members can ask. */
function WhomToAsk({ organization }: { organization: Organization }) {
  const { id: organizationId } = organization;
  const { data } = useLoaded(`ask ${organizationId}`, () => {
    const params = { path: { organizationId } };
    const pages = (cursor: string | undefined) =>
      dataOf(api.GET("/v1/orgs/{organizationId}/members", { params: { ...params, query: { limit: 100, cursor } } }));
    // A guest may not read the members.
    return collect(eachItem(pages)).catch(() => []);
  });
  const named = (data ?? []).filter(({ role }) => role === "owner" || role === "admin").slice(0, MAX_NAMED);
  if (data === undefined) return null;
  if (named.length === 0) return <>{PEOPLE.whyNot.askGiver}</>;
  return <>{PEOPLE.whyNot.ask(list(named.map(({ displayName, role }) => `${displayName} (${ROLES[role]})`)))}</>;
}

interface WhyNotProps {
  title?: string;
  organization: Organization | null;
  reason: "level" | "role" | { text: string };
}

/** The reason and the names of the people to ask. */
function Reason({ organization, reason }: WhyNotProps) {
  const text = PEOPLE.whyNot;
  const ofRole = organization === null ? text.guest : text.role(organization.name);
  return (
    <>
      <p>{reason === "level" ? text.level : reason === "role" ? ofRole : reason.text}</p>
      <p>
        {organization === null ? text.askGiver : !roleShares(organization) && <WhomToAsk organization={organization} />}
      </p>
    </>
  );
}

/**
 * Why a person cannot share something, and whom to ask. `organization` is null if they have no role in one; `reason` is the
 * level of their access, their role, or a sentence of its own.
 */
export function WhyNot(props: WhyNotProps) {
  return (
    <section class="card pad stack" aria-labelledby="why-not-title">
      <h2 id="why-not-title">{props.title ?? PEOPLE.whyNot.title}</h2>
      <Reason {...props} />
    </section>
  );
}

/** The same where a button would share: it opens a window with the reason. `isShort`: on a phone, it has an icon alone. */
export function WhyNotButton({ isShort = false, ...props }: WhyNotProps & { isShort?: boolean }) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" class="btn bare" aria-label={PEOPLE.whyNot.button} onClick={() => setOpen(true)}>
        <Icon name="share" />
        <span class={isShort ? "phone-hide" : undefined}>{PEOPLE.whyNot.button}</span>
      </button>
      {open && (
        <Dialog title={props.title ?? PEOPLE.whyNot.title} onClose={close}>
          <div class="stack">
            <Reason {...props} />
            <p>
              <button type="button" class="btn" onClick={close}>
                {COMMON.close}
              </button>
            </p>
          </div>
        </Dialog>
      )}
    </>
  );
}
