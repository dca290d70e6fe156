import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { notificationSchema } from "../../src/notifications/inbox";
import { call, expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import {
  addMember,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { endedJobs, keepJobs } from "../support/jobs";
import { fewestRoundTrips } from "../support/statements";
import { sweepOnce } from "../support/sweeper";

const page = z.object({
  items: z.array(notificationSchema),
  offset: z.int(),
  limit: z.int(),
  hasMore: z.boolean(),
  nextCursor: z.string().nullable(),
});
const unread = z.object({ unreadCount: z.int() });

const inbox = (token: string, query = "") => expectJson(page, 200, "GET", `/v1/notifications${query}`, { token });
const unreadOf = async (token: string) =>
  (await expectJson(unread, 200, "GET", "/v1/notifications/unread-count", { token })).unreadCount;

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, locationId: location.id };
}

/** A member with notifications of `count` uploads of the owner. */
async function toldOf(count: number) {
  const place = await site();
  const member = await mintMember(place.organizationId);
  const documentIds: string[] = [];
  for (let i = 0; i < count; i++) {
    const document = await uploadDocument(place.owner.token, place.locationId, {
      fileName: `file-${i}.txt`,
      bytes: `text ${i}`,
    });
    await endedJobs(place.organizationId, "announce");
    documentIds.push(document.id);
  }
  return { ...place, member, documentIds };
}

describe("a notification goes to", () => {
  test("users who may read the document and not its author, once for repeated announcements", async () => {
    const { owner, locationId, organizationId } = await site();
    const [reader, blind, outsider] = [
      await mintMember(organizationId),
      await mintMember(organizationId, "member", { Documents: "None" }),
      await mintPerson(),
    ];
    const shared = await mintPerson();
    await keepJobs(organizationId);
    const document = await uploadDocument(owner.token, locationId, { fileName: "plan.txt", bytes: "plan" });
    const [first] = await endedJobs(organizationId, "announce");
    await mintGrant({ organizationId }, shared.userId, "document", document.id, { Documents: "Read" });
    // A repeated delivery: each recipient keeps one notification, and other people get none.
    await env.DB.prepare("UPDATE jobs SET status = 'queued', run_at = 0, sent_at = 0, finished_at = NULL WHERE id = ?")
      .bind(first?.id)
      .run();
    await sweepOnce();
    await endedJobs(organizationId, "announce");
    {
      const { items } = await inbox(reader.token);
      expect(items).toMatchObject([
        {
          type: "document-uploaded",
          isRead: false,
          origin: {
            type: "spatial-document",
            id: document.id,
            url: `/console/documents/${document.id}`,
            documentId: document.id,
          },
        },
      ]);
    }
    for (const person of [owner, blind, outsider, shared]) expect((await inbox(person.token)).items).toEqual([]);
    const rows = await env.DB.prepare(
      "SELECT count(*) AS n FROM notifications JOIN notification_events ON no = event_no WHERE document_id = ?",
    )
      .bind(document.id)
      .first();
    expect(rows).toEqual({ n: 1 });
  });

  test("nobody who turned the type off", async () => {
    const { owner, locationId, organizationId } = await site();
    const member = await mintMember(organizationId);
    const off = await expectJson(z.looseObject({}), 200, "PUT", "/v1/notifications/preferences", {
      token: member.token,
      body: { "document-uploaded": { inApp: false } },
    });
    expect(off).toMatchObject({ "document-uploaded": { inApp: false }, "grant-given": { inApp: true } });
    await uploadDocument(owner.token, locationId, { fileName: "quiet.txt", bytes: "quiet" });
    await endedJobs(organizationId, "announce");
    expect((await inbox(member.token)).items).toEqual([]);
  });

  test("a new member and the user of a new grant", async () => {
    const { organizationId, locationId } = await site();
    const [member, guest] = [await mintPerson(), await mintPerson()];
    await addMember(organizationId, member.userId, "member");
    await announceEvent({ type: "membership-given", organizationId, userId: member.userId, actorUserId: null });
    const grantId = await mintGrant({ organizationId }, guest.userId, "location", locationId, { LocationView: "Read" });
    await announceEvent({ type: "grant-given", grantId, actorUserId: null });
    expect((await inbox(member.token)).items).toMatchObject([
      {
        type: "membership-given",
        origin: { type: "organization", url: `/console/locations?organization=${organizationId}` },
      },
    ]);
    expect((await inbox(guest.token)).items).toMatchObject([
      { type: "grant-given", origin: { type: "location", url: `/console/locations/${locationId}` } },
    ]);
  });

  test("owners and admins when the storage is full, and a person for their own storage", async () => {
    const { organizationId, owner } = await site();
    const member = await mintMember(organizationId);
    await announceEvent({ type: "storage-level", tenantId: organizationId, percent: 95 });
    await announceEvent({ type: "storage-level", tenantId: member.userId, percent: 100 });
    expect((await inbox(owner.token)).items).toMatchObject([{ type: "storage-low", severity: "warning" }]);
    expect((await inbox(member.token)).items).toMatchObject([
      { type: "storage-full", severity: "error", origin: null },
    ]);
    const narrowed = await mintToken(member.userId, { organizationIds: [organizationId] });
    expect((await inbox(narrowed.token)).items).toEqual([]);
  });
});

