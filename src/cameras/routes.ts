import { createRouter } from "../platform/http/router";
import { archiveRoutes } from "./archive/routes";
import { exportRoutes } from "./exports/routes";
import { ingestionRoutes } from "./ingestion/routes";
import { managementRoutes } from "./management/routes";
import { pairingRoutes } from "./pairing/routes";
import { previewRoutes } from "./previews/routes";
import { retentionRoutes } from "./retention/routes";
import { sharePageRoutes } from "./shares/page-routes";
import { shareRoutes } from "./shares/routes";
import { sharedRoutes } from "./shares/shared-routes";

export const cameraRoutes = createRouter();

for (const routes of [
  // How cameras are set up, how devices come to them, and how images come in.
  managementRoutes,
  pairingRoutes,
  ingestionRoutes,
  // What people do with the archive.
  archiveRoutes,
  previewRoutes,
  exportRoutes,
  retentionRoutes,
  // Links for strangers, and what they show.
  shareRoutes,
  sharedRoutes,
  sharePageRoutes,
])
  cameraRoutes.route("/", routes);
