import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { downloadSchema, prefersJson } from "../../platform/objects/store";
import { presentCapture } from "../captures";
import { captureLink, requireArchive } from "./archive";
import { evenCaptures, readStrip } from "./frames";
import {
  cameraParams,
  framesQuery,
  framesSchema,
  historyQuery,
  historySchema,
  locationQuery,
  presentFrames,
  presentSeek,
  presentStrip,
  presentTimeline,
  seekOf,
  seekQuery,
  seekSchema,
  stripBody,
  stripSchema,
  timelineSchema,
} from "./present";
import { readHistory, seek } from "./seek";
import { timelineOf } from "./timeline";
import { rangeQuery, readTimes, timesSchema } from "./times";

export const archiveRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Camera archive"] });

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/captures",
    operationId: "listCaptures",
    summary: "List the captures of a camera at a location, newest first",
    request: { params: cameraParams, query: historyQuery.safeExtend(locationQuery.shape) },
    responses: { 200: json(historySchema, "One page") },
  }),
  async (c) => {
    const { locationId, ...query } = c.req.valid("query");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, locationId);
    const { rows, hasNextPage } = await readHistory(context, archive, query);
    return c.json({ items: rows.map(presentCapture), hasNextPage }, 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/captures/seek",
    operationId: "seekCapture",
    summary: "Find the capture nearest to a moment",
    description: "With a direction, finds the next older or newer capture.",
    request: { params: cameraParams, query: seekQuery.safeExtend(locationQuery.shape) },
    responses: { 200: json(seekSchema, "The capture, or null when there is none in this direction") },
  }),
  async (c) => {
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, c.req.valid("query").locationId);
    return c.json(presentSeek(await seek(context, archive, seekOf(c.req.valid("query")))), 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/captures/times",
    operationId: "listCaptureTimes",
    summary: "List the capture times of a camera at a location",
    description: "Use it to draw an archive. Each time is listed once.",
    request: { params: cameraParams, query: rangeQuery.safeExtend(locationQuery.shape) },
    responses: { 200: json(timesSchema, "The newest times of the range, in order") },
  }),
  async (c) => {
    const { locationId, fromUtc: from, toUtc: to } = c.req.valid("query");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, locationId);
    return c.json(await readTimes(context, archive, { from, to }), 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/timeline",
    operationId: "getCameraTimeline",
    summary: "Get a camera's timeline",
    description: "Contains the first and the last capture of the archive, or of a range, and the gaps between them.",
    request: { params: cameraParams, query: rangeQuery.safeExtend(locationQuery.shape) },
    responses: { 200: json(timelineSchema, "The timeline, at most thirty seconds old") },
  }),
  async (c) => {
    const { locationId, fromUtc: from, toUtc: to } = c.req.valid("query");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, locationId);
    return c.json(presentTimeline(archive, await timelineOf(context, archive, { from, to }), presentCapture), 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/frames",
    operationId: "listCameraFrames",
    summary: "List evenly spaced frames of a range",
    description: "Use them to play a film.",
    request: { params: cameraParams, query: framesQuery.safeExtend(locationQuery.shape) },
    responses: {
      200: json(framesSchema, "The frames in order of time, with addresses of their thumbnails"),
    },
  }),
  async (c) => {
    const { locationId, fromUtc: from, toUtc: to, count } = c.req.valid("query");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, locationId);
    return c.json(await presentFrames(context, await evenCaptures(context, archive, { from, to }, count)), 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/day-strip",
    operationId: "getDayStrip",
    summary: "Get one capture of each day",
    description: "For each day, the capture nearest to a time of day.",
    request: { params: cameraParams, query: locationQuery, body: jsonBody(stripBody) },
    responses: { 200: json(stripSchema, "The days, each with its capture or null") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, c.req.valid("query").locationId);
    const timeZone = body.timeZone ?? archive.camera.timeZone;
    const range = { from: body.fromDate, to: body.toDate };
    const days = await readStrip(context, archive, { timeZone, ...range, minute: body.localTime });
    return c.json(await presentStrip(context, timeZone, days), 200);
  },
);

archiveRoutes.openapi(
  route({
    method: "get",
    path: "/v1/camera-captures/{captureId}/download",
    placed: "each",
    operationId: "getCaptureDownload",
    summary: "Get a download link for a capture",
    description: "The link expires. You can also ask for the thumbnail.",
    request: {
      params: z.object({ captureId: idSchema }),
      query: z.object({ thumbnail: z.stringbool({ truthy: ["true"], falsy: ["false"] }).default(false) }),
    },
    responses: {
      200: json(downloadSchema, "The address, for callers that accept JSON first"),
      302: { description: "A redirect to the address", headers: z.object({ location: z.string() }) },
    },
  }),
  async (c) => {
    const form = c.req.valid("query").thumbnail ? "thumbnail" : "original";
    const link = await captureLink(c.get("context"), c.req.valid("param").captureId, form);
    c.header("vary", "accept");
    return prefersJson(c.req.header("accept")) ? c.json(link, 200) : c.redirect(link.url, 302);
  },
);
