import { and, eq, isNull } from "drizzle-orm";
import { documents } from "../documents/tables";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import type { LocationEvent } from "../platform/live";

/** What a StateUpdated of each subject needs Read of. */
const NEEDS = {
  location: "LocationView",
  annotation: "LocationBundles",
  document: "Documents",
  camera: "LocationCameras",
  report: "Reports",
} as const;

/** The live event of what happened, and the location it belongs to; null when there is none. */
export async function liveEventOf(
  context: Context,
  event: WorkspaceEvent,
): Promise<{ locationId: string; event: LocationEvent } | null> {
  switch (event.type) {
    case "document-uploaded": {
      const [row] = await context.db
        .select()
        .from(documents)
        .where(and(eq(documents.id, event.documentId), isNull(documents.deletedAt)));
      if (row === undefined) return null;
      const origin = { type: "spatial-document", id: row.id, url: `/locations/${row.locationId}/documents/${row.id}` };
      const payload = { documentId: row.id, fileName: row.fileName, path: row.path, version: event.version, origin };
      return {
        locationId: row.locationId,
        event: { target: "DocumentUploaded", payload, requires: "Documents", documentId: row.id },
      };
    }
    case "state-updated": {
      const { subject, subjectId, action, revision, locationId } = event;
      const payload = { subject: { type: subject, id: subjectId }, action, revision };
      return {
        locationId,
        event: {
          target: "StateUpdated",
          payload,
          requires: NEEDS[subject],
          documentId: subject === "document" ? subjectId : null,
        },
      };
    }
    case "position-changed": {
      const { locationId, annotationId, position, revision } = event;
      const payload = { annotationId, position, revision };
      return {
        locationId,
        event: { target: "PositionChanged", payload, requires: "LocationBundles", documentId: null },
      };
    }
    default:
      return null;
  }
}
