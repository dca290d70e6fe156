import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import {
  CAPABILITIES,
  type Capability,
  type CapabilityMap,
  type GrantTarget,
  holds,
  levelAt,
  levelOf,
  type Place,
  READ,
  requireLevel,
  requireUser,
  type UserCaller,
  WRITE,
} from "../../access";
import { documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { DomainError, forbidden, notFound } from "../../platform/errors";
import { roleStands } from "../members/rules";
import {
  clusterLives,
  locationLives,
  placeOfCluster,
  placeOfLocation,
  placeOfOrganization,
  requireCluster,
  requireLocation,
} from "../spatial";
import { locations } from "../tables";

/** A cluster, location or document that can be shared, as the caller stands to it. */
export interface Thing {
  target: GrantTarget;
  id: string;
  place: Place;
  caller: UserCaller;
  /** Whether the caller may share it. */
  isSharer: boolean;
}

const VIEW: Readonly<Record<GrantTarget, Capability>> = {
  cluster: "ClusterView",
  location: "LocationView",
  document: "Documents",
};

async function placeOf(context: Context, target: GrantTarget, id: string): Promise<Place> {
  if (target === "cluster") return placeOfCluster(await requireCluster(context, id, "ClusterView", READ));
  if (target === "location") return placeOfLocation(await requireLocation(context, id, "LocationView", READ));
  const { tenantId, organizationId, clusterId, locationId } = documents;
  const [place] = await context.db
    .select({ tenantId, organizationId, clusterId, locationId, documentId: documents.id })
    .from(documents)
    .innerJoin(locations, and(eq(locations.id, documents.locationId), isNull(locations.deletedAt)))
    .where(and(eq(documents.id, id), isNull(documents.deletedAt), gt(documents.latestVersion, 0)));
  if (place === undefined) throw notFound();
  requireLevel(context, place, "Documents", "Documents", READ);
  return place;
}

/** The organization role by which a caller may share, or null: owners and admins, through an uncut OrganizationView. */
function sharingRole(caller: UserCaller, organizationId: string): "owner" | "admin" | null {
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  if (role !== "owner" && role !== "admin") return null;
  return holds(caller, "OrganizationView", placeOfOrganization(organizationId), WRITE) ? role : null;
}

/**
 * A thing the caller sees. Who may share it: in an organization its owners and admins, in a personal
 * workspace its owner; and they must hold Write of its view. @throws DomainError 401, 404.
 */
export async function requireThing(context: Context, target: GrantTarget, id: string): Promise<Thing> {
  const caller = requireUser(context);
  const place = await placeOf(context, target, id);
  const { organizationId } = place;
  const isKeeper =
    organizationId === null ? place.tenantId === caller.userId : sharingRole(caller, organizationId) !== null;
  return { target, id, place, caller, isSharer: isKeeper && holds(caller, VIEW[target], place, WRITE) };
}

/** @throws DomainError forbidden when the caller may not share the thing. */
export function requireSharer(thing: Thing): void {
  if (!thing.isSharer)
    throw forbidden("Sharing is for owners and admins of the organization who may edit this, or for its own owner.");
}

/**
 * Refuses a grant that gives more than the caller holds there, or that the kind of thing does not take.
 * Returns what is worth keeping of it. @throws DomainError forbidden, rule-violated.
 */
export function requireGivable({ caller, place, target }: Thing, given: CapabilityMap): CapabilityMap {
  const named = CAPABILITIES.filter((c) => levelOf(given[c] ?? "None") > levelOf("None"));
  if (target === "document" && (named.length !== 1 || named[0] !== "Documents"))
    throw new DomainError("rule-violated", "A grant on a document names Documents alone, at Read or Write.");
  const above = named.filter((c) => levelOf(given[c] ?? "None") > levelAt(caller.facts, c, place));
  if (above.length > 0) throw forbidden(`You cannot give more than you hold here yourself: ${above.join(", ")}.`);
  return Object.fromEntries(named.map((c) => [c, given[c]]));
}

/** Holds while the thing is there and the caller may still share it: what a change of its grants is guarded by. */
export function thingStands({ target, id, place, caller }: Thing): SQL {
  const lives =
    target === "cluster"
      ? clusterLives(id)
      : target === "location"
        ? locationLives(id)
        : sql`EXISTS (SELECT 1 FROM ${documents} WHERE ${documents.id} = ${id} AND ${documents.deletedAt} IS NULL) AND ${locationLives(place.locationId ?? "")}`;
  const role = place.organizationId === null ? null : sharingRole(caller, place.organizationId);
  return role === null ? lives : sql`${lives} AND ${roleStands(place.tenantId, caller.userId, role)}`;
}
