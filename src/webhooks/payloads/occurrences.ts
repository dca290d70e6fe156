import { type SQL, sql } from "drizzle-orm";
import { cameraExports } from "../../cameras/exports/tables";
import { cameras } from "../../cameras/tables";
import { documents } from "../../documents/tables";
import { workspaceExports } from "../../exports/tables";
import type { WorkspaceEvent } from "../../platform/events";
import { reports } from "../../reports/tables";
import { locations } from "../../workspace/tables";
import type { WebhookType } from "./types";

/** The type of webhooks that an event has, and SQL for the organization whose webhooks get it. */
interface Occurrence {
  type: WebhookType;
  /** NULL for a personal workspace, which has no webhooks. */
  organizationId: SQL;
}

const ofLocation = (id: string): SQL =>
  sql`(SELECT ${locations.organizationId} FROM ${locations} WHERE ${locations.id} = ${id})`;
const ofCamera = (id: string): SQL =>
  sql`(SELECT ${cameras.organizationId} FROM ${cameras} WHERE ${cameras.id} = ${id})`;

/** The type of webhooks for an event; null if webhooks do not get the event. */
export function occurrenceOf(event: WorkspaceEvent): Occurrence | null {
  switch (event.type) {
    case "document-uploaded":
      return {
        type: "document.uploaded",
        organizationId: sql`(SELECT ${documents.organizationId} FROM ${documents} WHERE ${documents.id} = ${event.documentId})`,
      };
    case "state-updated":
      // A folder has no id: receivers see its documents.
      if (event.subject === "folder") return null;
      // A document without a new revision: its text was read. Receivers have nothing to do then.
      if (event.subject === "document" && event.action === "updated" && event.revision === null) return null;
      return { type: `${event.subject}.${event.action}`, organizationId: ofLocation(event.locationId) };
    case "report-printed":
      return {
        type: "report.printed",
        organizationId: sql`(SELECT ${reports.organizationId} FROM ${reports} WHERE ${reports.id} = ${event.reportId})`,
      };
    case "membership-given":
      return { type: "member.added", organizationId: sql`${event.organizationId}` };
    case "membership-changed":
      return {
        type: event.action === "changed" ? "member.changed" : "member.removed",
        organizationId: sql`${event.organizationId}`,
      };
    case "capture-published":
      return { type: "capture.published", organizationId: ofLocation(event.locationId) };
    case "capture-rejected":
      return { type: "capture.rejected", organizationId: ofCamera(event.cameraId) };
    case "cameras-silent":
      return { type: "camera.silent", organizationId: ofLocation(event.locationId) };
    case "cameras-back":
      return { type: "camera.back", organizationId: ofLocation(event.locationId) };
    case "export-ready":
      return {
        type: "export.ready",
        organizationId: sql`(SELECT ${cameraExports.organizationId} FROM ${cameraExports} WHERE ${cameraExports.id} = ${event.exportId})`,
      };
    case "workspace-export-ready":
      return {
        type: "export.ready",
        organizationId: sql`(SELECT ${workspaceExports.organizationId} FROM ${workspaceExports} WHERE ${workspaceExports.id} = ${event.exportId})`,
      };
    default:
      return null;
  }
}
