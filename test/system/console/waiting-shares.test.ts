import type { Page } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, visibleText } from "../support/console";
import { complaints, enter, openProfile, page, service, useDesk } from "../support/desk";

/* A share with a person who has no account yet, in a real browser, with the link of the mail. */

const PASSWORD = "correct horse battery";
const owner = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
const withId = z.object({ id: z.string() });
const signedIn = z.object({ accessToken: z.string() });

let locationId: string;

useDesk({ mails: true }, async () => {
  const account = { ...owner, displayName: "Ada Lovelace" };
  const token = (await service.api(signedIn, "POST", "/v1/auth/register", undefined, account)).accessToken;
  const organizationId = (await service.api(withId, "POST", "/v1/orgs", token, { name: "Harbour works" })).id;
  const cluster = { organizationId, name: "North harbour" };
  const { id: clusterId } = await service.api(withId, "POST", "/v1/spatial/clusters", token, cluster);
  const place = { clusterId, name: "East pier" };
  locationId = (await service.api(withId, "POST", "/v1/spatial/locations", token, place)).id;
  await enter(`locations/${locationId}/people`, owner);
});

/** The link in the mail that was sent last. */
async function mailedLink(mails: number): Promise<string> {
  let link = "";
  await eventually(async () => {
    expect(service.mails()).toHaveLength(mails);
    link = /http:\S+\/invitations#[0-9a-f]{64}/.exec(service.mails().at(-1) ?? "")?.[0] ?? "";
    expect(link).not.toBe("");
  }, LONG_PATIENCE);
  return link;
}

async function share(email: string): Promise<void> {
  await press(page, "Share");
  await fill(page, { email });
  await page.click("dialog button[type=submit]");
  await sees(page, `The share waits for ${email}.`);
}

/** Pictures of a view, for a person who looks at them: `PICTURES` names the folder. */
async function picture(tab: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  for (const scheme of ["light", "dark"])
    for (const width of [320, 1280]) {
      await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await tab.setViewport({ width, height: 900 });
      await tab.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png`, fullPage: true });
    }
  await tab.setViewport({ width: 1280, height: 900 });
}

test("a share waits for a person, who registers with the mailed link and opens it", async () => {
  const email = `grace@${crypto.randomUUID().slice(0, 8)}.test`;
  await sees(page, "The location is not shared with anybody else.");
  await press(page, "Share");
  await picture(page, "share-form");
  await press(page, "Cancel");
  await share(email);
  await sees(page, "Waits for");
  await sees(page, "Waits until");
  await picture(page, "shares");
  await expectSound(page, "waiting shares");

  const other = await openProfile();
  await other.goto(await mailedLink(1));
  await sees(other, "Harbour works shares a location with you");
  await sees(other, `“East pier”, for the address ${email}.`);
  await picture(other, "invitation");
  await expectSound(other, "invitation to a share");
  await fill(other, { name: "Grace Hopper", password: PASSWORD });
  await press(other, "Register and open");
  await sees(other, "“East pier” is shared with you.");
  await picture(other, "joined");
  await expectSound(other, "accepted share");
  await other.click("a.btn.primary");
  await eventually(async () => expect(await visibleText(other)).toContain("East pier"), LONG_PATIENCE);
  expect(new URL(other.url()).pathname).toContain(`/console/locations/${locationId}`);
  await other.browserContext().close();

  await page.reload();
  await sees(page, "Grace Hopper");
  await eventually(async () => expect(await visibleText(page)).not.toContain("Waits for"), LONG_PATIENCE);
});

test("a waiting share is withdrawn, and its link has ended", async () => {
  const email = `katherine@${crypto.randomUUID().slice(0, 8)}.test`;
  await share(email);
  const link = await mailedLink(2);
  await press(page, `Withdraw the share that waits for ${email}`);
  await page.waitForSelector("dialog[open]");
  await expectSound(page, "withdraw a waiting share");
  await page.click("dialog[open] button[type=submit]");
  await sees(page, `The share that waited for ${email} is withdrawn.`);
  const other = await openProfile();
  await other.goto(link);
  await sees(other, "This invitation has ended.");
  await other.browserContext().close();
  expect(complaints.splice(0).filter((text) => !text.includes("404") && !text.includes("410"))).toEqual([]);
});
