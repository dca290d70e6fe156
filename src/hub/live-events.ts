import { and, eq } from "drizzle-orm";
import { documentExists, documents } from "../documents/tables";
import type { Subscriber } from "../events";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import type { LocationEvent } from "../platform/ports";

/** Live connections: receive the events of locations, and are checked again when access may have become smaller. */
export const liveConnections: Subscriber = {
  name: "live-connections",
  async deliver(context, event, eventId) {
    if (event.type === "access-changed") await context.live.recheckUsers(event.userIds);
    else if (event.type === "location-access-changed") await context.live.recheckLocations(event.locationIds);
    else {
      const live = await liveEventOf(context, event);
      if (live !== null) await context.live.publish(live.locationId, [{ ...live.event, id: eventId }]);
    }
    return null;
  },
};

/** The capability that a connection needs Read of to receive StateUpdated, by subject. */
const NEEDS = {
  location: "LocationView",
  annotation: "LocationBundles",
  document: "Documents",
  folder: "Documents",
  camera: "LocationCameras",
  report: "Reports",
} as const;

/** The revision of a document whose text was read, which does not change it; null when it no longer exists. */
async function revisionOfDocument(context: Context, documentId: string): Promise<number | null> {
  const [row] = await context.workspace
    .select({ revision: documents.revision })
    .from(documents)
    .where(eq(documents.id, documentId));
  return row?.revision ?? null;
}

/** The live event for a workspace event, and its location; null when the event has none. */
export async function liveEventOf(
  context: Context,
  event: WorkspaceEvent,
): Promise<{ locationId: string; event: LocationEvent } | null> {
  switch (event.type) {
    case "document-uploaded": {
      const [row] = await context.workspace
        .select()
        .from(documents)
        .where(and(eq(documents.id, event.documentId), documentExists()));
      if (row === undefined) return null;
      const origin = { type: "spatial-document", id: row.id, url: `/locations/${row.locationId}/documents/${row.id}` };
      const payload = { documentId: row.id, fileName: row.fileName, path: row.path, version: event.version, origin };
      return {
        locationId: row.locationId,
        event: {
          target: "DocumentUploaded",
          payload,
          requires: "Documents",
          documentId: row.id,
          subject: { type: "document", id: row.id },
        },
      };
    }
    case "state-updated": {
      const { subject, subjectId, action, locationId } = event;
      const isReadText = subject === "document" && action === "updated" && event.revision === null;
      const revision = isReadText ? await revisionOfDocument(context, subjectId) : event.revision;
      const payload = { subject: { type: subject, id: subjectId }, action, revision };
      return {
        locationId,
        event: {
          target: "StateUpdated",
          payload,
          requires: NEEDS[subject],
          documentId: subject === "document" ? subjectId : null,
          // The location is checked with the access to it, and a folder has only its path.
          subject:
            action === "deleted" || subject === "location" || subject === "folder"
              ? null
              : { type: subject, id: subjectId },
        },
      };
    }
    case "position-changed": {
      const { locationId, annotationId, position, revision } = event;
      const payload = { annotationId, position, revision };
      return {
        locationId,
        event: {
          target: "PositionChanged",
          payload,
          requires: "LocationBundles",
          documentId: null,
          subject: { type: "annotation", id: annotationId },
        },
      };
    }
    default:
      return null;
  }
}
