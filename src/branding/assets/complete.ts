import { z } from "@hono/zod-openapi";
import { requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { completeUpload, findUpload } from "../../uploads";
import { type AssetRow, assetSchema, presentAsset, type Slot } from "../fields";
import { requireAsset } from "../find";
import { assetSubject, BRANDING_PURPOSE } from "./purpose";
import { readSvg } from "./svg";

export const completedAssetSchema = assetSchema
  .extend({
    hint: z.string().nullable().openapi({
      description: "What would make the file better, such as outlines in the place of an SVG's letters.",
    }),
  })
  .openapi("BrandingUploadResult");

const LETTERS =
  "Letters stand in this SVG as text: pages draw them with the fonts of the machine that prints, and the previews leave them out. Turn them into outlines and upload it again.";

/** What would make a file better; null when nothing would. */
async function hintOf({ objects }: Context, { contentType, objectKey }: AssetRow): Promise<string | null> {
  if (contentType !== "image/svg+xml") return null;
  const found = await objects.read(objectKey);
  if (found === null) return null;
  const read = readSvg(new Uint8Array(await new Response(found.body).arrayBuffer()));
  return read?.kind === "svg" && read.hasText ? LETTERS : null;
}

/**
 * Completes the caller's own upload and answers with the slot's file; repeating it does no harm.
 * @throws DomainError 401, 403, 404, 410, 422, 503.
 */
export async function completeAssetUpload(context: Context, organizationId: string, slot: Slot, uploadId: string) {
  const { userId } = requireOrganizationAdmin(context, organizationId);
  const upload = await findUpload(context, uploadId);
  if (upload === null || upload.purpose !== BRANDING_PURPOSE || upload.createdBy !== userId) throw notFound();
  const subject = assetSubject.parse(upload.subject);
  if (subject.organizationId !== organizationId || subject.slot !== slot) throw notFound();
  await completeUpload(context, upload);
  const row = await requireAsset(context, organizationId, slot);
  return { ...presentAsset(row), hint: await hintOf(context, row) };
}
