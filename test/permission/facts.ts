import { type AccessFacts, isBarred, type ResourcePath } from "../../src/access";
import type { Credential, Thing, World } from "./world";

/** The facts of a world, for the evaluator. */
export function factsOf(world: World, credential: Credential): AccessFacts {
  const found = (organizationId: string | null) => world.organizations.find((o) => o.id === organizationId);
  const entitlementsOf = (organizationId: string | null) => {
    const organization = found(organizationId);
    return { cameras: organization?.cameras ?? false, externalShares: organization?.externalShares ?? false };
  };
  const { userId, organizationIds, ceiling, isProven = true } = credential;
  const limits = { organizationIds, ceiling, isProven };
  const own = world.memberships
    .filter((m) => m.userId === userId)
    .map((m) => ({ ...m, ...entitlementsOf(m.organizationId) }));
  const isShut = ({ organizationId, role }: (typeof own)[number]) =>
    isBarred(found(organizationId)?.signInRequirement ?? "none", role, limits);
  const barred = own.filter(isShut);
  const isClosed = (id: string | null) => barred.some(({ organizationId }) => organizationId === id);
  return {
    userId,
    limits,
    databases: ["first"],
    memberships: own.filter((m) => !isShut(m)),
    barred,
    grants: world.grants
      .filter((g) => g.userId === userId && (g.expiresAt === null || g.expiresAt > world.now))
      .flatMap(({ target, levels }) => {
        if (target.kind === "content") return [];
        const { organizationId } = placeOf(target);
        if (isClosed(organizationId)) return [];
        const at = { target: target.kind, targetIds: new Set([target.id]), organizationId };
        return [{ ...at, capabilities: levels, ...entitlementsOf(organizationId) }];
      }),
  };
}

/** The path of a resource, for the evaluator. Content has the path of its location. */
export function placeOf(thing: Thing): ResourcePath {
  const { owner, parent } = thing;
  if (parent === null)
    return "userId" in owner
      ? { tenantId: owner.userId, organizationId: null, clusterId: thing.id }
      : { tenantId: owner.organizationId, organizationId: owner.organizationId, clusterId: thing.id };
  if (thing.kind === "location") return { ...placeOf(parent), locationId: thing.id };
  return thing.kind === "document" ? { ...placeOf(parent), documentId: thing.id } : placeOf(parent);
}
