import { z } from "@hono/zod-openapi";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Refusal } from "../../platform/caller";
import type { Settings } from "../../platform/settings";
import { MINUTE, SECOND } from "../../platform/time";
import { signingKeys } from "./signing-keys";

/** Lifetime of an access token. It is short for replicas of its claims alone: its session is checked on every request. */
export const ACCESS_TOKEN_MS = 15 * MINUTE;

const AUDIENCE = "document-workspace";
/** RFC 9068: says that this JWT is an access token and nothing else. */
const TYPE = "at+jwt";

const claimsSchema = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.int() });

export interface AccessTokenClaims {
  userId: string;
  sessionId: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

/** Signs the access token of a session: a JWT (EdDSA, Ed25519) that ends at `expiresAt`. */
export async function signAccessToken(settings: Settings, claims: AccessTokenClaims, now: number): Promise<string> {
  const { kid, signing } = await signingKeys(settings);
  return new SignJWT({ sid: claims.sessionId })
    .setProtectedHeader({ alg: "EdDSA", typ: TYPE, kid })
    .setIssuer(settings.PUBLIC_BASE_URL)
    .setAudience(AUDIENCE)
    .setSubject(claims.userId)
    .setIssuedAt(Math.floor(now / SECOND))
    .setExpirationTime(Math.floor(claims.expiresAt / SECOND))
    .sign(signing);
}

/** Reads an access token of ours, or says why it is not accepted. Its session is still to be checked. */
export async function readAccessToken(
  settings: Settings,
  token: string,
  now: number,
): Promise<AccessTokenClaims | Refusal> {
  try {
    const { verifying } = await signingKeys(settings);
    const { payload } = await jwtVerify(
      token,
      ({ kid }) => {
        const key = verifying.get(kid ?? "");
        if (key === undefined) throw new errors.JWKSNoMatchingKey();
        return key;
      },
      {
        algorithms: ["EdDSA"],
        typ: TYPE,
        issuer: settings.PUBLIC_BASE_URL,
        audience: AUDIENCE,
        currentDate: new Date(now),
        requiredClaims: ["exp", "sub", "sid"],
      },
    );
    const { sub, sid, exp } = claimsSchema.parse(payload);
    return { userId: sub, sessionId: sid, expiresAt: exp * SECOND };
  } catch (thrown) {
    return thrown instanceof errors.JWTExpired ? "expired" : "unknown";
  }
}
