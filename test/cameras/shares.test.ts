import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { organizations } from "../../src/access/tables";
import { shareSchema, sharesSchema } from "../../src/cameras/shares/links";
import { sharedCamerasSchema } from "../../src/cameras/shares/public-views";
import { cameraFrames, cameraShares, cameras } from "../../src/cameras/tables";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { DAY } from "../../src/platform/time";
import { call, expectJson, problem } from "../support/call";
import { hideCaptures, mintAssignment, mintCamera, mintImage } from "../support/cameras";
import { mintLocation, mintMember, mintOrganization, mintToken } from "../support/factories";
import { asStranger, mintShare, setOrganization, sharedSite, withShare } from "../support/shares";
import { testDatabase } from "../support/statements";

const database = () => openDatabases(env.DB).workspace;

/** Status of an image through a link. */
async function imageStatus(token: string, captureId: string): Promise<number> {
  const response = await asStranger(token, `/captures/${captureId}/image`);
  await response.arrayBuffer();
  return response.status;
}

const cameraNames = async (token: string) =>
  sharedCamerasSchema.parse(await (await asStranger(token)).json()).cameras.map(({ name }) => name);

describe("a link", () => {
  test("shows its cameras in its order and their images, with a secret that is shown once and stored as a hash", async () => {
    const { link, owner, locationId, gateImage } = await sharedSite();
    expect(link.token).toMatch(/^svcshare1\.[0-9a-f]{32}\.[0-9a-f]{64}$/);
    expect(link.url).toBe(`http://workspace.test/s#${link.token}`);
    expect(await cameraNames(link.token)).toEqual(["Gate", "Crane"]);
    const image = await asStranger(link.token, `/captures/${gateImage.id}/image`);
    expect(image.headers.get("content-type")).toBe("image/jpeg");
    expect(image.headers.get("cache-control")).toBe("no-store");
    expect((await image.arrayBuffer()).byteLength).toBe(gateImage.sizeBytes);
    const path = `/v1/spatial/locations/${locationId}/camera-shares`;
    const listed = await call("GET", path, { token: owner.token });
    const text = await listed.text();
    expect(sharesSchema.parse(JSON.parse(text)).links.map(({ id }) => id)).toEqual([link.id]);
    const secret = link.token.slice(-64);
    expect(text).not.toContain(secret);
    const rows = await database().select().from(cameraShares).where(eq(cameraShares.id, link.id));
    expect(JSON.stringify(rows)).not.toContain(secret);
    const trail = await (await call("GET", `/v1/orgs/${rows[0]?.organizationId}/audit`, { token: owner.token })).text();
    expect(trail).toContain("camera-share.created");
    expect(trail).not.toContain(secret);
  });

  test("shows the new cameras after an edit, with the same token", async () => {
    const { link, owner, gate, crane, gateImage, craneImage } = await sharedSite();
    const edit = (body: Record<string, unknown>) =>
      call("PATCH", `/v1/camera-shares/${link.id}`, { token: owner.token, body });
    expect((await edit({ baseRevision: 1, cameraIds: [crane.id] })).status).toBe(200);
    expect(await cameraNames(link.token)).toEqual(["Crane"]);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(404);
    expect(await imageStatus(link.token, craneImage.id ?? "")).toBe(200);
    expect((await edit({ baseRevision: 1, name: "Late" })).status).toBe(409);
    const racing = await Promise.all(
      ["One", "Two"].map((name) => edit({ baseRevision: 2, name, cameraIds: [crane.id, gate.id] })),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await cameraNames(link.token)).toEqual(["Crane", "Gate"]);
  });

  test("ends permanently when it is revoked", async () => {
    const { link, owner, gateImage } = await sharedSite();
    const revoke = (baseRevision: number) =>
      call("POST", `/v1/camera-shares/${link.id}/revoke`, { token: owner.token, body: { baseRevision } });
    expect((await revoke(7)).status).toBe(409);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(200);
    const revoked = shareSchema.parse(await (await revoke(1)).json());
    expect(revoked.revokedAtUtc).not.toBeNull();
    expect((await asStranger(link.token)).status).toBe(404);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(404);
    expect((await revoke(1)).status).toBe(200);
    const edited = await call("PATCH", `/v1/camera-shares/${link.id}`, {
      token: owner.token,
      body: { baseRevision: revoked.revision, name: "Again" },
    });
    expect(edited.status).toBe(422);
  });

  test("ends at its expiry, which must be in the future", async () => {
    const { link, owner, locationId, gate } = await sharedSite({
      expiresAtUtc: new Date(Date.now() + DAY).toISOString(),
    });
    expect((await asStranger(link.token)).status).toBe(200);
    await database()
      .update(cameraShares)
      .set({ expiresAt: Date.now() - 1 })
      .where(eq(cameraShares.id, link.id));
    expect((await asStranger(link.token)).status).toBe(404);
    const past = { name: "Late", cameraIds: [gate.id], expiresAtUtc: new Date(Date.now() - 1).toISOString() };
    const refused = await expectJson(problem, 422, "POST", `/v1/spatial/locations/${locationId}/camera-shares`, {
      token: owner.token,
      body: past,
    });
    expect(refused.detail).toContain("expiresAtUtc");
  });
});

