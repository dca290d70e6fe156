import { createRouter } from "../platform/http/router";
import { draftRoutes } from "./drafts/routes";
import { partialRoutes } from "./partials/routes";
import { previewRoutes } from "./preview/routes";
import { printingRoutes } from "./printing/jobs/routes";
import { collaborationRoutes } from "./room/routes";
import { templateRoutes } from "./templates/routes";

export { MAX_REPORT_BODY_BYTES } from "./limits";
export { roomRoutes } from "./room/routes";

export const reportRoutes = createRouter();

// Routes with a fixed word come before routes with an id at the same place.
for (const routes of [templateRoutes, partialRoutes, printingRoutes, draftRoutes, previewRoutes, collaborationRoutes])
  reportRoutes.route("/", routes);
