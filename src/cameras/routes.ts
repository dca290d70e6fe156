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
import { storageRoutes } from "./storage/routes";

export const cameraRoutes = createRouter();

for (const routes of [
  // Management of cameras, pairing of devices, and upload of images.
  managementRoutes,
  pairingRoutes,
  ingestionRoutes,
  // The archive.
  archiveRoutes,
  previewRoutes,
  exportRoutes,
  retentionRoutes,
  storageRoutes,
  // Share links, and the public views behind them.
  shareRoutes,
  sharedRoutes,
  sharePageRoutes,
])
  cameraRoutes.route("/", routes);
