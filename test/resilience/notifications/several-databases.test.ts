import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { loadFactsOf } from "../../../src/access/permission/load";
import { readVisible } from "../../../src/notifications";
import { notificationSchema } from "../../../src/notifications/inbox";
import { MAX_NOTIFICATIONS_PER_USER } from "../../../src/notifications/limits";
import { NO_LIMITS } from "../../../src/platform/caller";
import { beginChange } from "../../../src/platform/db/change";
import { NO_WORKSPACE } from "../../../src/platform/db/residence";
import {
  addMemberSeveral,
  callSeveral,
  contextOfDatabase,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  organizationIn,
  registerIn,
  runJobs,
  severalContext,
} from "../../support/databases";
import { eventually } from "../../support/patience";

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
const page = z.object({ items: z.array(notificationSchema), hasMore: z.boolean(), nextCursor: z.string().nullable() });
const unread = z.object({ unreadCount: z.int() });
type Person = Awaited<ReturnType<typeof registerIn>>;

const inbox = ({ token }: Person, query = "") =>
  expectSeveral(page, 200, "GET", `/v1/notifications?${query}`, { token });
const unreadOf = async ({ token }: Person): Promise<number> =>
  (await expectSeveral(unread, 200, "GET", "/v1/notifications/unread-count", { token })).unreadCount;
const mark = ({ token }: Person, body: unknown) =>
  expectSeveral(unread, 200, "POST", "/v1/notifications/read", { token, body });

/** The numbers of two databases give the order of notifications that are this far apart, milliseconds. */
const ORDERED_MS = 128;

/** A person with a notification of each of these places: each is of an organization that has just added them. */
async function toldIn(places: readonly string[], home: string) {
  const [owner, person] = [await registerIn("first"), await registerIn(home)];
  const organizations: string[] = [];
  for (const place of places) {
    const id = await organizationIn(place, owner.token);
    await addMemberSeveral(id, owner, person);
    await runJobs();
    organizations.push(id);
    const told = Date.now();
    await eventually(() => expect(Date.now() - told).toBeGreaterThan(ORDERED_MS));
  }
  return { owner, person, organizations };
}

const PLACES = ["second", "first", "second", "second", "first", "first", "second"];

test("each database keeps its newest notifications of a person, and the list has those of all", async () => {
  const person = await registerIn("first");
  const { userId } = person;
  const more = 2;
  // Each database has numbers of its own.
  const FIRST = { first: 2_000_000, second: 1_000_000 } as const;
  for (const name of ["first", "second"] as const) {
    await organizationIn(name, person.token);
    const numbers = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)";
    // Other files write rows with low numbers, and their moves allot numbers after the highest one.
    onTestFinished(async () => {
      await databaseOf(name).prepare("DELETE FROM notifications WHERE user_id = ?").bind(userId).run();
      await databaseOf(name).prepare("DELETE FROM notification_events WHERE no >= ?").bind(FIRST[name]).run();
    });
    const [first, count] = [FIRST[name], MAX_NOTIFICATIONS_PER_USER + more];
    await databaseOf(name).batch([
      databaseOf(name)
        .prepare(
          `INSERT INTO notification_events (no, event_id, type, severity, title, body, created_at, page_after, page_seq, recipients)
            ${numbers} SELECT i, ?3 || i, 'storage-low', 'info', '', '', 0, '', i, 1 FROM n`,
        )
        .bind(first, count, userId),
      databaseOf(name)
        .prepare(`INSERT INTO notifications (user_id, seq, event_no) ${numbers} SELECT ?3, i, i FROM n`)
        .bind(first, count, userId),
    ]);
    const change = beginChange(contextOfDatabase(name), NO_WORKSPACE);
    change.job("expire-notifications", {});
    await change.commit();
  }
  await runJobs();
  const kept = await inEach<{ n: number; least: number }>(
    "SELECT count(*) AS n, min(seq) AS least FROM notifications WHERE user_id = ?",
    userId,
  );
  const n = MAX_NOTIFICATIONS_PER_USER;
  expect(kept).toEqual({
    first: [{ n, least: FIRST.first + more }],
    second: [{ n, least: FIRST.second + more }],
  });
  expect(await unreadOf(person)).toBe(2 * n);
});

test("a mark under one Idempotency-Key is made once in all databases", async () => {
  const { person } = await toldIn(["first", "second"], "first");
  const { token } = person;
  const notificationIds = (await inbox(person)).items.map(({ id }) => id);
  const send = (mark: string, key: string) =>
    callSeveral("POST", `/v1/notifications/${mark}`, {
      token,
      body: { notificationIds },
      headers: { "idempotency-key": key },
    });
  const archived = async () => (await inbox(person, "archived=true")).items.length;
  expect((await send("archive", "a")).status).toBe(200);
  expect(await archived()).toBe(2);
  expect((await send("unarchive", "b")).status).toBe(200);
  // A repeat after a lost answer does not undo what the person did since.
  const repeat = await send("archive", "a");
  expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
  expect(await archived()).toBe(0);
});

