import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import { callerOf } from "../../src/access/authentication/authenticate";
import { MAX_BEARER_LENGTH, RECOVERY_CODES_PER_USER, RESET_MAILS_PER_ADDRESS } from "../../src/access/limits";
import { brandingUploads } from "../../src/branding/assets/assets";
import { drawAsset } from "../../src/branding/assets/draw";
import {
  MEDIUM_EDGE_PIXELS,
  MIN_DRAWN_SVG_EDGE_PIXELS,
  PENDING_PREVIEW_LIFETIME_MS,
  SMALL_EDGE_PIXELS,
} from "../../src/branding/limits";
import { evenCaptures } from "../../src/cameras/archive/frames";
import * as cameras from "../../src/cameras/limits";
import { cameraFrames } from "../../src/cameras/tables";
import { POLL_ABSENCE_MS, POLL_TIMEOUT_MS } from "../../src/hub/limits";
import { LongPollConnection } from "../../src/hub/shard/streams";
import { AUDIENCE_PAGE } from "../../src/notifications/record";
import { withBrowser } from "../../src/platform/browsers/borrow";
import { MAX_DEAD_BROWSERS } from "../../src/platform/browsers/limits";
import type { Context } from "../../src/platform/context";
import { beginChange } from "../../src/platform/db/change";
import { encodeJpeg, jpegSize, pictureOfRgba, verifyJpeg } from "../../src/platform/jpeg";
import { atOnce } from "../../src/platform/pace";
import { decodePicture } from "../../src/platform/pictures/decode";
import { pictureSize } from "../../src/platform/pictures/headers";
import { DAY, SECOND, toUtc } from "../../src/platform/time";
import { DRAFT_LIMITS, ROOM_TOKEN_LIFETIME_MS } from "../../src/reports/limits";
import { headroomOf } from "../../src/reports/room/shared-json";
import * as search from "../../src/search/limits";
import { parseQuery } from "../../src/search/query";
import { limitsOf } from "../../src/search/ranking/postings";
import worker from "../../src/worker";
import { INVITATION_LIFETIME_MS, INVITATION_MAILS_PER_ADDRESS } from "../../src/workspace/limits";
import { invitationMail } from "../../src/workspace/messages";
import { withSecondFactor } from "../support/authenticator";
import { MARK } from "../support/branding";
import { BASE_URL, call, codeOf, expectJson } from "../support/call";
import { mintCamera } from "../support/cameras";
import { announce, factsOf, image, mintDevice, ofFrame, transfer } from "../support/device";
import { uploadDocument } from "../support/documents";
import {
  mintDocument,
  mintLocation,
  mintMember,
  mintMembers,
  mintOrganization,
  mintPerson,
  mintPlace,
} from "../support/factories";
import { announceEvent } from "../support/hub";
import { keepJobs, systemContext } from "../support/jobs";
import { stopClock } from "../support/patience";
import { jpegFixture, scene } from "../support/pictures";
import { bootstrap, newReportSite } from "../support/rooms";
import { freshIp, mintSignedIn } from "../support/sessions";
import { mintShare } from "../support/shares";
import { testDatabase } from "../support/statements";
import { mailsOfShare, shareWaiting, WITH_MAIL } from "../support/waiting-shares";

test("a share of the storage limit is announced when it is reached exactly", async () => {
  const { id, owner } = await mintOrganization({ documentStorageBytes: 1_000 });
  const { id: locationId } = await mintLocation({ organizationId: id });
  await keepJobs(id);
  const announced = async () => {
    const { results } = await env.DB.prepare(
      "SELECT json_extract(payload, '$.event.percent') AS percent FROM jobs WHERE tenant_id = ? AND payload LIKE '%storage-level%' ORDER BY id",
    )
      .bind(id)
      .all<{ percent: number }>();
    return results.map(({ percent }) => percent);
  };
  for (const [bytes, percents] of [
    [799, []],
    [1, [80]],
    [149, [80]],
    [1, [80, 95]],
    [49, [80, 95]],
    [1, [80, 95, 100]],
  ] as const) {
    await uploadDocument(owner.token, locationId, { fileName: `${crypto.randomUUID()}.txt`, bytes: "x".repeat(bytes) });
    expect(await announced()).toEqual(percents);
  }
});

