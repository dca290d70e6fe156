import type { ComponentChildren } from "preact";
import { PEOPLE } from "#texts/people.ts";
import { ByRole, organizationOf, type Resource, useMayShare } from "./by-role.tsx";
import type { Kind } from "./grants.ts";
import type { Capability } from "./levels.tsx";
import type { Shared } from "./share-form.tsx";
import { Shares } from "./shares.tsx";
import { WhyNot } from "./why-not.tsx";

/** The capability with which a person changes a resource of each kind, and its shares. */
const CHANGED_WITH: Readonly<Record<Kind, Capability>> = {
  location: "LocationView",
  cluster: "ClusterView",
  document: "Documents",
};

/**
 * The people who have access to a resource, with the reason: a share of it, a share of a place that contains it, or a
 * role. `within` are these places, and `children` their shares.
 */
export function Access(props: {
  of: Shared;
  organizationId: string | null;
  within: readonly Resource[];
  children?: ComponentChildren;
}) {
  const { of, organizationId, within, children } = props;
  const organization = organizationOf(organizationId);
  const mayShare = useMayShare(organizationId, [[of.kind, of.id], ...within]);
  const mayChange = of.levels[CHANGED_WITH[of.kind]] === "Write";
  return (
    <div class="stack people">
      <Shares title={PEOPLE.direct[of.kind]} of={of} editable={mayChange && mayShare === true} />
      {children}
      {(!mayChange || mayShare === false) && (
        <WhyNot organization={organization} reason={mayShare === false ? "role" : "level"} />
      )}
      {organization && <ByRole organization={organization} />}
    </div>
  );
}
