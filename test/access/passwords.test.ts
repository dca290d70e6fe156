import { describe, expect, test } from "vitest";
import { isCommonPassword } from "../../src/access/accounts";
import { call, codeOf } from "../support/call";
import fc from "../support/properties";
import { freshIp, mintReset, mintSignedIn, PASSWORD, register, tryLogin } from "../support/sessions";

/* The new passwords that are accepted. Registration, a change and a reset have the same rules. */

const CONTROLS = ["\0", "\t", "\n", "\u007f", "\u0085", "\ud800"];
const COMMON = ["password123", "QwertyUiop", "1234567890", "0987654321", "aaaaaaaaaa", "abcabcabcabc", "christopher"];

const WAYS = {
  registration: (password: string, email = `${crypto.randomUUID()}@people.test`) =>
    call("POST", "/v1/auth/register", {
      body: { email, password, displayName: "Ada" },
      headers: { "cf-connecting-ip": freshIp() },
    }),
  change: async (password: string) => {
    const { accessToken: token } = await register();
    return call("PATCH", "/v1/auth/me", { token, body: { password: { current: PASSWORD, new: password } } });
  },
  reset: async (password: string) => {
    const { userId } = await mintSignedIn();
    const body = { token: await mintReset(userId), password };
    return call("POST", "/v1/auth/password-reset/complete", { body, headers: { "cf-connecting-ip": freshIp() } });
  },
};

describe.each(Object.entries(WAYS))("a new password at a %s", (_, attempt) => {
  test.each(CONTROLS)("may not have a control character: %j", async (control) => {
    expect((await attempt(`a good ${control} pass phrase`)).status).toBe(400);
  });

  test.each(COMMON)("may not be one that many people use: %s", async (password) => {
    expect(await codeOf(await attempt(password))).toBe("422 rule-violated");
  });
});

test.each(["lovelace@people.test", "Lovelace123", "lovelace@people.test1", "1 LOVELACE 1"])(
  "a password that is little more than the address is refused: %s",
  async (password) => {
    expect(await codeOf(await WAYS.registration(password, "lovelace@people.test"))).toBe("422 rule-violated");
  },
);

test("a password that has the name among other words is taken", async () => {
  const email = `ada.${crypto.randomUUID()}@people.test`;
  expect((await WAYS.registration("ada likes lighthouses", email)).status).toBe(201);
});

test("a NUL at the end of a password does not sign in, although scrypt cannot tell the two apart", async () => {
  const { user } = await register();
  for (const wrong of [`${PASSWORD}\0`, `${PASSWORD}\0\0\0`, `\0${PASSWORD}`])
    expect((await tryLogin(user.email, wrong)).status).toBe(401);
  expect((await tryLogin(user.email, PASSWORD)).status).toBe(200);
});

test("random passwords and pass phrases are not common", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 9, maxLength: 24 }), (bytes) => {
      const isRandom = new Set(bytes).size > 6;
      expect(isRandom && isCommonPassword(bytes.toBase64())).toBe(false);
    }),
  );
  for (const phrase of [PASSWORD, "lantern and quay 7", "harbour 7 lights"])
    expect(isCommonPassword(phrase)).toBe(false);
});
