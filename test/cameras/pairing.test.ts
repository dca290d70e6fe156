import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { auditEntries, organizations } from "../../src/access/tables";
import { PAIRING_CODE_LIFETIME_MS } from "../../src/cameras/limits";
import { cameraSchema } from "../../src/cameras/management/cameras";
import { readCredential, writeCredential } from "../../src/cameras/pairing/credentials";
import { newPairingCode, pairingCodeSchema } from "../../src/cameras/pairing/pairing";
import { cameraCredentials, cameraEnrollments, cameras } from "../../src/cameras/tables";
import { randomHex } from "../../src/platform/crypto/bytes";
import { newId } from "../../src/platform/ids";
import { MINUTE } from "../../src/platform/time";
import { locations } from "../../src/workspace/tables";
import { call, expectJson, problem } from "../support/call";
import { mintCameraSite, mintCredential } from "../support/cameras";
import { mintMember } from "../support/factories";
import { pair, propose, redeem, redeemed, requestCode } from "../support/pairing";
import fc from "../support/properties";
import { freshIp } from "../support/sessions";
import { testDatabase } from "../support/statements";

const db = testDatabase();

/** The answer of a device route to a bearer. */
async function whoIs(token: string): Promise<{ status: number; code?: string; cameraId?: string }> {
  const answer = await call("GET", "/v1/camera-ingestion/configuration", { token });
  return { status: answer.status, ...(await answer.json<{ code?: string; cameraId?: string }>()) };
}

/** Fills every window of a rate limit. */
const fill = (prefix: string, count: number) =>
  env.DB.prepare("UPDATE rate_windows SET count = ?2 WHERE bucket LIKE ?1 || '%'").bind(prefix, count).run();

const refusal = async (answer: Response) => [answer.status, problem.parse(await answer.json()).code];

describe("a pairing code", () => {
  test("has eight unambiguous characters, and is read in any spelling", () => {
    const letters = new Set<string>();
    for (let i = 0; i < 500; i++) {
      const code = newPairingCode();
      expect(code).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
      for (const letter of code) letters.add(letter);
      const typed = `${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `;
      expect(pairingCodeSchema.parse(typed)).toBe(code);
    }
    expect(letters.size).toBe(31);
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), (typed) => {
        const { success, data } = pairingCodeSchema.safeParse(typed);
        if (success) expect(data).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
      }),
    );
  });

  test("is made by people with Write of LocationCameras, and only its hash is stored", async () => {
    const { organizationId, owner, camera } = await mintCameraSite();
    const member = await mintMember(organizationId);
    const path = `/v1/cameras/${camera.id}/enrollments`;
    expect(await refusal(await call("POST", path, member))).toEqual([403, "forbidden"]);
    const code = await requestCode(owner.token, camera.id);
    const [row] = await db.select().from(cameraEnrollments).where(eq(cameraEnrollments.cameraId, camera.id));
    expect(row?.codeHash).toMatch(/^[0-9a-f]{64}$/);
    expect(row?.expiresAt).toBe((row?.createdAt ?? 0) + PAIRING_CODE_LIFETIME_MS);
    const audit = await db.select().from(auditEntries).where(eq(auditEntries.subjectId, camera.id));
    expect(audit.map(({ action, actorUserId }) => [action, actorUserId])).toEqual([
      ["camera.enrollment-created", owner.userId],
    ]);
    expect(JSON.stringify([row, audit])).not.toContain(code);
  });

  test("ends when the camera gets another code", async () => {
    const { owner, camera } = await mintCameraSite();
    const first = await requestCode(owner.token, camera.id);
    const second = await requestCode(owner.token, camera.id);
    expect(await refusal(await redeem(propose(first)))).toEqual([410, "pairing-ended"]);
    expect((await redeem(propose(second))).status).toBe(200);
  });

  test("is valid for 15 minutes", async () => {
    const { owner, camera } = await mintCameraSite();
    const proposal = propose(await requestCode(owner.token, camera.id));
    const age = (ms: number) =>
      db
        .update(cameraEnrollments)
        .set({ expiresAt: Date.now() + ms })
        .where(eq(cameraEnrollments.cameraId, camera.id));
    await age(0);
    expect(await refusal(await redeem(proposal))).toEqual([410, "pairing-ended"]);
    await age(15 * MINUTE);
    expect((await redeem(proposal)).status).toBe(200);
  });

  test("that does not exist is not found, and attempts are limited", async () => {
    const ip = freshIp();
    expect((await redeem(propose("22222222"), ip)).status).toBe(404);
    await fill("pairing:network:", 60);
    const { owner, camera } = await mintCameraSite();
    const proposal = propose(await requestCode(owner.token, camera.id));
    const refused = await redeem(proposal, ip);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refusal(refused)).toEqual([429, "rate-limited"]);
    expect((await redeem(proposal, freshIp())).status).toBe(200);
  });

  test("cannot be tried with many secrets, from any number of networks", async () => {
    const { owner, camera } = await mintCameraSite();
    const code = await requestCode(owner.token, camera.id);
    expect((await redeem(propose(code))).status).toBe(200);
    expect((await redeem(propose(code))).status).toBe(410);
    await fill("pairing:camera:", 30);
    expect((await redeem(propose(code))).status).toBe(429);
  });

  test("has a limit per camera", async () => {
    const { owner, camera } = await mintCameraSite();
    await requestCode(owner.token, camera.id);
    await fill("pairing:enrollment:", 30);
    expect((await call("POST", `/v1/cameras/${camera.id}/enrollments`, owner)).status).toBe(429);
  });

  test.each([
    ["a retired camera", "retired"],
    ["a camera whose location was deleted", "deleted"],
    ["a camera that was moved", "moved"],
    ["an organization without cameras", "disabled"],
  ])("gives nothing for %s", async (_, what) => {
    const { organizationId, owner, locationId, camera } = await mintCameraSite();
    const proposal = propose(await requestCode(owner.token, camera.id));
    const gone = Date.now();
    if (what === "retired") await db.update(cameras).set({ retiredAt: gone }).where(eq(cameras.id, camera.id));
    if (what === "deleted") await db.update(locations).set({ deletedAt: gone }).where(eq(locations.id, locationId));
    if (what === "moved")
      await db.update(cameraEnrollments).set({ endedAt: gone }).where(eq(cameraEnrollments.cameraId, camera.id));
    if (what === "disabled")
      await db.update(organizations).set({ cameras: false }).where(eq(organizations.id, organizationId));
    expect(await refusal(await redeem(proposal))).toEqual([410, "pairing-ended"]);
    expect(await db.select().from(cameraCredentials).where(eq(cameraCredentials.cameraId, camera.id))).toEqual([]);
  });
});