test("null removes the end of a grant, a link and a token", async () => {
  const now = stopClock();
  const { organizationId, owner, locationId } = await mintPlace();
  const [end, long] = [{ expiresAtUtc: toUtc(now + DAY) }, now + 365 * DAY];
  const ended = z.object({ id: z.string(), expiresAtUtc: z.string().nullable() });
  const asked = { token: owner.token, body: { ...end, capabilities: { LocationView: "Read" } } };
  const member = await mintMember(organizationId);

  const grants = `/v1/spatial/locations/${locationId}/grants`;
  const grant = await expectJson(ended, 201, "POST", grants, {
    ...asked,
    body: { ...asked.body, userId: member.userId },
  });
  const camera = await mintCamera(organizationId, locationId);
  const link = await mintShare(organizationId, locationId, [camera.id], {
    expiresAt: now + DAY,
    shownFrom: 1,
    shownUntil: now + DAY,
  });
  const person = await mintSignedIn();
  const made = await expectJson(ended, 201, "POST", "/v1/auth/tokens", {
    token: person.token,
    body: { name: "Mine", ...end },
  });
  for (const [path, token, body] of [
    [`${grants}/${grant.id}`, owner.token, {}],
    [`/v1/camera-shares/${link.id}`, owner.token, { baseRevision: 1, showFromUtc: null, showUntilUtc: null }],
    [`/v1/auth/tokens/${made.id}`, person.token, {}],
  ] as const) {
    const changed = await call("PATCH", path, { token, body: { ...body, expiresAtUtc: null } });
    expect([path, changed.status, await changed.json()]).toMatchObject([path, 200, { expiresAtUtc: null }]);
  }
  vi.setSystemTime(long);
  const stored = async (table: string, id: string) =>
    (await env.DB.prepare(`SELECT * FROM ${table} WHERE id = ?`).bind(id).first()) ?? {};
  expect(await stored("grants", grant.id)).toMatchObject({ expires_at: null });
  expect(await stored("camera_shares", link.id)).toMatchObject({
    expires_at: null,
    shown_from: null,
    shown_until: null,
  });
  expect(await stored("access_tokens", made.id)).toMatchObject({ expires_at: null });
});

test("a page of an audience in which nobody may read does not end the announcement", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const documentId = await mintDocument({ organizationId }, location);
  const members = (await mintMembers(organizationId, 2 * AUDIENCE_PAGE + 1)).toSorted();
  // Nobody on the first two pages of the audience may see the document.
  const last = members.at(-1) ?? "";
  await env.DB.prepare(
    `UPDATE memberships SET overrides = '{"Documents":"None"}' WHERE organization_id = ? AND user_id NOT IN (?, ?)`,
  )
    .bind(organizationId, owner.userId, last)
    .run();
  await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
  const { results } = await env.DB.prepare(
    "SELECT user_id FROM notifications JOIN notification_events ON no = event_no WHERE document_id = ?",
  )
    .bind(documentId)
    .all();
  expect(results).toEqual([{ user_id: last }]);
});

test("a program that asks for more frames than one call chooses fails", async () => {
  const { organizationId, locationId } = await mintPlace();
  const camera = await mintCamera(organizationId, locationId);
  const choose = (count: number) => evenCaptures(systemContext(), { camera, locationId }, { from: 0, to: 1 }, count);
  expect(await choose(cameras.MAX_FRAMES)).toEqual([]);
  await expect(choose(cameras.MAX_FRAMES + 1)).rejects.toThrow(RangeError);
});

test("a device is told the limits that hold for it", async () => {
  const { token } = await mintDevice();
  const told = await expectJson(z.looseObject({}), 200, "GET", "/v1/camera-ingestion/configuration", { token });
  expect(told).toMatchObject({
    limits: {
      maxSizeBytes: cameras.MAX_CAPTURE_BYTES,
      maxPixels: cameras.MAX_PICTURE_PIXELS,
      maxPendingUploads: cameras.MAX_UNFINISHED_OPERATIONS,
      newUploadsPerMinute: cameras.ADMISSIONS_PER_MINUTE,
      requestsPerMinute: cameras.DEVICE_REQUESTS_PER_MINUTE,
      uploadUrlSeconds: cameras.CAPTURE_URL_LIFETIME_MS / SECOND,
      operationSeconds: cameras.OPERATION_LIFETIME_MS / SECOND,
      maxFutureSeconds: cameras.CLOCK_TOLERANCE_MS / SECOND,
    },
  });
});

