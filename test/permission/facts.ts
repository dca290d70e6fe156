import type { AccessFacts, ResourcePath } from "../../src/access";
import type { Credential, Thing, World } from "./world";

/** The facts of a world, for the evaluator. */
export function factsOf(world: World, credential: Credential): AccessFacts {
  const entitlementsOf = (organizationId: string | null) => {
    const organization = world.organizations.find((o) => o.id === organizationId);
    return { cameras: organization?.cameras ?? false, externalShares: organization?.externalShares ?? false };
  };
  const { userId, organizationIds, ceiling } = credential;
  return {
    userId,
    limits: { organizationIds, ceiling },
    databases: ["first"],
    memberships: world.memberships
      .filter((m) => m.userId === userId)
      .map((m) => ({ ...m, ...entitlementsOf(m.organizationId) })),
    grants: world.grants
      .filter((g) => g.userId === userId && (g.expiresAt === null || g.expiresAt > world.now))
      .flatMap(({ target, levels }) => {
        if (target.kind === "content") return [];
        const { organizationId } = placeOf(target);
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
