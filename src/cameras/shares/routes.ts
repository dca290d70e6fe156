import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import {
  createdShareSchema,
  createShare,
  listShares,
  newShareSchema,
  revokeShare,
  shareChangeSchema,
  shareSchema,
  sharesSchema,
  updateShare,
} from "./links";

/** Routes that manage share links. */
export const shareRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Camera shares"] });
const inLocation = z.object({ locationId: idSchema });
const params = z.object({ id: idSchema });

shareRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/camera-shares",
    operationId: "listCameraShares",
    summary: "List the camera links of a location",
    description: "Also says which cameras you may share.",
    request: { params: inLocation },
    responses: { 200: json(sharesSchema, "Permissions and links") },
  }),
  async (c) => c.json(await listShares(c.get("context"), c.req.valid("param").locationId), 200),
);

shareRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/camera-shares",
    operationId: "createCameraShare",
    summary: "Create a link to cameras of a location",
    request: { params: inLocation, body: jsonBody(newShareSchema) },
    responses: { 201: json(createdShareSchema, "The link, with its secret") },
  }),
  async (c) => {
    const share = await createShare(c.get("context"), c.req.valid("param").locationId, c.req.valid("json"));
    setRevision(c, share.revision);
    return c.json(share, 201);
  },
);

shareRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/camera-shares/{id}",
    operationId: "updateCameraShare",
    summary: "Update a link to cameras",
    request: { params, body: jsonBody(shareChangeSchema) },
    responses: { 200: json(shareSchema, "The link") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const share = await updateShare(c.get("context"), c.req.valid("param").id, body, preconditionOf(c, body));
    setRevision(c, share.revision);
    return c.json(share, 200);
  },
);

shareRoutes.openapi(
  route({
    method: "post",
    path: "/v1/camera-shares/{id}/revoke",
    operationId: "revokeCameraShare",
    summary: "Revoke a link to cameras",
    request: { params, body: jsonBody(z.strictObject({ baseRevision: z.int().min(1) }).openapi("CameraShareRevoke")) },
    responses: { 200: json(shareSchema, "The link") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const share = await revokeShare(c.get("context"), c.req.valid("param").id, preconditionOf(c, body));
    setRevision(c, share.revision);
    return c.json(share, 200);
  },
);
