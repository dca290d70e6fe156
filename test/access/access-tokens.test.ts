import { env } from "cloudflare:workers";
import { generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { describe, expect, test } from "vitest";
import { signAccessToken, signingKeys } from "../../src/access/sessions/session-tokens";
import { settingsOf } from "../../src/platform/settings";
import { BASE_URL, expectJson, problem } from "../support/call";
import { mintPerson } from "../support/factories";
import { mintSession, mintSignedIn, statusOf } from "../support/sessions";

const now = () => Math.floor(Date.now() / 1_000);

/** A valid access token, except for the replaced claims. */
async function forged(
  { userId, sessionId }: { userId: string; sessionId: string },
  claims: Record<string, unknown> = {},
  header: Record<string, unknown> = {},
  key?: CryptoKey,
): Promise<string> {
  const keys = await signingKeys(settingsOf(env));
  const usual = {
    iss: BASE_URL,
    aud: "document-workspace",
    sub: userId,
    sid: sessionId,
    iat: now(),
    exp: now() + 600,
  };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: "EdDSA", typ: "at+jwt", kid: keys.kid, ...header })
    .sign(key ?? keys.signing);
}

const codeOf = async (token: string) => (await expectJson(problem, 401, "GET", "/v1/auth/me", { token })).code;

describe("an access token", () => {
  test("signed by the service is accepted", async () => {
    expect(await statusOf(await forged(await mintSignedIn()))).toBe(200);
  });

  test("that has expired is refused as expired", async () => {
    expect(await codeOf(await forged(await mintSignedIn(), { exp: now() - 1 }))).toBe("credential-expired");
  });

  test("that was changed, is unsigned or has another key is refused", async () => {
    const person = await mintSignedIn();
    const { privateKey } = await generateKeyPair("Ed25519");
    const good = await forged(person);
    const [header = "", payload = "", signature = ""] = good.split(".");
    const claims = { iss: BASE_URL, aud: "document-workspace", sub: person.userId, sid: person.sessionId };
    const hmac = await crypto.subtle.importKey(
      "raw",
      new TextEncoder().encode("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    const altered = btoa(atob(payload.replaceAll("-", "+").replaceAll("_", "/")).replace(/"exp":\d/, '"exp":9'));
    for (const wrong of [
      `${header}.${altered.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${header}.${payload}.`,
      new UnsecuredJWT(claims).setExpirationTime("5m").encode(),
      await forged(person, {}, {}, privateKey),
      await forged(person, {}, { kid: "another" }),
      await forged(person, {}, { alg: "HS256" }, hmac),
    ])
      expect(await codeOf(wrong)).toBe("unauthenticated");
  });

  test("for another audience, of another type or lacking a claim is refused", async () => {
    const person = await mintSignedIn();
    for (const wrong of [
      await forged(person, { aud: "another-service" }),
      await forged(person, { iss: "https://elsewhere.test" }),
      await forged(person, {}, { typ: "JWT" }),
      await forged(person, { sid: undefined }),
      await forged(person, { exp: undefined }),
      await forged(person, { sub: (await mintPerson()).userId }),
      await forged({ ...person, sessionId: "0192f0c1-5b7e-7cc3-9d43-0d7b5f1f2a10" }),
    ])
      expect(await codeOf(wrong)).toBe("unauthenticated");
  });

  test("of a session that was ended is refused as revoked", async () => {
    const person = await mintPerson();
    const { token } = await mintSession(person.userId, { revokedAt: Date.now() });
    expect(await codeOf(token)).toBe("credential-revoked");
  });

  test("signed by the previous key is accepted while that key is listed", async () => {
    const person = await mintSignedIn();
    const next = settingsOf(env).SESSION_SIGNING_KEY;
    const previous = { crv: "Ed25519", kty: "OKP", x: "", d: "" };
    const pair = await generateKeyPair("Ed25519", { extractable: true });
    Object.assign(previous, await crypto.subtle.exportKey("jwk", pair.privateKey));
    const settings = { ...settingsOf(env), SESSION_SIGNING_KEY: { ...next, x: previous.x, d: previous.d } };
    const claims = { userId: person.userId, sessionId: person.sessionId, expiresAt: Date.now() + 3_600_000 };
    const token = await signAccessToken(settings, claims, Date.now());
    expect(await codeOf(token)).toBe("unauthenticated");
    const vars = { SESSION_VERIFY_KEYS: JSON.stringify([{ kty: "OKP", crv: "Ed25519", x: previous.x }]) };
    const answer = await expectJson(problem.partial().loose(), 200, "GET", "/v1/auth/me", { token, vars });
    expect(answer).toHaveProperty("user");
  });
});

describe("a bearer", () => {
  test("that is not a credential is refused as malformed", async () => {
    for (const token of ["x", "a.b.c", "svcpat1.x.y", "x".repeat(9_000), `svcpat1.${"0".repeat(32)}.${"0".repeat(64)}`])
      expect(await codeOf(token)).toBe("unauthenticated");
  });
});