describe("the scope of a link", () => {
  test("is its own location: a camera that moves shows nothing from elsewhere", async () => {
    const { link, organizationId, gate, gateImage } = await sharedSite();
    const { id: elsewhere } = await mintLocation({ organizationId });
    await mintAssignment(gate.id, elsewhere, { generation: 2 });
    await database().update(cameras).set({ locationId: elsewhere }).where(eq(cameras.id, gate.id));
    const timeline = async () => (await asStranger(link.token, `/${gate.id}/timeline`)).json<{ watermark: number }>();
    const before = await timeline();
    const moved = await mintImage(gate, elsewhere);
    await database().update(cameras).set({ watermark: sql`watermark + 1` }).where(eq(cameras.id, gate.id));
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(200);
    expect(await imageStatus(link.token, moved.id ?? "")).toBe(404);
    // The answer does not say that the camera takes images elsewhere. It says that the camera is not here.
    expect(await timeline()).toEqual(before);
    await testDatabase()
      .delete(cameraFrames)
      .where(eq(cameraFrames.id, gateImage.id ?? ""));
    await database().update(cameras).set({ watermark: sql`watermark + 1` }).where(eq(cameras.id, gate.id));
    expect((await timeline()).watermark).not.toBe(before.watermark);
  });

  test("shows a camera that moved under its former name", async () => {
    const { link, owner, organizationId, gate } = await sharedSite();
    const { id: elsewhere } = await mintLocation({ organizationId });
    const change = async (method: string, path: string, body: Record<string, unknown>) =>
      expect((await call(method, `/v1/cameras/${gate.id}${path}`, { token: owner.token, body })).status).toBe(200);
    await change("PATCH", "", { baseRevision: 1, name: "North gate" });
    expect(await cameraNames(link.token)).toEqual(["North gate", "Crane"]);
    await change("POST", "/relinks", { baseRevision: 2, locationId: elsewhere });
    await change("PATCH", "", { baseRevision: 3, name: "The minister's house" });
    expect(await cameraNames(link.token)).toEqual(["North gate", "Crane"]);
  });

  test("allows only the revocation while the organization has no external shares", async () => {
    const site = await sharedSite();
    await setOrganization(site, { externalShares: false });
    const { owner, link } = site;
    const ask = (method: string, path: string, who = owner) =>
      call(method, `/v1/camera-shares/${link.id}${path}`, {
        token: who.token,
        body: { baseRevision: 1, ...(path === "" && { name: "Other" }) },
      });
    expect((await ask("PATCH", "")).status).toBe(403);
    const plain = await mintMember(site.organizationId, "guest");
    expect([403, 404]).toContain((await ask("POST", "/revoke", plain)).status);
    expect((await ask("POST", "/revoke")).status).toBe(200);
    await setOrganization(site, { externalShares: true });
    expect((await asStranger(link.token)).status).toBe(404);
  });

  test("ends with the organization's entitlements, and returns with them", async () => {
    const { link, organizationId } = await sharedSite();
    for (const entitlement of ["cameras", "externalShares"] as const) {
      const set = (value: boolean) =>
        database()
          .update(organizations)
          .set({ [entitlement]: value })
          .where(eq(organizations.id, organizationId));
      await set(false);
      expect((await asStranger(link.token)).status).toBe(404);
      await set(true);
      expect((await asStranger(link.token)).status).toBe(200);
    }
  });

  test("ends with its location at once, and its rows go too", async () => {
    const { link, owner, locationId, gateImage } = await sharedSite();
    expect((await call("DELETE", `/v1/spatial/locations/${locationId}`, { token: owner.token })).status).toBe(204);
    expect((await asStranger(link.token)).status).toBe(404);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(404);
  });

  test("excludes deleted and expired images, and cameras of another link", async () => {
    const { link, locationId, organizationId, gate, crane, gateImage } = await sharedSite();
    const old = await mintImage(gate, locationId, { capturedAt: Date.now() - 30 * DAY - 1 });
    const { token: craneOnly } = await mintShare(organizationId, locationId, [crane.id]);
    expect(await imageStatus(link.token, old.id ?? "")).toBe(404);
    expect(await imageStatus(craneOnly, gateImage.id ?? "")).toBe(404);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(200);
    await hideCaptures([gateImage.id]);
    expect(await imageStatus(link.token, gateImage.id ?? "")).toBe(404);
  });
});

