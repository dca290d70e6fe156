import { z } from "@hono/zod-openapi";
import { forUsers, READ } from "../../access";
import { pageSchema } from "../../platform/db/cursor";
import { preconditionOf } from "../../platform/http/revision";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { deletionQuery } from "../../workspace";
import { answerDocument, documentSchema, fileNameSchema, pathSchema, requireDocument } from "../document";
import { bulkBody, bulkSchema, changeDocuments } from "./bulk";
import { deleteDocument, moveDocument, restoreDocument } from "./documents";
import { documentIdQuery, documentQuery, listDocumentIds, listDocuments } from "./list";
import { shareBody, shareDocuments, sharingSchema } from "./sharing";

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

const inLocation = z.object({ locationId: idSchema });

libraryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/documents",
    operationId: "listDocuments",
    summary: "List the documents of a location",
    description:
      "Contains the documents that you may read. A filter looks at a limited number of documents: then a page can have " +
      "fewer items than its limit, or none, and a `nextCursor`.",
    request: { params: inLocation, query: documentQuery },
    responses: { 200: json(pageSchema("DocumentList", documentSchema), "A page of documents") },
  }),
  async (c) =>
    c.json(await listDocuments(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

libraryRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/documents/ids",
    operationId: "listDocumentIds",
    summary: "List the ids of the documents of a location",
    description:
      "Contains the ids of the documents of the list of documents, in the same order. Use it to change all of them.",
    request: { params: inLocation, query: documentIdQuery },
    responses: { 200: json(pageSchema("DocumentIdList", idSchema), "A page of ids") },
  }),
  async (c) =>
    c.json(await listDocumentIds(c.get("context"), c.req.valid("param").locationId, c.req.valid("query")), 200),
);

libraryRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/changes",
    operationId: "changeDocuments",
    summary: "Move, tag, delete or restore many documents",
    description:
      "The documents are in this location or elsewhere in its workspace. All allowed changes are made together, or none. " +
      "The others have an error in their result. If no change is allowed, the answer is the error of one of them. " +
      "Send `undo` of the answer to the same address to take the changes back.",
    request: { params: inLocation, body: jsonBody(bulkBody) },
    responses: { 200: json(bulkSchema, "The result of each change") },
  }),
  async (c) =>
    c.json(await changeDocuments(c.get("context"), c.req.valid("param").locationId, c.req.valid("json").changes), 200),
);

libraryRoutes.openapi(
  routeOf({ ...forUsers, tags: ["Grants"] })({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/grants",
    operationId: "shareDocuments",
    summary: "Share many documents with a person",
    description:
      "The documents are in this location or elsewhere in its workspace. All that you may share are shared together, or none. " +
      "The others have an error in their result. If none is shared, the answer is the error of one of them. " +
      "The person gets one notification for the request. Send `undo` of the answer to the same address to end the new grants.",
    request: { params: inLocation, body: jsonBody(shareBody) },
    responses: { 200: json(sharingSchema, "The result of each document") },
  }),
  async (c) =>
    c.json(await shareDocuments(c.get("context"), c.req.valid("param").locationId, c.req.valid("json")), 200),
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
