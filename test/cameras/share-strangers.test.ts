import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { cameraShares } from "../../src/cameras/tables";
import { randomHex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { showBrand } from "../support/branding";
import { call } from "../support/call";
import { eventually, stopClock } from "../support/patience";
import { asStranger, type SharedSite, setOrganization, sharedSite, withShare } from "../support/shares";

const database = () => openDatabases(env.DB).workspace;

const setShare = ({ link }: SharedSite, set: Partial<typeof cameraShares.$inferInsert>) =>
  database().update(cameraShares).set(set).where(eq(cameraShares.id, link.id));

/** Ways in which a link opens nothing. The test tries the returned value instead of the token. */
const FAILURES: Record<string, (site: SharedSite) => Promise<unknown>> = {
  "no token": async () => "",
  "a guessed secret": async ({ link }) => `${link.token.slice(0, -64)}${randomHex(32)}`,
  "a guessed id": async ({ link }) => `svcshare1.${newId().replaceAll("-", "")}.${link.token.slice(-64)}`,
  "an end": (site) => setShare(site, { revokedAt: Date.now() }),
  "a time that has passed": (site) => setShare(site, { expiresAt: Date.now() - 1 }),
  "no right to cameras": (site) => setOrganization(site, { cameras: false }),
  "no right to links": (site) => setOrganization(site, { externalShares: false }),
  "a location that was deleted": ({ owner, locationId }) =>
    call("DELETE", `/v1/spatial/locations/${locationId}`, { token: owner.token }),
};

describe("strangers", () => {
  test("do not learn why a link does not work: every route gives the same answer at the next request", async () => {
    const told = await Promise.all(
      Object.entries(FAILURES).map(async ([failure, fail]) => {
        const site = await sharedSite();
        const { gate, gateImage, link } = site;
        await showBrand(site.owner.token, site.organizationId);
        const get = (token: string, path: string) => asStranger(token, path);
        const routes: ((token: string) => Promise<Response>)[] = [
          ...["", `/${gate.id}/timeline`, `/${gate.id}/captures/seek?at=2026-01-01T00:00:00Z`].map(
            (path) => (token: string) => get(token, path),
          ),
          (token) => get(token, `/${gate.id}/frames?count=5`),
          (token) => get(token, `/captures/${gateImage.id}/image`),
          (token) =>
            call("POST", `/v1/shared-cameras/${gate.id}/previews`, {
              headers: withShare(token),
              body: { times: ["2026-01-01T00:00:00Z"] },
            }),
          (token) =>
            call("POST", "/v1/shared-cameras/latest-previews", {
              headers: withShare(token),
              body: { cameraIds: [gate.id] },
            }),
          (token) => get(token, "/logo"),
        ];
        const before = await Promise.all(routes.map((ask) => ask(link.token)));
        expect([failure, before.map(({ status }) => status)]).toEqual([failure, Array(8).fill(200)]);
        const failed = await fail(site);
        // A download that has begun may end: its bytes were sent before the revocation.
        for (const answer of before) expect((await answer.arrayBuffer()).byteLength).toBeGreaterThan(0);
        const token = typeof failed === "string" ? failed : link.token;
        return Promise.all(
          routes.map(async (ask) => {
            const answer = await ask(token);
            const { requestId: _, instance: __, ...body } = (await answer.json()) as Record<string, unknown>;
            return { status: answer.status, cache: answer.headers.get("cache-control"), body };
          }),
        );
      }),
    );
    for (const answer of told.flat()) expect(answer).toEqual(told[0]?.[0]);
    expect(told[0]?.[0]).toMatchObject({ status: 404, cache: "no-store", body: { code: "not-found" } });
  });

  test("update the last use from time to time, not at each request", async () => {
    const { link } = await sharedSite();
    const lastUse = async () =>
      (await database().select().from(cameraShares).where(eq(cameraShares.id, link.id)))[0]?.lastUsedAt;
    await asStranger(link.token);
    await eventually(async () => expect(await lastUse()).not.toBeNull());
    const first = await lastUse();
    for (let n = 0; n < 3; n++) await asStranger(link.token);
    expect(await lastUse()).toBe(first);
  });

  test("may send 600 requests a minute from one address, of any kind", async () => {
    const { link } = await sharedSite();
    stopClock();
    const from = { "cf-connecting-ip": "198.51.100.7" };
    for (let n = 0; n < 600; n += 50)
      await Promise.all(Array.from({ length: 50 }, () => asStranger("nonsense", "", from)));
    const refused = await asStranger(link.token, "", from);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await asStranger(link.token)).status).toBe(200);
  });
});