describe("the inbox", () => {
  test("does not count or page hidden notifications, and shows them again with their read state", async () => {
    const { organizationId, member, documentIds, locationId } = await toldOf(3);
    const { items } = await inbox(member.token);
    expect(items.map((item) => item.origin?.documentId)).toEqual(documentIds.toReversed());
    await expectJson(unread, 200, "PATCH", `/v1/notifications/${items[0]?.id}/read`, { token: member.token });
    await env.DB.prepare("UPDATE memberships SET overrides = ? WHERE user_id = ?")
      .bind('{"Documents":"None"}', member.userId)
      .run();
    await mintGrant({ organizationId }, member.userId, "document", documentIds[0] ?? "", { Documents: "Read" });
    expect((await inbox(member.token, "?limit=1")).items.map((item) => item.origin?.documentId)).toEqual([
      documentIds[0],
    ]);
    expect((await inbox(member.token, "?offset=1")).items).toEqual([]);
    expect(await unreadOf(member.token)).toBe(1);
    expect((await call("PATCH", `/v1/notifications/${items[1]?.id}/read`, { token: member.token })).status).toBe(404);
    await env.DB.prepare("UPDATE memberships SET overrides = '{}' WHERE user_id = ?").bind(member.userId).run();
    expect((await inbox(member.token)).items.map((item) => item.isRead)).toEqual([true, false, false]);
    await env.DB.prepare("UPDATE locations SET deleted_at = 1 WHERE id = ?").bind(locationId).run();
    expect(await unreadOf(member.token)).toBe(0);
  });

  test("marks the given or all visible notifications, and none of another user", async () => {
    const { member, owner } = await toldOf(3);
    const { items } = await inbox(member.token);
    const ids = items.map((item) => item.id);
    const mark = (token: string, body: unknown) =>
      expectJson(unread, 200, "POST", "/v1/notifications/read", { token, body });
    expect(await mark(owner.token, { notificationIds: ids })).toEqual({ unreadCount: 0 });
    expect(await unreadOf(member.token)).toBe(3);
    expect(await mark(member.token, { notificationIds: ids.slice(0, 1) })).toEqual({ unreadCount: 2 });
    expect((await inbox(member.token, "?unreadOnly=true")).items).toHaveLength(2);
    expect(await mark(member.token, { all: true })).toEqual({ unreadCount: 0 });
    expect(await mark(member.token, { all: true })).toEqual({ unreadCount: 0 });
  });

  test("lists the notifications after a sequence number, with a correct hasMore", async () => {
    const { member } = await toldOf(3);
    const all = await inbox(member.token);
    const numbers = all.items.map((item) => item.seq);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
    const since = await inbox(member.token, `?sinceSeq=${numbers[2]}`);
    expect(since.items.map((item) => item.seq)).toEqual(numbers.slice(0, 2));
    expect(await inbox(member.token, "?limit=2")).toMatchObject({ limit: 2, offset: 0, hasMore: true });
    expect(await inbox(member.token, "?limit=2&offset=1")).toMatchObject({ hasMore: false });
  });

  test("lists from the oldest, so that a client which failed after a page reads on", async () => {
    const { member } = await toldOf(5);
    const numbers = (await inbox(member.token)).items.map(({ seq }) => seq).reverse();
    const [first = 0] = numbers;
    const one = await inbox(member.token, `?order=oldest&sinceSeq=${first}&limit=2`);
    expect(one.items.map(({ seq }) => seq)).toEqual(numbers.slice(1, 3));
    const two = await inbox(member.token, `?order=oldest&sinceSeq=${first}&limit=2&cursor=${one.nextCursor}`);
    expect(two).toMatchObject({ hasMore: false, nextCursor: null });
    expect(two.items.map(({ seq }) => seq)).toEqual(numbers.slice(3));
    const again = await inbox(member.token, `?order=oldest&sinceSeq=${numbers[2]}`);
    expect(again.items).toEqual(two.items);
    const offset = await inbox(member.token, "?order=oldest&offset=3");
    expect(offset.items).toEqual(two.items);
    const before = await inbox(member.token, `?beforeSeq=${numbers[2]}`);
    expect(before.items.map(({ seq }) => seq)).toEqual(numbers.slice(0, 2).reverse());
  });

  test("marks all up to one as read, and leaves the newer ones", async () => {
    const { member } = await toldOf(3);
    const [newest, middle] = (await inbox(member.token)).items;
    const body = { all: true, upToSeq: middle?.seq };
    expect(await expectJson(unread, 200, "POST", "/v1/notifications/read", { token: member.token, body })).toEqual({
      unreadCount: 1,
    });
    expect((await inbox(member.token, "?unreadOnly=true")).items.map(({ id }) => id)).toEqual([newest?.id]);
  });

  test("archives notifications, puts them back, and marks them as unread", async () => {
    const { member, owner } = await toldOf(3);
    const ids = (await inbox(member.token)).items.map(({ id }) => id);
    const [first = ""] = ids;
    const change = async (what: string, body: object, { token } = member) =>
      (await expectJson(unread, 200, "POST", `/v1/notifications/${what}`, { token, body })).unreadCount;
    const listed = async (query = "") => (await inbox(member.token, query)).items.map(({ id }) => id);
    await change("archive", { all: true }, owner);
    expect(await change("archive", { notificationIds: [first] })).toBe(2);
    expect([await listed(), await listed("?archived=true")]).toEqual([ids.slice(1), [first]]);
    expect((await inbox(member.token, "?archived=true")).items).toMatchObject([
      { isRead: true, archivedAtUtc: expect.any(String) },
    ]);
    // An archived notification is not unread before it is back.
    expect(await change("unread", { notificationIds: [first] })).toBe(2);
    expect(await change("unarchive", { notificationIds: ids })).toBe(3);
    expect(await listed()).toEqual(ids);
    await change("read", { all: true });
    await change("archive", { notificationIds: [first] });
    expect(await change("unarchive", { notificationIds: [first] })).toBe(0);
    expect(await change("unread", { notificationIds: ids })).toBe(3);
    expect((await inbox(member.token)).items.map(({ readAtUtc }) => readAtUtc)).toEqual([null, null, null]);
    expect(await change("archive", { all: true })).toBe(0);
    expect([await listed(), await listed("?archived=true")]).toEqual([[], ids]);
    expect(await unreadOf(member.token)).toBe(0);
  });

  test("refuses invalid queries and bodies", async () => {
    const { token } = await mintPerson();
    for (const query of [
      "?limit=0",
      "?limit=101",
      "?offset=-1",
      "?unreadOnly=perhaps",
      "?sinceSeq=x",
      "?beforeSeq=-1",
      "?order=best",
      "?archived=1",
    ])
      expect([query, (await call("GET", `/v1/notifications${query}`, { token })).status]).toEqual([query, 400]);
    for (const body of [
      {},
      { all: false },
      { all: true, notificationIds: [] },
      { notificationIds: [] },
      { notificationIds: ["x"] },
      { all: true, upToSeq: -1 },
      { notificationIds: [crypto.randomUUID()], upToSeq: 1 },
    ])
      for (const change of ["read", "archive"])
        expect((await call("POST", `/v1/notifications/${change}`, { token, body })).status).toBe(400);
    for (const change of ["unread", "unarchive"])
      expect((await call("POST", `/v1/notifications/${change}`, { token, body: { all: true } })).status).toBe(400);
  });
});

