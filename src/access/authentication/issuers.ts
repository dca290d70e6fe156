import { z } from "@hono/zod-openapi";
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from "jose";
import type { Refusal } from "../../platform/caller";
import { ROLES, type Role } from "../../platform/capabilities";
import { DomainError } from "../../platform/errors";
import { readBounded } from "../../platform/http/bodies";
import { log } from "../../platform/log";
import type { Settings } from "../../platform/settings";
import { MINUTE, SECOND } from "../../platform/time";
import { displayNameSchema, emailSchema } from "../user";

export type Issuer = Settings["OIDC_ISSUERS"][number];

const FETCH_TIMEOUT_MS = 3 * SECOND;
/** Age at which keys are fetched again. An unknown key id fetches them earlier, at most once in the cooldown. */
const KEY_SET_MAX_AGE_MS = 10 * MINUTE;
const REFETCH_COOLDOWN_MS = 30 * SECOND;
/** Time without a request after a failed fetch, so that forged tokens cannot cause a fetch each. */
const FAILED_ISSUER_RETRY_MS = 5 * SECOND;
/** Maximum size of a key set. A real one has a few kilobytes. */
const MAX_KEY_SET_BYTES = 256 * 1024;

/** The keys of the issuer could not be fetched. It says nothing about the token. */
class IssuerUnavailable extends Error {}

const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** Time of the last failed fetch of each address, milliseconds. */
const failedAt = new Map<string, number>();

async function fetchBounded(url: string, init: RequestInit): Promise<Response> {
  if (Date.now() < (failedAt.get(url) ?? 0) + FAILED_ISSUER_RETRY_MS)
    throw new IssuerUnavailable("the key set could not be fetched just now");
  try {
    const response = await fetch(url, init);
    if (response.status !== 200 || response.body === null) throw new Error(`answered ${response.status}`);
    const body = await readBounded(response.body, MAX_KEY_SET_BYTES);
    if (body === null) throw new Error("the key set is too large");
    const keySet = keySetSchema.parse(JSON.parse(await body.text()));
    failedAt.delete(url);
    return Response.json(keySet);
  } catch (cause) {
    failedAt.set(url, Date.now());
    throw new IssuerUnavailable("the key set could not be fetched", { cause });
  }
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Key sets by address, shared by all requests of the isolate: one for each configured issuer, so at most ten. */
const keySets = new Map<string, KeySet>();

/** The keys of an issuer. They are fetched when needed and kept for `KEY_SET_MAX_AGE_MS`. */
function keySetOf({ jwksUrl }: Issuer): KeySet {
  const known = keySets.get(jwksUrl);
  if (known !== undefined) return known;
  const keySet = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: FETCH_TIMEOUT_MS,
    cacheMaxAge: KEY_SET_MAX_AGE_MS,
    cooldownDuration: REFETCH_COOLDOWN_MS,
    [customFetch]: fetchBounded,
  });
  keySets.set(jwksUrl, keySet);
  return keySet;
}

/** Only asymmetric signatures: with a shared secret, this service could forge the issuer's tokens. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Seconds by which the issuer's clock may differ. */
const CLOCK_TOLERANCE_SECONDS = 30;

export interface ExternalIdentity {
  /** The issuer, and its id of the person. Unlike an address, the id never moves to another person. */
  issuer: string;
  subject: string;
  email: string;
  displayName: string;
  /** Milliseconds since the epoch; null if the token does not say when it was made. */
  issuedAt: number | null;
  /** When the person signed in, as far as the token says. Milliseconds since the epoch. */
  signedInAt: number | null;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** The role in each organization that the claims bring. */
  roles: ReadonlyMap<string, Role>;
}

const claimsSchema = z.object({
  exp: z.int(),
  iat: z.number().optional().catch(undefined),
  auth_time: z.number().optional().catch(undefined),
  sub: z.string().min(1).max(255),
  email: emailSchema,
  email_verified: z.literal(true),
  name: displayNameSchema.optional().catch(undefined),
});

const roleClaim = z.union([z.string().transform((value) => [value]), z.array(z.unknown())]).catch([]);

/** The role in each organization that a token's claims bring: the highest, if several values name one. */
function rolesOf({ memberships }: Issuer, payload: JWTPayload): Map<string, Role> {
  const roles = new Map<string, Role>();
  if (memberships === undefined) return roles;
  const values = new Set(roleClaim.parse(Object.hasOwn(payload, memberships.claim) ? payload[memberships.claim] : []));
  for (const { value, organizationId, role } of memberships.roles) {
    const other = roles.get(organizationId);
    if (values.has(value) && (other === undefined || ROLES.indexOf(role) < ROLES.indexOf(other)))
      roles.set(organizationId, role);
  }
  return roles;
}

/**
 * Verifies a JWT of an external issuer: signature, issuer, audience and time. The issuer must have verified the address,
 * and the address must be in one of the issuer's domains.
 * @param now milliseconds since the epoch.
 * @returns the identity, or the reason of the refusal.
 * @throws DomainError unavailable if the keys of the issuer cannot be fetched.
 */
export async function verifyExternal(issuer: Issuer, token: string, now: number): Promise<ExternalIdentity | Refusal> {
  let payload: JWTPayload;
  try {
    const options = {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(now),
      requiredClaims: ["exp", "sub"],
    };
    ({ payload } = await jwtVerify(token, keySetOf(issuer), options));
  } catch (thrown) {
    if (thrown instanceof IssuerUnavailable || thrown instanceof errors.JWKSTimeout) {
      log("error", "issuer.unavailable", { issuer: issuer.issuer });
      throw new DomainError("unavailable", "The issuer of this credential does not answer. Try again soon.", {
        retryAfter: 10,
        cause: thrown,
      });
    }
    return thrown instanceof errors.JWTExpired ? "expired" : "unknown";
  }
  const claims = claimsSchema.safeParse(payload);
  if (!claims.success) return "unverified";
  const { email, name, exp, iat, auth_time: signedIn = iat, sub: subject } = claims.data;
  const [localPart = email, domain = ""] = email.split("@");
  if (issuer.domains !== undefined && !issuer.domains.includes(domain)) return "unverified";
  return {
    issuer: issuer.issuer,
    subject,
    email,
    displayName: name ?? localPart.slice(0, 100),
    issuedAt: iat === undefined ? null : iat * SECOND,
    signedInAt: signedIn === undefined ? null : signedIn * SECOND,
    expiresAt: exp * SECOND,
    roles: rolesOf(issuer, payload),
  };
}
