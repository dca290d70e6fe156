import { createRouter } from "../platform/http/router";
import { assetRoutes } from "./assets/routes";
import { recordRoutes } from "./record-routes";

export const brandingRoutes = createRouter();

for (const routes of [recordRoutes, assetRoutes]) brandingRoutes.route("/", routes);
