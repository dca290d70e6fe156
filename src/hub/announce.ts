import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { documentExists, documents } from "../documents/tables";
import { draftOf, recordPage } from "../notifications";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import { complete, continueLater, type JobHandler } from "../platform/jobs/handlers";
import type { LocationEvent } from "../platform/ports";
import { recheckRooms } from "../reports";

/** State between slices: the last user whose inbox was written. The live event has been sent by then. */
const stateSchema = z.object({ after: z.string() });

async function goLive(context: Context, event: WorkspaceEvent): Promise<void> {
  if (event.type === "access-changed") {
    await context.live.recheckUsers(event.userIds);
    return recheckRooms(context, { userIds: event.userIds });
  }
  if (event.type === "location-access-changed") {
    await context.live.recheckLocations(event.locationIds);
    return recheckRooms(context, { locationIds: event.locationIds });
  }
  const live = await liveEventOf(context, event);
  if (live !== null) await context.live.publish(live.locationId, [live.event]);
}

/**
 * Delivers one event: it writes the inbox rows of the users who may see it, page by page, and sends them to
 * live connections. Rows are committed before anything is sent. A repeated run makes no second row.
 */
export const announce: JobHandler<"announce"> = {
  async run(context, job) {
    const { event } = job.payload;
    const state = stateSchema.nullable().parse(job.state);
    if (state === null) await goLive(context, event);
    const draft = await draftOf(context, event);
    if (draft === null) return complete();
    const { notifications, next } = await recordPage(context, job.id, draft, state?.after ?? "");
    await context.live.notify(notifications);
    return next === null ? complete() : continueLater({ after: next });
  },
};

/** The capability that a connection needs Read of to receive StateUpdated, by subject. */
const NEEDS = {
  location: "LocationView",
  annotation: "LocationBundles",
  document: "Documents",
  camera: "LocationCameras",
  report: "Reports",
} as const;

/** The live event for a workspace event, and its location; null when the event has none. */
export async function liveEventOf(
  context: Context,
  event: WorkspaceEvent,
): Promise<{ locationId: string; event: LocationEvent } | null> {
  switch (event.type) {
    case "document-uploaded": {
      const [row] = await context.db
        .select()
        .from(documents)
        .where(and(eq(documents.id, event.documentId), documentExists()));
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
