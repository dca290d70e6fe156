import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { ZIP_ANSWERS } from "../../platform/zip/send";
import { isRange, RANGE_ERROR, rangeFields, requireArchive } from "../archive";
import { MAX_TICKET_LENGTH } from "../limits";
import { downloadExport } from "./download";
import { exportSchema, presentExport, requireExport, requireLatestExport, startExport } from "./exports";

export const exportRoutes = createRouter();

const tags = ["Camera exports"];
const route = routeOf({ ...forUsers, tags });
const openRoute = routeOf({ tags });
const params = z.object({ cameraId: idSchema });
const query = z.object({ locationId: idSchema });
const newExport = z.strictObject(rangeFields).refine(isRange, RANGE_ERROR).openapi("CameraExportCreate");

exportRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/exports",
    locates: "/v1/cameras/{cameraId}/exports/{operationId}?locationId={locationId}",
    operationId: "createCameraExport",
    summary: "Create an export of original images",
    description: "The export is one ZIP.",
    request: { params, query, body: { content: { "application/json": { schema: newExport } } } },
    responses: { 202: json(exportSchema, "The operation. Request it again until it is ready") },
  }),
  async (c) => {
    const { fromUtc: from, toUtc: to } = c.req.valid("json");
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, c.req.valid("query").locationId);
    return c.json(await presentExport(context, archive.camera, await startExport(context, archive, { from, to })), 202);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/exports/latest",
    operationId: "getLatestCameraExport",
    summary: "Get your latest export of this archive",
    request: { params, query },
    responses: { 200: json(exportSchema, "The operation") },
  }),
  async (c) => {
    const context = c.get("context");
    const archive = await requireArchive(context, c.req.valid("param").cameraId, c.req.valid("query").locationId);
    return c.json(await presentExport(context, archive.camera, await requireLatestExport(context, archive)), 200);
  },
);

exportRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}/exports/{operationId}",
    operationId: "getCameraExport",
    summary: "Get the state of your export",
    request: { params: params.extend({ operationId: idSchema }), query },
    responses: { 200: json(exportSchema, "The operation, with a download address when it is ready") },
  }),
  async (c) => {
    const { cameraId, operationId } = c.req.valid("param");
    const context = c.get("context");
    const archive = await requireArchive(context, cameraId, c.req.valid("query").locationId);
    const row = await requireExport(context, archive, operationId);
    return c.json(await presentExport(context, archive.camera, row), 200);
  },
);

exportRoutes.openapi(
  openRoute({
    method: "get",
    path: "/v1/camera-exports/{operationId}/download",
    operationId: "downloadCameraExport",
    summary: "Download the ZIP of an export",
    description: "You can download it whole or in ranges. The address with its ticket is `downloadUrl` of the export.",
    request: {
      params: z.object({ operationId: idSchema }),
      query: z.object({ ticket: z.string().max(MAX_TICKET_LENGTH) }),
    },
    responses: ZIP_ANSWERS,
  }),
  async (c) => {
    const { operationId } = c.req.valid("param");
    return downloadExport(c.get("context"), operationId, c.req.valid("query").ticket, c.req.raw);
  },
);
