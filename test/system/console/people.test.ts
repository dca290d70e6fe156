import { expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../../client/src/index";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, signInAt, textOf, visibleText } from "../support/console";
import { complaints, enter, openProfile, page, service, useDesk } from "../support/desk";

/* Members, invitations and shares in a real browser. */

const PASSWORD = "correct horse battery";
const owner = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
const guest = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };

const shared = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };

let token: string;
let organizationId: string;

const signedIn = z.object({ accessToken: z.string() });
const withId = z.object({ id: z.string() });
const listed = z.object({ items: z.array(withId) });

useDesk({}, async () => {
  const account = { ...owner, displayName: "Ada Lovelace" };
  token = (await service.api(signedIn, "POST", "/v1/auth/register", undefined, account)).accessToken;
  organizationId = (await service.api(withId, "POST", "/v1/orgs", token, { name: "Harbour works" })).id;
  await enter("settings/members", owner);
});

/** Answers the question in the open window. */
async function confirm(): Promise<void> {
  await page.click("dialog[open] button[type=submit]");
  await page.waitForSelector("dialog[open]", { hidden: true });
}

const listOf = (selector: string): Promise<string> => textOf(page, selector);

test("a person is invited with a link that is shown once; the invitation is sent again and withdrawn", async () => {
  await sees(page, "Ada Lovelace");
  await expectSound(page, "members");
  await press(page, "Add a person");
  await fill(page, { email: "grace@people.test" });
  await page.select("dialog [name=role]", "admin");
  await page.click("dialog [type=checkbox]");
  await page.select("dialog [name=Reports]", "None");
  await expectSound(page, "add a person");
  await press(page, "Add");
  await sees(page, "Give this link to the person.");
  const link = await textOf(page, "dialog .secret");
  expect(link).toMatch(/\/invitations#[0-9a-f]{64}$/);
  await expectSound(page, "invitation link");
  await press(page, "Done");
  await sees(page, "Open invitations");
  expect(await visibleText(page)).toContain("grace@people.test Admin");
  await expectSound(page, "invitations");
  await press(page, "Send again to grace@people.test");
  await page.waitForSelector("dialog .secret");
  expect(await textOf(page, "dialog .secret")).not.toBe(link);
  await press(page, "Done");
  await press(page, "Withdraw the invitation of grace@people.test");
  await sees(page, "The invitation of grace@people.test is withdrawn.");
  await eventually(async () => expect(await visibleText(page)).not.toContain("Open invitations"), LONG_PATIENCE);
});

test("a member's role is changed, with exceptions, and the member is removed", async () => {
  const invited = z.object({ invitation: z.object({ token: z.string() }) });
  const path = `/v1/orgs/${organizationId}/members`;
  const { invitation } = await service.api(invited, "POST", path, token, { email: guest.email, role: "member" });
  const account = { ...guest, displayName: "Grace Hopper", invitation: invitation.token };
  await service.api(signedIn, "POST", "/v1/auth/register", undefined, account);
  await page.reload();
  await press(page, "Change Grace Hopper");
  await page.select("dialog [name=role]", "guest");
  await page.click("dialog [type=checkbox]");
  await page.select("dialog [name=LocationView]", "Read");
  await expectSound(page, "change a member");
  await press(page, "Save");
  await sees(page, "The role of Grace Hopper is changed.");
  await eventually(
    async () => expect(await listOf("main .list")).toMatch(/Grace Hopper Guest[\s\S]*Exceptions: Location: Read/),
    LONG_PATIENCE,
  );
  await press(page, "Remove Grace Hopper");
  await page.waitForSelector("dialog[open]");
  await expectSound(page, "remove a member");
  await confirm();
  await sees(page, "Grace Hopper is not a member any more.");
  await eventually(async () => expect(await listOf("main .list")).not.toContain("Grace Hopper"), LONG_PATIENCE);
});

/** Makes the guest's account. */
async function newGuest(): Promise<void> {
  const path = `/v1/orgs/${organizationId}/members`;
  const invited = z.object({ invitation: z.object({ token: z.string() }) });
  const { invitation } = await service.api(invited, "POST", path, token, { email: shared.email, role: "guest" });
  const account = { ...shared, displayName: "Katherine Johnson", invitation: invitation.token };
  await service.api(signedIn, "POST", "/v1/auth/register", undefined, account);
}

test("a location is shared with a guest, who then sees it; the access is changed and removed", async () => {
  await newGuest();
  const cluster = { organizationId, name: "North harbour" };
  const { id: clusterId } = await service.api(withId, "POST", "/v1/spatial/clusters", token, cluster);
  const place = { clusterId, name: "East pier" };
  const { id: locationId } = await service.api(withId, "POST", "/v1/spatial/locations", token, place);
  await page.goto(`${service.url}/console/locations/${locationId}`);
  await page.waitForSelector(".tabs");
  await page.click(".tabs ::-p-text(People)");
  await sees(page, "The location is not shared with anybody else.");
  const role = /Through a role in Harbour works[\s\S]*Ada Lovelace Owner/;
  await eventually(async () => expect(await visibleText(page)).toMatch(role), LONG_PATIENCE);
  await expectSound(page, "people");
  await press(page, "Share");
  await fill(page, { email: shared.email });
  await expectSound(page, "share");
  await page.click("dialog button[type=submit]");
  await sees(page, "Shared with Katherine Johnson.");
  await sees(page, "Location: Read, Documents: Read");
  await expectSound(page, "shares");

  const other = await openProfile();
  await signInAt(other, `${service.url}/console/locations/${locationId}/people`, shared);
  await sees(other, "You see your own access.");
  expect(await visibleText(other)).toContain("Location: Read, Documents: Read");
  expect(await visibleText(other)).not.toContain("Through the cluster");
  await other.browserContext().close();
  // The guest does not see the cluster, and the browser reports the 404.
  expect(complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);

  await press(page, "Change the access of Katherine Johnson");
  await page.select("dialog [name=Documents]", "Write");
  await press(page, "Save");
  await sees(page, "Location: Read, Documents: Write");
  await press(page, "Remove the access of Katherine Johnson");
  await page.waitForSelector("dialog[open]");
  await confirm();
  await sees(page, "The location is not shared with anybody else.");
});

test("a document is shared with a guest, who reads it without buttons that change it; the access is removed", async () => {
  const client = createClient({ baseUrl: service.url, personalAccessToken: token });
  const { items } = await service.api(listed, "GET", "/v1/spatial/locations", token);
  const bytes = new Blob(["The lantern was cleaned."], { type: "text/plain" });
  const locationId = items[0]?.id ?? "";
  const { id } = await client.uploadDocument({ locationId, file: bytes, fileName: "lantern.txt" });
  await page.goto(`${service.url}/console/documents/${id}`);
  await page.waitForSelector("main h1");
  await page.locator("main .page-head ::-p-text(Share)").click();
  await sees(page, "People who see lantern.txt");
  await sees(page, "The document is not shared with anybody else.");
  await sees(page, "Through the location East pier");
  await sees(page, "Through the cluster North harbour");
  await sees(page, "Through a role in Harbour works");
  await press(page, "Share");
  await fill(page, { email: shared.email });
  await page.click("dialog button[type=submit]");
  await sees(page, "Shared with Katherine Johnson.");
  await expectSound(page, "shares of a document");

  const other = await openProfile();
  await signInAt(other, `${service.url}/console/documents/${id}`, shared);
  await sees(other, "The lantern was cleaned.");
  expect(await visibleText(other)).not.toMatch(/Rename or move|Delete|Upload a new version/);
  await other.click("main .page-head ::-p-text(People)");
  await sees(other, "You see your own access.");
  await expectSound(other, "own access to a document");

  await press(page, "Remove the access of Katherine Johnson");
  await page.waitForSelector("dialog[open]");
  await confirm();
  await sees(page, "The document is not shared with anybody else.");
  await other.reload();
  await sees(other, "You cannot see this document");
  await other.browserContext().close();
  expect(complaints.splice(0).filter((text) => !text.includes("404"))).toEqual([]);
});

test("a cluster is edited, shared, deleted with its locations, and brought back", async () => {
  const { items } = await service.api(listed, "GET", "/v1/spatial/clusters", token);
  await page.goto(`${service.url}/console/clusters/${items[0]?.id}`);
  await sees(page, "The cluster is not shared with anybody else.");
  await press(page, "Edit");
  await page.waitForSelector("dialog [name=description]");
  await page.type("dialog [name=description]", "All quays north of the bridge");
  await press(page, "Save");
  await sees(page, "All quays north of the bridge");
  await press(page, "Share");
  await fill(page, { email: shared.email });
  await page.click("dialog button[type=submit]");
  await sees(page, "Clusters: Read, Location: Read, Documents: Read");
  await expectSound(page, "cluster");
  await press(page, "Delete");
  await sees(page, "“North harbour” and its locations are in the trash.");
  await sees(page, "Make a location first.");
  await press(page, "Undo");
  await sees(page, "“North harbour” is back.");
  await sees(page, "All quays north of the bridge");
});

test("the browser reported no errors", () => {
  expect(complaints).toEqual([]);
});
