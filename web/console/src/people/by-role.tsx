import { MEMBERS, PEOPLE } from "#texts/people.ts";
import { ROLES } from "#texts/settings.ts";
import { dataOf, type Organization } from "../../../../client/src/index.ts";
import { settingsPath } from "../../../../src/platform/paths.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { More } from "../../../ui/more.tsx";
import { Alert } from "../../../ui/notice.tsx";
import { usePages } from "../../../ui/pages.ts";
import { api, session } from "../platform/session.ts";
import { organizations } from "../platform/workspace.ts";
import { grantsOf, type Kind } from "./grants.ts";
import { inWords } from "./levels.tsx";
import { Person } from "./person.tsx";

/** The organization of a resource; null if the person has no role in it, and in a personal workspace. */
export const organizationOf = (organizationId: string | null): Organization | null =>
  organizations.value?.find(({ id }) => id === organizationId) ?? null;

/** Whether a person's role allows them to share resources that they may edit. */
export const roleShares = (organization: Organization | null): boolean =>
  organization !== null &&
  (organization.role === "owner" || organization.role === "admin") &&
  organization.capabilities.OrganizationView === "Write";

/** Whether one of these resources is shared with the person, who is then a guest in a personal workspace. */
async function isGuestOf(resources: readonly Resource[]): Promise<boolean> {
  const lists = await Promise.all(resources.map(([kind, id]) => grantsOf(kind, id).list(undefined)));
  const ownId = session.peek()?.user.id;
  return lists.some(({ items }) => items.some(({ userId }) => userId === ownId));
}

/** A resource with its kind. */
export type Resource = readonly [kind: Kind, id: string];

/**
 * Whether the person may share a resource that they may edit: by their role, or as the owner of the personal workspace.
 * `resources` are the resource and the places that contain it. Undefined until that is known.
 */
export function useMayShare(organizationId: string | null, resources: readonly Resource[]): boolean | undefined {
  const isPersonal = organizationId === null;
  const key = `guest ${isPersonal} ${resources.map(([, id]) => id).join(" ")}`;
  // A cluster that cannot be read belongs to another person.
  const guest = useLoaded(key, async () => !isPersonal || (await isGuestOf(resources).catch(() => true)));
  if (isPersonal) return guest.data === undefined ? undefined : !guest.data;
  return roleShares(organizationOf(organizationId));
}

/** The people who have access through their role in the organization. A guest has access only through an exception. */
export function ByRole({ organization }: { organization: Organization }) {
  const text = PEOPLE;
  const { id, name } = organization;
  const { items, more, error, reload } = usePages(`by-role ${id}`, (cursor) =>
    dataOf(
      api.GET("/v1/orgs/{organizationId}/members", {
        params: { path: { organizationId: id }, query: { limit: 100, cursor } },
      }),
    ),
  );
  if (error !== undefined) return <Alert title={text.failed} error={error} onRetry={reload} />;
  const shown = items?.filter(({ role, overrides }) => role !== "guest" || Object.keys(overrides).length > 0) ?? [];
  if (shown.length === 0) return null;
  return (
    <section class="card" aria-labelledby="by-role-title">
      <header class="row wrap list-head">
        <h2 id="by-role-title" class="grow">
          {text.byRole(name)}
        </h2>
        {roleShares(organization) && <a href={settingsPath("members")}>{text.toMembers}</a>}
      </header>
      <ul class="list">
        {shown.map(({ userId, displayName, email, role, overrides }) => (
          <Person
            key={userId}
            name={displayName}
            email={email}
            chips={<span class="chip">{ROLES[role]}</span>}
            say={
              <>
                {MEMBERS.roles[role]}{" "}
                {Object.keys(overrides).length > 0 && text.exceptions(inWords(overrides) || text.nothingShared)}
              </>
            }
          />
        ))}
      </ul>
      <More more={more} isInCard />
    </section>
  );
}
