import { test } from "vitest";
import { expectSound, press, sees } from "../support/console";
import { enter, page, service, show, site, siteClient, useDesk } from "../support/desk";
import { joinSite } from "../support/running";

/* Files that are attached to a mail become documents, on the page of the mail. */

const PERSON = { email: `${crypto.randomUUID()}@people.test`, password: "correct horse battery" };

useDesk({ site: "entitled" }, async () => {
  await joinSite(service, site, { ...PERSON, displayName: "Ida", role: "admin" });
});

const MAIL = `From: Ada <ada@sender.test>
To: in@workspace.test
Subject: Plan of the pier
Date: Mon, 30 Nov 2026 08:00:00 +0000
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=part

--part
Content-Type: text/plain

The plan, as promised.
--part
Content-Type: text/plain; name="plan.txt"
Content-Disposition: attachment; filename="plan.txt"

The east pier.
--part
Content-Type: text/csv; name="loads.csv"
Content-Disposition: attachment; filename="loads.csv"

pier,load
east,4
--part--
`.replaceAll("\n", "\r\n");

test("the attachments of a mail are taken out, and their folder is one click away", async () => {
  const file = new Blob([MAIL], { type: "message/rfc822" });
  const { id } = await siteClient().uploadDocument({ locationId: site.locationId, file, fileName: "Plan.eml" });
  await enter(`documents/${id}`, PERSON);
  await sees(page, "The attachments of this mail can become documents of their own.");
  await show("inside-before");
  await expectSound(page, "mail with files inside");
  await press(page, "Take the files out");
  await sees(page, "2 files are documents now.");
  await show("inside-after");
  await expectSound(page, "mail whose files are taken out");
  await page.locator('::-p-aria([name="Open the folder"][role="link"])').click();
  await sees(page, "plan.txt");
  await sees(page, "loads.csv");
});
