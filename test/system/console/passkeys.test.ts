import type { CDPSession } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
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

type Kept = Awaited<ReturnType<typeof credentials>>;
async function keep(kept: Kept): Promise<void> {
  for (const credential of kept)
    await devtools.send("WebAuthn.addCredential", {
      authenticatorId,
      credential: { ...credential, rpId: "localhost" },
    });
}

/** Checks the view. Its checks take the device from the tab, which then gets one with the same passkeys. */
async function expectSoundWithDevice(view: string): Promise<void> {
  const kept = await credentials();
  await expectSound(page, view);
  await plugIn();
  await keep(kept);
}

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
  await expectSoundWithDevice("no passkeys");
  await press(page, "Add a passkey");
  await expectSoundWithDevice("add a passkey");
  await fill(page, { password: "wrong horse battery" });
  await press(page, "Continue");
  await sees(page, "The password is wrong.");
  expect(await credentials()).toEqual([]);
  await page.click("dialog [name=password]", { count: 3 });
  await page.type("dialog [name=password]", person.password);
  await press(page, "Continue");
  await sees(page, "“Chrome on Linux” is added.");
  expect(await credentials()).toHaveLength(1);
  await expectSoundWithDevice("passkeys");
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
  await plugIn();
  await keep(known);
  await press(page, "Sign in with a passkey");
  await sees(page, "With a passkey");
  await sees(page, "With the password");
});

let codes: string[] = [];

test("the sign-in asks for the passkey after the password from now on, with recovery codes", async () => {
  await page.click(".subnav ::-p-text(Passkeys)");
  await sees(page, "Passkey after the password");
  await press(page, "Switch on");
  await fill(page, { password: person.password });
  await expectSoundWithDevice("switch the second factor on");
  await page.click("dialog button[type=submit]");
  await sees(page, "Your recovery codes");
  await expectSoundWithDevice("recovery codes");
  codes = await page.$eval("dialog output", (shown) => (shown.textContent ?? "").split("\n"));
  expect(codes).toHaveLength(10);
  await press(page, "I have kept them");
  await sees(page, "10 recovery codes left");
  await press(page, "Remove Laptop");
  await fill(page, { password: person.password });
  await page.click("dialog button[type=submit]");
  await sees(page, "this is your last one");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { hidden: true });
  await expectSoundWithDevice("passkeys with the second factor");
});

/** Signs in with the password in another browser, up to the second step. It has no device yet, which the sign-in page would ask. */
async function beginElsewhere(): Promise<void> {
  turnTo(await openProfile());
  await page.goto(at("settings/sessions"));
  await page.waitForSelector("[name=email]");
  await fill(page, { email: person.email, password: person.password });
  await press(page, "Sign in");
  await sees(page, "Confirm that it is you");
}

test("the password and the passkey sign in", async () => {
  const known = await credentials();
  await beginElsewhere();
  await plugIn();
  await keep(known);
  await press(page, "Use a passkey");
  await sees(page, "With the password and a passkey");
  expect(await credentials()).toHaveLength(1);
});

test("a recovery code signs in without a device, after a wrong one too", async () => {
  const known = await credentials();
  await beginElsewhere();
  await expectSound(page, "second step");
  await press(page, "Use a recovery code");
  await expectSound(page, "recovery code");
  await fill(page, { code: "0000-0000-0000-0000" });
  await press(page, "Sign in");
  await sees(page, "The sign-in was not confirmed");
  await page.click("[name=code]", { count: 3 });
  await page.type("[name=code]", codes[0] ?? "");
  await press(page, "Sign in");
  await sees(page, "With the password and a recovery code");
  await page.click(".subnav ::-p-text(Passkeys)");
  await sees(page, "9 recovery codes left");
  await plugIn();
  await keep(known);
  await press(page, "Switch off");
  await fill(page, { password: person.password });
  await page.click("dialog button[type=submit]");
  await sees(page, "Your password alone signs in from now on.");
});

test("a removed passkey signs in no more", async () => {
  await page.click(".subnav ::-p-text(Passkeys)");
  await press(page, "Remove Laptop");
  await fill(page, { password: person.password });
  await expectSoundWithDevice("remove a passkey");
  await page.click("dialog button[type=submit]");
  await sees(page, "“Laptop” is removed.");
  await sees(page, "No passkeys");
  const former = await credentials();
  expect(former).toHaveLength(1);
  turnTo(await openProfile());
  await page.goto(at("locations"));
  await page.waitForSelector("[name=email]");
  await plugIn();
  await keep(former);
  await press(page, "Sign in with a passkey");
  await sees(page, "This passkey does not sign in here");
});