describe("a restricted token", () => {
  const readAll = (token: string) =>
    expectJson(unread, 200, "POST", "/v1/notifications/read", { token, body: { all: true } });

  test("shows notifications of its location without a cluster", async () => {
    const { organizationId, owner, locationId } = await site();
    const guest = await mintPerson();
    const held = { ClusterView: "Read", LocationView: "Read", Documents: "Read" } as const;
    await mintGrant({ organizationId }, guest.userId, "location", locationId, held);
    const document = await uploadDocument(owner.token, locationId, { fileName: "shown.txt", bytes: "shown" });
    await endedJobs(organizationId, "announce");
    const { token } = await mintToken(guest.userId, { organizationIds: [organizationId] });
    expect((await inbox(token)).items).toMatchObject([{ origin: { id: document.id } }]);
    expect(await unreadOf(token)).toBe(1);
    expect((await readAll(token)).unreadCount).toBe(0);
  });

  test("has an empty inbox without any scope, and needs no database query", async () => {
    const { member } = await toldOf(1);
    const elsewhere = await mintOrganization();
    const { token } = await mintToken(member.userId, { organizationIds: [elsewhere.id] });
    const asIs = await mintToken(member.userId);
    expect(await unreadOf(asIs.token)).toBe(1);
    expect((await inbox(token)).items).toEqual([]);
    expect((await readAll(token)).unreadCount).toBe(0);
    expect(await fewestRoundTrips(() => unreadOf(token))).toBe(1);
    const [seen] = (await inbox(asIs.token)).items;
    expect((await call("PATCH", `/v1/notifications/${seen?.id}/read`, { token })).status).toBe(404);
    expect(await unreadOf(asIs.token)).toBe(1);
  });
});

