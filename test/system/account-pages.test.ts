import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { LONG_PATIENCE } from "../support/patience";
import { expectSound, fill, press, sees, visibleText, watch } from "./support/console";
import { browser, service, site, useDesk } from "./support/desk";

/* The pages behind links in e-mails, in a real browser: a new password, an invitation. */

const PASSWORD = "correct horse battery";

useDesk({ site: "plain" });

/** A page with lists of its requests and of the errors that the browser reported, in a separate browser profile. */
async function openPage(path: string): Promise<{ page: Page; addresses: string[]; complaints: string[] }> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(LONG_PATIENCE);
  const [addresses, complaints]: [string[], string[]] = [[], []];
  page.on("request", (request) => addresses.push(request.url().replace(/#.*/, "")));
  watch(service, page, complaints);
  await page.goto(`${service.url}${path}`);
  return { page, addresses, complaints };
}

/** Replaces the text of a field. */
async function retype(page: Page, name: string, value: string): Promise<void> {
  await page.waitForSelector(`[name=${name}]`, { visible: true });
  await page.click(`[name=${name}]`, { count: 3 });
  await page.type(`[name=${name}]`, value);
}

const newAddress = () => `${crypto.randomUUID()}@people.test`;
const signedIn = z.object({ accessToken: z.string() });
const register = (email: string) =>
  service.api(signedIn, "POST", "/v1/auth/register", undefined, { email, password: PASSWORD, displayName: "Ada" });
const login = (email: string, password: string) =>
  service.api(signedIn, "POST", "/v1/auth/login", undefined, { email, password });

test("every page has a policy that runs nothing but its own files", async () => {
  const built = `${service.url}/console/files/ ${service.url}/console/pdf/`;
  for (const path of ["/password-reset", "/invitations"]) {
    const response = await fetch(service.url + path);
    expect(response.headers.get("content-security-policy")).toContain(
      `default-src 'none'; script-src ${built}; style-src ${built}; img-src 'self' data: blob:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    );
    expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  }
});

test("the operator's link sets a new password, once, and signs everybody out", async () => {
  const email = newAddress();
  const { accessToken } = await register(email);
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/admin.mjs", "reset-password", email], {
    env: { ...process.env, STATE_DIR: service.stateDir, PORT: new URL(service.url).port },
  });
  const [link = "", token = "none"] = /http\S+(#\S+)/.exec(stdout) ?? [];
  expect(new URL(link).origin).toBe(service.url);
  const { page, addresses, complaints } = await openPage(`/password-reset${token}`);
  await sees(page, "Set a new password");
  await expectSound(page, "new password");
  await retype(page, "password", "another horse battery");
  await retype(page, "again", "another horse");
  await press(page, "Set the password");
  await sees(page, "The two passwords differ.");
  await retype(page, "again", "another horse battery");
  await press(page, "Set the password");
  await sees(page, "Your password is set.");
  await expect(service.api(z.unknown(), "GET", "/v1/auth/me", accessToken)).rejects.toThrow("401");
  await expect(login(email, PASSWORD)).rejects.toThrow("401");
  expect((await login(email, "another horse battery")).accessToken).not.toBe("");
  expect(complaints).toEqual([]);
  await page.reload();
  await fill(page, { password: "a third horse battery", again: "a third horse battery" });
  await press(page, "Set the password");
  await sees(page, "This link has expired.");
  await expectSound(page, "expired link");
  expect(addresses.filter((address) => address.includes(token.slice(1)))).toEqual([]);
  await page.click("::-p-text(Request a new link)");
  await sees(page, "Forgot your password?");
  await page.close();
});

test("the page without a link requests one, with the same answer for every address", async () => {
  const { page, complaints } = await openPage("/password-reset");
  await sees(page, "Forgot your password?");
  await expectSound(page, "forgotten password");
  await fill(page, { email: "nobody@people.test" });
  await press(page, "Send the link");
  await sees(page, "Check your inbox.");
  expect(await visibleText(page)).toContain("nobody@people.test");
  expect(complaints).toEqual([]);
  await page.close();
});

const made = z.object({ invitation: z.object({ link: z.string() }) });
/** Invites an address. @returns the path of the link. */
async function invite(email: string): Promise<string> {
  const members = `/v1/orgs/${site.organizationId}/members`;
  const { invitation } = await service.api(made, "POST", members, site.token, { email, role: "member" });
  expect(new URL(invitation.link).origin).toBe(service.url);
  return invitation.link.slice(service.url.length);
}

const joined = z.object({ memberships: z.array(z.object({ organizationName: z.string(), role: z.string() })) });
async function expectMember(email: string): Promise<void> {
  const { accessToken } = await login(email, PASSWORD);
  const { memberships } = await service.api(joined, "GET", "/v1/auth/me", accessToken);
  expect(memberships).toEqual([{ organizationName: "Live", role: "member" }]);
}

test("an invitation's link lets a new person join, and opens the organization", async () => {
  const email = newAddress();
  const link = await invite(email);
  const { page, addresses, complaints } = await openPage(link);
  await sees(page, "Join Live");
  expect(await visibleText(page)).toContain(`You are invited as member, with the address ${email}.`);
  await expectSound(page, "invitation");
  await fill(page, { name: "Maria", password: PASSWORD });
  await press(page, "Register and join");
  await sees(page, "You are a member of Live.");
  await expectMember(email);
  expect(complaints).toEqual([]);
  expect(addresses.filter((address) => address.includes(link.split("#")[1] ?? ""))).toEqual([]);
  await page.click("::-p-text(Open Live)");
  await page.waitForSelector("[aria-label='M, account of Maria']");
  await sees(page, "Live");
  await page.goto(`${service.url}${link}`);
  await sees(page, "This invitation has ended.");
  await expectSound(page, "ended invitation");
  await page.click("::-p-text(Go to your locations)");
  await sees(page, "Live · 1 location in 1 cluster");
  await page.close();
});

test("an invitation's link lets a person with an account join, with the right password", async () => {
  const email = newAddress();
  await register(email);
  const { page } = await openPage(await invite(email));
  await sees(page, "Register and join");
  expect(await visibleText(page)).not.toContain("Sign in and join");
  await press(page, "I have an account");
  await sees(page, "Sign in and join");
  expect(await visibleText(page)).not.toContain("Register and join");
  await fill(page, { password: "not the password" });
  await press(page, "Sign in and join");
  await sees(page, "is wrong");
  await retype(page, "password", PASSWORD);
  await press(page, "Sign in and join");
  await sees(page, "You are a member of Live.");
  await expectMember(email);
  await page.close();
});

test("a signed-in person joins without a password", async () => {
  const email = newAddress();
  await register(email);
  const { page, complaints } = await openPage("/console/locations");
  await fill(page, { email, password: PASSWORD });
  await press(page, "Sign in");
  await sees(page, "No locations in Personal workspace yet");
  await page.goto(`${service.url}${await invite(email)}`);
  await sees(page, "You are signed in as Ada.");
  await press(page, "Join");
  await sees(page, "You are a member of Live.");
  await expectMember(email);
  expect(complaints).toEqual([]);
  await page.close();
});

test("a link that was cut off is explained", async () => {
  const cut = await openPage("/invitations#123");
  await sees(cut.page, "This link is not complete.");
  await sees(cut.page, "ask the person who invited you for a new one");
  await expectSound(cut.page, "cut link");
  await cut.page.click("::-p-text(Sign in)");
  await sees(cut.page, "to your document workspace");
  expect(cut.complaints).toEqual([]);
  await cut.page.close();
});
