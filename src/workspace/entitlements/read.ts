import { READ, requireLevel, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { findOrganization } from "../organizations/read";
import { placeOfOrganization } from "../places";
import { presentEntitlements } from "./present";
import { readUsage } from "./usage";

/** An organization's entitlements and use; for its members, and for platform admins. @throws DomainError 401, 404. */
export async function readEntitlements(context: Context, organizationId: string) {
  if (!requireUser(context).isAdmin)
    requireLevel(context, placeOfOrganization(organizationId), "OrganizationView", "OrganizationView", READ);
  const row = await findOrganization(context, organizationId);
  return presentEntitlements(row, await readUsage(context, organizationId));
}
