import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { button, expectSound, press, sees, textOf, visibleText } from "../support/console";
import { complaints, enter, page, service, site, useDesk } from "../support/desk";

/* The mail address of a location in the console, with mails that reach the Worker through the runtime's own door for mails. */

useDesk({ settings: { MAIL_DOMAIN: "in.workspace.test" }, site: "plain" }, () => enter(`locations/${site.locationId}`));

const SENDER = "ada@sender.test";

const mail = (subject: string, id: string, attachment: string) =>
  `From: Ada <${SENDER}>
To: in@in.workspace.test
Subject: ${subject}
Message-ID: <${id}@sender.test>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain

The lantern of the lighthouse.
--part
Content-Type: text/plain; name="${attachment}"
Content-Disposition: attachment; filename="${attachment}"

The plan of the lantern.
--part--
`.replaceAll("\n", "\r\n");

const outcome = z.object({ outcome: z.string(), rejectReason: z.string().optional() });

/** Gives a mail to the running service, as a server that delivers it. @returns the reason of a rejection */
async function deliver(to: string, raw: string, from = SENDER): Promise<string | null> {
  const query = new URLSearchParams({ from, to, format: "json" });
  const answer = await fetch(`${service.url}/cdn-cgi/local/email?${query}`, { method: "POST", body: raw });
  const text = await answer.text();
  try {
    return outcome.parse(JSON.parse(text)).rejectReason ?? null;
  } catch {
    // The runtime answers in words.
    return answer.ok ? null : text;
  }
}

let address: string;

test("an address is set up, and shown again", async () => {
  await press(page, "Mail");
  await sees(page, "This location has no mail address.");
  await expectSound(page, "no mail address");
  await press(page, "Set up an address");
  await sees(page, "The documents are added with the access of");
  address = await textOf(page, "dialog .secret");
  expect(address).toMatch(/^[0-9a-z]{25}@in\.workspace\.test$/);
  await expectSound(page, "mail address");
});

test("a mail of a sender who is not allowed is rejected, and the list says why", async () => {
  expect(await deliver(address, mail("Plan", "one", "plan.txt"))).toContain("may not send documents to this address");
  await press(page, "Read again");
  await sees(page, "Refused. Its sender may not send documents to this address.");
});

test("rules are saved, and then the mail and its attachment become documents", async () => {
  await page.type("dialog [name=senders]", "sender.test");
  await page.type("dialog [name=path]", "Mail");
  await press(page, "Save the rules");
  await sees(page, "The rules are saved.");
  expect(await deliver(address, mail("Plan", "two", "plan.txt"))).toBeNull();
  await eventually(async () => {
    await press(page, "Read again");
    expect(await visibleText(page)).toContain("Became 2 documents.");
  }, LONG_PATIENCE);
  await expectSound(page, "mails that came");
  const list = await service.api(
    z.object({ items: z.array(z.object({ path: z.string(), fileName: z.string() })) }),
    "GET",
    `/v1/spatial/locations/${site.locationId}/documents`,
    site.token,
  );
  expect(list.items.map(({ path, fileName }) => `${path}/${fileName}`).sort()).toEqual([
    "Mail/Plan.eml",
    "Mail/plan.txt",
  ]);
});

test("the address is switched off, replaced and deleted", async () => {
  await press(page, "Switch off");
  await sees(page, "The address is switched off.");
  expect(await deliver(address, mail("Off", "three", "off.txt"))).toContain("does not exist, or takes no mail");
  await press(page, "Switch on");
  await page.waitForSelector(button("Switch off"));
  await press(page, "Another address");
  await sees(page, "Replace the address?");
  await page.click("dialog dialog [type=submit]");
  await eventually(async () => {
    const next = await textOf(page, "dialog .secret");
    expect(next).not.toBe(address);
    expect(next).toMatch(/^[0-9a-z]{25}@/);
  }, LONG_PATIENCE);
  expect(await deliver(address, mail("Old", "four", "old.txt"))).toContain("does not exist, or takes no mail");
  address = await textOf(page, "dialog .secret");
  expect(await deliver(address, mail("New", "five", "new.txt"))).toBeNull();
  await eventually(async () => {
    await press(page, "Read again");
    expect(await visibleText(page)).toContain("New");
  }, LONG_PATIENCE);
  expect(complaints).toEqual([]);
});
