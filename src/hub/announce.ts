import { z } from "@hono/zod-openapi";
import { draftOf, recordPage } from "../notifications";
import type { Context } from "../platform/context";
import type { WorkspaceEvent } from "../platform/events";
import { again, done, type JobHandler } from "../platform/jobs/handlers";
import { recheckRooms } from "../reports";
import { liveEventOf } from "./live-events";

/** Between slices: the last person of the audience that was gone through; the live event is out. */
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
 * Carries one event out: into the inboxes of those who may see it, page by page, then to live
 * connections. Rows are committed before anything is sent; a repeat makes no second row.
 */
export const announce: JobHandler<"announce"> = {
  async run(context, job) {
    const { event } = job.payload;
    const state = stateSchema.nullable().parse(job.state);
    if (state === null) await goLive(context, event);
    const draft = await draftOf(context, event);
    if (draft === null) return done();
    const { notifications, next } = await recordPage(context, job.id, draft, state?.after ?? "");
    await context.live.notify(notifications);
    return next === null ? done() : again({ after: next });
  },
};