test("the mail of an invitation says how long it is valid", () => {
  const days = INVITATION_LIFETIME_MS / DAY;
  expect(invitationMail("en", "Harbour", "https://a.test").text).toContain(`${days} days`);
});

test("a device polls an image in verification after the seconds of the answer", async () => {
  const device = await mintDevice();
  const { operationId } = await transfer(device);
  await testDatabase().update(cameraFrames).set({ status: "verifying" }).where(ofFrame(operationId));
  const asked = await call("GET", `/v1/camera-ingestion/uploads/${operationId}`, { token: device.token });
  expect(asked.headers.get("retry-after")).toBe(String(cameras.POLL_SECONDS));
});

test("edits are counted down to the size and the keys of a draft", () => {
  const { maxBytes, maxKeys } = DRAFT_LIMITS;
  // One byte of an edit becomes at most six of JSON.
  expect(headroomOf({ k: "x".repeat(maxBytes - 608) })).toBe(100);
  expect(headroomOf({ k: "x".repeat(maxBytes - 608 + 1) })).toBe(99);
  expect(headroomOf(Object.fromEntries(Array.from({ length: maxKeys - 9 }, (_, n) => [n, 0])))).toBe(9);
});

test("a token for a room is valid for its lifetime, at most", async () => {
  const now = stopClock();
  const { owner, reportId } = await newReportSite();
  expect((await bootstrap(owner.token, reportId)).expiresAtUtc).toBe(toUtc(now + ROOM_TOKEN_LIFETIME_MS));
});

test("an organization begins with the operator's entitlements", async () => {
  const { token } = await mintPerson();
  const { id } = await expectJson(z.looseObject({ id: z.string() }), 201, "POST", "/v1/orgs", {
    token,
    body: { name: "Harbour" },
  });
  const { settings } = systemContext();
  expect(await env.DB.prepare("SELECT * FROM organizations WHERE id = ?").bind(id).first()).toMatchObject({
    document_storage_bytes: settings.DEFAULT_STORAGE_BYTES,
    jobs_per_month: settings.DEFAULT_JOBS_PER_MONTH,
    max_retention_days: settings.DEFAULT_MAX_RETENTION_DAYS,
  });
});

test("a personal workspace is filled to its last byte", async () => {
  const { userId, token } = await mintPerson();
  const { id: locationId } = await mintLocation({ ownerUserId: userId });
  await uploadDocument(token, locationId, { fileName: "a.txt", bytes: "x" });
  const { PERSONAL_STORAGE_BYTES } = systemContext().settings;
  await env.DB.prepare("UPDATE storage_usage SET used_bytes = ?2 WHERE tenant_id = ?1")
    .bind(userId, PERSONAL_STORAGE_BYTES - 10)
    .run();
  const start = async (sizeBytes: number) =>
    call("POST", `/v1/spatial/locations/${locationId}/documents/upload-start`, {
      token,
      body: { fileName: "b.txt", contentType: "text/plain", sizeBytes, checksumSha256: "0".repeat(64) },
    });
  expect(await codeOf(await start(11))).toBe("507 storage-full");
  expect((await start(10)).status).toBe(201);
});

test("a camera whose images are in verification waits for a verdict", async () => {
  const device = await mintDevice();
  for (let n = 0; n < cameras.MAX_UNFINISHED_OPERATIONS; n++) {
    const { operationId } = await transfer(device);
    await testDatabase().update(cameraFrames).set({ status: "verifying" }).where(ofFrame(operationId));
  }
  const refused = await announce(device, await factsOf(image()));
  expect(refused.headers.get("retry-after")).toBe(String(cameras.VERDICT_RETRY_SECONDS));
});

