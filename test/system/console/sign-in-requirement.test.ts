import { expect, test } from "vitest";
import { z } from "zod";
import { expectSound, press, sees, signInAt } from "../support/console";
import { complaints, page, service, useDesk } from "../support/desk";

/* An owner requires a passkey of the members. Browsers take no IP as a name. */

const named = (url: string): string => url.replace("127.0.0.1", "localhost");
const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

useDesk({ settings: (url) => ({ PUBLIC_BASE_URL: named(url) }) }, async () => {
  const signedIn = z.object({ accessToken: z.string() });
  const body = { ...person, displayName: "Ada" };
  const { accessToken } = await service.api(signedIn, "POST", "/v1/auth/register", undefined, body);
  await service.api(z.unknown(), "POST", "/v1/orgs", accessToken, { name: "Harbour" });
  await signInAt(page, `${named(service.url)}/console/settings/organization`, person);
});

test("an owner who signed in with the password alone is told to use a passkey first", async () => {
  await sees(page, "Sign-in of the members");
  await expectSound(page, "requirement of an organization");
  await page.select("select[name=requirement]", "members");
  await press(page, "Save the requirement");
  await sees(page, "before you require it of others");
  expect(complaints.splice(0).filter((text) => text.includes("422"))).toHaveLength(1);
});