describe.each(["first", "second"])("the inbox of a person whose personal workspace is in %s", (home) => {
  test("has the notifications of all databases once, newest first, in pages of every size", async () => {
    const { person, organizations } = await toldIn(PLACES, home);
    const wanted = organizations.toReversed();
    const about = (items: z.infer<typeof notificationSchema>[]) => items.map(({ origin }) => origin?.id);
    const all = await inbox(person, "limit=100");
    expect(about(all.items)).toEqual(wanted);
    expect(new Set(all.items.map(({ seq }) => seq)).size).toBe(PLACES.length);
    expect(await unreadOf(person)).toBe(PLACES.length);
    for (const limit of [1, 2, 3, 7]) {
      const found: unknown[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const next: z.infer<typeof page> = await inbox(person, `limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(next.hasMore).toBe(next.nextCursor !== null);
        found.push(...about(next.items));
        cursor = next.nextCursor;
      }
      expect(found).toEqual(wanted);
      for (let offset = 0; offset <= PLACES.length + 1; offset += limit)
        expect(about((await inbox(person, `limit=${limit}&offset=${offset}`)).items)).toEqual(
          wanted.slice(offset, offset + limit),
        );
    }
    // The rows are where the organizations are.
    const rows = await inEach<{ n: number }>(
      "SELECT count(*) AS n FROM notifications WHERE user_id = ?",
      person.userId,
    );
    expect(rows).toEqual({ first: [{ n: 3 }], second: [{ n: 4 }] });
  });

  test("marks one, some and all in each database, and counts what is left", async () => {
    const { person } = await toldIn(PLACES, home);
    const { items } = await inbox(person);
    const [one, two, three] = items.map(({ id }) => id);
    const path = `/v1/notifications/${one}/read`;
    expect(await expectSeveral(unread, 200, "PATCH", path, person)).toEqual({ unreadCount: 6 });
    expect(await mark(person, { notificationIds: [one, two, three] })).toEqual({ unreadCount: 4 });
    expect((await inbox(person, "unreadOnly=true&limit=3")).items).toHaveLength(3);
    const headers = { "idempotency-key": person.userId };
    const body = { all: true };
    const call = { token: person.token, headers, body };
    for (let times = 0; times < 2; times++)
      expect(await expectSeveral(unread, 200, "POST", "/v1/notifications/read", call)).toEqual({ unreadCount: 0 });
    expect((await inbox(person, "unreadOnly=true")).items).toEqual([]);
    const stranger = await registerIn("second");
    expect((await callSeveral("PATCH", path, stranger)).status).toBe(404);
  });

  test("has nothing of an organization that the person has left, in either database", async () => {
    const { owner, person, organizations } = await toldIn(["first", "second"], home);
    for (const [left, organizationId] of organizations.entries()) {
      await expectSeveral(z.null(), 204, "DELETE", `/v1/orgs/${organizationId}/members/${person.userId}`, {
        token: owner.token,
        headers: { "if-match": '"1"' },
      });
      expect(await unreadOf(person)).toBe(1 - left);
    }
  });

  test("respects what the person has turned off, wherever the event is", async () => {
    const { owner, person } = await toldIn([], home);
    const set = { token: person.token, body: { "membership-given": { inApp: false } } };
    const preferences = z.object({ "membership-given": z.object({ inApp: z.boolean() }) });
    const path = "/v1/notifications/preferences";
    const off = { "membership-given": { inApp: false } };
    expect(await expectSeveral(preferences, 200, "PUT", path, set)).toMatchObject(off);
    expect(await expectSeveral(preferences, 200, "GET", path, person)).toMatchObject(off);
    for (const place of ["first", "second"])
      await addMemberSeveral(await organizationIn(place, owner.token), owner, person);
    await runJobs();
    expect((await inbox(person)).items).toEqual([]);
  });
});

test("a guest hears of a share of a personal workspace in the other database", async () => {
  for (const [home, other] of [
    ["first", "second"],
    ["second", "first"],
  ] as const) {
    const [owner, guest] = [await registerIn(home), await registerIn(other)];
    await databaseOf("directory")
      .prepare("UPDATE users SET email_verified_at = 1 WHERE id = ?")
      .bind(guest.userId)
      .run();
    const cluster = { token: owner.token, body: { organizationId: null, name: "Mine" } };
    const { id } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", cluster);
    await expectSeveral(made, 201, "POST", `/v1/spatial/clusters/${id}/grants`, {
      token: owner.token,
      body: { email: guest.email, capabilities: { ClusterView: "Read" } },
    });
    await runJobs();
    const { items } = await inbox(guest);
    expect(items.map(({ type, origin }) => [type, origin?.id])).toEqual([["grant-given", id]]);
    // Live delivery reads by the public id, in all databases of the person.
    const context = severalContext();
    const facts = await loadFactsOf(context, guest.userId, NO_LIMITS, Date.now());
    expect(await readVisible(context, { facts }, [items[0]?.id ?? ""], "en")).toEqual(items);
  }
});

test("what a client has missed since a number comes, though the clocks of the databases differ", async () => {
  const { person } = await toldIn(["first", "second", "first"], "first");
  const { items } = await inbox(person);
  // The clock of the second database is behind.
  await databaseOf("second")
    .prepare("UPDATE notifications SET seq = seq - 30000 WHERE user_id = ?")
    .bind(person.userId)
    .run();
  const missed = (await inbox(person, `sinceSeq=${items[0]?.seq}`)).items;
  expect(missed.map(({ origin }) => origin?.id)).toContain(items[1]?.origin?.id);
});

test("two databases never give one number", async () => {
  const [owner, person] = [await registerIn("first"), await registerIn("second")];
  // Both clocks are ahead of the time, at the same number.
  for (const name of ["first", "second"])
    await databaseOf(name).prepare("UPDATE notification_clock SET seq = 9000000000000").run();
  for (const place of ["first", "second", "first", "second"])
    await addMemberSeveral(await organizationIn(place, owner.token), owner, person);
  await runJobs();
  const numbers = (await inbox(person)).items.map(({ seq }) => seq);
  expect(new Set(numbers).size).toBe(4);
  for (const name of ["first", "second"]) await databaseOf(name).prepare("UPDATE notification_clock SET seq = 0").run();
});
