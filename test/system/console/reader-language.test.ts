import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees } from "../support/console";
import { complaints, enter, openProfile, page, service, site, turnTo, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* The language of a person follows them: in this browser, in another one, and in what the service tells them. */

const person = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };
const signedIn = z.object({ accessToken: z.string(), user: z.looseObject({ language: z.string().nullable() }) });
const login = () => service.api(signedIn, "POST", "/v1/auth/login", undefined, person);
const languageOfPage = () => page.evaluate("document.documentElement.lang");
const becomes = (language: string) =>
  eventually(async () => expect(await languageOfPage()).toBe(language), LONG_PATIENCE);

useDesk({ site: "plain" }, async () => {
  await joinSite(service, site, { ...person, displayName: "Hedy", role: "member" });
});

/** Chooses a language in the window of the account. */
async function choose(language: string): Promise<void> {
  await page.waitForSelector("[popovertarget=account]");
  await page.click("[popovertarget=account]");
  await page.waitForSelector("#account [name=language]", { visible: true });
  await page.select("#account [name=language]", language);
}

test("a person chooses a language, which the account keeps", async () => {
  await enter("locations", person);
  expect(await languageOfPage()).toBe("en");
  await choose("de");
  await becomes("de");
  await sees(page, "Standorte");
  expect((await login()).user.language).toBe("de");
});

test("another browser has the language after the sign-in, and notifications are in it", async () => {
  const former = turnTo(await openProfile());
  await page.goto(`${service.url}/console/inbox`);
  expect(await languageOfPage()).toBe("en");
  await fill(page, person);
  await press(page, "Sign in");
  await becomes("de");
  await sees(page, "Sie sind jetzt Mitglied");
  await expectSound(page, "inbox in German");
  await page.browserContext().close();
  turnTo(former);
});

test("a wrong password is explained in the language of the page", async () => {
  const former = turnTo(await openProfile());
  await page.goto(`${service.url}/console/inbox`);
  await page.evaluate("document.cookie = 'language=fr; path=/'");
  await page.reload();
  expect(await languageOfPage()).toBe("fr");
  await fill(page, { ...person, password: "wrong horse battery" });
  await press(page, "Se connecter");
  await sees(page, "L’adresse e-mail ou le mot de passe est incorrect.");
  // The browser notes the refusal.
  expect(complaints.splice(0)).toEqual([expect.stringContaining("401")]);
  await page.browserContext().close();
  turnTo(former);
});

/** Views with much text, each with what it shows when it is read. */
const SHOWN: Readonly<Record<string, string>> = {
  locations: ".first-steps",
  "settings/notifications": "[name=camera-back]",
  "settings/audit": ".audit-entry",
  "settings/cleanups": "main .list-foot",
};

test("pages with much text fit a phone in every language", async () => {
  const owner = turnTo(await openProfile());
  await enter("locations");
  for (const language of ["de", "fr", "es"]) {
    await choose(language);
    await becomes(language);
    for (const view of Object.keys(SHOWN)) {
      await page.goto(`${service.url}/console/${view}`);
      await page.waitForSelector("main h1");
      await page.waitForSelector(SHOWN[view] ?? "");
      await page.setViewport({ width: 320, height: 900 });
      const wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
      expect([language, view, await page.evaluate(wide)]).toEqual([language, view, 0]);
      await page.setViewport({ width: 1280, height: 900 });
    }
  }
  await page.browserContext().close();
  turnTo(owner);
});

test("without a choice, the language of the browser counts again", async () => {
  await page.goto(`${service.url}/console/inbox`);
  await sees(page, "Sie sind jetzt Mitglied");
  await choose("");
  await becomes("en");
  await sees(page, "You are a member now");
  expect((await login()).user.language).toBe(null);
  expect(await page.evaluate("document.cookie")).toBe("");
  expect(complaints).toEqual([]);
});
