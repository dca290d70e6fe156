import { holds, requireUser, type UserCaller } from "../access";
import { type Capability, READ, WRITE } from "../platform/capabilities";
import type { Context } from "../platform/context";
import { forbidden, notFound } from "../platform/errors";
import type { WorkspaceExportRow } from "./tables";

/** A workspace that is exported. The organization is null for a personal workspace with the data of its owner. */
export type ExportedWorkspace = Pick<WorkspaceExportRow, "tenantId" | "organizationId">;

/** What an export shows. With images, it shows cameras too. */
const SHOWN: readonly Capability[] = ["ClusterView", "LocationView", "Documents", "Reports"];

/**
 * Returns the caller if they may export the workspace: an owner of the organization, or the person, with a credential that may
 * read all of it. @throws DomainError 401, 403, 404
 */
export function requireExporter(
  context: Pick<Context, "caller">,
  { tenantId, organizationId }: ExportedWorkspace,
  hasImages: boolean,
): UserCaller {
  const caller = requireUser(context);
  const { facts } = caller;
  if (organizationId === null) {
    if (caller.userId !== tenantId) throw notFound();
    if (facts.limits.ceiling !== null || facts.limits.organizationIds !== null)
      throw forbidden("This token is restricted. Use a token without restrictions, or sign in.");
    return caller;
  }
  const place = { tenantId, organizationId };
  if (!holds(caller, "OrganizationView", place)) throw notFound();
  const role = facts.memberships.find((membership) => membership.organizationId === organizationId)?.role;
  if (role !== "owner") throw forbidden("Only an owner may export an organization.");
  const needed = hasImages ? [...SHOWN, "LocationCameras" as const] : SHOWN;
  const missing = needed.filter((capability) => !holds(caller, capability, place, READ));
  if (!holds(caller, "OrganizationView", place, WRITE)) missing.push("OrganizationView");
  if (missing.length > 0)
    throw forbidden(
      `You or this token cannot read everything that the export has. Missing: ${missing.join(", ")}. Without images it needs no cameras.`,
    );
  return caller;
}
