import type { BrowserContext, Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { LONG_PATIENCE } from "../../support/patience";
import { openTab } from "../support/browser";
import { expectSound, fill, press, sees, signInAt, watch } from "../support/console";
import { browser, complaints, service, useDesk } from "../support/desk";

/* The refresh token is in a cookie that no script can read, and the tabs of one browser share the session. */

const PASSWORD = "correct horse battery";
const tokens = z.object({ accessToken: z.string(), refreshToken: z.string() });

const at = (path: string): string => `${service.url}/console/${path}`;

async function newPerson(displayName = "Ada") {
  const person = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
  const registration = { ...person, displayName };
  const made = z.looseObject({ accessToken: z.string(), refreshToken: z.string() });
  return { ...person, session: await service.api(made, "POST", "/v1/auth/register", undefined, registration) };
}

/** A browser profile in which nobody is signed in. */
const openContext = () => browser.createBrowserContext();
async function tabIn(context: BrowserContext): Promise<Page> {
  const tab = await openTab(context);
  watch(service, tab, complaints);
  await tab.setViewport({ width: 1280, height: 900 });
  return tab;
}

const cookieIn = async (context: BrowserContext) => (await context.cookies()).find(({ name }) => name === "refresh");
const isSignedIn = (tab: Page) => tab.waitForSelector("[popovertarget=account]");
const isSignedOut = (tab: Page) => tab.waitForSelector("[name=password]");
const storedIn = async (tab: Page) =>
  tokens.parse(JSON.parse(String(await tab.evaluate("sessionStorage.getItem('session')"))));

useDesk();

test("no script can read the refresh token, and a new tab goes on with the session", async () => {
  const person = await newPerson();
  const context = await openContext();
  const first = await tabIn(context);
  await signInAt(first, at("settings/sessions"), person);
  expect(await cookieIn(context)).toMatchObject({
    path: "/v1/auth",
    httpOnly: true,
    sameSite: "Strict",
    session: true,
  });
  expect(await first.evaluate("document.cookie")).not.toContain("refresh");
  expect((await storedIn(first)).refreshToken).toBe("");
  expect(await first.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])")).not.toContain(
    "svcrefresh1",
  );

  // A tab that the first one opens gets its access token. Later, no tab is left to ask.
  const second = await tabIn(context);
  await second.goto(at("settings/sessions"));
  await isSignedIn(second);
  await Promise.all([first.close(), second.close()]);
  const third = await tabIn(context);
  await third.goto(at("settings/sessions"));
  await isSignedIn(third);
  await sees(third, "This session");
  expect(complaints.splice(0)).toEqual([]);
  await context.close();
});

test("signing out in one tab signs the others out, and deletes the cookie", async () => {
  const context = await openContext();
  const [one, two] = [await tabIn(context), await tabIn(context)];
  await signInAt(one, at("settings/sessions"), await newPerson());
  await two.goto(at("settings/sessions"));
  await isSignedIn(two);
  await one.bringToFront();
  await one.click("[popovertarget=account]");
  const ended = one.waitForResponse((response) => response.url().endsWith("/v1/auth/logout"));
  await press(one, "Sign out");
  expect((await ended).status()).toBe(204);
  await Promise.all([isSignedOut(one), isSignedOut(two)]);
  expect(await cookieIn(context)).toBeUndefined();
  await two.reload();
  await isSignedOut(two);
  // Nobody is asked for a session that is not there.
  expect(complaints.splice(0)).toEqual([]);
  await context.close();
});

test("a sign-in of somebody else turns all tabs to that person, and ends the session before", async () => {
  const [ada, ben] = [await newPerson("Ada Lovelace"), await newPerson("Ben Nevis")];
  const context = await openContext();
  const [one, two] = [await tabIn(context), await tabIn(context)];
  await signInAt(one, at("settings/profile"), ada);
  const { accessToken } = await storedIn(one);
  await two.goto(at("settings/sessions"));
  await isSignedIn(two);
  const status = await two.evaluate(
    `fetch("/v1/auth/login", { method: "POST", headers: { "content-type": "application/json" },
      body: ${JSON.stringify(JSON.stringify({ email: ben.email, password: PASSWORD, cookie: "session" }))} }).then(
      async (response) => {
        new BroadcastChannel("session").postMessage({ kind: "tokens", tokens: await response.json() });
        return response.status;
      })`,
  );
  expect(status).toBe(200);
  await Promise.all([one, two].map((tab) => tab.waitForSelector("[aria-label='BN, account of Ben Nevis']")));
  await expect(service.api(z.unknown(), "GET", "/v1/auth/me", accessToken)).rejects.toThrow("401");
  complaints.splice(0);
  await context.close();
});

test("a person stays signed in who asks for it, and the list of sessions says so", async () => {
  const person = await newPerson();
  const context = await openContext();
  const tab = await tabIn(context);
  await tab.goto(at("settings/sessions"));
  await fill(tab, { email: person.email, password: person.password });
  await (await tab.waitForSelector("label::-p-text(Keep me signed in)"))?.click();
  await expectSound(tab, "sign in");
  await press(tab, "Sign in");
  await sees(tab, "Stays signed in");
  await expectSound(tab, "a session that is kept");
  const cookie = await cookieIn(context);
  expect(cookie?.session).toBe(false);
  expect((cookie?.expires ?? 0) - Date.now() / 1_000).toBeGreaterThan(29 * 86_400);
  expect(complaints.splice(0)).toEqual([]);
  await context.close();
});

test("a session that an earlier version has kept in the tab goes on, and its refresh token moves to the cookie", async () => {
  const { session } = await newPerson();
  const context = await openContext();
  const tab = await tabIn(context);
  await tab.goto(`${service.url}/docs`);
  await tab.evaluate(`sessionStorage.setItem("session", ${JSON.stringify(JSON.stringify(session))})`);
  await tab.goto(at("settings/sessions"));
  await isSignedIn(tab);
  expect((await storedIn(tab)).refreshToken).toBe("");
  expect((await cookieIn(context))?.httpOnly).toBe(true);
  await tab.reload();
  await isSignedIn(tab);
  expect(complaints.splice(0)).toEqual([]);
  await context.close();
});

test("a sign-out without a connection is made up for when the page is opened again", async () => {
  const context = await openContext();
  const tab = await tabIn(context);
  await signInAt(tab, at("settings/sessions"), await newPerson());
  const { accessToken } = await storedIn(tab);
  await tab.setOfflineMode(true);
  await tab.click("[popovertarget=account]");
  await press(tab, "Sign out");
  await isSignedOut(tab);
  expect(await cookieIn(context)).toBeDefined();
  await tab.setOfflineMode(false);
  await tab.reload();
  await isSignedOut(tab);
  await expect.poll(() => cookieIn(context), { timeout: LONG_PATIENCE }).toBeUndefined();
  await expect(service.api(z.unknown(), "GET", "/v1/auth/me", accessToken)).rejects.toThrow("401");
  complaints.splice(0);
  await context.close();
});
