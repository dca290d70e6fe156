import { z } from "@hono/zod-openapi";
import { forUsers } from "../../access";
import { checksumSchema, fileNameSchema } from "../../documents";
import { createRouter, json, jsonBody, noContent, routeOf } from "../../platform/http/router";
import { idSchema } from "../../platform/ids";
import { downloadSchema, prefersJson } from "../../platform/objects/store";
import { utcSchema } from "../../platform/time";
import { transferFields } from "../../uploads";
import { assetSchema, presentAsset, slotSchema } from "../fields";
import { requireAsset } from "../record";
import {
  ASSET_LINKS,
  assetLink,
  cancelAssetUpload,
  completeAssetUpload,
  completedAssetSchema,
  deleteAsset,
  startAssetUpload,
} from "./assets";

export const assetRoutes = createRouter();

const route = routeOf({ ...forUsers, tags: ["Branding"] });
const params = z.object({ organizationId: idSchema, slot: slotSchema });
const path = "/v1/orgs/{organizationId}/branding/assets/{slot}" as const;

const newAsset = z
  .strictObject({
    fileName: fileNameSchema,
    contentType: z
      .string()
      .max(100)
      .regex(/^[\w.+-]+\/[\w.+-]+$/, "must be a media type, such as image/png")
      .openapi({ example: "image/png" }),
    sizeBytes: z.int().min(1),
    checksumSha256: checksumSchema,
  })
  .openapi("BrandingUploadCreate");

const startedAsset = z
  .object({
    ...transferFields,
    expiresAtUtc: utcSchema,
  })
  .openapi("BrandingUpload");

assetRoutes.openapi(
  route({
    method: "get",
    path,
    operationId: "getBrandingAsset",
    summary: "Get the logo or banner",
    request: { params },
    responses: { 200: json(assetSchema, "The file's properties") },
  }),
  async (c) => {
    const { organizationId, slot } = c.req.valid("param");
    return c.json(presentAsset(await requireAsset(c.get("context"), organizationId, slot)), 200);
  },
);

assetRoutes.openapi(
  route({
    method: "post",
    path: `${path}/upload-start`,
    operationId: "startBrandingUpload",
    summary: "Start the upload of a logo or banner",
    description: "Your open upload of the same file continues: the answer is 200 with a new address for it.",
    request: { params, body: jsonBody(newAsset) },
    responses: {
      200: json(startedAsset, "The open upload of the same file, with a new address for the bytes"),
      201: json(startedAsset, "The address for the bytes"),
    },
  }),
  async (c) => {
    const { organizationId, slot } = c.req.valid("param");
    const { started, isNew } = await startAssetUpload(c.get("context"), organizationId, slot, c.req.valid("json"));
    return c.json(started, isNew ? 201 : 200);
  },
);

assetRoutes.openapi(
  route({
    method: "delete",
    path: `${path}/uploads/{uploadId}`,
    operationId: "cancelBrandingUpload",
    summary: "Cancel the upload of a logo or banner",
    description:
      "Ends your own upload before its completion, deletes its bytes and releases the storage that it reserved. A completed upload answers 410.",
    request: { params: params.extend({ uploadId: idSchema }) },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { organizationId, slot, uploadId } = c.req.valid("param");
    await cancelAssetUpload(c.get("context"), organizationId, slot, uploadId);
    return c.body(null, 204);
  },
);

assetRoutes.openapi(
  route({
    method: "post",
    path: `${path}/upload-complete`,
    operationId: "completeBrandingUpload",
    summary: "Complete the upload of a logo or banner",
    description: "Verifies the uploaded bytes and replaces the current file of the slot.",
    request: {
      params,
      body: jsonBody(z.strictObject({ uploadId: idSchema }).openapi("BrandingUploadComplete")),
    },
    responses: { 200: json(completedAssetSchema, "The slot's file") },
  }),
  async (c) => {
    const { organizationId, slot } = c.req.valid("param");
    const { uploadId } = c.req.valid("json");
    return c.json(await completeAssetUpload(c.get("context"), organizationId, slot, uploadId), 200);
  },
);

assetRoutes.openapi(
  route({
    method: "get",
    path: `${path}/download`,
    operationId: "getBrandingAssetDownload",
    summary: "Get a download link for the logo or banner",
    description: "The link expires after 5 minutes. `linkType` selects the file or a preview.",
    request: { params, query: z.object({ linkType: z.enum(ASSET_LINKS).default("file") }) },
    responses: {
      200: json(downloadSchema, "The address, for clients that prefer JSON"),
      302: { description: "A redirect to the address", headers: z.object({ location: z.string() }) },
    },
  }),
  async (c) => {
    const { organizationId, slot } = c.req.valid("param");
    const link = await assetLink(c.get("context"), organizationId, slot, c.req.valid("query").linkType);
    c.header("vary", "accept");
    return prefersJson(c.req.header("accept")) ? c.json(link, 200) : c.redirect(link.url, 302);
  },
);

assetRoutes.openapi(
  route({
    method: "delete",
    path,
    operationId: "deleteBrandingAsset",
    summary: "Remove the logo or banner",
    request: { params },
    responses: { 204: noContent },
  }),
  async (c) => {
    const { organizationId, slot } = c.req.valid("param");
    await deleteAsset(c.get("context"), organizationId, slot);
    return c.body(null, 204);
  },
);
