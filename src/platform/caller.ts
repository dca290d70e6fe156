import { z } from "@hono/zod-openapi";
import type { CapabilityMap, Role } from "./capabilities";
import type { ReaderLanguage } from "./languages/languages";

/** The reason why a credential was not accepted. */
export type Refusal = "malformed" | "unknown" | "expired" | "revoked" | "unverified" | "taken";

interface UserCredential {
  userId: string;
  /** True for a platform administrator whose credential has no limits. */
  isAdmin: boolean;
  /** Milliseconds since the epoch; null: it does not expire. */
  expiresAt: number | null;
  /** The language that the person has chosen for the service; null without a choice. */
  language: ReaderLanguage | null;
  facts: AccessFacts;
}

export type SessionCaller = UserCredential & { kind: "session"; sessionId: string };
type TokenCaller = UserCredential & { kind: "pat"; tokenId: string };
/** A JWT of an outside issuer, bound to a user by its subject. */
type ExternalCaller = UserCredential & {
  kind: "external";
  issuer: string;
  /** When the person signed in at the issuer, milliseconds since the epoch; null if it does not say. */
  signedInAt: number | null;
  /** Absent without the token, as in a job. */
  claimed?: Claimed;
};

/** The memberships that the claims of a token bring. */
export interface Claimed {
  /** The role in each organization. Never owner. */
  roles: ReadonlyMap<string, Role>;
  /** When the token was made, milliseconds since the epoch; null if it does not say. Then its claims change nothing. */
  issuedAt: number | null;
  /** The same of the newest token whose claims changed memberships of the account; null: none did. */
  followedAt: number | null;
}

export type UserCaller = SessionCaller | TokenCaller | ExternalCaller;

/** A camera with its own credential: it can call only the device routes. */
export interface DeviceCaller {
  kind: "device";
  credentialId: string;
  cameraId: string;
  organizationId: string;
}

/** A visitor with a camera share link: they can read only the shared cameras of one location. */
export interface ShareCaller {
  kind: "share";
  linkId: string;
  /** The current name and revision of the link. */
  name: string;
  revision: number;
  organizationId: string;
  locationId: string;
  cameraIds: readonly string[];
  /** Whether the link has a passcode that was not entered: then it shows nothing. */
  isLocked: boolean;
  /** Only images of this time are shown; milliseconds since the epoch, null for an open end. */
  shownFrom: number | null;
  shownUntil: number | null;
  hidesMetadata: boolean;
  showsGapCauses: boolean;
}

/** The caller of a request or job. An anonymous caller has the reason why its credential, if any, was refused. */
export type Caller =
  | UserCaller
  | DeviceCaller
  | ShareCaller
  | { kind: "anonymous"; refusal: Refusal | null }
  | { kind: "system" };

/** A credential without its secret. A live connection keeps it, so that its access can be checked again. */
export interface CredentialRef {
  /** `user` means the person, independent of a session or token. */
  kind: UserCaller["kind"] | "user";
  /** Session or token id; the user id for the other kinds. */
  id: string;
  userId: string;
  /** Expiry of the presented credential, milliseconds since the epoch; null: it does not expire. */
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

/** The kinds of resource that a grant can name. A cluster contains locations, a location contains documents. */
export type GrantTarget = "cluster" | "location" | "document";

export interface Entitlements {
  cameras: boolean;
  externalShares: boolean;
}

export interface MembershipFact extends Entitlements {
  organizationId: string;
  role: Role;
  overrides: CapabilityMap;
  /** The issuer whose claim brought it; null if a person gave it. Absent in facts at one location. */
  origin?: string | null;
}

/**
 * Active grants of one kind: they name different resources of one organization and give the same capabilities there.
 */
export interface GrantFact extends Entitlements {
  target: GrantTarget;
  targetIds: ReadonlySet<string>;
  /** The organization of the resources; null in a personal workspace. */
  organizationId: string | null;
  capabilities: CapabilityMap;
}

/**
 * The members of an organization who must sign in with a passkey, or with a second factor after the password: none of them, its
 * owners and admins, or all of them.
 */
export const SIGN_IN_REQUIREMENTS = ["none", "admins", "members"] as const;
export type SignInRequirement = (typeof SIGN_IN_REQUIREMENTS)[number];

/** The limits of a credential. Only a personal access token has the first two; a null field limits nothing. */
export interface TokenLimits {
  organizationIds: readonly string[] | null;
  ceiling: CapabilityMap | null;
  /**
   * Whether a passkey, or a second factor after the password, has opened the session, or the session that made the token. True for
   * what is no sign-in of this service: the JWT of an issuer, and work for a person.
   */
  isProven: boolean;
}

export const NO_LIMITS: TokenLimits = { organizationIds: null, ceiling: null, isProven: true };

/** The limits of a session that only the password has opened. */
export const UNPROVEN: TokenLimits = { ...NO_LIMITS, isProven: false };

/** The facts about one credential from which the evaluator decides. They are read for each request. */
export interface AccessFacts {
  userId: string;
  memberships: readonly MembershipFact[];
  /** Memberships that give nothing, because their organizations require more than the credential has proven. */
  barred?: readonly MembershipFact[];
  grants: readonly GrantFact[];
  limits: TokenLimits;
  /** The names of the workspace databases in which the user may have something. Empty for the facts at one location. */
  databases: readonly string[];
  /**
   * With several databases, the facts about the workspaces that each of them has. While a workspace moves, two databases have
   * its rows: only one of them counts.
   */
  inDatabase?: ReadonlyMap<string, FactsInDatabase>;
  /** False for the facts in one database that does not have the personal workspace. */
  isHome?: boolean;
  /**
   * The failures of databases that did not answer, by name. Then `memberships` and `grants` throw the first of them: nobody takes what
   * is not known for what is not there. The facts in another database are whole.
   */
  missing?: ReadonlyMap<string, unknown>;
}

/** The facts in one of several databases. */
export type FactsInDatabase = Pick<AccessFacts, "memberships" | "barred" | "grants"> & { isHome: boolean };

/**
 * The facts as far as they are about workspaces of one database. With one database, they are all.
 * @throws the failure of the database, if it did not answer
 */
export function factsIn(facts: AccessFacts, database: string): AccessFacts {
  const { userId, limits, databases, inDatabase, missing } = facts;
  if (inDatabase === undefined) return facts;
  if (missing?.has(database) === true) throw missing.get(database);
  const there = inDatabase.get(database) ?? { memberships: [], barred: [], grants: [], isHome: false };
  return { userId, limits, databases, inDatabase, ...there };
}

/**
 * The path of a resource. `tenantId` is its organization, or the owner of the personal workspace;
 * `organizationId` is null exactly in a personal workspace. The ids below name its containers and
 * the resource itself: a location has its own id in `locationId`.
 */
export interface ResourcePath {
  tenantId: string;
  organizationId: string | null;
  clusterId?: string | null;
  locationId?: string | null;
  documentId?: string | null;
}