test("the mails with reset links of one address are counted in a window, and every request has the same answer", async () => {
  const now = stopClock();
  const email = `${crypto.randomUUID()}@people.test`;
  const { limit, windowMs } = RESET_MAILS_PER_ADDRESS;
  const mailing = { ...env, MAIL: { send: async () => {} }, MAIL_FROM: "service@workspace.test" };
  const mails = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const headers = { "content-type": "application/json", "cf-connecting-ip": freshIp() };
      const request = new Request(`${BASE_URL}/v1/auth/password-reset`, {
        ...{ method: "POST", headers, body: JSON.stringify({ email }) },
      });
      expect((await worker.fetch(request as never, mailing as never, createExecutionContext())).status).toBe(202);
    }
    const { results } = await env.DB.prepare("DELETE FROM jobs WHERE json_extract(payload, '$.email') = ? RETURNING id")
      .bind(email)
      .all();
    return results.length;
  };
  expect(await mails(limit + 1)).toBe(limit);
  vi.setSystemTime(now + windowMs - 1);
  expect(await mails(1)).toBe(0);
  vi.setSystemTime(now + windowMs);
  expect(await mails(1)).toBe(1);
});

test("the mails of invitations to one address are counted over all organizations in a window", async () => {
  const now = stopClock();
  const email = `${crypto.randomUUID()}@people.test`;
  const { limit, windowMs } = INVITATION_MAILS_PER_ADDRESS;
  /** Invites the address, and shares with it, in another organization. @returns whether each was mailed */
  const mailed = async () => {
    const { organizationId, owner, locationId } = await mintPlace();
    const body = { email, role: "guest" };
    const options = { ...WITH_MAIL, token: owner.token, body };
    const made = z.object({ invitation: z.object({ isMailed: z.boolean() }) });
    const { invitation } = await expectJson(made, 201, "POST", `/v1/orgs/${organizationId}/members`, options);
    const share = await shareWaiting(locationId, owner.token, email);
    return [invitation.isMailed, (await mailsOfShare(share.id)).length === 1];
  };
  for (let n = 0; n < limit / 2; n++) expect(await mailed()).toEqual([true, true]);
  expect(await mailed()).toEqual([false, false]);
  vi.setSystemTime(now + windowMs - 1);
  expect(await mailed()).toEqual([false, false]);
  vi.setSystemTime(now + windowMs);
  expect(await mailed()).toEqual([true, true]);
});

test("a query reads as many occurrences as its kind may", () => {
  const { ofBeginning, read, grouped, variants } = limitsOf(parseQuery("girder"));
  expect([ofBeginning, read, grouped, variants]).toEqual([
    search.MAX_PREFIX_POSTINGS,
    search.MAX_READ_POSTINGS,
    search.MAX_GROUPED_POSTINGS,
    search.MAX_PHRASE_VARIANTS,
  ]);
  expect(limitsOf(parseQuery("the and"))).toEqual({
    ofBeginning: search.MAX_STOP_POSTINGS,
    read: search.MAX_READ_STOP_POSTINGS,
    grouped: search.MAX_STOP_POSTINGS,
    variants: search.MAX_PHRASE_VARIANTS,
  });
});

test("a second image in a file is refused of a camera, and ignored in a document", async () => {
  const two = Uint8Array.from([...jpegFixture("baseline-420"), ...jpegFixture("baseline-420")]);
  expect(atOnce(verifyJpeg(two, { minimumEdge: 64 })).verdict).toBe("rejected");
  expect((await decodePicture(two, 64)).width).toBeGreaterThan(0);
});

test("previews of a logo have the length of their longer edge", async () => {
  const pixels = scene(1_100, 20, 40, 1);
  const { small, medium } = await drawAsset(encodeJpeg(pictureOfRgba(pixels, 1_100, 20), 80));
  expect([jpegSize(small)?.width, jpegSize(medium)?.width]).toEqual([SMALL_EDGE_PIXELS, MEDIUM_EDGE_PIXELS]);
});

