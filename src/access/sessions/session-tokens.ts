import { z } from "@hono/zod-openapi";
import { type CryptoKey, calculateJwkThumbprint, errors, importJWK, jwtVerify, SignJWT } from "jose";
import type { Refusal } from "../../platform/caller";
import { randomHex, sha256Hex, toHex } from "../../platform/crypto/bytes";
import type { Settings } from "../../platform/settings";
import { DAY, MINUTE, SECOND } from "../../platform/time";

/** Lifetime of an access token. It is short for replicas of its claims alone: its session is checked on every request. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * MINUTE;

const AUDIENCE = "document-workspace";
/** RFC 9068: says that this JWT is an access token and nothing else. */
const TYPE = "at+jwt";

const claimsSchema = z.object({ sub: z.uuid(), sid: z.uuid(), exp: z.int() });

interface AccessTokenClaims {
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

/** Reads an access token of this service, or says why it is not accepted. The caller checks its session. */
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

/** How long a session lives without being refreshed. */
export const SESSION_LIFETIME_MS = 30 * DAY;

/**
 * How long a refresh token that was used may come again, for a client that lost the answer: it gets
 * the very token it missed. A token whose successor was used too was received, so its return is theft.
 */
export const REFRESH_RETRY_GRACE_MS = MINUTE;

const PREFIX = "svcrefresh1";
export const refreshTokenForm = /^svcrefresh1\.[0-9a-f]{64}$/;

/** The first refresh token of a session: 256 random bits. */
export const newRefreshToken = (): string => `${PREFIX}.${randomHex(32)}`;

/** What of a refresh token is stored. */
export const hashRefreshToken = (token: string): Promise<string> => sha256Hex(token);

const encoder = new TextEncoder();

/**
 * The token that follows a token: HMAC-SHA-256 of it under the service's signing key. Nobody without
 * that key can go from one to the next, and a repeated refresh finds the same successor again
 * although only hashes are stored.
 */
export async function successorOf(settings: Settings, token: string): Promise<string> {
  const secret = encoder.encode(`refresh-token-chain\n${settings.SESSION_SIGNING_KEY.d}`);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return `${PREFIX}.${toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(token)))}`;
}

type PublicKey = Settings["SESSION_VERIFY_KEYS"][number];

interface SigningKeys {
  kid: string;
  signing: CryptoKey;
  /** By key id: the present key, and the ones before it. */
  verifying: ReadonlyMap<string, CryptoKey>;
}

const importKey = async (jwk: PublicKey): Promise<CryptoKey> => (await importJWK(jwk, "EdDSA")) as CryptoKey;
const publicPart = ({ kty, crv, x }: PublicKey): PublicKey => ({ kty, crv, x });

const imported = new WeakMap<Settings, SigningKeys>();

/** The keys of access tokens, named by their RFC 7638 thumbprint; imported once an isolate. */
export async function signingKeys(settings: Settings): Promise<SigningKeys> {
  const known = imported.get(settings);
  if (known !== undefined) return known;
  const verifying = new Map<string, CryptoKey>();
  for (const jwk of [settings.SESSION_SIGNING_KEY, ...settings.SESSION_VERIFY_KEYS].map(publicPart))
    verifying.set(await calculateJwkThumbprint(jwk), await importKey(jwk));
  const keys: SigningKeys = {
    kid: await calculateJwkThumbprint(publicPart(settings.SESSION_SIGNING_KEY)),
    signing: await importKey(settings.SESSION_SIGNING_KEY),
    verifying,
  };
  imported.set(settings, keys);
  return keys;
}
