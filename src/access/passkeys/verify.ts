import type { Context } from "../../platform/context";
import { challengeIn } from "./challenges";
import type { AuthenticationResponse, RegistrationResponse } from "./schemas";

/*
 * The checks of WebAuthn Level 3, sections 7.1 and 7.2, which `@simplewebauthn/server` makes. It is loaded at the first use,
 * because few requests need it.
 */

/** COSE algorithms, the preferred first: ES256, EdDSA with Ed25519, RS256. */
export const ALGORITHMS = [-7, -8, -257] as const;

type Site = Pick<Context, "settings">;

/** The relying party: the host of the public address. Browsers take no address of a network (IP) as one. */
export const relyingParty = ({ settings }: Site): string => new URL(settings.PUBLIC_BASE_URL).hostname;

const expectations = (context: Site) => ({
  expectedOrigin: context.settings.PUBLIC_BASE_URL,
  expectedRPID: relyingParty(context),
  requireUserVerification: true,
});

/** What a row of a passkey keeps of its registration. */
export interface Registered {
  credentialId: string;
  publicKey: string;
  counter: number;
  isBackedUp: boolean;
}

/** Verifies the answer of `navigator.credentials.create`. The caller takes the challenge. @returns null if a check fails */
export async function verifyRegistration(
  context: Site,
  response: RegistrationResponse,
): Promise<(Registered & { challenge: string }) | null> {
  const challenge = challengeIn(response.response.clientDataJSON);
  if (challenge === null) return null;
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const given = { ...response, clientExtensionResults: {} };
  // A statement about the make of the authenticator is not asked for, so its certificates are not read.
  const options = {
    ...expectations(context),
    response: { ...given, response: { ...response.response, transports: [] } },
    expectedChallenge: challenge,
    supportedAlgorithmIDs: [...ALGORITHMS],
  };
  const result = await verifyRegistrationResponse(options).catch(() => null);
  if (!result?.verified) return null;
  const { credential, credentialBackedUp } = result.registrationInfo;
  if (credential.id !== response.id) return null;
  const publicKey = credential.publicKey.toBase64({ alphabet: "base64url", omitPadding: true });
  return {
    challenge,
    credentialId: credential.id,
    publicKey,
    counter: credential.counter,
    isBackedUp: credentialBackedUp,
  };
}

/**
 * Verifies the answer of `navigator.credentials.get` with a known passkey. The caller takes the challenge, and checks that the
 * passkey belongs to the person. @returns the new state of the passkey, or null if a check fails
 */
export async function verifyAuthentication(
  context: Site,
  { response, ...named }: AuthenticationResponse,
  { credentialId, publicKey, counter }: Pick<Registered, "credentialId" | "publicKey" | "counter">,
): Promise<(Pick<Registered, "counter" | "isBackedUp"> & { challenge: string }) | null> {
  const challenge = challengeIn(response.clientDataJSON);
  if (challenge === null) return null;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { userHandle, ...signed } = response;
  const options = {
    ...expectations(context),
    response: { ...named, response: { ...signed, ...(userHandle && { userHandle }) }, clientExtensionResults: {} },
    expectedChallenge: challenge,
    credential: {
      id: credentialId,
      publicKey: Uint8Array.fromBase64(publicKey, { alphabet: "base64url" }),
      counter,
    },
  };
  const result = await verifyAuthenticationResponse(options).catch(() => null);
  if (!result?.verified) return null;
  const { newCounter, credentialBackedUp } = result.authenticationInfo;
  return { challenge, counter: newCounter, isBackedUp: credentialBackedUp };
}
