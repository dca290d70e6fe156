import { env } from "cloudflare:workers";
import { createHmac } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { memberships, organizations } from "../../src/access/tables";
import { newIdIn } from "../../src/platform/ids";
import { DAY } from "../../src/platform/time";
import { deliverySchema } from "../../src/webhooks/deliveries/deliveries";
import {
  DEAD_AFTER_MS,
  DELIVERY_RETENTION,
  MAX_LISTED_ATTEMPTS,
  MAX_PAUSE_MS,
  MAX_PENDING_DELIVERIES,
  MAX_REQUESTS_AT_ONCE,
  MAX_RETRY_AFTER_MS,
  MIN_PAUSE_MS,
  RETRY_DELAYS_MS,
} from "../../src/webhooks/limits";
import { payloadSchema } from "../../src/webhooks/payloads";
import { expireDeliveries, wakeWebhooks } from "../../src/webhooks/sending";
import { pauseAfter, retryDelayAfter } from "../../src/webhooks/sending/schedule";
import { webhookSchema, webhookWithSecretSchema } from "../../src/webhooks/subscriptions/subscriptions";
import { webhookDeliveries, webhooks } from "../../src/webhooks/tables";
import { annotationSchema } from "../../src/workspace/annotations/annotations";
import { call, expectJson } from "../support/call";
import { addMember, mintLocation, mintMember, mintOrganization, type Person } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { notificationsOf } from "../support/notifications";
import { eventually } from "../support/patience";
import { freshIp, PASSWORD, register as registerUser } from "../support/sessions";
import { testDatabase } from "../support/statements";
import { behave, receivedBy } from "../support/webhook-calls";
import {
  createHook,
  deliveriesOf,
  deliveryOf,
  type Hook,
  hooksPath,
  newReceiver,
  triedDeliveries,
} from "../support/webhooks";

let organizationId: string;
let owner: Person;
let locationId: string;
let url: string;

beforeEach(async () => {
  ({ id: organizationId, owner } = await mintOrganization());
  ({ id: locationId } = await mintLocation({ organizationId }));
  url = newReceiver();
});

const annotate = (title: string, who = owner) =>
  expectJson(annotationSchema, 201, "POST", `/v1/spatial/locations/${locationId}/annotations`, {
    token: who.token,
    body: { kind: "note", title },
  });

const hook = (given: Partial<Parameters<typeof createHook>[2]> = {}, who = owner): Promise<Hook> =>
  createHook(organizationId, who, { url, types: ["annotation.created"], ...given });

const read = ({ id }: Hook) =>
  expectJson(webhookSchema, 200, "GET", hooksPath(organizationId, `/${id}`), { token: owner.token });

/** The row of a webhook, or of its only delivery, as if time had passed. */
const setHook = ({ id }: Hook, row: Partial<typeof webhooks.$inferInsert>) =>
  testDatabase().update(webhooks).set(row).where(eq(webhooks.id, id));
const setDeliveries = ({ id }: Hook, row: Partial<typeof webhookDeliveries.$inferInsert>) =>
  testDatabase().update(webhookDeliveries).set(row).where(eq(webhookDeliveries.webhookId, id));

/** Ends the pauses of a webhook and sends what waits. */
async function sendNow(one: Hook): Promise<void> {
  await setHook(one, { pausedUntil: 0 });
  await setDeliveries(one, { nextAt: 0 });
  await runThrough("send-webhooks", [{ webhookId: one.id }]);
}

/** The signature that a receiver computes from the raw request. */
const signatureOf = (secret: string, { headers, body }: Awaited<ReturnType<typeof receivedBy>>[number]): string => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
};

