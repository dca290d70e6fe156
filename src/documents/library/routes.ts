import { z } from "@hono/zod-openapi";
import { forUsers, READ } from "../../access";
import { pageQuery, pageSchema } from "../../platform/db/cursor";
import { preconditionOf } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { deletionQuery } from "../../workspace";
import { answerDocument, documentSchema, fileNameSchema, pathSchema, requireDocument } from "../document";
import { deleteDocument, listDocuments, moveDocument, restoreDocument } from "./documents";

export const libraryRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const params = z.object({ documentId: idSchema });

const documentMove = z
  .strictObject({
    path: pathSchema.optional(),
    fileName: fileNameSchema.optional(),
    locationId: idSchema.optional(),
    baseRevision: z.int().min(1).optional(),
  })
  .refine((body) => Object.keys(body).some((key) => key !== "baseRevision"), "name at least one field to change")
  .openapi("DocumentUpdate");

libraryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/documents",
    operationId: "listDocuments",
    summary: "List the documents of a location",
    description: "Contains the documents that you may read, ordered by path and file name.",
    request: {
      params: z.object({ locationId: idSchema }),
      query: pageQuery.extend({
        path: pathSchema.default("").openapi({ description: "Lists only documents in this folder and below it." }),
      }),
    },
    responses: { 200: json(pageSchema("DocumentList", documentSchema), "A page of documents") },
  }),
  async (c) =>
    c.json(await listDocuments(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

libraryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/documents/{documentId}",
    operationId: "getDocument",
    summary: "Get a document",
    request: { params },
    responses: { 200: json(documentSchema, "The document") },
  }),
  async (c) => {
    const found = await requireDocument(c.get("context"), c.req.valid("param").documentId, READ);
    return answerDocument(c, found);
  },
);

libraryRoutes.openapi(
  route({
    method: "patch",
    path: "/v1/documents/{documentId}",
    operationId: "updateDocument",
    summary: "Rename or move a document",
    request: { params, body: jsonBody(documentMove) },
    responses: { 200: json(documentSchema, "The document") },
  }),
  async (c) => {
    const body = c.req.valid("json");
    const { documentId } = c.req.valid("param");
    const found = await moveDocument(c.get("context"), documentId, body, preconditionOf(c, body));
    return answerDocument(c, found);
  },
);

libraryRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/documents/{documentId}",
    operationId: "deleteDocument",
    summary: "Delete a document with all its versions",
    description: "You can restore it until its time in the trash ends.",
    request: { params, query: deletionQuery },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { purge } = c.req.valid("query");
    await deleteDocument(c.get("context"), c.req.valid("param").documentId, preconditionOf(c, {}), purge);
    return c.body(null, 204);
  },
);

libraryRoutes.openapi(
  route({
    method: "post",
    path: "/v1/documents/{documentId}/restore",
    operationId: "restoreDocument",
    summary: "Restore a deleted document",
    request: { params },
    responses: { 200: json(documentSchema, "The document") },
  }),
  async (c) => {
    const found = await restoreDocument(c.get("context"), c.req.valid("param").documentId);
    return answerDocument(c, found);
  },
);