describe("live", () => {
  test("sends a notification to each connection that may see it, and its read state to the other connections", async () => {
    const { owner, locationId, organizationId } = await site();
    const member = await mintMember(organizationId);
    const narrowed = await mintToken(member.userId, { capabilities: { LocationView: "Read" } });
    const [wide, narrow] = [
      await HubClient.connect(member.token),
      await HubClient.connect(narrowed.token, "messagepack"),
    ];
    await uploadDocument(owner.token, locationId, { fileName: "live.txt", bytes: "live" });
    await endedJobs(organizationId, "announce");
    const [received] = await wide.expectEvent("NotificationReceived");
    const dto = notificationSchema.parse(received);
    expect(dto).toEqual((await inbox(member.token)).items[0]);
    expect(received).toMatchObject({ unreadCount: 1 });
    await call("PATCH", `/v1/notifications/${dto.id}/read`, { token: member.token });
    const [after] = await wide.expectEvent("NotificationReceived", ([again]) => notificationSchema.parse(again).isRead);
    expect(after).toMatchObject({ unreadCount: 0 });
    await narrow.invoke("Settle");
    expect(narrow.events()).toEqual([]);
    for (const client of [wide, narrow]) client.close();
  });
});

/** Lists whose items leave them while a client reads page after page. */
const SHRINKING: readonly [list: string, body: Record<string, unknown>, leave: string][] = [
  ["unreadOnly=true", {}, "read"],
  ["unreadOnly=true&order=oldest", {}, "read"],
  ["order=newest", {}, "archive"],
  ["archived=true", { all: true }, "unarchive"],
  ["archived=true&order=oldest", { all: true }, "unarchive"],
];

test.each(SHRINKING)(
  "pages of %s skip none and repeat none while their items leave the list",
  async (list, before, leave) => {
    const { owner, member, documentIds, locationId, organizationId } = await toldOf(5);
    const mark = (kind: string, body: Record<string, unknown>) =>
      expectJson(unread, 200, "POST", `/v1/notifications/${kind}`, { token: member.token, body });
    if (before.all === true) await mark("archive", before);
    const seen: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const next = cursor === "" ? "" : `&cursor=${cursor}`;
      const { items, nextCursor, hasMore } = await inbox(member.token, `?${list}&limit=2${next}`);
      expect(hasMore).toBe(nextCursor !== null);
      seen.push(...items.map(({ origin }) => origin?.id ?? ""));
      if (cursor === "") {
        // One that arrives meanwhile is newer than each page.
        await uploadDocument(owner.token, locationId, { fileName: "late.txt", bytes: "late" });
        await endedJobs(organizationId, "announce");
      }
      await mark(leave, { notificationIds: items.map(({ id }) => id.toUpperCase()) });
      cursor = nextCursor;
    }
    const isOldestFirst = list.endsWith("oldest");
    const expected = isOldestFirst ? documentIds : documentIds.toReversed();
    expect(seen.slice(0, 5)).toEqual(expected);
    // The order from the oldest reaches it. An archived list does not have it.
    expect(seen).toHaveLength(list === "unreadOnly=true&order=oldest" ? 6 : 5);
  },
);

test("pages of unread notifications skip none that are marked as read meanwhile", async () => {
  const { member, documentIds } = await toldOf(5);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const next = cursor === "" ? "" : `&cursor=${cursor}`;
    const { items, nextCursor, hasMore } = await inbox(member.token, `?unreadOnly=true&limit=2${next}`);
    expect(hasMore).toBe(nextCursor !== null);
    for (const { id, origin } of items) {
      seen.push(origin?.id ?? "");
      expect((await call("PATCH", `/v1/notifications/${id.toUpperCase()}/read`, member)).status).toBe(200);
    }
    cursor = nextCursor;
  }
  expect(seen).toEqual(documentIds.toReversed());
});