describe("a delivery", () => {
  test("has the event with ids, the name and the link, signed with the secret", async () => {
    const one = await hook();
    const made = await annotate("Crack in the wall");
    const [delivery] = await triedDeliveries(organizationId, owner, one.id, 1);
    expect(delivery).toMatchObject({ type: "annotation.created", status: "succeeded", tries: 0, lastStatus: 204 });
    const [request, ...others] = await receivedBy(url);
    expect(others).toEqual([]);
    const payload = payloadSchema.parse(JSON.parse(request?.body ?? ""));
    expect(payload).toMatchObject({
      type: "annotation.created",
      version: 1,
      organizationId,
      data: { id: made.id, name: "Crack in the wall", locationId, revision: 1 },
    });
    expect(payload.data.url).toContain(`/console/locations/${locationId}`);
    expect(request?.headers).toMatchObject({ "webhook-id": delivery?.id, "content-type": "application/json" });
    expect(Math.abs(Number(request?.headers["webhook-timestamp"]) * 1_000 - Date.now())).toBeLessThan(60_000);
    expect(request?.headers["webhook-signature"]).toBe(request && signatureOf(one.secret, request));
    expect(await read(one)).toMatchObject({ failingSinceUtc: null, lastSuccessAtUtc: expect.any(String) });
  });

  test("is not made for other types, other organizations and webhooks that are off", async () => {
    const other = await mintOrganization();
    const foreign = await createHook(other.id, other.owner, { url, types: ["annotation.created"] });
    const unrelated = await hook({ types: ["member.added"] });
    const off = await hook();
    await call("PATCH", hooksPath(organizationId, `/${off.id}`), { token: owner.token, body: { isEnabled: false } });
    const on = await hook();
    await annotate("Crack");
    await triedDeliveries(organizationId, owner, on.id, 1);
    expect(await deliveriesOf(organizationId, owner, unrelated.id)).toEqual([]);
    expect(await deliveriesOf(organizationId, owner, off.id)).toEqual([]);
    expect(await deliveriesOf(other.id, other.owner, foreign.id)).toEqual([]);
  });

  test("is tried again after growing pauses with the same id and body, and fails after the last one", async () => {
    await behave(url, { status: 500, body: "no whsec_c2VjcmV0 for you" });
    const one = await hook();
    const { id } = await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    expect(first).toMatchObject({ status: "pending", tries: 1, lastStatus: 500 });
    const pause = Date.parse(first?.nextTryAtUtc ?? "") - Date.now();
    expect(pause).toBeLessThanOrEqual((RETRY_DELAYS_MS[0] ?? 0) * 1.1);
    const renamed = { token: owner.token, body: { title: "Renamed" } };
    expect((await call("PATCH", `/v1/annotations/${id}`, renamed)).status).toBe(200);
    // The first pause may be over already.
    for (let tries = await triesOf(one); tries <= RETRY_DELAYS_MS.length; tries = await triesOf(one))
      await sendNow(one);
    const [last] = await deliveriesOf(organizationId, owner, one.id);
    expect(last).toMatchObject({
      id: first?.id,
      status: "failed",
      tries: RETRY_DELAYS_MS.length + 1,
      nextTryAtUtc: null,
    });
    const requests = await receivedBy(url);
    expect(requests.length).toBeGreaterThan(RETRY_DELAYS_MS.length);
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["webhook-id"]))).toEqual(new Set([first?.id]));
    const detail = await deliveryOf(organizationId, owner, one.id, first?.id ?? "");
    expect(detail.answer).toMatchObject({ status: 500, body: "no [removed] for you" });
    expect(detail.attempts.length).toBe(RETRY_DELAYS_MS.length + 1);
    expect(detail.attempts[0]).toMatchObject({ status: 500, fault: "status" });
    expect(await read(one)).toMatchObject({ isEnabled: true, failingSinceUtc: expect.any(String) });
  });

  test("does not follow a redirect", async () => {
    const target = newReceiver();
    await behave(url, { status: 307, headers: { location: target } });
    const one = await hook();
    await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    const { attempts } = await deliveryOf(organizationId, owner, one.id, first?.id ?? "");
    expect(attempts[0]).toMatchObject({ status: 307, fault: "redirect" });
    expect(await receivedBy(target)).toEqual([]);
  });

  test("waits for the Retry-After of the answer", async () => {
    await behave(url, { status: 503, headers: { "retry-after": "3600" } });
    const one = await hook();
    await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    expect(Date.parse(first?.nextTryAtUtc ?? "") - Date.now()).toBeGreaterThan(3_000_000);
  });

  test("waits at most MAX_RETRY_AFTER_MS for the answer, and for its own pause at least", () => {
    const planned = RETRY_DELAYS_MS[0] ?? 0;
    expect(retryDelayAfter(1, null, () => 0)).toBe(planned);
    expect(retryDelayAfter(1, planned + 1, () => 0)).toBe(planned + 1);
    expect(retryDelayAfter(1, MAX_RETRY_AFTER_MS - 1, () => 0)).toBe(MAX_RETRY_AFTER_MS - 1);
    expect(retryDelayAfter(1, MAX_RETRY_AFTER_MS + 1, () => 0)).toBe(MAX_RETRY_AFTER_MS);
    expect(retryDelayAfter(RETRY_DELAYS_MS.length + 1, null)).toBeNull();
    const whole = RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0);
    expect(Math.floor(whole / DAY)).toBe(3);
  });

  test("lists the last tries", async () => {
    const one = await hook();
    await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    const attempts = Array.from({ length: MAX_LISTED_ATTEMPTS }, (_, at) => ({
      at,
      ms: 1,
      status: 500,
      fault: "status",
    }));
    await setDeliveries(one, { status: "pending", attempts });
    await sendNow(one);
    const detail = await deliveryOf(organizationId, owner, one.id, first?.id ?? "");
    expect(detail.attempts.length).toBe(MAX_LISTED_ATTEMPTS);
    expect(detail.attempts.at(-1)).toMatchObject({ status: 204, fault: null });
  });

  test("reads a few kilobytes of a long answer", async () => {
    await behave(url, { status: 200, body: "x".repeat(1_000_000) });
    const one = await hook();
    await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    const { answer, status } = await deliveryOf(organizationId, owner, one.id, first?.id ?? "");
    expect(status).toBe("succeeded");
    expect(answer?.body).toBe("x".repeat(2_000));
  });

  test("is sent again by a person with the same id, and by the wake-up when it is due", async () => {
    const one = await hook();
    await annotate("Crack");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    const path = hooksPath(organizationId, `/${one.id}/deliveries/${first?.id}/repeat`);
    const repeated = await expectJson(deliverySchema, 202, "POST", path, { token: owner.token });
    expect(repeated).toMatchObject({ id: first?.id, status: "pending" });
    await eventually(async () => expect((await receivedBy(url)).length).toBe(2));
    await triedDeliveries(organizationId, owner, one.id, 1);
    await setDeliveries(one, { status: "pending", nextAt: 0 });
    await setHook(one, { nextAt: 1 });
    await wakeWebhooks.run(systemContext(), {} as never).then(({ change }) => change?.commit());
    await eventually(async () => expect((await receivedBy(url)).length).toBe(3));
    await eventually(async () => {
      const [row] = await testDatabase().select().from(webhooks).where(eq(webhooks.id, one.id));
      expect(row?.nextAt).toBeNull();
    });
    const ids = (await receivedBy(url)).map(({ headers }) => headers["webhook-id"]);
    expect(new Set(ids)).toEqual(new Set([first?.id]));
  });

  test("that a dead worker had claimed is sent after the claim", async () => {
    const one = await hook();
    const row = { webhookId: one.id, id: newIdIn(organizationId), organizationId, type: "ping", event: null };
    await testDatabase()
      .insert(webhookDeliveries)
      .values({ ...row, status: "pending", nextAt: Date.now() - 1, claimedBy: "dead", createdAt: Date.now() });
    await runThrough("send-webhooks", [{ webhookId: one.id }]);
    expect((await deliveriesOf(organizationId, owner, one.id))[0]).toMatchObject({ status: "succeeded" });
  });

  test("is deleted after its retention", async () => {
    const one = await hook();
    await annotate("Old");
    await triedDeliveries(organizationId, owner, one.id, 1);
    await annotate("New");
    const [, old] = await triedDeliveries(organizationId, owner, one.id, 2);
    await testDatabase()
      .update(webhookDeliveries)
      .set({ createdAt: Date.now() - DELIVERY_RETENTION - 1 })
      .where(and(eq(webhookDeliveries.webhookId, one.id), eq(webhookDeliveries.id, old?.id ?? "")));
    await expireDeliveries.run(systemContext(), {} as never).then(({ change }) => change?.commit());
    expect((await deliveriesOf(organizationId, owner, one.id)).map(({ id }) => id)).not.toContain(old?.id);
    expect((await deliveriesOf(organizationId, owner, one.id)).length).toBe(1);
  });
});

