import { z } from "@hono/zod-openapi";
import { forUsers, READ } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf, setRevision } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { patchSchema } from "../fields";
import {
  annotationFields,
  annotationSchema,
  createAnnotation,
  deleteAnnotation,
  listAnnotations,
  presentAnnotation,
  requireAnnotation,
  updateAnnotation,
} from "./annotations";

export const annotationRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Annotations"] });
const inLocation = z.object({ locationId: idSchema });
const params = z.object({ annotationId: idSchema });
const { kind, title, ...optionalFields } = annotationFields;
const newAnnotation = z
  .strictObject({ kind, title, ...z.object(optionalFields).partial().shape })
  .openapi("AnnotationCreate");

annotationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/annotations",
    operationId: "listAnnotations",
    summary: "List the annotations of a location",
    request: { params: inLocation, query: pageQuery },
    responses: { 200: json(pageSchema("AnnotationList", annotationSchema), "A page of annotations") },
  }),
  async (c) =>
    c.json(await listAnnotations(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

annotationRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/annotations",
    locates: "/v1/annotations/{id}",
    operationId: "createAnnotation",
    summary: "Add an annotation to a location",
    request: { params: inLocation, body: jsonBody(newAnnotation) },
    responses: { 201: json(annotationSchema, "The annotation") },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    const annotation = await createAnnotation(c.get("context"), locationId, c.req.valid("json"));
    setRevision(c, annotation.revision);
    return c.json(annotation, 201);
  },
);

annotationRoutes.openapi(
  route({
    method: "get",
    path: "/v1/annotations/{annotationId}",
    operationId: "getAnnotation",
    summary: "Get an annotation",
    request: { params },
    responses: { 200: json(annotationSchema, "The annotation") },
  }),
  async (c) => {
    const row = await requireAnnotation(c.get("context"), c.req.valid("param").annotationId, READ);
    setRevision(c, row.revision);
    return c.json(presentAnnotation(row), 200);
  },
);

annotationRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/annotations/{annotationId}",
    operationId: "updateAnnotation",
    summary: "Update an annotation",
    request: { params, body: jsonBody(patchSchema(annotationFields).openapi("AnnotationUpdate")) },
    responses: { 200: json(annotationSchema, "The annotation") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { annotationId } = c.req.valid("param");
    const annotation = await updateAnnotation(c.get("context"), annotationId, body, preconditionOf(c, body));
    setRevision(c, annotation.revision);
    return c.json(annotation, 200);
  },
);

annotationRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/annotations/{annotationId}",
    operationId: "deleteAnnotation",
    summary: "Delete an annotation",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    await deleteAnnotation(c.get("context"), c.req.valid("param").annotationId, preconditionOf(c, {}));
    return c.body(null, 204);
  },
);
