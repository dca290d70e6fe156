import { z } from "@hono/zod-openapi";
import { credentialRefOf, forUsers, requireUser } from "../../access";
import { notFound } from "../../platform/errors";
import { createRouter, json, jsonBody, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { mayReadImages, requireArchive } from "../archive";
import {
  latestBody,
  latestPreviews,
  latestSchema,
  limitPreviewRequests,
  previewsBody,
  previewsSchema,
  timelinePreviews,
} from "./previews";

export const previewRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Camera archive"] });

previewRoutes.openapi(
  route({
    method: "post",
    path: "/v1/cameras/{cameraId}/previews",
    operationId: "listTimelinePreviews",
    summary: "Get previews of the captures nearest to given moments",
    request: {
      params: z.object({ cameraId: idSchema }),
      query: z.object({ locationId: idSchema }),
      body: jsonBody(previewsBody),
    },
    responses: { 200: json(previewsSchema, "A sample for each time, and each distinct capture once") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("query");
    const context = c.get("context");
    limitPreviewRequests(context);
    const archive = await requireArchive(context, c.req.valid("param").cameraId, locationId);
    const previews = await timelinePreviews(context, archive, c.req.valid("json").times);
    if (!(await mayReadImages(context, credentialRefOf(requireUser(context)), locationId))) throw notFound();
    return c.json(previews, 200);
  },
);

previewRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/cameras/latest-previews",
    operationId: "listLatestPreviews",
    summary: "Get a preview of each camera's latest capture",
    request: { params: z.object({ locationId: idSchema }), body: jsonBody(latestBody) },
    responses: {
      200: json(latestSchema, "The cameras in the requested order, with nulls for a camera without a visible image"),
    },
  }),
  async (c) => {
    const context = c.get("context");
    limitPreviewRequests(context);
    const { cameraIds } = c.req.valid("json");
    return c.json(await latestPreviews(context, c.req.valid("param").locationId, cameraIds), 200);
  },
);
