import { z } from "@hono/zod-openapi";
import { forUsers, READ, requireUser } from "../../access";
import { pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { levelsTag, patchSchema } from "../fields";
import { requireLocation, spatialQuery } from "../spatial";
import { deletionQuery } from "../trash/trash";
import {
  createLocation,
  deleteLocation,
  listLocations,
  locationFields,
  locationSchema,
  presentLocation,
  restoreLocation,
  updateLocation,
} from "./locations";

export const locationRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Locations"] });
const params = z.object({ locationId: idSchema });
const { clusterId, name, ...optionalFields } = locationFields;
const newLocation = z
  .strictObject({ clusterId, name, ...z.object(optionalFields).partial().shape })
  .openapi("LocationCreate");

locationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations",
    placed: { fields: ["clusterId", "organizationId"] },
    operationId: "listLocations",
    summary: "List locations",
    description: "Contains the locations that you may see.",
    request: { query: spatialQuery.extend({ clusterId: idSchema.optional() }) },
    responses: { 200: json(pageSchema("LocationList", locationSchema), "A page of locations") },
  }),
  async (c) => c.json(await listLocations(c.get("context"), c.req.valid("query")), 200),
);

locationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations",
    locates: "/v1/spatial/locations/{id}",
    placed: { fields: ["clusterId"] },
    operationId: "createLocation",
    summary: "Create a location",
    request: { body: jsonBody(newLocation) },
    responses: { 201: json(locationSchema, "The location") },
  }),
  async (c) => {
    const location = await createLocation(c.get("context"), c.req.valid("json"));
    setRevision(c, location.revision, levelsTag(location.capabilities));
    return c.json(location, 201);
  },
);

locationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}",
    operationId: "getLocation",
    summary: "Get a location",
    request: { params },
    responses: { 200: json(locationSchema, "The location") },
  }),
  async (c) => {
    const context = c.get("context");
    const row = await requireLocation(context, c.req.valid("param").locationId, "LocationView", READ);
    const location = presentLocation(requireUser(context), row);
    setRevision(c, location.revision, levelsTag(location.capabilities));
    return c.json(location, 200);
  },
);

locationRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/spatial/locations/{locationId}",
    operationId: "updateLocation",
    summary: "Update a location, or move it to another cluster",
    request: { params, body: jsonBody(patchSchema(locationFields).openapi("LocationUpdate")) },
    responses: { 200: json(locationSchema, "The location") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const location = await updateLocation(
      c.get("context"),
      c.req.valid("param").locationId,
      body,
      preconditionOf(c, body),
    );
    setRevision(c, location.revision, levelsTag(location.capabilities));
    return c.json(location, 200);
  },
);

locationRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/spatial/locations/{locationId}",
    operationId: "deleteLocation",
    summary: "Delete a location and everything in it",
    description: "You can restore it until its time in the trash ends.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteLocation(c.get("context"), c.req.valid("param").locationId, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);

locationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/restore",
    operationId: "restoreLocation",
    summary: "Restore a deleted location and its contents",
    request: { params },
    responses: { 200: json(locationSchema, "The location") },
  }),
  async (c) => {
    const location = await restoreLocation(c.get("context"), c.req.valid("param").locationId);
    setRevision(c, location.revision, levelsTag(location.capabilities));
    return c.json(location, 200);
  },
);
