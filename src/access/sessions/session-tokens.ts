import { z } from "@hono/zod-openapi";
import { type CryptoKey, calculateJwkThumbprint, errors, importJWK, jwtVerify, SignJWT } from "jose";
import type { Refusal } from "../../platform/caller";
import { randomHex, sha256Hex, toHex } from "../../platform/crypto/bytes";
import type { Settings } from "../../platform/settings";
import { SECOND } from "../../platform/time";

const AUDIENCE = "document-workspace";
/** The `typ` header of access tokens (RFC 9068). It keeps other JWTs of the same key from being accepted. */
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

/** Verifies an access token of this service. The caller checks its session. @returns the claims, or the reason of the refusal. */
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

const PREFIX = "svcrefresh1";
export const refreshTokenForm = /^svcrefresh1\.[0-9a-f]{64}$/;

/** The first refresh token of a session: 256 random bits. */
export const newRefreshToken = (): string => `${PREFIX}.${randomHex(32)}`;

/** The hash of a refresh token, which is all that the database stores. */
export const hashRefreshToken = (token: string): Promise<string> => sha256Hex(token);

const encoder = new TextEncoder();

/**
 * The successor of a refresh token: its HMAC-SHA-256 under the service's signing key. Without the key nobody can compute
 * it. A repeated refresh computes the same successor, although the database stores only hashes.
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
  /** The current key and earlier keys, by key id. */
  verifying: ReadonlyMap<string, CryptoKey>;
}

const importKey = async (jwk: PublicKey): Promise<CryptoKey> => (await importJWK(jwk, "EdDSA")) as CryptoKey;
const publicPart = ({ kty, crv, x }: PublicKey): PublicKey => ({ kty, crv, x });

const imported = new WeakMap<Settings, SigningKeys>();

/** The keys of access tokens. Their ids are RFC 7638 thumbprints. Each isolate imports them once. */
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
