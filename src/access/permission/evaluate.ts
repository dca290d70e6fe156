import type {
  AccessFacts,
  Entitlements,
  GrantFact,
  GrantTarget,
  MembershipFact,
  ResourcePath,
  SignInRequirement,
  TokenLimits,
} from "../../platform/caller";
import {
  CAPABILITIES,
  type Capability,
  type CapabilityMap,
  type Level,
  levelOf,
  NONE,
  nameOf,
  PERSONAL_LEVELS,
  READ,
  ROLE_LEVELS,
  type Role,
} from "../../platform/capabilities";

export const NO_ENTITLEMENTS: Entitlements = { cameras: false, externalShares: false };

/** The view capability of a grant's own target, which every grant includes at Read. */
const OWN_VIEW: Readonly<Record<GrantTarget, Capability | null>> = {
  cluster: "ClusterView",
  location: "LocationView",
  document: null,
};

/**
 * Whether an organization requires more of its members with this role than the credential has proven. Then the credential has nothing
 * there, as if its person were no member and had no grants.
 */
export const isBarred = (requirement: SignInRequirement, role: Role, { isProven }: TokenLimits): boolean =>
  !isProven && (requirement === "members" || (requirement === "admins" && (role === "owner" || role === "admin")));

/** The level of a member: the override of the capability if there is one, otherwise the level of the role. */
export function memberLevel(membership: MembershipFact, capability: Capability): Level {
  const override = membership.overrides[capability];
  return override === undefined ? ROLE_LEVELS[membership.role][capability] : levelOf(override);
}

/**
 * The level that a grant gives on its own target (`own`), or on a resource within the target. A document grant gives
 * only Documents. The included view applies to the target itself, not to the resources within it.
 */
export function grantLevel(grant: GrantFact, capability: Capability, own: boolean): Level {
  if (grant.target === "document" && capability !== "Documents") return NONE;
  const named = grant.capabilities[capability];
  const level = named === undefined ? NONE : levelOf(named);
  return own && OWN_VIEW[grant.target] === capability ? maxLevel(level, READ) : level;
}

const maxLevel = (a: Level, b: Level): Level => (a > b ? a : b);
const minLevel = (a: Level, b: Level): Level => (a < b ? a : b);

/** Limits a level by the token's organizations and ceiling, and by the organization's entitlements. */
export function limitLevel(
  level: Level,
  capability: Capability,
  organizationId: string | null,
  entitlements: Entitlements,
  limits: TokenLimits,
): Level {
  if (level === NONE) return NONE;
  if (limits.organizationIds !== null && (organizationId === null || !limits.organizationIds.includes(organizationId)))
    return NONE;
  if (capability === "LocationCameras" && !entitlements.cameras) return NONE;
  if (
    (capability === "ExternalShareLinksCreate" || capability === "ExternalShareLinksManage") &&
    !entitlements.externalShares
  )
    return NONE;
  if (limits.ceiling === null) return level;
  return minLevel(level, levelOf(limits.ceiling[capability] ?? "None"));
}

/** Whether the target of a grant is the resource itself ("own") or contains it. Null if neither. */
function matchGrant(grant: GrantFact, place: ResourcePath): "own" | "contained" | null {
  const { clusterId, locationId, documentId } = place;
  const narrowest = documentId ?? locationId ?? clusterId;
  const id = grant.target === "cluster" ? clusterId : grant.target === "location" ? locationId : documentId;
  if (id == null || !grant.targetIds.has(id)) return null;
  return id === narrowest ? "own" : "contained";
}

/**
 * The level that a credential holds of one capability on one resource. It is the highest of the member's level, the
 * owner's level in a personal workspace, and the levels of all grants that match the resource. Then the token's
 * restrictions and the organization's entitlements limit it.
 */
export function levelAt(facts: AccessFacts, capability: Capability, place: ResourcePath): Level {
  let level: Level = NONE;
  let entitlements = NO_ENTITLEMENTS;
  if (place.organizationId === null) {
    if (place.tenantId === facts.userId) level = PERSONAL_LEVELS[capability];
  } else {
    const membership = facts.memberships.find((m) => m.organizationId === place.organizationId);
    if (membership !== undefined) {
      level = memberLevel(membership, capability);
      entitlements = membership;
    }
  }
  for (const grant of facts.grants) {
    const how = matchGrant(grant, place);
    if (how === null) continue;
    level = maxLevel(level, grantLevel(grant, capability, how === "own"));
    entitlements = grant;
  }
  return limitLevel(level, capability, place.organizationId, entitlements, facts.limits);
}

/** The level of every capability on one resource, in the form of the API. */
export function levelsAt(facts: AccessFacts, place: ResourcePath): Required<CapabilityMap> {
  const near: AccessFacts = { ...facts, grants: facts.grants.filter((grant) => matchGrant(grant, place) !== null) };
  return Object.fromEntries(CAPABILITIES.map((c) => [c, nameOf(levelAt(near, c, place))])) as Required<CapabilityMap>;
}
