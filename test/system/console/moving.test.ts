import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, signInAt, textOf, visibleText } from "../support/console";
import { complaints, enter, openProfile, page, service, site, useDesk } from "../support/desk";

/* The service with a directory and three databases. An administrator moves an organization while somebody works in it. */

useDesk({ site: "entitled", databases: 3, settings: { FIRST_USER_IS_ADMIN: "true" } });

const status = z.object({
  databases: z.array(z.looseObject({ name: z.string(), hasWorkspaces: z.boolean() })),
});
const placement = z.looseObject({ database: z.string() });

const placeOf = async (organizationId: string): Promise<string> =>
  (await service.api(placement, "GET", `/v1/admin/organizations/${organizationId}/move`, site.token)).database;

test("the service has its databases, and new organizations are in all of them", async () => {
  const { databases } = await service.api(status, "GET", "/v1/admin/status", site.token);
  expect(databases.map(({ name, hasWorkspaces }) => [name, hasWorkspaces])).toEqual([
    ["first", true],
    ["second", true],
    ["third", true],
    ["directory", false],
  ]);
  const places = new Set([await placeOf(site.organizationId)]);
  for (const name of ["Pilots", "Ferries", "Museum"]) {
    const made = await service.api(z.looseObject({ id: z.string() }), "POST", "/v1/orgs", site.token, { name });
    places.add(await placeOf(made.id));
  }
  expect([...places].sort()).toEqual(["first", "second", "third"]);
});

test("an organization moves from the console, which shows the estimate, the progress and the refusals, and works afterwards", async () => {
  const from = await placeOf(site.organizationId);
  const to = from === "second" ? "third" : "second";
  const worker = await openProfile();
  await signInAt(worker, `${service.url}/console/locations/${site.locationId}`, site);
  await sees(worker, "Nothing has changed here yet.");
  await press(worker, "Edit");
  await fill(worker, { address: "Mole 1" });

  await enter("admin/organizations");
  await press(page, "Move Live");
  await sees(page, `It is in the database ${from}.`);
  await sees(page, "people can read everything and change nothing");
  await expectSound(page, "move");
  await page.select("dialog [name=database]", to);
  await press(page, "Move now");
  await sees(page, "Live moves to another database.");
  await eventually(async () => {
    const answer = await fetch(`${service.url}/v1/spatial/clusters`, {
      method: "POST",
      headers: { authorization: `Bearer ${site.token}`, "content-type": "application/json" },
      body: JSON.stringify({ organizationId: site.organizationId, name: "South" }),
    });
    expect(answer.status).toBe(503);
  }, LONG_PATIENCE);
  await worker.bringToFront();
  await press(worker, "Save");
  await sees(worker, "Nothing was changed.");
  await sees(worker, "Live moves to another database.");

  await eventually(async () => expect(await visibleText(worker)).not.toContain("Live moves"), LONG_PATIENCE);
  expect(await placeOf(site.organizationId)).toBe(to);
  await press(worker, "Save");
  await sees(worker, "Mole 1");
  await worker.reload();
  await sees(worker, "Mole 1");
  await page.bringToFront();
  await sees(page, `It is in ${to}, and people can change it.`);
  await press(page, "Cancel");
  await page.click(".tabs ::-p-text(Databases)");
  await sees(page, "third");
  expect(await textOf(page, "main")).toMatch(/directory/);
  await expectSound(page, "databases");
  // The browser reports each answer 503.
  expect(complaints.filter((one) => !one.includes("503"))).toEqual([]);
  await worker.browserContext().close();
});
