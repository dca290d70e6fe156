import { type CryptoKey, calculateJwkThumbprint, importJWK } from "jose";
import type { Settings } from "../../platform/settings";

type PublicKey = Settings["SESSION_VERIFY_KEYS"][number];

export interface SigningKeys {
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
