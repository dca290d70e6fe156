import { z } from "@hono/zod-openapi";
import type { CapabilityMap, Role } from "./capabilities";

/** Why a credential was not accepted. */
export type Refusal = "malformed" | "unknown" | "expired" | "revoked" | "unverified" | "taken";

interface UserCredential {
  userId: string;
  /** A platform admin, through a credential that is not narrowed. */
  isAdmin: boolean;
  /** Milliseconds since the epoch; null never. */
  expiresAt: number | null;
  facts: AccessFacts;
}

export type SessionCaller = UserCredential & { kind: "session"; sessionId: string };
type TokenCaller = UserCredential & { kind: "pat"; tokenId: string };
/** A JWT of an outside issuer, bound to a user by its subject. */
type ExternalCaller = UserCredential & { kind: "external"; issuer: string };
export type UserCaller = SessionCaller | TokenCaller | ExternalCaller;

/** A camera's own credential: it reaches device ingestion alone. */
export interface DeviceCaller {
  kind: "device";
  credentialId: string;
  cameraId: string;
  organizationId: string;
}

/** A stranger with a link to cameras: it reaches the shared archive of one location alone. */
export interface ShareCaller {
  kind: "share";
  linkId: string;
  /** What the link shows, as it stands now. */
  name: string;
  revision: number;
  organizationId: string;
  locationId: string;
  cameraIds: readonly string[];
}

/** Who asks. Anonymous callers carry why their credential, if any, was refused. */
export type Caller =
  | UserCaller
  | DeviceCaller
  | ShareCaller
  | { kind: "anonymous"; refusal: Refusal | null }
  | { kind: "system" };

/** A credential without its secret: what a live connection keeps to be judged again by. */
export interface CredentialRef {
  /** `user` stands for the person, whatever they sign in with. */
  kind: UserCaller["kind"] | "user";
  /** Session or token id; the user id for the other kinds. */
  id: string;
  userId: string;
  /** When what was presented expires, milliseconds since the epoch; null never. */
  expiresAt: number | null;
}

/** A `CredentialRef` as sockets, jobs and signed addresses carry it. */
export const credentialRefSchema = z.object({
  kind: z.enum(["session", "pat", "external", "user"]),
  id: z.string(),
  userId: z.string(),
  expiresAt: z.number().nullable(),
}) satisfies z.ZodType<CredentialRef>;

export const isUser = (caller: Caller): caller is UserCaller =>
  caller.kind === "session" || caller.kind === "pat" || caller.kind === "external";

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
export interface ResourcePath {
  tenantId: string;
  organizationId: string | null;
  clusterId?: string | null;
  locationId?: string | null;
  documentId?: string | null;
}