describe("the shared archive", () => {
  const seekSeen = z.object({ capture: z.object({ id: z.string() }).nullable() });
  const previewsSeen = z.object({ samples: z.array(z.object({ captureId: z.string().nullable() })) });

  test("is the location's own: timeline, seek, previews and frames show nothing from elsewhere", async () => {
    const { link, organizationId, gate, gateImage } = await sharedSite();
    const { id: elsewhere } = await mintLocation({ organizationId });
    await mintAssignment(gate.id, elsewhere, { generation: 2 });
    const at = new Date((gateImage.capturedAt ?? 0) + 10).toISOString();
    await mintImage(gate, elsewhere, { capturedAt: (gateImage.capturedAt ?? 0) + 10 });
    const ask = async (path: string) => (await asStranger(link.token, `/${gate.id}/${path}`)).json();
    expect(seekSeen.parse(await ask(`captures/seek?at=${at}`)).capture?.id).toBe(gateImage.id);
    expect(await ask("timeline")).toMatchObject({ first: { id: gateImage.id }, last: { id: gateImage.id } });
    expect(await ask("frames?count=5")).toMatchObject({ frames: [{ captureId: gateImage.id }] });
    const previews = await call("POST", `/v1/shared-cameras/${gate.id}/previews`, {
      headers: withShare(link.token),
      body: { times: [at] },
    });
    expect(previewsSeen.parse(await previews.json()).samples).toEqual([{ captureId: gateImage.id }]);
  });

  test("is closed for a removed camera on every route", async () => {
    const { link, owner, gate, crane } = await sharedSite();
    const body = { baseRevision: 1, cameraIds: [crane.id] };
    await call("PATCH", `/v1/camera-shares/${link.id}`, { token: owner.token, body });
    for (const path of ["timeline", "captures/seek?at=2026-01-01T00:00:00Z", "frames?count=5"]) {
      expect((await asStranger(link.token, `/${gate.id}/${path}`)).status).toBe(404);
      expect((await asStranger(link.token, `/${crane.id}/${path}`)).status).toBe(200);
    }
    const times = ["2026-01-01T00:00:00Z"];
    const asked = { headers: withShare(link.token), body: { times } };
    expect((await call("POST", `/v1/shared-cameras/${gate.id}/previews`, asked)).status).toBe(404);
  });
});

