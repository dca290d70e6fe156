import { and, eq, type SQL, sql } from "drizzle-orm";
import {
  CAPABILITIES,
  type Capability,
  type CapabilityMap,
  type GrantTarget,
  holds,
  levelAt,
  levelOf,
  READ,
  type ResourcePath,
  requireLevel,
  requireUser,
  type UserCaller,
  WRITE,
} from "../access";
import { documentExists, documents } from "../documents/tables";
import type { Context } from "../platform/context";
import { DomainError, forbidden, notFound } from "../platform/errors";
import { hasRole } from "./roles";
import {
  clusterExists,
  clusterPath,
  locationExists,
  locationPath,
  organizationPath,
  requireCluster,
  requireLocation,
} from "./spatial";

/** A cluster, location or document that can be shared, with the caller's rights on it. */
export interface Resource {
  target: GrantTarget;
  id: string;
  place: ResourcePath;
  caller: UserCaller;
  /** Whether the caller may share the resource. */
  isSharer: boolean;
}

const VIEW: Readonly<Record<GrantTarget, Capability>> = {
  cluster: "ClusterView",
  location: "LocationView",
  document: "Documents",
};

async function pathOf(context: Context, target: GrantTarget, id: string): Promise<ResourcePath> {
  if (target === "cluster") return clusterPath(await requireCluster(context, id, "ClusterView", READ));
  if (target === "location") return locationPath(await requireLocation(context, id, "LocationView", READ));
  const { tenantId, organizationId, clusterId, locationId } = documents;
  const [place] = await context.db
    .select({ tenantId, organizationId, clusterId, locationId, documentId: documents.id })
    .from(documents)
    .where(and(eq(documents.id, id), documentExists()));
  if (place === undefined) throw notFound();
  requireLevel(context, place, "Documents", "Documents", READ);
  return place;
}

/** The caller's role when it allows sharing: owner or admin, through a credential with Write of OrganizationView. Else null. */
function sharingRole(caller: UserCaller, organizationId: string): "owner" | "admin" | null {
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  if (role !== "owner" && role !== "admin") return null;
  return holds(caller, "OrganizationView", organizationPath(organizationId), WRITE) ? role : null;
}

/**
 * Reads a resource that the caller sees. In an organization its owners and admins may share it, in a personal workspace
 * its owner. They also need Write of the resource's view capability. @throws DomainError 401, 404.
 */
export async function requireResource(context: Context, target: GrantTarget, id: string): Promise<Resource> {
  const caller = requireUser(context);
  const place = await pathOf(context, target, id);
  const { organizationId } = place;
  const isKeeper =
    organizationId === null ? place.tenantId === caller.userId : sharingRole(caller, organizationId) !== null;
  return { target, id, place, caller, isSharer: isKeeper && holds(caller, VIEW[target], place, WRITE) };
}

/** Refuses a caller who may not share the resource. @throws DomainError forbidden. */
export function requireSharer(resource: Resource): void {
  if (!resource.isSharer)
    throw forbidden(
      "Only owners and admins of the organization who may edit this resource can share it, or the owner of the personal workspace.",
    );
}

/**
 * Refuses a grant that gives more than the caller has on the resource, or capabilities that this kind of resource does
 * not accept. Returns the capabilities above None. @throws DomainError forbidden, rule-violated.
 */
export function assertDelegable({ caller, place, target }: Resource, given: CapabilityMap): CapabilityMap {
  const named = CAPABILITIES.filter((c) => levelOf(given[c] ?? "None") > levelOf("None"));
  if (target === "document" && (named.length !== 1 || named[0] !== "Documents"))
    throw new DomainError(
      "rule-violated",
      "A grant on a document must have exactly one capability: Documents, at Read or Write.",
    );
  const above = named.filter((c) => levelOf(given[c] ?? "None") > levelAt(caller.facts, c, place));
  if (above.length > 0)
    throw forbidden(`You cannot grant a higher level than you have here yourself: ${above.join(", ")}.`);
  return Object.fromEntries(named.map((c) => [c, given[c]]));
}

/** Guard of each change of grants: the resource exists, and the caller may still share it. */
export function mayStillShare({ target, id, place, caller }: Resource): SQL {
  const exists =
    target === "cluster"
      ? clusterExists(id)
      : target === "location"
        ? locationExists(id)
        : sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documentExists()})`;
  const role = place.organizationId === null ? null : sharingRole(caller, place.organizationId);
  return role === null ? exists : sql`${exists} AND ${hasRole(place.tenantId, caller.userId, role)}`;
}
