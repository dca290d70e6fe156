import type { Rows } from "../row.ts";
import { accessLimits } from "./access.ts";
import { administrationLimits } from "./administration.ts";
import { brandingLimits } from "./branding.ts";
import { browsersLimits } from "./browsers.ts";
import { camerasLimits } from "./cameras.ts";
import { documentsLimits } from "./documents.ts";
import { limitsElsewhere, settingsLimits } from "./elsewhere.ts";
import { exportsLimits } from "./exports.ts";
import { hubLimits } from "./hub.ts";
import { jpegLimits } from "./jpeg.ts";
import { notificationsLimits } from "./notifications.ts";
import { picturesLimits } from "./pictures.ts";
import { reportsLimits } from "./reports.ts";
import { searchLimits } from "./search.ts";
import { uploadsLimits } from "./uploads.ts";
import { webhooksLimits } from "./webhooks.ts";
import { workspaceLimits } from "./workspace.ts";

export { settingsLimits };

/** All rows, by the file of their constants. */
export const limitTables: Readonly<Record<string, Rows>> = {
  "src/access/limits.ts": accessLimits,
  "src/administration/limits.ts": administrationLimits,
  "src/branding/limits.ts": brandingLimits,
  "src/cameras/limits.ts": camerasLimits,
  "src/documents/limits.ts": documentsLimits,
  "src/exports/limits.ts": exportsLimits,
  "src/webhooks/limits.ts": webhooksLimits,
  "src/hub/limits.ts": hubLimits,
  "src/notifications/limits.ts": notificationsLimits,
  "src/platform/browsers/limits.ts": browsersLimits,
  "src/platform/jpeg/limits.ts": jpegLimits,
  "src/platform/pictures/limits.ts": picturesLimits,
  "src/reports/limits.ts": reportsLimits,
  "src/search/limits.ts": searchLimits,
  "src/uploads/limits.ts": uploadsLimits,
  "src/workspace/limits.ts": workspaceLimits,
  ...limitsElsewhere,
};
