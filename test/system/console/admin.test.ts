import { expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../../client/src/index";
import { MAX_COUNTED_JOBS } from "../../../src/administration/limits";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, signInAt, textOf, visibleText } from "../support/console";
import { complaints, openProfile, page, service, useDesk } from "../support/desk";
import { newSite, type Site } from "../support/running";
import { openState } from "../support/state";

/* The administration of the service in a real browser. */

const PASSWORD = "correct horse battery";

/** Writes a job that failed: each real one has used up its tries after minutes. */
function writeFailedJob(kind: string, payload: object, tenantId: string): void {
  const database = openState(service.stateDir, { timeout: 10_000 });
  const now = Date.now();
  database
    .prepare(
      `INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, attempts, run_at, error_code, error_detail,
         request_id, created_at, finished_at) VALUES (?, ?, 'light', ?, ?, 'failed', 6, ?, 'internal', ?, ?, ?, ?)`,
    )
    .run(
      crypto.randomUUID(),
      kind,
      tenantId,
      JSON.stringify(payload),
      now,
      "It stopped unexpectedly. All tries are used up.",
      crypto.randomUUID(),
      now - 7_200_000,
      now - 3_600_000,
    );
  database.close();
}

let site: Site;

useDesk({ settings: { FIRST_USER_IS_ADMIN: "true" } });

test("the first user sees the state of the index, and indexes everything again", async () => {
  await page.goto(`${service.url}/console/register`);
  await fill(page, { name: "Ada", email: `${crypto.randomUUID()}@people.test`, password: PASSWORD });
  await press(page, "Create the account");
  await page.waitForSelector(".rail ::-p-text(Admin)");
  site = await newSite(service);
  await page.click(".rail ::-p-text(Admin)");
  await sees(page, "No administrator has started one yet.");
  await expectSound(page, "administration");
  await press(page, "Index all entries again");
  await sees(page, "Index every entry again?");
  await expectSound(page, "index again");
  await page.click("dialog button[type=submit]");
  await sees(page, "The work has begun.");
  await sees(page, "All entries again");
  await sees(page, "Done");
  await expectSound(page, "work done");
  expect(complaints).toEqual([]);
});

test("failed jobs are shown with their reason, and run again: one, or all of a kind", async () => {
  const payload = { type: "location", id: site.locationId };
  for (let n = 0; n < 3; n++) writeFailedJob("index-asset", payload, site.organizationId);
  writeFailedJob("prepare-export", { exportId: crypto.randomUUID() }, site.organizationId);
  await page.setViewport({ width: 1280, height: 900 });
  await page.click(".tabs ::-p-text(Queues and failed jobs)");
  await sees(page, "It stopped unexpectedly. All tries are used up.");
  await sees(page, "0 waiting · 0 running · 4 failed");
  await sees(page, "The person who needs the result starts it again.");
  await sees(page, "1 h ago · Live · 6 tries");
  await sees(page, "internal: 3");
  await expectSound(page, "failed jobs");
  await press(page, "Run again: Index a name");
  await sees(page, "1 job runs again.");
  await sees(page, "0 running · 3 failed");
  await page.click(".chip ::-p-text(Index a name)");
  await eventually(() => expect(page.url()).toContain("kind=index-asset"), LONG_PATIENCE);
  await press(page, "Run all of this kind again");
  await page.waitForSelector("dialog[open]");
  await expectSound(page, "run a kind again");
  await page.click("dialog[open] button[type=submit]");
  await sees(page, "2 jobs run again.");
  await sees(page, "0 running · 1 failed");
  await sees(page, "No job has failed.");
  await page.click("::-p-text(Waiting)");
  await sees(page, "Waiting and running jobs");
  await page.reload();
  await sees(page, "Waiting and running jobs");
  expect(complaints).toEqual([]);
});

