import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { memberships, organizations, users } from "../../src/access/tables";
import { openDatabases } from "../../src/platform/db/database";
import { removedMail } from "../../src/workspace/messages";
import { deletedOrganizationSchema } from "../../src/workspace/organizations/deletion";
import { mailOwners } from "../../src/workspace/owner-mails";
import { locations } from "../../src/workspace/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintCredential } from "../support/cameras";
import { uploadDocument } from "../support/documents";
import {
  addMember,
  mintAnnotation,
  mintGrant,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";
import { endedJobs, systemContext } from "../support/jobs";
import { notificationsOf } from "../support/notifications";
import { eventually } from "../support/patience";
import { tablesWith } from "../support/removal";
import { asStranger, sharedSite } from "../support/shares";
import { ageUploads, runToEnd } from "../support/storage";

const { workspace, directory } = openDatabases(env.DB);
const page = z.object({ items: z.array(deletedOrganizationSchema), nextCursor: z.string().nullable() });

const deleted = async (token: string, query = "") =>
  (await expectJson(page, 200, "GET", `/v1/orgs/deleted?${query}`, { token })).items;
const restore = (token: string, id: string) => call("POST", `/v1/orgs/${id}/restore`, { token });
const remove = (token: string, id: string, query = "") => call("DELETE", `/v1/orgs/${id}${query}`, { token });

/** The types of a person's notifications. */
const told = async (userId: string) => (await notificationsOf(userId)).map(({ type }) => type);

/** An organization with a document, images, a share link, a guest, an annotation and an open upload. */
async function filled() {
  const site = await sharedSite();
  const { organizationId, owner, locationId, gate } = site;
  const guest = await mintPerson();
  await mintGrant({ organizationId }, guest.userId, "location", locationId, { Documents: "Read" });
  const [location] = await workspace.select().from(locations).where(eq(locations.id, locationId));
  if (location === undefined) throw new Error("the site has no location");
  await mintAnnotation({ organizationId }, location);
  await uploadDocument(owner.token, locationId, { fileName: "a.txt", bytes: "words" });
  const device = await mintCredential(gate.id);
  return { ...site, guest, device };
}

describe("a deleted organization", () => {
  test("is hidden with its cameras and share links, and comes back whole", async () => {
    const { organizationId: id, owner, locationId, link, device } = await filled();
    const member = await mintMember(id);
    const heartbeat = () => call("GET", "/v1/camera-ingestion/configuration", { token: device.token });
    const before = (await heartbeat()).status;
    expect((await remove(owner.token, id)).status).toBe(204);
    for (const { token } of [owner, member]) {
      expect((await call("GET", `/v1/orgs/${id}`, { token })).status).toBe(404);
      expect((await call("GET", `/v1/spatial/locations/${locationId}`, { token })).status).toBe(404);
    }
    expect((await asStranger(link.token)).status).toBe(404);
    expect((await heartbeat()).status).toBe(403);
    const [item] = await deleted(owner.token);
    expect(item).toMatchObject({ organizationId: id, state: "recoverable", deletedBy: owner.userId });
    expect(Date.parse(item?.purgeAtUtc ?? "") - Date.parse(item?.deletedAtUtc ?? "")).toBe(30 * 86_400_000);
    expect(await deleted(member.token)).toEqual([]);
    expect((await restore(member.token, id)).status).toBe(404);

    expect((await restore(owner.token, id)).status).toBe(204);
    expect((await call("GET", `/v1/spatial/locations/${locationId}`, { token: member.token })).status).toBe(200);
    expect((await asStranger(link.token)).status).toBe(200);
    expect((await heartbeat()).status).toBe(before);
    expect(await deleted(owner.token)).toEqual([]);
    expect((await restore(owner.token, id)).status).toBe(404);
  });

  test("is restored by an operator, and not by another owner's token with limits", async () => {
    const { id, owner } = await mintOrganization();
    const { token: limited } = await mintToken(owner.userId, { organizationIds: [id] });
    await remove(owner.token, id);
    expect((await restore(limited, id)).status).toBe(404);
    const operator = await mintPerson({ isAdmin: true });
    expect((await call("GET", "/v1/orgs/deleted?all=true", { token: owner.token })).status).toBe(403);
    expect((await deleted(operator.token, "all=true&limit=100")).map(({ organizationId }) => organizationId)).toContain(
      id,
    );
    expect((await restore(operator.token, id)).status).toBe(204);
  });

  test("is not restored when it has no owner any more", async () => {
    const { id, owner } = await mintOrganization();
    await remove(owner.token, id);
    await workspace.delete(memberships).where(eq(memberships.organizationId, id));
    const operator = await mintPerson({ isAdmin: true });
    expect(await codeOf(await restore(operator.token, id))).toBe("422 rule-violated");
  });

  test("does not count for the organizations that a person may own, and takes no invitation", async () => {
    const { id, owner } = await mintOrganization();
    const invited = await call("POST", `/v1/orgs/${id}/members`, {
      token: owner.token,
      body: { email: "new@people.test", role: "member" },
    });
    const { invitation } = await invited.json<{ invitation: { token: string } }>();
    await remove(owner.token, id);
    const person = await mintPerson({ email: "new@people.test" });
    const accepted = await call("POST", "/v1/invitations/accept", {
      token: person.token,
      body: { token: invitation.token },
    });
    expect(accepted.status).toBe(410);
    await directory.delete(users).where(eq(users.id, person.userId));
  });
});

describe("the removal of an organization", () => {
  test("leaves no row and no object, and a receipt for the owners and the operator", async () => {
    const { organizationId: id, owner, locationId } = await filled();
    const other = await mintPerson();
    await addMember(id, other.userId, "owner");
    const objects = async () => (await env.BUCKET.list({ limit: 1_000 })).objects.filter(({ key }) => key.includes(id));
    await expectJson(z.unknown(), 202, "POST", `/v1/orgs/${id}/exports`, { token: owner.token, body: {} });
    await endedJobs(id, "prepare-workspace-export");
    expect((await objects()).length).toBeGreaterThan(3);
    expect((await objects()).some(({ key }) => key.startsWith("exports/"))).toBe(true);
    expect((await remove(owner.token, id)).status).toBe(204);
    await eventually(async () => expect(await told(other.userId)).toContain("organization-deleted"));
    await workspace.update(organizations).set({ purgeAt: 1 }).where(eq(organizations.id, id));
    await ageUploads(id);
    await runToEnd("empty-trash");
    await eventually(async () => {
      await runToEnd("expire-uploads");
      const [item] = await deleted(owner.token);
      expect(item?.state).toBe("removed");
    });
    const [receipt] = await deleted(other.token);
    expect(receipt?.contents).toEqual(
      expect.arrayContaining([
        { kind: "locations", count: 1, bytes: null },
        { kind: "documents", count: 1, bytes: null },
        { kind: "members", count: 2, bytes: null },
        expect.objectContaining({ kind: "images", count: 2 }),
        expect.objectContaining({ kind: "documentVersions", count: 1, bytes: 5 }),
      ]),
    );
    await eventually(async () => expect(await told(owner.userId)).toContain("organization-removed"));
    expect(await objects()).toEqual([]);
    // The number of the database of the workspace stays, and the receipt. The rate of exports ends by itself.
    const kept = ["workspaces", "removals", "removal_owners", "rate_windows"];
    await eventually(async () => expect((await tablesWith(id)).filter((name) => !kept.includes(name))).toEqual([]));
    expect(await tablesWith(locationId)).toEqual([]);
    expect((await restore(owner.token, id)).status).toBe(404);
    expect(await deleted((await mintPerson()).token)).toEqual([]);
  });

  test("is mailed to each owner with a verified address: the deletion with its end, and the receipt", async () => {
    const { id, owner } = await mintOrganization({ name: "Harbour" });
    const [second, unproven] = [await mintPerson(), await mintPerson({ emailVerifiedAt: null })];
    for (const { userId } of [second, unproven]) await addMember(id, userId, "owner");
    const mails: { to: string; subject: string; text: string }[] = [];
    const mailer = async (mail: (typeof mails)[number]) => mails.push(mail) > 0;
    /** Runs the job slice by slice. */
    const mailAll = async (about: "deleted" | "removed") => {
      mails.splice(0);
      const rest = { id: "", kind: "mail-owners", tenantId: null, attempts: 1, requestedBy: null } as const;
      const progress = { done: 0, total: 0 };
      for (let state: unknown = null; state !== undefined; ) {
        const job = { ...rest, progress, payload: { organizationId: id, about }, state };
        const outcome = await mailOwners.run({ ...systemContext(), mailer }, job as never);
        state = outcome.kind === "continue" ? outcome.state : undefined;
      }
      return mails;
    };
    expect(await mailAll("deleted")).toEqual([]);
    await remove(owner.token, id);
    expect((await mailAll("deleted")).map(({ to }) => to)).toEqual([owner.email, second.email].sort());
    expect(mails[0]?.text).toContain("Each owner can restore it until");
    expect(mails[0]?.text).toContain("/console/settings/deleted-organizations");
    await remove(owner.token, id, "?purge=true");
    await eventually(async () => expect((await deleted(owner.token))[0]?.state).toBe("removed"));
    expect((await mailAll("removed")).map(({ to }) => to)).toEqual([owner.email, second.email].sort());
    expect(mails[0]?.text).toContain("- Members: 3");
    const contents = [{ kind: "documentVersions", count: 12, bytes: 3_400_000 }];
    expect(removedMail("de", "Hafen", 0, contents, "").text).toContain("- Versionen von Dokumenten: 12 (3,4");
    expect(removedMail("fr", "Port", 0, contents, "").text).toContain("- Versions de documents\u00a0: 12 (3,4");
    expect(removedMail("es", "Puerto", 0, contents, "").text).toContain("- Versiones de documentos: 12 (3,4");
  });

  test("begins at once with a purge, also from the recovery window, once", async () => {
    const { id, owner } = await mintOrganization();
    await remove(owner.token, id);
    const both = await Promise.all([remove(owner.token, id, "?purge=true"), remove(owner.token, id, "?purge=true")]);
    expect(both.map(({ status }) => status).sort()).toContain(204);
    await eventually(async () => {
      const [item] = await deleted(owner.token);
      expect(item).toMatchObject({ organizationId: id, state: "removed" });
    });
    expect((await remove(owner.token, id, "?purge=true")).status).toBe(404);
  });
});
