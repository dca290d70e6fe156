import { expect, test } from "vitest";
import { call } from "../support/call";
import { mintPerson, mintToken } from "../support/factories";
import { issue, newIssuerKey, publishKeys } from "../support/issuer";
import { mintSignedIn, statusOf } from "../support/sessions";
import { fewestRoundTrips, fewestStatements } from "../support/statements";

/** A request that only authenticates: there is no such route. */
const authenticate = (token: string) => async () =>
  expect((await call("GET", "/v1/no-such-route", { token })).status).toBe(404);
const statementsOf = (token: string): Promise<number> => fewestStatements(authenticate(token));

async function expectOneTripOfThree(token: string): Promise<void> {
  expect(await statementsOf(token)).toBe(3);
  expect(await fewestRoundTrips(authenticate(token))).toBe(1);
}

test("authentication with any kind of credential costs one round trip of three statements", async () => {
  const session = await mintSignedIn();
  await expectOneTripOfThree(session.token);

  const { userId } = await mintPerson();
  const { token } = await mintToken(userId, { lastUsedAt: Date.now() });
  await expectOneTripOfThree(token);

  const key = await newIssuerKey("key-1");
  await publishKeys("counted", [key]);
  const external = await issue("counted", key, { email: "frugal@partner.test" });
  expect(await statusOf(external)).toBe(200);
  await expectOneTripOfThree(external);
});

test("a credential with a wrong form or signature costs no statement", async () => {
  const { token } = await mintSignedIn();
  for (const wrong of ["x", "a.b.c", `${token.slice(0, -4)}AAAA`, "svcpat1.x.y"])
    expect(await statementsOf(wrong)).toBe(0);
});
