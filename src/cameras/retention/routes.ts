import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { createRouter, json, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { downloadSchema, prefersJson } from "../../platform/objects/store";
import { deleteCapture } from "./retention";
import {
  cancelPending,
  heldSchema,
  listHeld,
  listPending,
  listRejected,
  pendingSchema,
  placeQuery,
  rejectedLink,
  rejectedSchema,
  retryHeld,
} from "./upload-review";

export const retentionRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Cameras"] });
const ofCamera = z.object({ cameraId: idSchema });
const ofOperation = z.object({ cameraId: idSchema, operationId: idSchema });
const pageAt = pageQuery.extend(placeQuery.shape);

retentionRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/camera-captures/{captureId}",
    placed: "each",
    operationId: "deleteCapture",
    summary: "Delete a capture",
    description: "The image is hidden at once. Its bytes are deleted later.",
    request: { params: z.object({ captureId: idSchema }) },
    responses: { 204: noContent },
  }),
  async (c) => {
    await deleteCapture(c.get("context"), c.req.valid("param").captureId);
    return c.body(null, 204);
  },
);

retentionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/uploads",
    operationId: "listPendingCaptures",
    summary: "List the unfinished uploads of a camera",
    request: { params: ofCamera, query: pageAt },
    responses: {
      200: json(pageSchema("PendingCaptureList", pendingSchema), "A page of uploads, newest first"),
    },
  }),
  async (c) => c.json(await listPending(c.get("context"), c.req.valid("param").cameraId, c.req.valid("query")), 200),
);

retentionRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/cameras/{cameraId}/uploads/{operationId}",
    operationId: "cancelPendingCapture",
    summary: "Cancel an unfinished upload of a camera",
    description: "The device may announce the image again.",
    request: { params: ofOperation, query: placeQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    await cancelPending(c.get("context"), { ...c.req.valid("param"), ...c.req.valid("query") });
    return c.body(null, 204);
  },
);

retentionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/rejected-captures",
    operationId: "listRejectedCaptures",
    summary: "List the rejected images of a camera",
    description: "They are kept for 90 days.",
    request: { params: ofCamera, query: pageAt },
    responses: {
      200: json(pageSchema("RejectedCaptureList", rejectedSchema), "A page of rejected images, newest first"),
    },
  }),
  async (c) => c.json(await listRejected(c.get("context"), c.req.valid("param").cameraId, c.req.valid("query")), 200),
);

retentionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/rejected-captures/{operationId}/download",
    operationId: "getRejectedCaptureDownload",
    summary: "Get a download link for a rejected image",
    description: "The link expires. It gives the bytes that the device uploaded.",
    request: { params: ofOperation, query: placeQuery },
    responses: {
      200: json(downloadSchema, "The address, for callers that accept JSON first"),
      302: { description: "A redirect to the address", headers: z.object({ location: z.string() }) },
    },
  }),
  async (c) => {
    const link = await rejectedLink(c.get("context"), { ...c.req.valid("param"), ...c.req.valid("query") });
    c.header("vary", "accept");
    return prefersJson(c.req.header("accept")) ? c.json(link, 200) : c.redirect(link.url, 302);
  },
);

retentionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/held-captures",
    operationId: "listHeldCaptures",
    summary: "List images that wait for a person",
    description: "Their verification ended without a decision. Each item says why.",
    request: { params: ofCamera, query: pageAt },
    responses: {
      200: json(pageSchema("HeldCaptureList", heldSchema), "A page of held images, newest first"),
    },
  }),
  async (c) => c.json(await listHeld(c.get("context"), c.req.valid("param").cameraId, c.req.valid("query")), 200),
);

retentionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/held-captures/{operationId}/retry",
    operationId: "retryHeldCapture",
    summary: "Verify a held image again",
    request: { params: ofOperation, query: placeQuery },
    responses: { 202: { description: "The image is being verified; no body." } },
  }),
  async (c) => {
    await retryHeld(c.get("context"), { ...c.req.valid("param"), ...c.req.valid("query") });
    return c.body(null, 202);
  },
);
