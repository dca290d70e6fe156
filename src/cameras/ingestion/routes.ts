import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../../platform/context";
import { setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { POLL_SECONDS } from "../limits";
import { announceCapture, newCaptureSchema } from "./admit";
import {
  acknowledgedSchema,
  configurationSchema,
  forLimitedDevices,
  heartbeatSchema,
  readConfiguration,
  recordHeartbeat,
} from "./device";
import { type OperationView, operationSchema } from "./operations";
import { cancelCapture, completeCapture, listUnfinished, readOperation, refreshUploadUrl } from "./transfer";

export const ingestionRoutes = createRouter();

const route = routeOf({ ...forLimitedDevices, tags: ["Camera devices"], placed: "none" });
const params = z.object({ operationId: idSchema });
const operation = (description: string) => json(operationSchema, description);

/** Sets Retry-After for an operation in verification. */
function suggestPolling(c: HonoContext<AppEnv>, { status }: OperationView): void {
  if (status === "verification-pending") c.header("retry-after", String(POLL_SECONDS));
}

ingestionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/camera-ingestion/configuration",
    operationId: "getCameraConfiguration",
    summary: "Get the camera's configuration",
    responses: {
      200: json(configurationSchema, "The configuration. Its ETag also changes with the coordinates"),
    },
  }),
  async (c) => {
    const { configuration, validator } = await readConfiguration(c.get("context"));
    setRevision(c, configuration.revision, validator);
    return c.json(configuration, 200);
  },
);

ingestionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/camera-ingestion/heartbeat",
    operationId: "sendHeartbeat",
    summary: "Send a heartbeat",
    description: "Reports the state of the device and the configuration revision that it uses.",
    request: { body: jsonBody(heartbeatSchema) },
    responses: { 200: json(acknowledgedSchema, "The current revision") },
  }),
  async (c) => c.json(await recordHeartbeat(c.get("context"), c.req.valid("json")), 200),
);

ingestionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/camera-ingestion/uploads",
    locates: "/v1/camera-ingestion/uploads/{operationId}",
    operationId: "startCapture",
    summary: "Announce a capture",
    description: "A repeat for the same `captureId` returns the operation that was started before.",
    request: { body: jsonBody(newCaptureSchema) },
    responses: {
      200: operation("The operation that was started for this captureId before, in any state"),
      201: operation("A new operation, with the address for the bytes"),
    },
  }),
  async (c) => {
    const { isNew, view } = await announceCapture(c.get("context"), c.req.valid("json"));
    suggestPolling(c, view);
    return c.json(view, isNew ? 201 : 200);
  },
);

ingestionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/camera-ingestion/uploads",
    operationId: "listCaptureOperations",
    summary: "List unfinished capture operations",
    description: "Use it when a device has lost its state.",
    responses: {
      200: json(z.object({ items: z.array(operationSchema) }).openapi("CaptureOperationList"), "Newest first"),
    },
  }),
  async (c) => c.json(await listUnfinished(c.get("context")), 200),
);

ingestionRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/camera-ingestion/uploads/{operationId}",
    operationId: "cancelCaptureOperation",
    summary: "Cancel an unfinished capture operation",
    description: "The device may announce the same `captureId` again.",
    request: { params },
    responses: { 200: operation("The ended operation: cancelled, or expired before") },
  }),
  async (c) => c.json(await cancelCapture(c.get("context"), c.req.valid("param").operationId), 200),
);

ingestionRoutes.openapi(
  route({
    method: "get",
    path: "/v1/camera-ingestion/uploads/{operationId}",
    operationId: "getCaptureOperation",
    summary: "Get a capture operation",
    request: { params },
    responses: { 200: operation("The operation, with a receipt when it is completed") },
  }),
  async (c) => {
    const view = await readOperation(c.get("context"), c.req.valid("param").operationId);
    suggestPolling(c, view);
    return c.json(view, 200);
  },
);

ingestionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/camera-ingestion/uploads/{operationId}/upload-url",
    operationId: "renewCaptureUploadUrl",
    summary: "Get a new upload address for a capture",
    description: "Only for an operation that still waits for its bytes.",
    request: { params },
    responses: { 200: operation("The operation, with a new upload address") },
  }),
  async (c) => c.json(await refreshUploadUrl(c.get("context"), c.req.valid("param").operationId), 200),
);

ingestionRoutes.openapi(
  route({
    method: "post",
    path: "/v1/camera-ingestion/uploads/{operationId}/complete",
    locates: "/v1/camera-ingestion/uploads/{operationId}",
    operationId: "completeCapture",
    summary: "Complete the upload of a capture",
    description: "Starts the verification of the uploaded bytes.",
    request: { params },
    responses: {
      200: operation("The operation is finished: completed with a receipt, or rejected"),
      202: operation("The bytes are being verified: poll `statusUrl`"),
    },
  }),
  async (c) => {
    const view = await completeCapture(c.get("context"), c.req.valid("param").operationId);
    suggestPolling(c, view);
    return c.json(view, view.status === "verification-pending" ? 202 : 200);
  },
);
