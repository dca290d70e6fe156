import { z } from "@hono/zod-openapi";
import { errors, type JWTPayload, jwtVerify } from "jose";
import type { Refusal } from "../../platform/caller";
import { DomainError } from "../../platform/errors";
import { log } from "../../platform/log";
import { SECOND } from "../../platform/time";
import { displayNameSchema, emailSchema } from "../accounts/address";
import { type Issuer, IssuerUnavailable, keySetOf } from "./key-sets";

/** Asymmetric signatures alone: a shared secret or none proves nothing about who signed. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
/** Seconds an issuer's clock may differ from ours. */
const CLOCK_TOLERANCE = 30;

export interface ExternalIdentity {
  /** The issuer and its name for this person, which never changes hands as an address may. */
  issuer: string;
  subject: string;
  email: string;
  displayName: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

const claimsSchema = z.object({
  exp: z.int(),
  sub: z.string().min(1).max(255),
  email: emailSchema,
  email_verified: z.literal(true),
  name: displayNameSchema.optional().catch(undefined),
});

/**
 * Who an issuer's JWT says this is: signature, issuer, audience and time are checked, and the
 * address counts only as one the issuer has verified, in a domain that it may speak for.
 * @throws DomainError unavailable when the issuer's keys cannot be had.
 */
export async function verifyExternal(issuer: Issuer, token: string, now: number): Promise<ExternalIdentity | Refusal> {
  let payload: JWTPayload;
  try {
    const options = {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      clockTolerance: CLOCK_TOLERANCE,
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
  const { email, name, exp, sub: subject } = claims.data;
  const [localPart = email, domain = ""] = email.split("@");
  if (issuer.domains !== undefined && !issuer.domains.includes(domain)) return "unverified";
  return {
    issuer: issuer.issuer,
    subject,
    email,
    displayName: name ?? localPart.slice(0, 100),
    expiresAt: exp * SECOND,
  };
}
