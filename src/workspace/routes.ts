import { createRouter } from "../platform/http/router";
import { annotationRoutes } from "./annotations/routes";
import { auditRoutes } from "./audit/routes";
import { clusterRoutes } from "./clusters/routes";
import { entitlementRoutes } from "./entitlements/routes";
import { grantRoutes } from "./grants/routes";
import { invitationRoutes } from "./invitations/routes";
import { locationRoutes } from "./locations/routes";
import { memberRoutes } from "./members/routes";
import { organizationRoutes } from "./organizations/routes";
import { trashRoutes } from "./trash/routes";

export const workspaceRoutes = createRouter();

for (const routes of [
  organizationRoutes,
  memberRoutes,
  invitationRoutes,
  clusterRoutes,
  locationRoutes,
  annotationRoutes,
  grantRoutes,
  trashRoutes,
  entitlementRoutes,
  auditRoutes,
])
  workspaceRoutes.route("/", routes);