const triesOf = async (one: Hook): Promise<number> =>
  (await deliveriesOf(organizationId, owner, one.id))[0]?.tries ?? 0;

describe("the access of the subscriber", () => {
  test("is read again at each try: what they may not see any more is withheld", async () => {
    const admin = await mintMember(organizationId, "admin");
    await behave(url, { status: 500 });
    const one = await hook({}, admin);
    await annotate("Secret");
    const [first] = await triedDeliveries(organizationId, owner, one.id, 1);
    await testDatabase()
      .update(memberships)
      .set({ overrides: { LocationBundles: "None" } })
      .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, admin.userId)));
    const before = (await receivedBy(url)).length;
    await sendNow(one);
    expect((await deliveriesOf(organizationId, owner, one.id))[0]).toMatchObject({ id: first?.id, status: "withheld" });
    expect((await receivedBy(url)).length).toBe(before);
    // The body shows what it is about only to who may see it.
    const detail = (who: Person) => deliveryOf(organizationId, who, one.id, first?.id ?? "");
    expect((await detail(admin)).requestBody).toBeNull();
    expect((await detail(owner)).requestBody).toContain("Secret");
  });

  test("ends with the membership: the webhook is switched off, and owners and admins are told", async () => {
    const admin = await mintMember(organizationId, "admin");
    const one = await hook({}, admin);
    const path = `/v1/orgs/${organizationId}/members/${admin.userId}`;
    expect((await call("DELETE", path, { token: owner.token })).status).toBe(204);
    await annotate("Crack");
    await eventually(async () =>
      expect(await read(one)).toMatchObject({ isEnabled: false, disabledReason: "subscriber-left" }),
    );
    expect(await receivedBy(url)).toEqual([]);
    await eventually(async () =>
      expect(await notificationsOf(owner.userId)).toContainEqual(expect.objectContaining({ type: "webhook-disabled" })),
    );
    // Who switches it on becomes the subscriber, and what waited is sent.
    const on = await expectJson(webhookSchema, 200, "PATCH", hooksPath(organizationId, `/${one.id}`), {
      token: owner.token,
      body: { isEnabled: true },
    });
    expect(on).toMatchObject({ isEnabled: true, disabledReason: null, subscriber: { userId: owner.userId } });
    await eventually(async () => expect((await receivedBy(url)).length).toBe(1));
  });

  test("an event whose subject is gone is withheld", async () => {
    const one = await hook();
    await setHook(one, { pausedUntil: Date.now() + 3_600_000 });
    const { id } = await annotate("Short");
    await eventually(async () => expect((await deliveriesOf(organizationId, owner, one.id)).length).toBe(1));
    expect((await call("DELETE", `/v1/annotations/${id}`, { token: owner.token })).status).toBe(204);
    await sendNow(one);
    expect((await deliveriesOf(organizationId, owner, one.id))[0]).toMatchObject({ status: "withheld" });
    expect(await receivedBy(url)).toEqual([]);
  });

  test("nothing is sent for a deleted organization", async () => {
    const one = await hook();
    await setHook(one, { pausedUntil: Date.now() + 3_600_000 });
    await annotate("Crack");
    await eventually(async () => expect((await deliveriesOf(organizationId, owner, one.id)).length).toBe(1));
    await testDatabase().update(organizations).set({ deletedAt: 1 }).where(eq(organizations.id, organizationId));
    await sendNow(one);
    expect(await receivedBy(url)).toEqual([]);
    await testDatabase().update(organizations).set({ deletedAt: null }).where(eq(organizations.id, organizationId));
    await sendNow(one);
    expect((await receivedBy(url)).length).toBe(1);
  });
});

