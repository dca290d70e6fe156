import type { CDPSession } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, signInAt } from "../support/console";
import { complaints, openProfile, page, service, turnTo, useDesk } from "../support/desk";

/* A person adds a passkey and signs in with it, with the virtual authenticator of the browser. Browsers take no IP as a name. */

const named = (url: string): string => url.replace("127.0.0.1", "localhost");
const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

let devtools: CDPSession;
let authenticatorId: string;

/** Gives the tab a device that keeps passkeys and verifies its person at once. Another page of the tab has none. */
async function plugIn(): Promise<void> {
  devtools = await page.createCDPSession();
  await devtools.send("WebAuthn.enable");
  ({ authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  }));
}

const credentials = async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials;

const at = (path: string): string => `${named(service.url)}/console/${path}`;
/** The browser is at another name of the same service. */
const own = () => complaints.splice(0).filter((text) => !text.startsWith(`asked ${named(service.url)}`));

useDesk({ settings: (url) => ({ PUBLIC_BASE_URL: named(url) }) }, async () => {
  await service.api(z.unknown(), "POST", "/v1/auth/register", undefined, { ...person, displayName: "Ada" });
  await signInAt(page, at("settings/passkeys"), person);
  await plugIn();
});

test("a passkey is added with the password, shown and renamed", async () => {
  await sees(page, "No passkeys");
  await expectSound(page, "no passkeys");
  await press(page, "Add a passkey");
  await expectSound(page, "add a passkey");
  await fill(page, { password: "wrong horse battery" });
  await press(page, "Continue");
  await sees(page, "The password is wrong.");
  expect(await credentials()).toEqual([]);
  await page.click("dialog [name=password]", { count: 3 });
  await page.type("dialog [name=password]", person.password);
  await press(page, "Continue");
  await sees(page, "“Chrome on Linux” is added.");
  expect(await credentials()).toHaveLength(1);
  await expectSound(page, "passkeys");
  await press(page, "Rename Chrome on Linux");
  await page.click("dialog [name=name]", { count: 3 });
  await page.type("dialog [name=name]", "Laptop");
  await page.click("dialog button[type=submit]");
  await sees(page, "The passkey is now “Laptop”.");
  expect(own().filter((text) => !text.includes("422"))).toEqual([]);
});

test("a device that has a passkey of the account is told so", async () => {
  await press(page, "Add a passkey");
  await fill(page, { password: person.password });
  await press(page, "Continue");
  await sees(page, "This device has a passkey of your account already.");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { hidden: true });
});

test("the passkey signs in without a password, and its session says so", async () => {
  const known = await credentials();
  turnTo(await openProfile());
  await page.goto(at("settings/sessions"));
  await page.waitForSelector("[name=email]");
  await expectSound(page, "sign-in");
  // Without a passkey the device gives none, and the page says so.
  await plugIn();
  await press(page, "Sign in with a passkey");
  await sees(page, "The device gave no passkey");
  for (const credential of known)
    await devtools.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: { ...credential, rpId: "localhost" },
    });
  if ((await page.$("[name=email]")) !== null) await press(page, "Sign in with a passkey").catch(() => undefined);
  await sees(page, "With a passkey");
  await sees(page, "With the password");
});

test("a removed passkey signs in no more", async () => {
  await page.click(".subnav ::-p-text(Passkeys)");
  await press(page, "Remove Laptop");
  await fill(page, { password: person.password });
  await expectSound(page, "remove a passkey");
  await page.click("dialog button[type=submit]");
  await sees(page, "“Laptop” is removed.");
  await sees(page, "No passkeys");
  const [former] = await credentials();
  turnTo(await openProfile());
  await page.goto(at("locations"));
  await page.waitForSelector("[name=email]");
  await plugIn();
  if (former === undefined) throw new Error("the device forgot its passkey");
  await devtools.send("WebAuthn.addCredential", { authenticatorId, credential: { ...former, rpId: "localhost" } });
  await press(page, "Sign in with a passkey");
  await eventually(() => sees(page, "This passkey does not sign in here"), LONG_PATIENCE);
});