describe("redeeming", () => {
  test("gives a credential for device routes, and stores only its hash", async () => {
    const { organizationId, owner, camera } = await mintCameraSite();
    const proposal = propose(await requestCode(owner.token, camera.id));
    const answer = redeemed.parse(await (await redeem(proposal)).json());
    expect(answer).toMatchObject({ cameraId: camera.id, assignmentGeneration: 1 });
    const token = writeCredential(answer.credentialId, proposal.credentialSecret);
    expect(await whoIs(token)).toMatchObject({ status: 200, cameraId: camera.id });
    const dump = JSON.stringify([
      await db.select().from(cameraCredentials),
      await db.select().from(cameraEnrollments),
      await db.select().from(auditEntries),
    ]);
    expect(dump).not.toContain(proposal.credentialSecret);
    expect(dump).not.toContain(proposal.pairingCode);
    const [entry] = await db.select().from(auditEntries).where(eq(auditEntries.credentialId, answer.credentialId));
    expect(entry).toMatchObject({ action: "camera.paired", actorKind: "device", actorUserId: null, organizationId });
  });

  test("again with the same request gives the same answer while the code is valid; another request is refused", async () => {
    const { owner, camera } = await mintCameraSite();
    const proposal = propose(await requestCode(owner.token, camera.id));
    const first = await (await redeem(proposal)).text();
    const again = await redeem(proposal);
    expect([again.status, await again.text()]).toEqual([200, first]);
    for (const other of [
      { ...proposal, credentialSecret: randomHex(32) },
      { ...proposal, redemptionId: newId() },
      propose(proposal.pairingCode),
    ])
      expect(await refusal(await redeem(other))).toEqual([410, "pairing-ended"]);
    await db.update(cameraEnrollments).set({ expiresAt: Date.now() }).where(eq(cameraEnrollments.cameraId, camera.id));
    expect(await refusal(await redeem(proposal))).toEqual([410, "pairing-ended"]);
  });

  test("with the expected camera refuses the code of another camera, and changes nothing", async () => {
    const [site, other] = [await mintCameraSite(), await mintCameraSite()];
    const device = await pair(other.owner.token, other.camera.id);
    const proposal = propose(await requestCode(other.owner.token, other.camera.id));
    const state = () => Promise.all([db.select().from(cameraCredentials), db.select().from(cameraEnrollments)]);
    const before = await state();
    for (const cameraId of [site.camera.id, newId()])
      expect(await refusal(await redeem({ ...proposal, cameraId }))).toEqual([409, "other-camera"]);
    expect(await state()).toEqual(before);
    expect((await whoIs(device.token)).status).toBe(200);
    const expected = { ...proposal, cameraId: other.camera.id };
    const first = await redeem(expected);
    expect(first.status).toBe(200);
    const answer = await first.text();
    expect(await (await redeem(expected)).text()).toBe(answer);
    expect(await refusal(await redeem({ ...proposal, cameraId: site.camera.id }))).toEqual([409, "other-camera"]);
  });

  test("ends the former credential at once", async () => {
    const { owner, camera } = await mintCameraSite();
    const before = await pair(owner.token, camera.id);
    const proposal = propose(await requestCode(owner.token, camera.id));
    expect((await whoIs(before.token)).status).toBe(200);
    expect((await redeem(proposal)).status).toBe(200);
    expect(await whoIs(before.token)).toMatchObject({ status: 401, code: "credential-revoked" });
    const live = await db.select().from(cameraCredentials).where(eq(cameraCredentials.cameraId, camera.id));
    expect(live.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  });

  test("twice at once gives one credential: two equal answers to one request, and one success of two requests", async () => {
    for (const same of [true, false]) {
      const { owner, camera } = await mintCameraSite();
      const code = await requestCode(owner.token, camera.id);
      const one = propose(code);
      const proposals = same ? [one, one, one, one] : [one, propose(code), propose(code), propose(code)];
      const answers = await Promise.all(proposals.map((proposal) => redeem(proposal)));
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual(same ? [200, 200, 200, 200] : [200, 410, 410, 410]);
      const rows = await db.select().from(cameraCredentials).where(eq(cameraCredentials.cameraId, camera.id));
      expect(rows).toHaveLength(1);
    }
  });

  test("while another code is made leaves one of them valid, in either order", async () => {
    const { owner, camera } = await mintCameraSite();
    for (let i = 0; i < 5; i++) {
      const proposal = propose(await requestCode(owner.token, camera.id));
      const [used, next] = await Promise.all([redeem(proposal), requestCode(owner.token, camera.id)]);
      expect([200, 410]).toContain(used.status);
      const again = await redeem(proposal);
      expect(again.status).toBe(410);
      expect((await redeem(propose(next))).status).toBe(200);
    }
  });

  test.each([
    { credentialSecret: "0".repeat(63) },
    { credentialSecret: "A".repeat(64) },
    { redemptionId: "1" },
    { pairingCode: "0000-0000" },
    { pairingCode: "ABCD" },
  ])("refuses %o", async (wrong) => {
    expect(await refusal(await redeem({ ...propose("22222222"), ...wrong }))).toEqual([400, "validation-failed"]);
  });
});

describe("a camera's credential", () => {
  let camera: string;
  let token: string;
  let place: Awaited<ReturnType<typeof mintCameraSite>>;
  beforeEach(async () => {
    place = await mintCameraSite();
    camera = place.camera.id;
    ({ token } = await mintCredential(camera));
  });

  test("is read as it was written", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uint8Array({ minLength: 32, maxLength: 32 }), (id, bytes) => {
        expect(readCredential(writeCredential(id, bytes.toHex()))).toEqual({ id, secret: bytes.toHex() });
      }),
    );
  });

  test("is not accepted on routes of users", async () => {
    for (const path of ["/v1/auth/me", `/v1/spatial/locations/${place.locationId}`, "/v1/notifications/bootstrap"])
      expect(await refusal(await call("GET", path, { token }))).toEqual([401, "unauthenticated"]);
    expect((await call("POST", `/v1/cameras/${camera}/enrollments`, { token })).status).toBe(401);
    expect((await call("POST", "/sync-hub/negotiate?negotiateVersion=1", { token })).status).toBe(401);
  });

  test("is refused as soon as its camera, its location or its organization's entitlement ends", async () => {
    const undo = async (what: "retired" | "revoked" | "deleted" | "disabled", at: number | null) => {
      if (what === "retired") await db.update(cameras).set({ retiredAt: at }).where(eq(cameras.id, camera));
      if (what === "revoked") await db.update(cameras).set({ revokedAt: at }).where(eq(cameras.id, camera));
      if (what === "deleted")
        await db.update(locations).set({ deletedAt: at }).where(eq(locations.id, place.locationId));
      if (what === "disabled")
        await db
          .update(organizations)
          .set({ cameras: at === null })
          .where(eq(organizations.id, place.organizationId));
    };
    for (const what of ["retired", "revoked", "deleted", "disabled"] as const) {
      await undo(what, Date.now());
      const expected = what === "disabled" ? [403, "forbidden"] : [401, "credential-revoked"];
      const { status, code } = await whoIs(token);
      expect([status, code], what).toEqual(expected);
      await undo(what, null);
      expect((await whoIs(token)).status).toBe(200);
    }
  });

  test("is refused when its location is deleted, before the cleanup", async () => {
    const gone = await call("DELETE", `/v1/spatial/locations/${place.locationId}`, place.owner);
    expect(gone.status).toBe(204);
    expect(await whoIs(token)).toMatchObject({ status: 401, code: "credential-revoked" });
  });
});