describe("an address", () => {
  test("that answers 410 switches the webhook off", async () => {
    await behave(url, { status: 410 });
    const one = await hook();
    await annotate("Crack");
    await eventually(async () => expect(await read(one)).toMatchObject({ isEnabled: false, disabledReason: "gone" }));
    expect((await deliveriesOf(organizationId, owner, one.id))[0]).toMatchObject({ status: "failed", tries: 1 });
    await eventually(async () =>
      expect(await notificationsOf(owner.userId)).toContainEqual(
        expect.objectContaining({ type: "webhook-disabled", title: "The webhook “Hook” is switched off" }),
      ),
    );
  });

  test("that stays dead switches the webhook off", async () => {
    await behave(url, { status: 500 });
    const one = await hook();
    await annotate("Crack");
    await triedDeliveries(organizationId, owner, one.id, 1);
    await setHook(one, { failingSince: Date.now() - DEAD_AFTER_MS });
    await sendNow(one);
    expect(await read(one)).toMatchObject({ isEnabled: false, disabledReason: "dead" });
  });

  test("that hangs does not delay the address of another organization", async () => {
    await behave(url, { delayMs: 60_000 });
    const dead = await hook();
    for (let n = 0; n < 6; n++) await annotate(`Crack ${n}`);
    await eventually(async () => expect((await receivedBy(url)).length).toBeGreaterThan(0));
    const other = await mintOrganization();
    const place = await mintLocation({ organizationId: other.id });
    const alive = newReceiver();
    const theirs = await createHook(other.id, other.owner, { url: alive, types: ["annotation.created"] });
    const body = { kind: "note", title: "Quick" };
    await call("POST", `/v1/spatial/locations/${place.id}/annotations`, { token: other.owner.token, body });
    await triedDeliveries(other.id, other.owner, theirs.id, 1);
    // The requests of the dead address have not ended: at most five were sent at the same time.
    expect((await receivedBy(url)).length).toBeLessThanOrEqual(5);
    await eventually(async () => {
      const all = await deliveriesOf(organizationId, owner, dead.id);
      const [tried] = all.filter(({ tries }) => tries > 0);
      const { attempts } = await deliveryOf(organizationId, owner, dead.id, tried?.id ?? "");
      expect(attempts[0]).toMatchObject({ status: null, fault: "timeout" });
    });
  });

  test("pauses grow from MIN_PAUSE_MS to MAX_PAUSE_MS", async () => {
    expect(pauseAfter(1)).toBe(MIN_PAUSE_MS);
    expect(pauseAfter(2)).toBe(2 * MIN_PAUSE_MS);
    expect(pauseAfter(1_000)).toBe(MAX_PAUSE_MS);
    await behave(url, { status: 500 });
    const one = await hook();
    await annotate("Crack");
    await triedDeliveries(organizationId, owner, one.id, 1);
    await setHook(one, { pausedUntil: Date.now() + MAX_PAUSE_MS });
    await setDeliveries(one, { nextAt: 0 });
    const before = (await receivedBy(url)).length;
    await runThrough("send-webhooks", [{ webhookId: one.id }]);
    expect((await receivedBy(url)).length).toBe(before);
  });

  test("gets at most MAX_REQUESTS_AT_ONCE requests at the same time, and one after a failure", async () => {
    await behave(url, { delayMs: 3_000 });
    const one = await hook();
    const send = async (count: number) => {
      const rows = Array.from({ length: count }, () => ({
        ...{ webhookId: one.id, id: newIdIn(organizationId), organizationId, type: "ping", event: null },
        ...{ status: "pending" as const, nextAt: Date.now() - 1, createdAt: Date.now() },
      }));
      for (const row of rows) await testDatabase().insert(webhookDeliveries).values(row);
      const sent = (await receivedBy(url)).length;
      const before = Date.now();
      // Two workers at the same time.
      await runThrough("send-webhooks", [{ webhookId: one.id }, { webhookId: one.id }]);
      await eventually(async () => expect((await receivedBy(url)).length).toBe(sent + count));
      const times = (await receivedBy(url)).slice(sent).map(({ at }) => at - before);
      // Requests that begin within a second wait at the same time: each takes three.
      return times.filter((at) => at < Math.min(...times) + 1_000).length;
    };
    expect(await send(MAX_REQUESTS_AT_ONCE + 1)).toBe(MAX_REQUESTS_AT_ONCE);
    await setHook(one, { failures: 1 });
    expect(await send(2)).toBe(1);
  });

  test("whose deliveries pile up switches the webhook off instead of losing one silently", async () => {
    const one = await hook();
    await setHook(one, { pausedUntil: Date.now() + 3_600_000 });
    await env.DB.prepare(
      `INSERT INTO webhook_deliveries (webhook_id, id, organization_id, type, status, next_at, created_at)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?3)
        SELECT ?1, printf('00000000-0000-7000-8000-%012d', i), ?2, 'ping', 'pending', 9e15, 9e12 FROM n`,
    )
      .bind(one.id, organizationId, MAX_PENDING_DELIVERIES)
      .run();
    await annotate("One too many");
    await eventually(async () => expect(await read(one)).toMatchObject({ isEnabled: false, disabledReason: "full" }));
  });
});

