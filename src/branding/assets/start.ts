import { actorOf, requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import type { ExpectedBytes } from "../../platform/objects/store";
import { toUtc } from "../../platform/time";
import { startUpload } from "../../uploads";
import { organizationExists } from "../../workspace";
import type { Slot } from "../fields";
import { LARGEST_ASSET } from "./limits";
import { BRANDING_PURPOSE } from "./purpose";

export interface NewAsset extends ExpectedBytes {
  fileName: string;
}

/**
 * Begins the upload of a slot's file; the one that is there stays until the new one is complete.
 * @throws DomainError 401, 403, 404, content-too-large, storage-full.
 */
export async function startAssetUpload(context: Context, organizationId: string, slot: Slot, given: NewAsset) {
  const caller = requireOrganizationAdmin(context, organizationId);
  if (given.sizeBytes > LARGEST_ASSET)
    throw new DomainError("content-too-large", "A logo or banner may have 5 MiB at most. Send a smaller picture.");
  const { fileName, ...expected } = given;
  const change = beginChange(context).guard(organizationExists(organizationId), notFound());
  const { uploadId, uploadUrl, requiredHeaders, expiresAt } = await startUpload(context, change, {
    purpose: BRANDING_PURPOSE,
    tenant: { tenantId: organizationId, organizationId },
    targetId: `${organizationId}/${slot}`,
    subject: { organizationId, slot, fileName, by: actorOf(caller) },
    expected,
    createdBy: caller.userId,
  });
  await change.commit();
  return { uploadId, uploadUrl, requiredHeaders, expiresAtUtc: toUtc(expiresAt) };
}