describe("the state of pairing", () => {
  const read = ({ owner, camera }: Awaited<ReturnType<typeof mintCameraSite>>) =>
    expectJson(cameraSchema, 200, "GET", `/v1/cameras/${camera.id}`, owner);
  const revoke = ({ owner, camera }: Awaited<ReturnType<typeof mintCameraSite>>) =>
    call("POST", `/v1/cameras/${camera.id}/revoke`, owner);

  test("goes from none to pending to paired, and the configuration is pending until the device applied it", async () => {
    const place = await mintCameraSite();
    const { owner, camera } = place;
    expect((await read(place)).pairing).toBe("none");
    const code = await requestCode(owner.token, camera.id);
    const pending = await call("GET", `/v1/cameras/${camera.id}`, owner);
    expect(await pending.json()).toMatchObject({ pairing: "pending", configurationPending: false });
    expect((await redeem(propose(code))).status).toBe(200);
    const paired = await call("GET", `/v1/cameras/${camera.id}`, owner);
    expect(paired.headers.get("etag")).not.toBe(pending.headers.get("etag"));
    expect(await paired.json()).toMatchObject({
      pairing: "paired",
      configurationPending: true,
      lastSeenAtUtc: expect.any(String),
    });
    const device = {
      appliedRevision: 1,
      lastCaptureAt: 0,
      queueCount: 3,
      queueBytes: 4,
      freeBytes: 5,
      oldestPendingAt: null,
      errorCode: "lens-covered",
    };
    await db.update(cameras).set({ device }).where(eq(cameras.id, camera.id));
    expect(await read(place)).toMatchObject({
      configurationPending: false,
      device: { queueCount: 3, lastCaptureAtUtc: "1970-01-01T00:00:00.000Z", errorCode: "lens-covered" },
    });
    await call("PATCH", `/v1/cameras/${camera.id}`, { ...owner, body: { baseRevision: 1, jpegQuality: 70 } });
    expect(await read(place)).toMatchObject({ configurationPending: true });
  });

  test("revoking ends the credential and the code at once and pauses; pairing again restores access, still paused", async () => {
    const place = await mintCameraSite();
    const { owner, camera } = place;
    const { token } = await pair(owner.token, camera.id);
    const code = await requestCode(owner.token, camera.id);
    const revoked = await (await revoke(place)).json();
    expect(revoked).toMatchObject({ status: "revoked", isPaused: true, pairing: "none", revision: 2 });
    expect(await (await revoke(place)).json()).toEqual(revoked);
    expect(await whoIs(token)).toMatchObject({ status: 401, code: "credential-revoked" });
    expect((await redeem(propose(code))).status).toBe(410);
    expect((await redeem(propose(await requestCode(owner.token, camera.id)))).status).toBe(200);
    expect(await read(place)).toMatchObject({ status: "paused", isPaused: true, pairing: "paired" });
    const entries = await db.select().from(auditEntries).where(eq(auditEntries.subjectId, camera.id));
    const actions = entries.map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["camera.revoked", "camera.paired"]));
  });

  test("revoking while the code is redeemed leaves no valid credential of a revoked camera", async () => {
    for (let i = 0; i < 4; i++) {
      const place = await mintCameraSite();
      const proposal = propose(await requestCode(place.owner.token, place.camera.id));
      const [revoked] = await Promise.all([revoke(place), redeem(proposal)]);
      expect(revoked.status).toBe(200);
      const after = await read(place);
      expect([after.status, after.pairing]).toEqual(["revoked", "none"]);
      expect((await redeem(proposal)).status).toBe(410);
    }
  });
});
