import { auditStatement, requireOrganizationAdmin } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { notFound } from "../../platform/errors";
import { giveUpObjects } from "../../uploads";
import type { Slot } from "../fields";
import { isSlot, touchBranding } from "../find";
import { brandingAssets } from "../tables";
import { keysOfSlot } from "./purpose";

/** Empties a slot; for owners and admins. @throws DomainError 401, 403, 404 (also for an empty slot). */
export async function deleteAsset(context: Context, organizationId: string, slot: Slot): Promise<void> {
  requireOrganizationAdmin(context, organizationId);
  const change = beginChange(context);
  giveUpObjects(context, change, keysOfSlot({ organizationId, slot }));
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