describe("the management of links", () => {
  test("accepts cameras of the location: others get the same refusal, whether they exist or not", async () => {
    const { owner, locationId, gate, organizationId } = await sharedSite();
    const { id: elsewhere } = await mintLocation({ organizationId });
    const other = await mintCamera(organizationId, elsewhere);
    const refusals = await Promise.all(
      [other.id, newId()].map((id) =>
        expectJson(problem, 422, "POST", `/v1/spatial/locations/${locationId}/camera-shares`, {
          token: owner.token,
          body: { name: "Wide", cameraIds: [gate.id, id] },
        }),
      ),
    );
    expect(refusals[0]?.detail).toBe(refusals[1]?.detail);
  });

  test("allows at most 100 active links at a location, even with concurrent requests", async () => {
    const { owner, locationId, organizationId, gate } = await sharedSite();
    for (let n = 0; n < 97; n++) await mintShare(organizationId, locationId, [gate.id]);
    await mintShare(organizationId, locationId, [gate.id], { revokedAt: Date.now() });
    const create = () =>
      call("POST", `/v1/spatial/locations/${locationId}/camera-shares`, {
        token: owner.token,
        body: { name: "More", cameraIds: [gate.id] },
      });
    const answers = await Promise.all(Array.from({ length: 5 }, create));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422, 422]);
  });

  test("shows the caller's permissions, and links only to their managers", async () => {
    const { locationId, organizationId, link } = await sharedSite();
    const path = `/v1/spatial/locations/${locationId}/camera-shares`;
    const listFor = async (overrides: Parameters<typeof mintMember>[2]) => {
      const { token } = await mintMember(organizationId, "member", overrides);
      return expectJson(sharesSchema, 200, "GET", path, { token });
    };
    expect(await listFor({})).toEqual({ permissions: { canCreate: false, canManage: false }, links: [] });
    expect(await listFor({ ExternalShareLinksCreate: "Read" })).toMatchObject({ permissions: { canCreate: true } });
    const managed = await listFor({ ExternalShareLinksManage: "Read" });
    expect(managed.links.map(({ id }) => id)).toEqual([link.id]);
  });
});

describe("the removal of a member", () => {
  const maker = async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const { id: locationId } = await mintLocation({ organizationId });
    const camera = await mintCamera(organizationId, locationId);
    const member = await mintMember(organizationId, "admin");
    const link = (createdBy: string) => mintShare(organizationId, locationId, [camera.id], { createdBy });
    const [theirs, also, another] = [await link(member.userId), await link(member.userId), await link(owner.userId)];
    const remove = (query = "", token = owner.token) =>
      call("DELETE", `/v1/orgs/${organizationId}/members/${member.userId}${query}`, { token });
    const answers = async () =>
      Promise.all([theirs, also, another].map(async ({ token }) => (await asStranger(token)).status));
    return { organizationId, owner, member, remove, answers, links: [theirs.id, also.id] };
  };

  test("keeps the links that they made, unless it asks for their end", async () => {
    const { remove, answers } = await maker();
    expect((await remove()).status).toBe(204);
    expect(await answers()).toEqual([200, 200, 200]);
  });

  test("ends the links that they made with it, and no others, in one audit row", async () => {
    const { organizationId, remove, answers, links } = await maker();
    expect((await remove("?revokeShareLinks=true")).status).toBe(204);
    expect(await answers()).toEqual([404, 404, 200]);
    const audit = env.DB.prepare("SELECT details FROM audit_entries WHERE organization_id = ? AND action = ?");
    const row = await audit.bind(organizationId, "member.removed").first<{ details: string }>();
    const details = z
      .looseObject({ linksRevoked: z.int(), links: z.array(z.string()) })
      .parse(JSON.parse(row?.details ?? ""));
    expect(details.linksRevoked).toBe(2);
    expect(details.links.toSorted()).toEqual(links.toSorted());
  });

  test("ends links even while the organization may not share with strangers", async () => {
    const { organizationId, remove, links } = await maker();
    await database().update(organizations).set({ externalShares: false }).where(eq(organizations.id, organizationId));
    expect((await remove("?revokeShareLinks=true")).status).toBe(204);
    const rows = await database().select().from(cameraShares).where(eq(cameraShares.organizationId, organizationId));
    expect(
      rows
        .filter(({ revokedAt }) => revokedAt !== null)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(links.toSorted());
  });

  test("needs a credential that may manage links for it", async () => {
    const { owner, remove, answers } = await maker();
    const { token } = await mintToken(owner.userId, { capabilities: { OrganizationView: "Write" } });
    expect((await remove("?revokeShareLinks=true", token)).status).toBe(403);
    expect(await answers()).toEqual([200, 200, 200]);
    expect((await remove("", token)).status).toBe(204);
  });

  test("by themself may end their links too", async () => {
    const { member, remove, answers } = await maker();
    expect((await remove("?revokeShareLinks=true", member.token)).status).toBe(204);
    expect(await answers()).toEqual([404, 404, 200]);
  });
});
