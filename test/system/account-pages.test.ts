import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { openBrowser, openTab } from "./support/browser";
import { newSite, RunningService, type Site } from "./support/running";

/* The small pages of the service in a real browser: a new password, an invitation. */

const PASSWORD = "correct horse battery";

let service: RunningService;
let site: Site;
let browser: Browser;
beforeAll(async () => {
  service = await RunningService.start();
  site = await newSite(service);
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** A page that remembers what it asked for and what it complained of. */
async function openPage(path: string): Promise<{ page: Page; addresses: string[]; complaints: string[] }> {
  const page = await openTab(browser);
  const [addresses, complaints]: [string[], string[]] = [[], []];
  page.on("request", (request) => addresses.push(request.url().replace(/#.*/, "")));
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${service.url}${path}`);
  return { page, addresses, complaints };
}

/** Waits for a section of the page. @returns its heading. */
async function headingOf(page: Page, section: string): Promise<string> {
  await page.waitForSelector(`#${section}:not([hidden]) h1`);
  return page.$eval(`#${section} h1`, (heading) => (heading as unknown as { textContent: string }).textContent);
}

/** Fills in a form, by the names of its fields, and sends it. */
async function send(page: Page, form: string, fields: Record<string, string>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await page.click(`${form} [name=${name}]`, { count: 3 });
    await page.type(`${form} [name=${name}]`, value);
  }
  await page.click(`${form} button[type=submit]`);
}

const problemOf = async (page: Page, form: string): Promise<string> => {
  const problem = await page.waitForSelector(`${form} .problem:not(:empty)`);
  return (await problem?.evaluate((element) => (element as unknown as { textContent: string }).textContent)) ?? "";
};

const newAddress = () => `${crypto.randomUUID()}@people.test`;
const signedIn = z.object({ accessToken: z.string() });
const register = (email: string) =>
  service.api(signedIn, "POST", "/v1/auth/register", undefined, { email, password: PASSWORD, displayName: "Ada" });
const login = (email: string, password: string) =>
  service.api(signedIn, "POST", "/v1/auth/login", undefined, { email, password });

test("every page has a policy that runs nothing but its own files", async () => {
  for (const path of ["/password-reset", "/invitations"]) {
    const response = await fetch(service.url + path);
    expect(response.headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
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
  expect(await headingOf(page, "set")).toBe("Set a new password");
  await send(page, "#set form", { password: "another horse battery", again: "another horse" });
  expect(await problemOf(page, "#set form")).toContain("differ");
  await send(page, "#set form", { password: "another horse battery", again: "another horse battery" });
  expect(await headingOf(page, "done")).toBe("Your password is set.");
  await expect(service.api(z.unknown(), "GET", "/v1/auth/me", accessToken)).rejects.toThrow("401");
  await expect(login(email, PASSWORD)).rejects.toThrow("401");
  expect((await login(email, "another horse battery")).accessToken).not.toBe("");
  expect(complaints).toEqual([]);
  await page.reload();
  await send(page, "#set form", { password: "a third horse battery", again: "a third horse battery" });
  expect(await headingOf(page, "ended")).toBe("This link has expired.");
  expect(addresses.filter((address) => address.includes(token.slice(1)))).toEqual([]);
  await page.close();
});

test("without a link one asks for it, and is told the same for every address", async () => {
  const { page, complaints } = await openPage("/password-reset");
  expect(await headingOf(page, "ask")).toBe("Forgot your password?");
  await send(page, "#ask form", { email: "nobody@people.test" });
  expect(await headingOf(page, "asked")).toBe("Check your e-mail.");
  expect(complaints).toEqual([]);
  await page.close();
});

test("an invitation's link joins who is new and who has an account", async () => {
  const made = z.object({ invitation: z.object({ link: z.string() }) });
  const members = `/v1/orgs/${site.organizationId}/members`;
  const invite = async (email: string) => {
    const { invitation } = await service.api(made, "POST", members, site.token, { email, role: "member" });
    expect(new URL(invitation.link).origin).toBe(service.url);
    return invitation.link.slice(service.url.length);
  };
  const joined = z.object({ memberships: z.array(z.object({ organizationName: z.string(), role: z.string() })) });
  const expectMember = async (email: string) => {
    const { accessToken } = await login(email, PASSWORD);
    const { memberships } = await service.api(joined, "GET", "/v1/auth/me", accessToken);
    expect(memberships).toEqual([{ organizationName: "Live", role: "member" }]);
    const sessions = z.object({ items: z.array(z.unknown()) });
    const { items } = await service.api(sessions, "GET", "/v1/auth/sessions", accessToken);
    return items.length;
  };

  const [fresh, known] = [newAddress(), newAddress()];
  const link = await invite(fresh);
  const first = await openPage(link);
  expect(await headingOf(first.page, "invited")).toBe("Join Live");
  await send(first.page, "#new", { displayName: "Maria", password: PASSWORD });
  expect(await headingOf(first.page, "joined")).toBe("You are a member of Live.");
  // The page keeps no session: the one that is listed is this test's own.
  expect(await expectMember(fresh)).toBe(1);
  expect(first.complaints).toEqual([]);
  expect(first.addresses.filter((address) => address.includes(link.split("#")[1] ?? ""))).toEqual([]);
  await first.page.reload();
  expect(await headingOf(first.page, "ended")).toBe("This invitation has ended.");
  await first.page.close();

  await register(known);
  const second = await openPage(await invite(known));
  await headingOf(second.page, "invited");
  const isSeen = (form: string) =>
    second.page.$eval(form, (element) => (element as unknown as { checkVisibility(): boolean }).checkVisibility());
  expect([await isSeen("#new"), await isSeen("#known")]).toEqual([true, false]);
  await second.page.click("#choose-known");
  expect([await isSeen("#new"), await isSeen("#known")]).toEqual([false, true]);
  await send(second.page, "#known", { password: "not the password" });
  expect(await problemOf(second.page, "#known")).toContain("is wrong");
  await send(second.page, "#known", { password: PASSWORD });
  expect(await headingOf(second.page, "joined")).toBe("You are a member of Live.");
  await expectMember(known);
  await second.page.close();

  const cut = await openPage("/invitations#123");
  expect(await headingOf(cut.page, "incomplete")).toBe("This link is not complete.");
  await cut.page.close();
});
