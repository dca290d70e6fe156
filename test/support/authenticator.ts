import { encodeCBOR } from "@levischuck/tiny-cbor";
import { z } from "zod";
import { BASE_URL, call, expectJson } from "./call";
import { freshIp, PASSWORD, register, type SessionTokens, sessionTokens, tryLogin } from "./sessions";

/*
 * An authenticator in software, as WebAuthn Level 3 defines its answers (sections 6.1, 6.5 and 5.8.1). Each part of an answer can be
 * replaced, so that tests can lie.
 */

const base64url = { alphabet: "base64url", omitPadding: true } as const;
const encoder = new TextEncoder();
const toText = (bytes: Uint8Array): string => bytes.toBase64(base64url);
const joined = (...parts: Uint8Array<ArrayBufferLike>[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

export const creationOptions = z.looseObject({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  excludeCredentials: z.array(z.looseObject({ id: z.string() })),
});
export const requestOptions = z.looseObject({ challenge: z.string(), rpId: z.string() });

/** What a test replaces in an answer. */
export interface Lies {
  origin?: string;
  rpId?: string;
  challenge?: string;
  isVerified?: boolean;
  isPresent?: boolean;
  crossOrigin?: boolean;
  type?: string;
  counter?: number;
  userHandle?: string | null;
}

export type Algorithm = "ES256" | "EdDSA" | "RS256";

const ALGORITHMS = {
  ES256: { name: "ECDSA", namedCurve: "P-256" },
  EdDSA: { name: "Ed25519" },
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: "SHA-256",
  },
} as const;

/** The public key in COSE form (RFC 9053). */
async function coseKey(algorithm: Algorithm, key: CryptoKey): Promise<Uint8Array> {
  const jwk = (await crypto.subtle.exportKey("jwk", key)) as JsonWebKey;
  const part = (text: string | undefined) => Uint8Array.fromBase64(text ?? "", { alphabet: "base64url" });
  const fields: [number, number | Uint8Array][] =
    algorithm === "ES256"
      ? [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, part(jwk.x)],
          [-3, part(jwk.y)],
        ]
      : algorithm === "EdDSA"
        ? [
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, part(jwk.x)],
          ]
        : [
            [1, 3],
            [3, -257],
            [-1, part(jwk.n)],
            [-2, part(jwk.e)],
          ];
  return encodeCBOR(new Map(fields));
}

/** An ECDSA signature in the form of X9.62, which authenticators send, from the two numbers of WebCrypto. */
function derOf(raw: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const from = bytes.findIndex((byte) => byte !== 0);
    const digits = bytes.subarray(from === -1 ? bytes.length - 1 : from);
    const positive = (digits[0] ?? 0) >= 0x80 ? joined(new Uint8Array([0]), digits) : digits;
    return joined(new Uint8Array([2, positive.length]), positive);
  };
  const numbers = joined(integer(raw.subarray(0, 32)), integer(raw.subarray(32)));
  return joined(new Uint8Array([0x30, numbers.length]), numbers);
}

export class Authenticator {
  readonly id: string;
  counter = 0;
  userHandle: string | null = null;

  private constructor(
    readonly algorithm: Algorithm,
    private readonly keys: CryptoKeyPair,
  ) {
    this.id = toText(crypto.getRandomValues(new Uint8Array(32)));
  }

  static async create(algorithm: Algorithm = "ES256"): Promise<Authenticator> {
    const keys = (await crypto.subtle.generateKey(ALGORITHMS[algorithm], true, ["sign", "verify"])) as CryptoKeyPair;
    return new Authenticator(algorithm, keys);
  }

