import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { z } from "zod";
import { ISSUER_AUDIENCE, issuerUrl } from "./issuer-service";

export interface IssuerKey {
  kid: string;
  privateKey: CryptoKey;
  publicJwk: object;
}

export async function newIssuerKey(kid: string, alg = "ES256"): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** The keys of issuers in this runtime: the service caches them, so each file must publish the same one. */
const runtime = globalThis as { issuerKeys?: Partial<Record<string, IssuerKey>> };

/** The key of an issuer that several files use, published. */
export async function keyOf(name: string): Promise<IssuerKey> {
  runtime.issuerKeys ??= {};
  const known = runtime.issuerKeys[name];
  if (known !== undefined) return known;
  const key = await newIssuerKey(`key-${crypto.randomUUID()}`);
  runtime.issuerKeys[name] = key;
  // Other runtimes have other keys at the same time, so it is added to theirs.
  await fetch(`${issuerUrl(name)}/jwks`, { method: "POST", body: JSON.stringify(key.publicJwk) });
  return key;
}

/** Sets the text that the issuer returns as its key set. */
export async function publishText(name: string, text: string): Promise<void> {
  await fetch(`${issuerUrl(name)}/jwks`, { method: "PUT", body: text });
}

export const publishKeys = (name: string, keys: readonly IssuerKey[]): Promise<void> =>
  publishText(name, JSON.stringify({ keys: keys.map((key) => key.publicJwk) }));

/** Number of fetches of the issuer's key set. */
export const keySetReads = async (name: string): Promise<number> =>
  z.int().parse(await (await fetch(`${issuerUrl(name)}/reads`)).json());

/** A JWT of the issuer for a verified address. `claims` replace its claims. */
export function issue(name: string, key: IssuerKey, claims: JWTPayload, alg = "ES256"): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  const usual = {
    iss: issuerUrl(name),
    aud: ISSUER_AUDIENCE,
    sub: `subject of ${claims.email}`,
    iat: now,
    exp: now + 300,
    email_verified: true,
  };
  return new SignJWT({ ...usual, ...claims }).setProtectedHeader({ alg, kid: key.kid }).sign(key.privateKey);
}
