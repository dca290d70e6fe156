import type { Capability, CapabilityMap, Level, Role } from "./capabilities";

/** Kinds of thing a grant can name, and what contains what: cluster ⊃ location ⊃ document. */
export type GrantTarget = "cluster" | "location" | "document";

export interface Entitlements {
  cameras: boolean;
  externalShares: boolean;
}

export interface MembershipFact extends Entitlements {
  organizationId: string;
  role: Role;
  overrides: CapabilityMap;
}

/** Live grants of one kind: they name different things in one organization and give the same there. */
export interface GrantFact extends Entitlements {
  target: GrantTarget;
  targetIds: ReadonlySet<string>;
  /** Organization of the things named; null in somebody's personal workspace. */
  organizationId: string | null;
  capabilities: CapabilityMap;
}

/** What a personal access token cuts away; null fields cut nothing. */
export interface TokenLimits {
  organizationIds: readonly string[] | null;
  ceiling: CapabilityMap | null;
}

export const NO_LIMITS: TokenLimits = { organizationIds: null, ceiling: null };

/** Everything the evaluator decides from: today's facts about one credential. */
export interface AccessFacts {
  userId: string;
  memberships: readonly MembershipFact[];
  grants: readonly GrantFact[];
  limits: TokenLimits;
}

/**
 * Where a thing is. `tenantId` is its organization, or the owner of the personal workspace;
 * `organizationId` is null exactly in a personal workspace. The ids below it say what contains it,
 * itself included: a location has its own id in `locationId`.
 */
export interface Place {
  tenantId: string;
  organizationId: string | null;
  clusterId?: string | null;
  locationId?: string | null;
  documentId?: string | null;
}

export type Levels = Readonly<Record<Capability, Level>>;
