import { createRouter } from "../platform/http/router";
import { annotationRoutes } from "./annotations/routes";
import { auditRoutes } from "./audit/routes";
import { clusterRoutes } from "./clusters/routes";
import { entitlementRoutes } from "./entitlements/routes";
import { allKinds, type ShareableKind } from "./grantable";
import { grantRoutes } from "./grants/routes";
import { invitationRoutes } from "./invitations/routes";
import { locationRoutes } from "./locations/routes";
import type { MadeLinks } from "./members/members";
import { memberRoutes } from "./members/routes";
import { organizationRoutes } from "./organizations/routes";
import { trashRoutes } from "./trash/routes";

/** The routes of workspaces. `kinds` are the shareable kinds of other features, and `links` their links for strangers. */
export function workspaceRoutes(kinds: readonly ShareableKind[], links: MadeLinks) {
  const router = createRouter();
  for (const routes of [
    organizationRoutes,
    memberRoutes(links),
    invitationRoutes(allKinds(kinds)),
    clusterRoutes,
    locationRoutes,
    annotationRoutes,
    grantRoutes(allKinds(kinds)),
    trashRoutes,
    entitlementRoutes,
    auditRoutes,
  ])
    router.route("/", routes);
  return router;
}