test("a poll that hears nothing ends in time, and a client that does not poll again is gone", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const told: string[] = [];
  const credential = { userId: "u", kind: "pat", credentialId: "t" };
  const connection = { id: "c", credential, endsAt: null, pings: false } as unknown as ConstructorParameters<
    typeof LongPollConnection
  >[0];
  const polled = new LongPollConnection(
    connection,
    () => void told.push("gone"),
    async () => [],
  );
  void polled.poll().then(({ status }) => told.push(String(status)));
  await vi.advanceTimersByTimeAsync(POLL_TIMEOUT_MS - 1);
  expect(told).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual(["200"]);
  await vi.advanceTimersByTimeAsync(POLL_ABSENCE_MS - 1);
  expect(told).toEqual(["200"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(told).toEqual(["200", "gone"]);
});

test("MAX_DEAD_BROWSERS: a job tries no more browsers that have ended", async () => {
  let dead = 0;
  const pool = {
    take: async () => ({ kind: "loan", loan: { sessionId: "s", loan: "l" } }),
    giveBack: async () => void dead++,
  };
  const bindings = {
    BROWSER: { fetch: async () => new Response("gone", { status: 410 }) } as unknown as Cloudflare.Env["BROWSER"],
    BROWSER_POOL: { getByName: () => pool } as unknown as Cloudflare.Env["BROWSER_POOL"],
  };
  const work = withBrowser(bindings, { pool: "p", most: 1 }, async () => "done");
  await expect(work).rejects.toMatchObject({ code: "unavailable" });
  expect(dead).toBe(MAX_DEAD_BROWSERS);
});

test("MAX_BEARER_LENGTH: a longer bearer token is malformed, and is not read", async () => {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll("=", "");
  const refusal = async (length: number) => {
    const token = `${part({ alg: "ES256" })}.${part({ iss: "https://issuer.unknown" })}.`;
    const caller = await callerOf(systemContext(), token.padEnd(length, "k"));
    return caller.kind === "anonymous" && caller.refusal;
  };
  expect([await refusal(MAX_BEARER_LENGTH), await refusal(MAX_BEARER_LENGTH + 1)]).toEqual(["unknown", "malformed"]);
});

test("RECOVERY_CODES_PER_USER: a person gets so many codes at once", async () => {
  expect((await withSecondFactor()).recoveryCodes).toHaveLength(RECOVERY_CODES_PER_USER);
});

test("MIN_DRAWN_SVG_EDGE_PIXELS: the preview of an SVG gets shorter with its cost, and below this it is refused", async () => {
  const shapes = (count: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">${'<path d="M0 0h9v9z"/>'.repeat(count)}</svg>`;
  const edge = async (count: number) =>
    pictureSize((await drawAsset(new TextEncoder().encode(shapes(count)))).medium)?.width ?? 0;
  const drawn = await edge(4_400);
  expect(drawn).toBeGreaterThanOrEqual(MIN_DRAWN_SVG_EDGE_PIXELS);
  expect(drawn).toBeLessThan(1.2 * MIN_DRAWN_SVG_EDGE_PIXELS);
  await expect(edge(5_600)).rejects.toThrow("too long to draw");
});

test("PENDING_PREVIEW_LIFETIME_MS: previews of a logo that no change refers to are purged after this time", async () => {
  const now = stopClock();
  const { id: tenantId } = await mintOrganization();
  const objects = {
    ...systemContext().objects,
    read: async () => ({ body: new Blob([MARK]).stream() }),
    write: () => Promise.reject(new Error("no answer")),
  } as unknown as Context["objects"];
  const context = { ...systemContext(), objects, now };
  const subject = { organizationId: tenantId, slot: "logo", fileName: "mark.svg" } as const;
  const upload = { tenantId } as Parameters<typeof brandingUploads.publish>[3];
  const bytes = { key: `${tenantId}/logo` } as Parameters<typeof brandingUploads.publish>[4];
  const published = brandingUploads.publish(context, beginChange(context, tenantId), subject, upload, bytes);
  await expect(published).rejects.toThrow("no answer");
  const { results } = await env.DB.prepare("SELECT DISTINCT purge_after AS at FROM stored_objects WHERE tenant_id = ?")
    .bind(tenantId)
    .all();
  expect(results).toEqual([{ at: now + PENDING_PREVIEW_LIFETIME_MS }]);
});
