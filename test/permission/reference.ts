import type { Capability, LevelName, Role } from "../../src/access";
import type { Credential, Grant, Thing, World } from "./world";

/*
 * The permission rule of the contract, sentence by sentence, in the simplest code. It shares no code and no table with
 * the service.
 */

const ORDER: readonly LevelName[] = ["None", "Read", "Write"];
const highest = (levels: readonly LevelName[]): LevelName =>
  ORDER.findLast((level) => levels.includes(level)) ?? "None";
const lowest = (levels: readonly LevelName[]): LevelName => ORDER.find((level) => levels.includes(level)) ?? "None";
export const atLeast = (held: LevelName, needed: LevelName): boolean => ORDER.indexOf(held) >= ORDER.indexOf(needed);

const EXTERNAL_SHARES: readonly Capability[] = ["ExternalShareLinksCreate", "ExternalShareLinksManage"];

/** "owner, admin (everything), member (view everything, Write on …), guest (OrganizationView alone)". */
function roleLevel(role: Role, capability: Capability): LevelName {
  switch (role) {
    case "owner":
    case "admin":
      return "Write";
    case "member":
      if (capability === "OrganizationView" || capability === "ClusterView" || capability === "LocationView")
        return "Read";
      if (capability === "Documents" || capability === "LocationBundles" || capability === "Reports") return "Write";
      return capability === "LocationCameras" ? "Read" : "None";
    case "guest":
      return capability === "OrganizationView" ? "Read" : "None";
  }
}

/** A user-owned workspace has no organization: "its owner has everything but cameras, branding and external shares". */
function ownerLevel(capability: Capability): LevelName {
  const withoutOrganization: readonly Capability[] = ["OrganizationView", "LocationCameras", ...EXTERNAL_SHARES];
  return withoutOrganization.includes(capability) ? "None" : "Write";
}

const isWithin = (thing: Thing, container: Thing): boolean =>
  thing.id === container.id || (thing.parent !== null && isWithin(thing.parent, container));

function grantLevels(grant: Grant, capability: Capability, thing: Thing): LevelName[] {
  const { target } = grant;
  if (!isWithin(thing, target)) return [];
  if (target.kind === "document" && capability !== "Documents") return [];
  const levels: LevelName[] = [grant.levels[capability] ?? "None"];
  const isTheVeryThing = target.id === thing.id;
  if (isTheVeryThing && thing.kind === "cluster" && capability === "ClusterView") levels.push("Read");
  if (isTheVeryThing && thing.kind === "location" && capability === "LocationView") levels.push("Read");
  return levels;
}

/** What an organization requires of a sign-in counts for its members alone, and takes their grants there, too. */
function isBarred(world: World, { userId, isProven = true }: Credential, organizationId: string | null): boolean {
  const requirement = world.organizations.find((o) => o.id === organizationId)?.signInRequirement ?? "none";
  const role = world.memberships.find((m) => m.userId === userId && m.organizationId === organizationId)?.role;
  if (isProven || requirement === "none" || role === undefined) return false;
  return requirement === "members" || role === "owner" || role === "admin";
}

/** Limits a level by the token, the sign-in, and the organization's entitlements. */
function cuts(world: World, credential: Credential, capability: Capability, organizationId: string | null) {
  const limits: LevelName[] = [];
  const { organizationIds, ceiling } = credential;
  if (organizationIds !== null && (organizationId === null || !organizationIds.includes(organizationId)))
    limits.push("None");
  if (isBarred(world, credential, organizationId)) limits.push("None");
  if (ceiling !== null) limits.push(ceiling[capability] ?? "None");
  const organization = world.organizations.find((o) => o.id === organizationId);
  if (capability === "LocationCameras" && !organization?.cameras) limits.push("None");
  if (EXTERNAL_SHARES.includes(capability) && !organization?.externalShares) limits.push("None");
  return limits;
}

/** The level of a member, or of the owner of a personal workspace. */
function ownLevels(world: World, userId: string, capability: Capability, owner: Thing["owner"]): LevelName[] {
  if ("userId" in owner) return owner.userId === userId ? [ownerLevel(capability)] : [];
  const { organizationId } = owner;
  return world.memberships
    .filter((m) => m.userId === userId && m.organizationId === organizationId)
    .map((m) => m.overrides[capability] ?? roleLevel(m.role, capability));
}

/** The level that a credential holds of a capability on a resource, with or (`includeShared` false) without grants. */
export function levelOn(
  world: World,
  credential: Credential,
  capability: Capability,
  thing: Thing,
  includeShared = true,
): LevelName {
  const { userId } = credential;
  const isLive = (grant: Grant) => grant.expiresAt === null || grant.expiresAt > world.now;
  const given = world.grants
    .filter((grant) => includeShared && grant.userId === userId && isLive(grant))
    .flatMap((grant) => grantLevels(grant, capability, thing));
  const held = highest([...ownLevels(world, userId, capability, thing.owner), ...given]);
  const organizationId = "userId" in thing.owner ? null : thing.owner.organizationId;
  return lowest([held, ...cuts(world, credential, capability, organizationId)]);
}

/** The level on an organization itself. Grants do not apply to it. */
export function levelOnOrganization(
  world: World,
  credential: Credential,
  capability: Capability,
  organizationId: string,
): LevelName {
  const held = highest(ownLevels(world, credential.userId, capability, { organizationId }));
  return lowest([held, ...cuts(world, credential, capability, organizationId)]);
}
