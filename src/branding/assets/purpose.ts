import { z } from "@hono/zod-openapi";
import { type SQLWrapper, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import {
  confirmPendingObjects,
  registerPendingObjects,
  releaseObjects,
  type UploadPurpose,
  UploadRejection,
} from "../../uploads";
import { organizationExists } from "../../workspace";
import { slotSchema } from "../fields";
import { PENDING_PREVIEW_LIFETIME_MS } from "../limits";
import { isSlot, touchBranding } from "../record";
import { brandingAssets } from "../tables";
import { drawAsset } from "./draw";

export const BRANDING_PURPOSE = "branding";

/** The person who started the upload: the actor of the audit entry. Uploads of older versions do not have it. */
const uploaderSchema = z.object({
  userId: idSchema,
  kind: z.enum(["session", "pat", "external"]),
  credentialId: idSchema.nullable(),
});

export const assetSubject = z.object({
  organizationId: idSchema,
  slot: slotSchema,
  fileName: z.string(),
  by: uploaderSchema.optional(),
});
export type AssetSubject = z.infer<typeof assetSubject>;

async function readBytes({ objects }: Context, key: string): Promise<Uint8Array> {
  const found = await objects.read(key);
  if (found === null) throw new Error("a verified object is missing");
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}

/** A subquery of the keys of a slot's file and previews. */
export const keysOfSlot = ({ organizationId, slot }: Pick<AssetSubject, "organizationId" | "slot">) => {
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
    const { db } = context;
    const { organizationId, slot, fileName } = subject;
    const [organization] = await db
      .select({ id: organizations.id })
      .from(organizations)
      .where(sql`${organizations.id} = ${organizationId}`);
    if (organization === undefined) throw new UploadRejection("target-gone", "The organization was deleted.");
    const drawn = await drawAsset(await readBytes(context, bytes.key));
    const previews = [
      { key: `${bytes.key}-small`, body: drawn.small },
      { key: `${bytes.key}-medium`, body: drawn.medium },
    ] as const;
    const hold = beginChange(context);
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
      db
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
