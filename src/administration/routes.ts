import { createRouter } from "../platform/http/router";
import { administeredJobRoutes } from "./jobs/routes";
import { administeredOrganizationRoutes } from "./organizations/routes";

/** The routes of platform administrators: the work of the service, and its organizations. */
export const administrationRoutes = createRouter();
administrationRoutes.route("/", administeredJobRoutes);
administrationRoutes.route("/", administeredOrganizationRoutes);
