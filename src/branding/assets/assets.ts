import { z } from "@hono/zod-openapi";
import { type SQLWrapper, sql } from "drizzle-orm";
import { actorOf, auditStatement, readerOf, requireOrganizationAdmin } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { sayTo } from "../../platform/languages/reader";
import type { DownloadChecks } from "../../platform/objects/endpoint";
import { type DownloadLink, type ExpectedBytes, presentDownload } from "../../platform/objects/store";
import { inPieces } from "../../platform/pace";
import { SECOND, toUtc } from "../../platform/time";
import {
  cancelUpload,
  completeUpload,
  confirmPendingObjects,
  findUpload,
  registerPendingObjects,
  releaseObjects,
  resumeUpload,
  startUpload,
  type UploadPurpose,
  UploadRejection,
} from "../../uploads";
import { uploads } from "../../uploads/tables";
import { organizationExists } from "../../workspace";
import { type AssetRow, assetSchema, presentAsset, type Slot, slotSchema } from "../fields";
import { LINK_LIFETIME_MS, MAX_ASSET_BYTES, PENDING_PREVIEW_LIFETIME_MS } from "../limits";
import { isSlot, requireAsset, touchBranding } from "../record";
import { brandingAssets } from "../tables";
import { drawAsset } from "./draw";
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
  const access = { reader: readerOf(context), kind: "brand-asset" as const, ids: [organizationId, slot] };
  const link = await context.objects.signDownload(key, as, LINK_LIFETIME_MS / SECOND, access);
  return presentDownload(link, object.sizeBytes);
}

/** The access check of addresses of logos and banners. @throws DomainError 404 */
export const brandingDownloads: Pick<DownloadChecks["check"], "brand-asset"> = {
  "brand-asset": (context, [organizationId = "", slot]) =>
    requireAsset(context, organizationId, slotSchema.parse(slot)),
};

interface NewAsset extends ExpectedBytes {
  fileName: string;
}

/**
 * Starts the upload of a slot's file, or continues the caller's open upload of the same file. The current file stays
 * until the upload is complete.
 * @throws DomainError 401, 403, 404, content-too-large, storage-full.
 */
export async function startAssetUpload(context: Context, organizationId: string, slot: Slot, given: NewAsset) {
  const caller = requireOrganizationAdmin(context, organizationId);
  if (given.sizeBytes > MAX_ASSET_BYTES)
    throw new DomainError("content-too-large", "A logo or banner may have 5 MiB at most. Send a smaller picture.");
  const { fileName, ...expected } = given;
  const change = beginChange(context, organizationId).guard(organizationExists(organizationId), notFound());
  const upload = {
    purpose: BRANDING_PURPOSE,
    targetId: `${organizationId}/${slot}`,
    expected,
    createdBy: caller.userId,
  };
  const isNamed = sql`json_extract(${uploads.subject}, '$.fileName') = ${fileName}`;
  const open = await resumeUpload(context, change, { ...upload, where: isNamed });
  const { uploadId, uploadUrl, requiredHeaders, expiresAt } =
    open === null
      ? await startUpload(context, change, {
          ...upload,
          tenant: { tenantId: organizationId, organizationId },
          locationId: null,
          subject: { organizationId, slot, fileName, by: actorOf(caller) },
        })
      : { ...open, uploadId: open.row.id };
  await change.commit();
  const started = { uploadId, uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) };
  return { started, isNew: open === null };
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
  const read = await inPieces(readSvg(new Uint8Array(await new Response(found.body).arrayBuffer())));
  return read?.kind === "svg" && read.hasText ? TEXT_HINT : null;
}

/**
 * Completes the caller's own upload and returns the slot's file. A repetition does no harm.
 * @throws DomainError 401, 403, 404, 410, 422, 503.
 */
export async function completeAssetUpload(context: Context, organizationId: string, slot: Slot, uploadId: string) {
  await completeUpload(context, await requireOwnUpload(context, organizationId, slot, uploadId));
  const row = await requireAsset(context, organizationId, slot);
  return { ...presentAsset(row), hint: sayTo(context, await hintOf(context, row)) };
}

/** The caller's own upload of a slot's file. @throws DomainError 401, 403, 404. */
async function requireOwnUpload(context: Context, organizationId: string, slot: Slot, uploadId: string) {
  const { userId } = requireOrganizationAdmin(context, organizationId);
  const upload = await findUpload(context, uploadId);
  if (upload === null || upload.purpose !== BRANDING_PURPOSE || upload.createdBy !== userId) throw notFound();
  const subject = assetSubject.parse(upload.subject);
  if (subject.organizationId !== organizationId || subject.slot !== slot) throw notFound();
  return upload;
}

/**
 * Cancels the caller's own open upload, and releases its reserved bytes. A repetition does no harm.
 * @throws DomainError 401, 403, 404, upload-ended (410) after its completion.
 */
