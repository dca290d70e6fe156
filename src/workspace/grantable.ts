import { eq, type SQL, sql } from "drizzle-orm";
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
  requireUser,
  type UserCaller,
  WRITE,
} from "../access";
import type { Context } from "../platform/context";
import { DomainError, forbidden } from "../platform/errors";
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
import { clusters, locations } from "./tables";

/** A kind of resource that people share. Clusters and locations are here; the feature of another kind provides it. */
export interface ShareableKind {
  readonly target: GrantTarget;
  /** The path of one resource, with its id as the parameter `{<target>Id}`. */
  readonly path: string;
  /** The caller needs Write of this capability on the resource to share it. */
  readonly capability: Capability;
  /** Returns the path of a resource that the caller sees. @throws DomainError 401, 404. */
  requirePath(context: Context, id: string): Promise<ResourcePath>;
  /** Guard: the resource exists. */
  exists(id: string): SQL;
  /** Reads the name of a resource and its location, for the message about a new grant; null when the row is gone. */
  describe(context: Context, id: string): Promise<{ name: string; locationId: string | null } | null>;
}

/** Resources of one kind that one act shares. */
export interface SeveralResources {
  readonly kind: ShareableKind;
  /** Guard: all of them exist. */
  exist(ids: readonly string[]): SQL;
}

export const SHAREABLE_CLUSTERS: ShareableKind = {
  target: "cluster",
  path: "/v1/spatial/clusters/{clusterId}",
  capability: "ClusterView",
  requirePath: async (context, id) => clusterPath(await requireCluster(context, id, "ClusterView", READ)),
  exists: clusterExists,
  async describe({ workspace }, id) {
    const [row] = await workspace.select({ name: clusters.name }).from(clusters).where(eq(clusters.id, id));
    return row === undefined ? null : { name: row.name, locationId: null };
  },
};

export const SHAREABLE_LOCATIONS: ShareableKind = {
  target: "location",
  path: "/v1/spatial/locations/{locationId}",
  capability: "LocationView",
  requirePath: async (context, id) => locationPath(await requireLocation(context, id, "LocationView", READ)),
  exists: locationExists,
  async describe({ workspace }, id) {
    const [row] = await workspace.select({ name: locations.name }).from(locations).where(eq(locations.id, id));
    return row === undefined ? null : { name: row.name, locationId: id };
  },
};

/** All kinds of resources that people can share. @param kinds the kinds that other features add */
export const allKinds = (kinds: readonly ShareableKind[]): ShareableKind[] => [
  SHAREABLE_CLUSTERS,
  SHAREABLE_LOCATIONS,
  ...kinds,
];

/** A cluster, location or document that can be shared, with the caller's rights on it. */
export interface Resource {
  kind: ShareableKind;
  id: string;
  place: ResourcePath;
  caller: UserCaller;
  /** Whether the caller may share the resource. */
  isSharer: boolean;
}

/** The caller's role when it allows sharing: owner or admin, through a credential with Write of OrganizationView. Else null. */
function sharingRole(caller: UserCaller, organizationId: string): "owner" | "admin" | null {
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  if (role !== "owner" && role !== "admin") return null;
  return holds(caller, "OrganizationView", organizationPath(organizationId), WRITE) ? role : null;
}

/** The caller's rights on a resource that they see. In an organization its owners and admins may share it, in a personal workspace its owner. They also need Write of the resource's view capability. */
export function resourceAt(caller: UserCaller, kind: ShareableKind, id: string, place: ResourcePath): Resource {
  const { organizationId } = place;
  const isKeeper =
    organizationId === null ? place.tenantId === caller.userId : sharingRole(caller, organizationId) !== null;
  return { kind, id, place, caller, isSharer: isKeeper && holds(caller, kind.capability, place, WRITE) };
}

/** Reads a resource that the caller sees. @throws DomainError 401, 404. */
export async function requireResource(context: Context, kind: ShareableKind, id: string): Promise<Resource> {
  const caller = requireUser(context);
  return resourceAt(caller, kind, id, await kind.requirePath(context, id));
}

/** Refuses a caller who may not share the resource. @throws DomainError forbidden. */
export function requireSharer(resource: Resource): void {
  if (!resource.isSharer)
    throw forbidden(
      "In an organization, only owners and admins who may edit this resource can share it. In a personal workspace, only its owner can.",
    );
}

/**
 * Refuses a grant that gives more than the caller has on the resource, or capabilities that this kind of resource does
 * not accept. Returns the capabilities above None. @throws DomainError forbidden, rule-violated.
 */
export function assertDelegable({ caller, place, kind }: Resource, given: CapabilityMap): CapabilityMap {
  const named = CAPABILITIES.filter((c) => levelOf(given[c] ?? "None") > levelOf("None"));
  if (kind.target === "document" && (named.length !== 1 || named[0] !== "Documents"))
    throw new DomainError(
      "rule-violated",
      "A grant on a document must have exactly one capability: Documents, at Read or Write.",
    );
  const above = named.filter((c) => levelOf(given[c] ?? "None") > levelAt(caller.facts, c, place));
  if (above.length > 0)
    throw forbidden(`You cannot grant a higher level than you have here yourself: ${above.join(", ")}.`);
  return Object.fromEntries(named.map((c) => [c, given[c]]));
}

/**
 * Guard of each change of grants: the resource exists, and the caller may still share it.
 * @param exists the condition of several resources of one workspace
 */
export function mayStillShare({ kind, id, place, caller }: Resource, exists = kind.exists(id)): SQL {
  const role = place.organizationId === null ? null : sharingRole(caller, place.organizationId);
  return role === null ? exists : sql`${exists} AND ${hasRole(place.tenantId, caller.userId, role)}`;
}