test("a queue with more jobs than are counted says that its counts are lower bounds", async () => {
  await page.goto("about:blank");
  // The service takes them for jobs whose messages are on the way.
  const later = Date.now() + 86_400_000;
  await service.restart((database) => {
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n <= ?)
         INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, run_at, sent_at, request_id, created_at)
         SELECT printf('0192f0c1-5b7e-7cc3-8d43-%012x', n), 'extract-document', 'extraction', ?, '{}', 'queued', ?, ?, 'test', ?
         FROM numbers`,
      )
      .run(MAX_COUNTED_JOBS, site.organizationId, later, later, later);
  });
  await page.goto(`${service.url}/console/admin/jobs`);
  await sees(page, "At least 10,000 waiting · 0 running · 0 failed");
  expect((await textOf(page, "[aria-labelledby=lanes-title]")).match(/At least/g)).toHaveLength(1);
  await sees(page, "Kinds of work that wait, run or have failed");
  expect(await textOf(page, "[aria-labelledby=kinds-title]")).toMatch(
    /Read a document's text\s+At least 10,001 waiting/,
  );
  expect(complaints).toEqual([]);
});

test("the databases, the files to delete and the backups have their state", async () => {
  await page.goto(`${service.url}/console/admin/databases`);
  await sees(page, "Takes new organizations");
  expect(await visibleText(page)).toMatch(/Lost work was (last looked for just now|not looked for yet)/);
  await sees(page, "No file waits for its deletion.");
  await sees(page, "The service takes no nightly backups.");
  expect(complaints).toEqual([]);
});

test("an organization is found, and its limits are changed", async () => {
  await page.goto(`${service.url}/console/admin/organizations`);
  await sees(page, "1 member · 1 location · 0 cameras");
  await expectSound(page, "organizations");
  await fill(page, { q: "nothing like it" });
  await press(page, "Find");
  await sees(page, "No organization has “nothing like it” in its name.");
  await page.goBack();
  await press(page, "Limits of Live");
  await page.waitForSelector("dialog[open] [name=storage]");
  await expectSound(page, "limits");
  await page.click("dialog[open] [name=storage]", { count: 3 });
  await page.keyboard.type("2.5");
  await page.click("dialog[open] [name=cameras]");
  await press(page, "Save");
  await sees(page, "The limits of Live are changed.");
  await sees(page, "of 2.5 GB used");
  const limits = z.looseObject({ documentStorageBytes: z.number(), cameras: z.boolean() });
  const path = `/v1/orgs/${site.organizationId}/entitlements`;
  const set = await service.api(limits, "GET", path, site.token);
  expect(set).toMatchObject({ documentStorageBytes: 2_500_000_000, cameras: true });
  expect(complaints).toEqual([]);
});

test("the owner of the organization sees the stored bytes, and the time at which the cameras fill the storage", async () => {
  const { email, password, locationId, token } = site;
  const client = createClient({ baseUrl: service.url, personalAccessToken: token });
  const file = new Blob(["x".repeat(5_000)], { type: "text/plain" });
  await client.uploadDocument({ locationId, file, fileName: "plan.txt" });
  await service.api(z.unknown(), "POST", `/v1/spatial/locations/${locationId}/cameras`, token, {
    name: "Gate",
    retentionDays: 60,
  });
  const owner = await openProfile();
  await signInAt(owner, `${service.url}/console/settings/usage`, { email, password });
  await sees(owner, "5.0 kB of 2.5 GB used");
  // The bytes by kind are read by another request.
  await eventually(
    async () =>
      expect(await visibleText(owner)).toMatch(
        /Documents\s+5\.0 kB\s+Older versions of documents\s+0 bytes\s+Camera frames\s+0 bytes/,
      ),
    LONG_PATIENCE,
  );
  await sees(owner, "1 camera adds about 52 MB a day.");
  await sees(owner, "It reaches the limit in about 47 days.");
  await expectSound(owner, "storage and use");
  expect(complaints).toEqual([]);
  await owner.browserContext().close();
});

test("the console hides it from others, and its address shows an explanation", async () => {
  const other = await openProfile();
  const person = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
  await service.api(z.unknown(), "POST", "/v1/auth/register", undefined, { ...person, displayName: "Grace" });
  await signInAt(other, `${service.url}/console/admin`, person);
  await sees(other, "Your account is not an administrator of the service.");
  expect(await visibleText(other)).not.toMatch(/\bAdmin\b/);
  await expectSound(other, "no administrator");
  expect(complaints).toEqual([]);
  await other.browserContext().close();
});