export async function cancelAssetUpload(
  context: Context,
  organizationId: string,
  slot: Slot,
  uploadId: string,
): Promise<void> {
  await cancelUpload(context, brandingUploads, await requireOwnUpload(context, organizationId, slot, uploadId));
}

/** Removes a slot's file. Only owners and admins may. @throws DomainError 401, 403, 404 (also for an empty slot). */
export async function deleteAsset(context: Context, organizationId: string, slot: Slot): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const change = beginChange(context, organizationId);
  releaseObjects(context, change, keysOfSlot({ organizationId, slot }));
  change.add(context.workspace.delete(brandingAssets).where(isSlot(organizationId, slot))).guardChanged(notFound());
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

const BRANDING_PURPOSE = "branding";

/** The person who started the upload: the actor of the audit entry. Uploads of older versions do not have it. */
const uploaderSchema = z.object({
  userId: idSchema,
  kind: z.enum(["session", "pat", "external"]),
  credentialId: idSchema.nullable(),
});

const assetSubject = z.object({
  organizationId: idSchema,
  slot: slotSchema,
  fileName: z.string(),
  by: uploaderSchema.optional(),
});
type AssetSubject = z.infer<typeof assetSubject>;

async function readBytes({ objects }: Context, key: string): Promise<Uint8Array> {
  const found = await objects.read(key);
  if (found === null) throw new Error("a verified object is missing");
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}

/** A subquery of the keys of a slot's file and previews. */
const keysOfSlot = ({ organizationId, slot }: Pick<AssetSubject, "organizationId" | "slot">) => {
  const of = (column: SQLWrapper) => sql`SELECT ${column} FROM ${brandingAssets} WHERE ${isSlot(organizationId, slot)}`;
  return sql`${of(brandingAssets.objectKey)} UNION ALL ${of(brandingAssets.smallKey)} UNION ALL ${of(brandingAssets.mediumKey)}`;
};

/**
 * Uploads of logos and banners. The bytes decide the kind of the file. One change puts the file and its previews into the
 * slot and releases the old ones, so a slot always has a complete set.
 */
export const brandingUploads: UploadPurpose<AssetSubject> = {
  name: BRANDING_PURPOSE,
  subject: assetSubject,
  finalKey: ({ slot }, { id, tenantId }) => `${tenantId}/branding/${slot}/${id}`,

  async publish(context, change, subject, upload, bytes) {
    const { workspace } = context;
    const { organizationId, slot, fileName } = subject;
    const [organization] = await workspace
      .select({ id: organizations.id })
      .from(organizations)
      .where(sql`${organizations.id} = ${organizationId}`);
    if (organization === undefined) throw new UploadRejection("target-gone", "The organization was deleted.");
    const drawn = await drawAsset(await readBytes(context, bytes.key));
    const previews = [
      { key: `${bytes.key}-small`, body: drawn.small },
      { key: `${bytes.key}-medium`, body: drawn.medium },
    ] as const;
    const hold = beginChange(context, upload.tenantId);
    const tenantId = upload.tenantId;
    registerPendingObjects(
      context,
      hold,
      previews.map(({ key }) => ({ key, tenantId, chargedBytes: 0 })),
      PENDING_PREVIEW_LIFETIME_MS,
    );
    await hold.commit();
    for (const { key, body } of previews)
      await context.objects.write(key, body, { contentType: drawn.previewType, sizeBytes: body.length });
    change.guard(
      organizationExists(organizationId),
      new DomainError("conflict", "The organization was deleted in the meantime."),
    );
    releaseObjects(context, change, keysOfSlot(subject));
    const row = {
      objectKey: bytes.key,
      fileName,
      contentType: drawn.contentType,
      sizeBytes: bytes.sizeBytes,
      checksumSha256: bytes.checksumSha256,
      width: drawn.width,
      height: drawn.height,
      smallKey: previews[0].key,
      mediumKey: previews[1].key,
      previewType: drawn.previewType,
      uploadedBy: upload.createdBy,
      uploadedAt: bytes.at,
    };
    change.add(
      workspace
        .insert(brandingAssets)
        .values({ organizationId, slot, ...row })
        .onConflictDoUpdate({ target: [brandingAssets.organizationId, brandingAssets.slot], set: row }),
    );
    confirmPendingObjects(
      context,
      change,
      previews.map(({ key }) => key),
      sql`1`,
    );
    touchBranding(context, change, organizationId, bytes.at);
    change.add(
      auditStatement(context, {
        organizationId,
        action: "branding.asset-replaced",
        subjectType: "organization",
        subjectId: organizationId,
        details: { slot },
        actor: subject.by ?? { userId: upload.createdBy, kind: "system", credentialId: null },
      }),
    );
  },
};