describe("a secret", () => {
  test("is rotated: both sign for a day", async () => {
    const one = await hook();
    const path = hooksPath(organizationId, `/${one.id}/rotate-secret`);
    const rotated = await expectJson(webhookWithSecretSchema, 200, "POST", path, { token: owner.token });
    expect(rotated.secret).not.toBe(one.secret);
    await annotate("Crack");
    await triedDeliveries(organizationId, owner, one.id, 1);
    const [request] = await receivedBy(url);
    if (request === undefined) throw new Error("no request");
    const signatures = request.headers["webhook-signature"]?.split(" ");
    expect(signatures).toEqual([signatureOf(rotated.secret, request), signatureOf(one.secret, request)]);
    await setHook(one, { formerUntil: Date.now() - 1 });
    await annotate("Another");
    await triedDeliveries(organizationId, owner, one.id, 2);
    const later = (await receivedBy(url)).at(-1);
    expect(later?.headers["webhook-signature"]).toBe(later && signatureOf(rotated.secret, later));
    expect((await read(one)).formerSecretUntilUtc).toBeNull();
  });

  test("is in no row and no other answer, and one that cannot be read switches the webhook off", async () => {
    const one = await hook();
    const [row] = await testDatabase().select().from(webhooks).where(eq(webhooks.id, one.id));
    expect(JSON.stringify(row)).not.toContain(one.secret.slice(6));
    expect(JSON.stringify(await read(one))).not.toContain("whsec_");
    await setHook(one, { secret: btoa("of another installation, which has another key") });
    await annotate("Crack");
    await eventually(async () =>
      expect(await read(one)).toMatchObject({ isEnabled: false, disabledReason: "secret-unreadable" }),
    );
    expect(await receivedBy(url)).toEqual([]);
  });
});

