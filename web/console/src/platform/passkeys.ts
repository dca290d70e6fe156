import { PASSKEYS } from "#texts/passkeys.ts";
import { dataOf, type Passkey, ProblemError, type SecondStep } from "../../../../client/src/index.ts";
import { Refusal } from "../../../ui/notice.tsx";
import { api, beginSession, cookieKind } from "./session.ts";

/*
 * Passkeys of this browser (WebAuthn Level 3). The browser finds the device, asks the person, and signs a challenge of the service.
 */

/** Browsers take no address of a network (IP) as the name of a service. */
const isNamed = (host: string): boolean => !/^[\d.]+$|^\[/.test(host);

/** Whether this browser can use passkeys at this address. */
export const canUsePasskeys = (): boolean =>
  "PublicKeyCredential" in window &&
  "parseRequestOptionsFromJSON" in PublicKeyCredential &&
  "toJSON" in PublicKeyCredential.prototype &&
  isNamed(location.hostname);

const TYPE = "public-key" as const;

/** What the device answers. @throws Refusal in the words of the person, if the device gives none. */
async function answerOf(asked: Promise<Credential | null>): Promise<PublicKeyCredential> {
  try {
    const credential = await asked;
    if (credential instanceof PublicKeyCredential) return credential;
  } catch (thrown) {
    if (!(thrown instanceof DOMException)) throw thrown;
    if (thrown.name === "InvalidStateError") throw new Refusal(PASSKEYS.present);
  }
  throw new Refusal(PASSKEYS.stopped);
}

/**
 * Makes a passkey on a device, and adds it to the account of the session.
 * @throws ProblemError, or Refusal if the device gives none.
 */
export async function addPasskey(name: string, password: string): Promise<Passkey> {
  const options = await dataOf(api.POST("/v1/auth/passkeys/options", { body: { password } }));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const made = await answerOf(navigator.credentials.create({ publicKey }));
  const { id, rawId, response } = made.toJSON() as RegistrationResponseJSON;
  const { clientDataJSON, attestationObject, transports } = response;
  const answer = { id, rawId, type: TYPE, response: { clientDataJSON, attestationObject, transports } };
  return dataOf(api.POST("/v1/auth/passkeys", { body: { name, response: answer } }));
}

const readOptions = () => dataOf(api.POST("/v1/auth/login/passkey/options", {}));

/** What a passkey has signed. @throws Refusal if the device gives none */
async function signedBy(asked: Promise<Credential | null>) {
  const { id, rawId, response } = (await answerOf(asked)).toJSON() as AuthenticationResponseJSON;
  const { clientDataJSON, authenticatorData, signature, userHandle } = response;
  const signed = { clientDataJSON, authenticatorData, signature, userHandle: userHandle ?? null };
  return { id, rawId, type: TYPE, response: signed };
}

async function enterWith(asked: Promise<Credential | null>): Promise<void> {
  const body = { response: await signedBy(asked), cookie: cookieKind() };
  beginSession(await dataOf(api.POST("/v1/auth/login/passkey", { body })));
}

/** Signs the challenge of the second step of a sign-in. @throws Refusal if the device gives no passkey */
export function signStep({ passkey }: SecondStep) {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({
    ...passkey,
    // The service keeps what the browser called them; the browser ignores names that it does not know.
    allowCredentials: passkey.allowCredentials as PublicKeyCredentialDescriptorJSON[],
  });
  return signedBy(navigator.credentials.get({ publicKey }));
}

/** Signs in with a passkey that the person chooses. @throws ProblemError, or Refusal if the device gives none. */
export async function signInWithPasskey(): Promise<void> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await readOptions());
  await enterWith(navigator.credentials.get({ publicKey }));
}

/** The part of the lifetime of a challenge after which the next one is asked for. */
const RENEWED_AFTER = 0.8;

/**
 * Has the browser offer passkeys in the field of the address until the signal ends. It shows nothing by itself.
 * @throws ProblemError if the service refuses the passkey that the person has chosen
 */
export async function offerPasskeys(ended: AbortSignal): Promise<void> {
  if (!canUsePasskeys() || !(await PublicKeyCredential.isConditionalMediationAvailable())) return;
  while (!ended.aborted) {
    const options = await readOptions().catch(() => null);
    if (options === null || ended.aborted) return;
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    const late = AbortSignal.timeout(options.timeout * RENEWED_AFTER);
    const signal = AbortSignal.any([ended, late]);
    try {
      return await enterWith(navigator.credentials.get({ publicKey, mediation: "conditional", signal }));
    } catch (thrown) {
      if (thrown instanceof ProblemError) throw thrown;
      if (!late.aborted) return;
    }
  }
}
