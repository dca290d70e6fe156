import { SHARES } from "#texts/cameras.ts";
import { organizationOf, roleShares, WhyNot, WhyNotButton } from "../people/index.ts";

/** The reason why a person may not create links to cameras, and the names of the people to ask. */
function reasonOf(organizationId: string | null) {
  const organization = organizationOf(organizationId);
  const text = roleShares(organization) ? SHARES.off : SHARES.whyNot;
  return { title: SHARES.title, organization, reason: { text } };
}

/** The reason where the links would be. */
export const NoLinks = (props: { organizationId: string | null }) => <WhyNot {...reasonOf(props.organizationId)} />;

/** The reason where a button would create a link. */
export const NoLinksButton = (props: { organizationId: string | null }) => (
  <WhyNotButton isShort {...reasonOf(props.organizationId)} />
);
