import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { z } from "zod";
import { wantedEvents } from "../../src/events/tables";
import { newId } from "../../src/platform/ids";
import { jobs } from "../../src/platform/jobs/tables";
import { PAYLOADS, payloadSchema } from "../../src/webhooks/payloads";
import { webhooks } from "../../src/webhooks/tables";
import { call, codeOf } from "../support/call";
import { mintDevice, upload } from "../support/device";
import { uploadDocument } from "../support/documents";
import { mintMember, mintToken } from "../support/factories";
import { announceEvent } from "../support/hub";
import { keepJobs } from "../support/jobs";
import { testDatabase } from "../support/statements";
import { receivedBy } from "../support/webhook-calls";
import { createHook, hooksPath, newReceiver, triedDeliveries } from "../support/webhooks";

/* Events of each feature reach a webhook with the data of their type. */

/** The payloads that a receiver has got, checked with the schemas of their types. */
const payloadsOf = async (url: string) =>
  (await receivedBy(url)).map(({ body }) => {
    const payload = payloadSchema.parse(JSON.parse(body));
    return { ...payload, data: PAYLOADS[payload.type].strict().parse(payload.data) as Record<string, unknown> };
  });

test("documents, cameras and captures", async () => {
  const device = await mintDevice();
  const { organizationId, owner, locationId, camera } = device;
  const url = newReceiver();
  const hook = await createHook(organizationId, owner, {
    url,
    types: ["document.uploaded", "document.deleted", "camera.silent", "camera.back", "capture.published"],
  });
  const file = { fileName: "plan.txt", bytes: "a plan" };
  const { id: documentId } = await uploadDocument(owner.token, locationId, file);
  await triedDeliveries(organizationId, owner, hook.id, 1);
  const group = { locationId, cameraIds: [camera.id], count: 1 };
  await announceEvent({ type: "cameras-silent", cause: "offline", ...group });
  await triedDeliveries(organizationId, owner, hook.id, 2);
  await announceEvent({ type: "cameras-back", ...group });
  await triedDeliveries(organizationId, owner, hook.id, 3);
  const sent = await upload(device);
  await triedDeliveries(organizationId, owner, hook.id, 4);
  await call("DELETE", `/v1/documents/${documentId}`, { token: owner.token });
  await triedDeliveries(organizationId, owner, hook.id, 5);
  const payloads = await payloadsOf(url);
  expect(payloads.map(({ type, data }) => [type, data.id, data.name])).toEqual([
    ["document.uploaded", documentId, "plan.txt"],
    ["camera.silent", locationId, expect.any(String)],
    ["camera.back", locationId, expect.any(String)],
    ["capture.published", camera.id, camera.name],
    ["document.deleted", documentId, null],
  ]);
  expect(payloads[1]?.data).toMatchObject({
    cause: "offline",
    cameras: [{ id: camera.id, name: camera.name }],
    count: 1,
  });
  const { capturedAtUtc, captureId } = payloads[3]?.data ?? {};
  expect(Date.parse(String(capturedAtUtc))).toBe(Date.parse(sent.facts.capturedAtUtc));
  const download = await call("GET", `/v1/camera-captures/${captureId}/download`, { token: owner.token });
  expect(download.status).toBeLessThan(400);
});

test("an image is announced by a job only while a webhook wants images", async () => {
  const device = await mintDevice();
  const { organizationId, owner } = device;
  await keepJobs(organizationId);
  const announced = async () =>
    (
      await testDatabase()
        .select({ payload: jobs.payload })
        .from(jobs)
        .where(and(eq(jobs.tenantId, organizationId), eq(jobs.kind, "announce")))
    ).filter(({ payload }) => JSON.stringify(payload).includes("capture-published")).length;
  const wanted = () => testDatabase().select().from(wantedEvents).where(eq(wantedEvents.tenantId, organizationId));
  await upload(device);
  expect([await announced(), await wanted()]).toEqual([0, []]);
  const url = newReceiver();
  const hook = await createHook(organizationId, owner, { url, types: ["capture.published"] });
  expect(await wanted()).toHaveLength(1);
  await upload(device);
  await triedDeliveries(organizationId, owner, hook.id, 1);
  expect(await announced()).toBe(1);
  const path = hooksPath(organizationId, `/${hook.id}`);
  await call("PATCH", path, { token: owner.token, body: { isEnabled: false } });
  expect(await wanted()).toEqual([]);
  await call("PATCH", path, { token: owner.token, body: { isEnabled: true } });
  expect(await wanted()).toHaveLength(1);
  await call("DELETE", path, { token: owner.token });
  expect(await wanted()).toEqual([]);
  await upload(device);
  expect(await announced()).toBe(1);
});

test("an event of a personal workspace and one of an unknown subject reach nobody", async () => {
  const { organizationId, owner } = await mintDevice();
  const url = newReceiver();
  const hook = await createHook(organizationId, owner, { url, types: ["report.printed", "export.ready"] });
  await announceEvent({ type: "report-printed", reportId: newId(), jobId: newId() });
  await announceEvent({ type: "export-ready", exportId: newId() });
  await announceEvent({ type: "workspace-export-ready", exportId: newId() });
  await triedDeliveries(organizationId, owner, hook.id, 0);
});

test("a token with a maximum of capabilities makes no webhook, and another address has another subscriber", async () => {
  const { organizationId, owner } = await mintDevice();
  const admin = await mintMember(organizationId, "admin");
  const restricted = await mintToken(owner.userId, { capabilities: { OrganizationView: "Write" } });
  const body = { name: "Hook", url: newReceiver(), types: ["document.uploaded"] };
  expect(await codeOf(await call("POST", hooksPath(organizationId), { token: restricted.token, body }))).toBe(
    "403 forbidden",
  );
  const hook = await createHook(organizationId, owner, { url: newReceiver(), types: ["document.uploaded"] });
  const path = hooksPath(organizationId, `/${hook.id}`);
  const subscriber = async () => {
    const [row] = await testDatabase().select().from(webhooks).where(eq(webhooks.id, hook.id));
    return row?.subscriberId;
  };
  await call("PATCH", path, { token: admin.token, body: { name: "Named by an admin" } });
  expect(await subscriber()).toBe(owner.userId);
  await call("PATCH", path, { token: admin.token, body: { url: newReceiver() } });
  expect(await subscriber()).toBe(admin.userId);
  await call("PATCH", path, { token: owner.token, body: { types: ["document.uploaded", "member.added"] } });
  expect(await subscriber()).toBe(owner.userId);
  const stale = { token: owner.token, body: { name: "Late", baseRevision: 1 } };
  expect(await codeOf(await call("PATCH", path, stale))).toBe("409 stale-revision");
  const refused = { token: owner.token, body: { url: "https://127.0.0.1/" } };
  expect(await codeOf(await call("PATCH", path, refused))).toBe("422 rule-violated");
  z.string().parse(hook.secret);
});