  async #data(rpId: string, { isVerified = true, isPresent = true, counter }: Lies, more?: Uint8Array) {
    const flags = (isPresent ? 1 : 0) | (isVerified ? 4 : 0) | (more === undefined ? 0 : 64);
    const count = new Uint8Array(4);
    new DataView(count.buffer).setUint32(0, counter ?? this.counter);
    const head = joined(await sha256(encoder.encode(rpId) as Uint8Array<ArrayBuffer>), new Uint8Array([flags]), count);
    return more === undefined ? head : joined(head, more);
  }

  #client(type: string, challenge: string, lies: Lies): Uint8Array<ArrayBuffer> {
    const { origin = BASE_URL, crossOrigin = false } = lies;
    const data = { type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin, crossOrigin };
    return encoder.encode(JSON.stringify(data)) as Uint8Array<ArrayBuffer>;
  }

  /** Answers `navigator.credentials.create`. */
  async create(options: z.infer<typeof creationOptions>, lies: Lies = {}) {
    this.userHandle = options.user.id;
    const id = Uint8Array.fromBase64(this.id, { alphabet: "base64url" });
    const attested = joined(
      new Uint8Array(16),
      new Uint8Array([id.length >> 8, id.length & 255]),
      id,
      await coseKey(this.algorithm, this.keys.publicKey),
    );
    const authData = await this.#data(lies.rpId ?? options.rp.id, lies, attested);
    const statement = new Map<string, string | Uint8Array | Map<string, never>>([
      ["fmt", "none"],
      ["attStmt", new Map<string, never>()],
      ["authData", authData],
    ]);
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: toText(this.#client("webauthn.create", options.challenge, lies)),
        attestationObject: toText(encodeCBOR(statement)),
        transports: ["internal", "hybrid"],
      },
    };
  }

  /** Answers `navigator.credentials.get`. */
  async get(options: z.infer<typeof requestOptions>, lies: Lies = {}) {
    const authData = await this.#data(lies.rpId ?? options.rpId, lies);
    const client = this.#client("webauthn.get", options.challenge, lies);
    const signed = joined(authData, await sha256(client));
    const algorithm = this.algorithm === "ES256" ? { name: "ECDSA", hash: "SHA-256" } : ALGORITHMS[this.algorithm].name;
    const raw = new Uint8Array(await crypto.subtle.sign(algorithm, this.keys.privateKey, signed));
    return {
      id: this.id,
      rawId: this.id,
      type: "public-key",
      authenticatorAttachment: "platform",
      clientExtensionResults: {},
      response: {
        clientDataJSON: toText(client),
        authenticatorData: toText(authData),
        signature: toText(this.algorithm === "ES256" ? derOf(raw) : raw),
        userHandle: lies.userHandle === undefined ? this.userHandle : lies.userHandle,
      },
    };
  }
}

export const passkey = z.looseObject({ id: z.string(), name: z.string(), lastUsedAtUtc: z.string().nullable() });

/** The options for a new passkey of the person with this session. */
export const beginAdding = (token: string, password = PASSWORD) =>
  expectJson(creationOptions, 200, "POST", "/v1/auth/passkeys/options", {
    token,
    body: { password },
    headers: { "cf-connecting-ip": freshIp() },
  });

/** Adds a passkey of an authenticator to the account with this session. */
export async function addPasskeyOf(authenticator: Authenticator, token: string, name = "Phone") {
  const response = await authenticator.create(await beginAdding(token));
  return expectJson(passkey, 201, "POST", "/v1/auth/passkeys", { token, body: { name, response } });
}

const codes = z.object({ recoveryCodes: z.array(z.string()) });

/** A person whose sign-in asks for a passkey after the password. @returns the recovery codes too */
export async function withSecondFactor() {
  const { accessToken: token, user } = await register();
  const authenticator = await Authenticator.create();
  const { id: passkeyId } = await addPasskeyOf(authenticator, token);
  const body = { password: PASSWORD };
  const headers = { "cf-connecting-ip": freshIp() };
  const { recoveryCodes } = await expectJson(codes, 200, "POST", "/v1/auth/second-factor", { token, body, headers });
  return { token, user, authenticator, passkeyId, recoveryCodes };
}

const asked = z.looseObject({
  code: z.literal("second-factor-required"),
  secondStep: z.object({ ticket: z.string(), passkey: requestOptions }),
});

/** Signs in with the right password of such a person. @returns what the second step needs */
export async function beginSecondStep(email: string, ip = freshIp()) {
  const answer = await tryLogin(email, PASSWORD, ip);
  if (answer.status !== 403) throw new Error(`the sign-in answered ${answer.status}`);
  return asked.parse(await answer.json()).secondStep;
}

/** Sends the second step of a sign-in. */
export const confirmSignIn = (body: Record<string, unknown>, ip = freshIp()): Promise<Response> =>
  call("POST", "/v1/auth/login/second-factor", { body, headers: { "cf-connecting-ip": ip } });

/** The options for a sign-in. */
export const beginSignIn = () =>
  expectJson(requestOptions, 200, "POST", "/v1/auth/login/passkey/options", {
    headers: { "cf-connecting-ip": freshIp() },
  });

/** Sends what an authenticator has signed. */
export const trySignIn = (response: unknown, ip = freshIp()): Promise<Response> =>
  call("POST", "/v1/auth/login/passkey", { body: { response }, headers: { "cf-connecting-ip": ip } });

/** Signs in with an authenticator. */
export async function signInWith(authenticator: Authenticator): Promise<SessionTokens> {
  const answer = await trySignIn(await authenticator.get(await beginSignIn()));
  if (answer.status !== 200) throw new Error(`the sign-in answered ${answer.status}`);
  return sessionTokens.parse(await answer.json());
}
