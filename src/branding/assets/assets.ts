import { z } from "@hono/zod-openapi";
import { actorOf, auditStatement, requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { type DownloadLink, type ExpectedBytes, presentDownload } from "../../platform/objects/store";
import { SECOND, toUtc } from "../../platform/time";
import { completeUpload, findUpload, releaseObjects, startUpload } from "../../uploads";
import { organizationExists } from "../../workspace";
import { type AssetRow, assetSchema, presentAsset, type Slot } from "../fields";
import { LINK_LIFETIME_MS, MAX_ASSET_BYTES } from "../limits";
import { isSlot, requireAsset, touchBranding } from "../record";
import { brandingAssets } from "../tables";
import { assetSubject, BRANDING_PURPOSE, keysOfSlot } from "./purpose";
import { readSvg } from "./svg";

export const ASSET_LINKS = ["file", "small", "medium"] as const;

/**
 * Signs an expiring address of a slot's file or of a preview. Browsers save the file and do not show it, because scripts
 * in an SVG could run. @throws DomainError 401, 404.
 */
export async function assetLink(
  context: Context,
  organizationId: string,
  slot: Slot,
  linkType: (typeof ASSET_LINKS)[number],
): Promise<DownloadLink> {
  const row = await requireAsset(context, organizationId, slot);
  const ending = row.previewType === "image/png" ? "png" : "jpg";
  const as =
    linkType === "file"
      ? { fileName: row.fileName, contentType: row.contentType, disposition: "attachment" as const }
      : { fileName: `${slot}-${linkType}.${ending}`, contentType: row.previewType, disposition: "inline" as const };
  const key = { file: row.objectKey, small: row.smallKey, medium: row.mediumKey }[linkType];
  const object = await context.objects.head(key);
  if (object === null) throw notFound();
  const link = await context.objects.signDownload(key, as, LINK_LIFETIME_MS / SECOND);
  return presentDownload(link, { contentType: as.contentType, sizeBytes: object.sizeBytes });
}

interface NewAsset extends ExpectedBytes {
  fileName: string;
}

/**
 * Starts the upload of a slot's file. The current file stays until the upload is complete.
 * @throws DomainError 401, 403, 404, content-too-large, storage-full.
 */
export async function startAssetUpload(context: Context, organizationId: string, slot: Slot, given: NewAsset) {
  const caller = requireOrganizationAdmin(context, organizationId);
  if (given.sizeBytes > MAX_ASSET_BYTES)
    throw new DomainError("content-too-large", "A logo or banner may have 5 MiB at most. Send a smaller picture.");
  const { fileName, ...expected } = given;
  const change = beginChange(context).guard(organizationExists(organizationId), notFound());
  const { uploadId, uploadUrl, requiredHeaders, expiresAt } = await startUpload(context, change, {
    purpose: BRANDING_PURPOSE,
    tenant: { tenantId: organizationId, organizationId },
    locationId: null,
    targetId: `${organizationId}/${slot}`,
    subject: { organizationId, slot, fileName, by: actorOf(caller) },
    expected,
    createdBy: caller.userId,
  });
  await change.commit();
  return { uploadId, uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) };
}

export const completedAssetSchema = assetSchema
  .extend({
    hint: z.string().nullable().openapi({
      description: "Advice to improve the file, such as to convert an SVG's text to outlines. Null if there is none.",
    }),
  })
  .openapi("BrandingUploadResult");

const TEXT_HINT =
  "This SVG contains text. Reports draw it with the fonts of the machine that prints, and the previews leave it out. Convert the text to outlines and upload the file again.";

/** Advice to improve a file, or null. */
async function hintOf({ objects }: Context, { contentType, objectKey }: AssetRow): Promise<string | null> {
  if (contentType !== "image/svg+xml") return null;
  const found = await objects.read(objectKey);
  if (found === null) return null;
  const read = readSvg(new Uint8Array(await new Response(found.body).arrayBuffer()));
  return read?.kind === "svg" && read.hasText ? TEXT_HINT : null;
}

/**
 * Completes the caller's own upload and returns the slot's file. A repetition does no harm.
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

/** Removes a slot's file. Only owners and admins may. @throws DomainError 401, 403, 404 (also for an empty slot). */
export async function deleteAsset(context: Context, organizationId: string, slot: Slot): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const change = beginChange(context);
  releaseObjects(context, change, keysOfSlot({ organizationId, slot }));
  change.add(context.db.delete(brandingAssets).where(isSlot(organizationId, slot))).guardChanged(notFound());
  touchBranding(context, change, organizationId, context.now);
  change.add(
    auditStatement(context, {
      organizationId,
      action: "branding.asset-deleted",
      subjectType: "organization",
      subjectId: organizationId,
      details: { slot },
    }),
  );
  await change.commit();
}
