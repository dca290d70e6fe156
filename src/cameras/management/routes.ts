import { z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { forUsers, READ } from "../../access";
import type { AppEnv, Context } from "../../platform/context";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { type Precondition, preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { requireCamera } from "../find";
import { newCameraFields, settingFields } from "../settings";
import {
  type CameraView,
  cameraSchema,
  createCamera,
  listCameras,
  listedCameraSchema,
  presentCamera,
  readCamera,
  stateTag,
  updateCamera,
} from "./cameras";
import { cleanupSchema, listCleanups } from "./cleanups";
import { relinkCamera, retireCamera, revokeCamera } from "./lifecycle";

import { listWallCameras, wallQuery, wallSchema } from "./wall";

export const managementRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Cameras"] });
const inLocation = z.object({ locationId: idSchema });
const params = z.object({ cameraId: idSchema });
const baseRevision = z.int().min(1);
const newCamera = z.strictObject(newCameraFields).openapi("CameraCreate");

const cameraChange = z
  .strictObject({
    baseRevision,
    ...z.object(settingFields).partial().shape,
    confirmRetentionReduction: z
      .boolean()
      .optional()
      .openapi({ description: "Must be true to keep images for fewer days than now: older images expire at once." }),
  })
  .refine((body) => Object.keys(body).some((key) => key in settingFields), "name at least one field to change")
  .openapi("CameraUpdate");

const relink = z
  .strictObject({ baseRevision, locationId: idSchema, cancelPending: z.boolean().optional() })
  .openapi("CameraRelink");

/** A camera on the wire, with its revision as ETag. */
function shown(c: HonoContext<AppEnv>, { camera, locationId, state }: CameraView) {
  setRevision(c, camera.revision, stateTag(camera, state));
  return presentCamera(camera, locationId, state);
}

managementRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/cameras",
    operationId: "listCameras",
    summary: "List the cameras of a location",
    description: "Also contains the cameras that were at this location before.",
    request: { params: inLocation, query: pageQuery },
    responses: { 200: json(pageSchema("LocationCameraList", listedCameraSchema), "A page of cameras") },
  }),
  async (c) => c.json(await listCameras(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

managementRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/cameras",
    locates: "/v1/cameras/{id}",
    operationId: "createCamera",
    summary: "Create a camera at a location",
    request: { params: inLocation, body: jsonBody(newCamera) },
    responses: { 201: json(cameraSchema, "The camera") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    return c.json(shown(c, await createCamera(c.get("context"), locationId, c.req.valid("json"))), 201);
  },
);

managementRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras",
    placed: { fields: ["locationId", "clusterId", "organizationId"] },
    operationId: "listWallCameras",
    summary: "List the cameras that you can see",
    description:
      "Each camera has the name of its location and the gaps of its last 24 hours. Retired cameras are left out.",
    request: { query: wallQuery },
    responses: { 200: json(wallSchema, "A page of cameras") },
  }),
  async (c) => c.json(await listWallCameras(c.get("context"), c.req.valid("query")), 200),
);

managementRoutes.openapi(
  route({
    method: "get",
    path: "/v1/cameras/{cameraId}",
    operationId: "getCamera",
    summary: "Get a camera",
    request: { params },
    responses: { 200: json(cameraSchema, "The camera") },
  }),
  async (c) => {
    const context = c.get("context");
    const { camera } = await requireCamera(context, c.req.valid("param").cameraId, READ);
    return c.json(shown(c, await readCamera(context, camera.id)), 200);
  },
);

managementRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/cameras/{cameraId}",
    operationId: "updateCamera",
    summary: "Update a camera's settings",
    request: { params, body: jsonBody(cameraChange) },
    responses: { 200: json(cameraSchema, "The camera") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { baseRevision: _, confirmRetentionReduction = false, ...settings } = body;
    const { cameraId } = c.req.valid("param");
    const changed = await updateCamera(
      c.get("context"),
      cameraId,
      settings,
      preconditionOf(c, body),
      confirmRetentionReduction,
    );
    return c.json(shown(c, changed), 200);
  },
);

managementRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/relinks",
    operationId: "relinkCamera",
    summary: "Move a camera to another location",
    description: "The new location belongs to the same organization. Pair the camera again afterwards.",
    request: { params, body: jsonBody(relink) },
    responses: { 200: json(cameraSchema, "The camera at its new location") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { locationId, cancelPending = false } = body;
    const { cameraId } = c.req.valid("param");
    const move = { locationId, cancelPending };
    return c.json(shown(c, await relinkCamera(c.get("context"), cameraId, move, preconditionOf(c, body))), 200);
  },
);

type Ending = (context: Context, cameraId: string, precondition: Precondition) => Promise<CameraView>;

/** Adds a route without a body that ends the access of a camera's device. */
function endingRoute(verb: "revoke" | "retire", summary: string, description: string, end: Ending): void {
  managementRoutes.openapi(
    route({
      method: "post",
      path: `/v1/cameras/{cameraId}/${verb}`,
      operationId: `${verb}Camera`,
      summary,
      description,
      request: { params },
      responses: { 200: json(cameraSchema, "The camera") },
    }),
    async (c) =>
      c.json(shown(c, await end(c.get("context"), c.req.valid("param").cameraId, preconditionOf(c, {}))), 200),
  );
}
endingRoute("revoke", "Revoke a camera's device", "Ends the device's access and pauses the camera.", revokeCamera);
endingRoute("retire", "Retire a camera", "You cannot undo this. The images stay until they expire.", retireCamera);

managementRoutes.openapi(
  route({
    method: "get",
    path: "/v1/orgs/{organizationId}/camera-cleanups",
    operationId: "listCameraCleanups",
    summary: "List camera cleanups of an organization",
    description: "Each receipt says what the deletion of a location removed of one camera. Only for owners and admins.",
    request: { params: z.object({ organizationId: idSchema }), query: pageQuery },
    responses: { 200: json(pageSchema("CameraCleanupList", cleanupSchema), "A page of receipts") },
  }),
  async (c) =>
    c.json(await listCleanups(c.get("context"), c.req.valid("param").organizationId, c.req.valid("query")), 200),
);
