import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { utcSchema } from "../../platform/time";
import { transferFields } from "../../uploads";
import { answerDocument, checksumSchema, documentSchema, fileNameSchema, pathSchema } from "../document";
import { cancelDocumentUpload, completeDocumentUpload, startDocumentUpload } from "./uploads";

export const documentUploadRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Documents"] });
const params = z.object({ locationId: idSchema });

const mediaTypeSchema = z
  .string()
  .max(200)
  .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w."'+-]+)*$/, "must be a media type, such as application/pdf")
  .openapi({ example: "application/pdf" });

const newDocument = z
  .strictObject({
    path: pathSchema.default(""),
    fileName: fileNameSchema,
    contentType: mediaTypeSchema,
    sizeBytes: z.int().min(0),
    checksumSha256: checksumSchema,
  })
  .openapi("DocumentUploadCreate");

const startedUpload = z
  .object({
    documentId: idSchema,
    version: z.int(),
    ...transferFields,
    expiresAtUtc: utcSchema.openapi({
      description: "When `uploadUrl` expires. After the PUT you can complete the upload for 24 hours from its start.",
    }),
  })
  .openapi("DocumentUpload");

documentUploadRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/upload-start",
    operationId: "startUpload",
    summary: "Start an upload",
    description:
      "Uploads a document, or a new version of the document with this path and name. Your open upload of the same file with the same path, name and type continues: the answer is 200 with a new address for it.",
    request: { params, body: jsonBody(newDocument) },
    responses: {
      200: json(startedUpload, "The open upload of the same file, with a new address for the bytes"),
      201: json(startedUpload, "The address for the bytes"),
    },
  }),
  async (c) => {
    const { locationId } = c.req.valid("param");
    const { started, isNew } = await startDocumentUpload(c.get("context"), locationId, c.req.valid("json"));
    return c.json(started, isNew ? 201 : 200);
  },
);

documentUploadRoutes.openapi(
  route({
    method: "delete",
    path: "/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}",
    operationId: "cancelUpload",
    summary: "Cancel an upload",
    description:
      "Ends your own upload before its completion, deletes its bytes and releases the storage that it reserved. A completed upload answers 410.",
    request: { params: params.extend({ uploadId: idSchema }) },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { locationId, uploadId } = c.req.valid("param");
    await cancelDocumentUpload(c.get("context"), locationId, uploadId);
    return c.body(null, 204);
  },
);

documentUploadRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/upload-complete",
    operationId: "completeUpload",
    summary: "Complete an upload",
    description: "Verifies the uploaded bytes and adds the document to the library.",
    request: { params, body: jsonBody(z.strictObject({ uploadId: idSchema }).openapi("DocumentUploadComplete")) },
    responses: { 200: json(documentSchema, "The document") },
  }),
  async (c) => {
    const { uploadId } = c.req.valid("json");
    const found = await completeDocumentUpload(c.get("context"), c.req.valid("param").locationId, uploadId);
    return answerDocument(c, found);
  },
);
