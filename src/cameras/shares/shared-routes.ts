import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  type gapSchema,
  presentTimeline,
  rangeQuery,
  readTimes,
  seek,
  seekOf,
  seekQuery,
  sharedSeekSchema,
  sharedTimelineSchema,
  timelineOf,
  timesSchema,
} from "../archive";
import { presentSharedCapture } from "../captures";
import {
  latestBody,
  limitPreviewRequests,
  previewsBody,
  previewsSchema,
  sharedLatestSchema,
  timelinePreviews,
} from "../previews";
import { camerasStillShared, forLockedShares, forShares, requireOpenShare, requireShareLink } from "./authenticate";
import { passSchema, unlockBody, unlockShare } from "./passcode";
import {
  listSharedCameras,
  openSharedImage,
  openSharedLogo,
  requireSharedArchive,
  type SharedImage,
  sharedCamerasSchema,
  sharedFrames,
  sharedFramesQuery,
  sharedFramesSchema,
  sharedLatest,
} from "./public-views";

/** Routes for anonymous users with a share link. */
export const sharedRoutes = createRouter();

const tags = ["Shared cameras"];
const route = routeOf({ ...forShares, tags, placed: "none" });
const lockedRoute = routeOf({ ...forLockedShares, tags, placed: "none" });
const cameraParams = z.object({ cameraId: idSchema });

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras",
    operationId: "listSharedCameras",
    summary: "List the cameras of a link",
    responses: { 200: json(sharedCamerasSchema, "The link's name, cameras and brand") },
  }),
  async (c) => c.json(await listSharedCameras(c.get("context")), 200),
);

const picture = { schema: z.string().openapi({ format: "binary" }) };

/** Sends the bytes of an image. */
const sendImage = (c: HonoContext<AppEnv>, { body, sizeBytes, contentType, fileName }: SharedImage) =>
  c.body(body.pipeThrough(new FixedLengthStream(sizeBytes)), 200, {
    "content-type": contentType,
    "content-length": String(sizeBytes),
    "content-disposition": `inline; filename="${fileName}"`,
  });

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/logo",
    operationId: "getSharedLogo",
    summary: "Get the logo of a link's organization",
    description: "Answers 404 unless the organization shows its brand on share links and has a logo.",
    responses: {
      200: { description: "At most 256 pixels an edge", content: { "image/png": picture, "image/jpeg": picture } },
    },
  }),
  async (c) => sendImage(c, await openSharedLogo(c.get("context"))),
);

sharedRoutes.openapi(
  route({
    method: "post",
    path: "/v1/shared-cameras/latest-previews",
    operationId: "listSharedLatestPreviews",
    summary: "Get a preview of each shared camera's latest capture",
    request: { body: jsonBody(latestBody) },
    responses: {
      200: json(
        sharedLatestSchema,
        "The cameras in the requested order, with null for a camera without a visible image",
      ),
    },
  }),
  async (c) => {
    const context = c.get("context");
    limitPreviewRequests(context);
    return c.json(await sharedLatest(context, c.req.valid("json").cameraIds), 200);
  },
);

sharedRoutes.openapi(
  lockedRoute({
    method: "post",
    path: "/v1/shared-cameras/unlock",
    operationId: "unlockSharedCameras",
    summary: "Enter the passcode of a link",
    description:
      "Returns a pass that is valid for twelve hours. Every other request on a link with a passcode needs it.",
    request: { body: jsonBody(unlockBody) },
    responses: { 200: json(passSchema, "The pass") },
  }),
  async (c) => {
    const context = c.get("context");
    return c.json(await unlockShare(context, requireShareLink(context), c.req.valid("json").passcode), 200);
  },
);

type SharedTimeline = z.infer<typeof sharedTimelineSchema>;