describe("other events", () => {
  test("members are told of", async () => {
    const one = await hook({ types: ["member.changed", "member.removed"] });
    const member = await mintMember(organizationId, "member");
    const path = `/v1/orgs/${organizationId}/members/${member.userId}`;
    await call("PATCH", path, { token: owner.token, body: { role: "admin" } });
    await triedDeliveries(organizationId, owner, one.id, 1);
    await call("DELETE", path, { token: owner.token });
    await triedDeliveries(organizationId, owner, one.id, 2);
    const bodies = (await receivedBy(url)).map(({ body }) => payloadSchema.parse(JSON.parse(body)));
    expect(bodies.map(({ type, data }) => [type, data.id, data.role])).toEqual([
      ["member.changed", member.userId, "admin"],
      ["member.removed", member.userId, null],
    ]);
  });

  test("a member who deletes their account is removed", async () => {
    const { accessToken: token, user } = await registerUser({ email: `${crypto.randomUUID()}@people.test` });
    await addMember(organizationId, user.id, "member");
    const one = await hook({ types: ["member.removed"] });
    const headers = { "cf-connecting-ip": freshIp() };
    const answer = await call("DELETE", "/v1/auth/me", { token, body: { password: PASSWORD }, headers });
    expect(answer.status).toBe(204);
    await triedDeliveries(organizationId, owner, one.id, 1);
    const [request] = await receivedBy(url);
    const { type, data } = payloadSchema.parse(JSON.parse(request?.body ?? ""));
    expect([type, data.id, data.name, data.role]).toEqual(["member.removed", user.id, null, null]);
  });

  test("a test has the type ping", async () => {
    const one = await hook();
    const path = hooksPath(organizationId, `/${one.id}/test`);
    await expectJson(deliverySchema, 202, "POST", path, { token: owner.token });
    await triedDeliveries(organizationId, owner, one.id, 1);
    const [request] = await receivedBy(url);
    expect(JSON.parse(request?.body ?? "")).toMatchObject({ type: "ping", data: { webhookId: one.id, name: "Hook" } });
  });
});
