import { accessRoutes } from "./access";
import { administrationRoutes } from "./administration";
import { brandingRoutes } from "./branding";
import { cameraArchiveRoutes } from "./camera-archive";
import { cameraIngestionRoutes } from "./camera-ingestion";
import { cameraManagementRoutes } from "./camera-management";
import { cameraShareRoutes } from "./camera-shares";
import { documentRoutes } from "./documents";
import { exportRoutes } from "./exports";
import { grantRoutes } from "./grants";
import { memberRoutes } from "./members";
import { notificationRoutes } from "./notifications";
import { platformRoutes } from "./platform";
import { reportRoutes } from "./reports";
import type { RouteRow } from "./row";
import { searchRoutes } from "./search";
import { webhookRoutes } from "./webhooks";
import { workspaceRoutes } from "./workspace";

/** The tables of all routes. coverage.test.ts fails for a route without a row. */
const tables: Readonly<Record<string, readonly RouteRow[]>> = {
  accessRoutes,
  administrationRoutes,
  brandingRoutes,
  cameraArchiveRoutes,
  cameraIngestionRoutes,
  cameraManagementRoutes,
  cameraShareRoutes,
  documentRoutes,
  exportRoutes,
  grantRoutes,
  memberRoutes,
  notificationRoutes,
  platformRoutes,
  reportRoutes,
  searchRoutes,
  webhookRoutes,
  workspaceRoutes,
};

export const allRows: readonly RouteRow[] = Object.values(tables).flat();
