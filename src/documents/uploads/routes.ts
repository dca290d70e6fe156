import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { toUtc, utcSchema } from "../../platform/time";
import { MAX_SIGNED_PARTS, transferFields, uploadStatusSchema } from "../../uploads";
import { answerDocument, checksumSchema, documentSchema, fileNameSchema, pathSchema } from "../document";
import {
  cancelDocumentUpload,
  completeDocumentUpload,
  presentUpload,
  readDocumentUpload,
  signDocumentParts,
  startDocumentUpload,
  startPartedUpload,
} from "./uploads";

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

const partedUpload = z
  .object({
    uploadId: idSchema,
    documentId: idSchema,
    version: z.int(),
    path: z.string(),
    fileName: z.string(),
    status: uploadStatusSchema,
    sizeBytes: z.int(),
    partSizeBytes: z.int().nullable().openapi({
      description: "Size of each part except the last one. Null for an upload that is sent in one request.",
    }),
    partCount: z.int(),
    receivedParts: z.array(z.int()).openapi({ description: "The numbers of the parts that have arrived, from 1." }),
    expiresAtUtc: utcSchema.openapi({
      description: "When the upload ends unless addresses for its parts are requested, or it is started again.",
    }),
  })
  .openapi("DocumentUploadState");

documentUploadRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/uploads",
    locates: "/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}",
    operationId: "startUploadInParts",
    summary: "Start an upload in parts",
    description:
      "Uploads a file of up to 2 GiB in parts, each with its own address. Parts that have arrived stay for 24 hours after the last address was requested. Your open upload of the same file with the same path, name and type continues: the answer is 200 and has the parts that have arrived.",
    request: { params, body: jsonBody(newDocument) },
    responses: {
      200: json(partedUpload, "The open upload of the same file"),
      201: json(partedUpload, "The new upload"),
    },
  }),
  async (c) => {
    const context = c.get("context");
    const { upload, isNew } = await startPartedUpload(context, c.req.valid("param").locationId, c.req.valid("json"));
    return c.json(await presentUpload(context, upload), isNew ? 201 : 200);
  },
);

const ofUpload = params.extend({ uploadId: idSchema });

documentUploadRoutes.openapi(
  route({
    method: "get",
    path: "/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}",
    operationId: "getUpload",
    summary: "Get an upload",
    description: "Answers with your own upload and the parts that have arrived.",
    request: { params: ofUpload },
    responses: { 200: json(partedUpload, "The upload") },
  }),
  async (c) => {
    const { locationId, uploadId } = c.req.valid("param");
    return c.json(await readDocumentUpload(c.get("context"), locationId, uploadId), 200);
  },
);

const announcedParts = z
  .strictObject({
    parts: z
      .array(z.strictObject({ number: z.int().min(1), checksumSha256: checksumSchema }))
      .min(1)
      .max(MAX_SIGNED_PARTS),
  })
  .openapi("DocumentUploadPartsCreate");

const signedParts = z
  .object({
    parts: z.array(
      z.object({
        number: z.int(),
        uploadUrl: transferFields.uploadUrl,
        requiredHeaders: transferFields.requiredHeaders,
        expiresAtUtc: utcSchema,
      }),
    ),
  })
  .openapi("DocumentUploadParts");

documentUploadRoutes.openapi(
  route({
    method: "post",
    path: "/v1/spatial/locations/{locationId}/documents/uploads/{uploadId}/parts",
    operationId: "signUploadParts",
    summary: "Request addresses for parts of an upload",
    description:
      "Signs an address for each part, with the SHA-256 of its bytes. A part has arrived when its PUT answers 200; a PUT of a part that is there already answers 412. When all parts have arrived, complete the upload.",
    request: { params: ofUpload, body: jsonBody(announcedParts) },
    responses: { 200: json(signedParts, "The addresses, in the order of the request") },
  }),
  async (c) => {
    const { locationId, uploadId } = c.req.valid("param");
    const signed = await signDocumentParts(c.get("context"), locationId, uploadId, c.req.valid("json").parts);
    const parts = signed.map(({ expiresAt, ...part }) => ({ ...part, expiresAtUtc: toUtc(expiresAt) }));
    return c.json({ parts }, 200);
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
    request: { params: ofUpload },
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
    description:
      "Verifies the uploaded bytes and adds the document to the library. The verification of a large file takes longer than a request: the answer is then 503, and the same call gets the result.",
    request: { params, body: jsonBody(z.strictObject({ uploadId: idSchema }).openapi("DocumentUploadComplete")) },
    responses: { 200: json(documentSchema, "The document") },
  }),
  async (c) => {
    const { uploadId } = c.req.valid("json");
    const found = await completeDocumentUpload(c.get("context"), c.req.valid("param").locationId, uploadId);
    return answerDocument(c, found);
  },
);