function withoutCauses({ gaps, openGap, ...timeline }: SharedTimeline): SharedTimeline {
  const bare = (gap: z.infer<typeof gapSchema>) => ({ ...gap, cause: "unknown" as const });
  return { ...timeline, gaps: gaps.map(bare), openGap: openGap && bare(openGap) };
}

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/{cameraId}/timeline",
    operationId: "getSharedCameraTimeline",
    summary: "Get a shared camera's timeline",
    description: "Contains the first and the last capture of the archive, or of a range, and the gaps between them.",
    request: { params: cameraParams, query: rangeQuery },
    responses: { 200: json(sharedTimelineSchema, "The timeline, at most thirty seconds old") },
  }),
  async (c) => {
    const context = c.get("context");
    const archive = await requireSharedArchive(context, c.req.valid("param").cameraId);
    const { fromUtc: from, toUtc: to } = c.req.valid("query");
    const share = requireOpenShare(context);
    const found = await timelineOf(context, archive, { from, to });
    const timeline = presentTimeline(archive, found, (row) => presentSharedCapture(row, share));
    return c.json(share.showsGapCauses ? timeline : withoutCauses(timeline), 200);
  },
);

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/{cameraId}/captures/times",
    operationId: "listSharedCaptureTimes",
    summary: "List the capture times of a shared camera",
    description: "Use it to draw an archive. Each time is listed once.",
    request: { params: cameraParams, query: rangeQuery },
    responses: { 200: json(timesSchema, "The newest times of the range, in order") },
  }),
  async (c) => {
    const { fromUtc: from, toUtc: to } = c.req.valid("query");
    const context = c.get("context");
    const archive = await requireSharedArchive(context, c.req.valid("param").cameraId);
    return c.json(await readTimes(context, archive, { from, to }), 200);
  },
);

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/{cameraId}/captures/seek",
    operationId: "seekSharedCapture",
    summary: "Find the capture of a shared camera nearest to a moment",
    description: "With a direction, finds the next older or newer capture.",
    request: { params: cameraParams, query: seekQuery },
    responses: {
      200: json(sharedSeekSchema, "The capture, or null when there is none in this direction"),
    },
  }),
  async (c) => {
    const context = c.get("context");
    const archive = await requireSharedArchive(context, c.req.valid("param").cameraId);
    const row = await seek(context, archive, seekOf(c.req.valid("query")));
    return c.json({ capture: row && presentSharedCapture(row, requireOpenShare(context)) }, 200);
  },
);

sharedRoutes.openapi(
  route({
    method: "post",
    path: "/v1/shared-cameras/{cameraId}/previews",
    operationId: "listSharedTimelinePreviews",
    summary: "Get previews of a shared camera's captures nearest to given moments",
    request: { params: cameraParams, body: jsonBody(previewsBody) },
    responses: { 200: json(previewsSchema, "A sample for each time, and each distinct capture once") },
  }),
  async (c) => {
    const context = c.get("context");
    limitPreviewRequests(context);
    const { cameraId } = c.req.valid("param");
    const archive = await requireSharedArchive(context, cameraId);
    const previews = await timelinePreviews(context, archive, c.req.valid("json").times);
    const shown = await camerasStillShared(context, requireOpenShare(context));
    if (!shown.includes(cameraId)) throw notFound();
    return c.json(previews, 200);
  },
);

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/{cameraId}/frames",
    operationId: "listSharedCameraFrames",
    summary: "List evenly spaced frames of a shared camera",
    description: "Use them to play a film.",
    request: { params: cameraParams, query: sharedFramesQuery },
    responses: { 200: json(sharedFramesSchema, "The frames in order of time") },
  }),
  async (c) => {
    const context = c.get("context");
    const archive = await requireSharedArchive(context, c.req.valid("param").cameraId);
    return c.json(await sharedFrames(context, archive, c.req.valid("query")), 200);
  },
);

sharedRoutes.openapi(
  route({
    method: "get",
    path: "/v1/shared-cameras/captures/{captureId}/image",
    operationId: "getSharedCaptureImage",
    summary: "Get the image of a shared capture",
    request: {
      params: z.object({ captureId: idSchema }),
      query: z.object({ thumbnail: z.enum(["true", "false"]).optional() }),
    },
    responses: {
      200: { description: "A JPEG", content: { "image/jpeg": picture } },
    },
  }),
  async (c) => {
    const thumbnail = c.req.valid("query").thumbnail === "true";
    return sendImage(c, await openSharedImage(c.get("context"), c.req.valid("param").captureId, thumbnail));
  },
);
