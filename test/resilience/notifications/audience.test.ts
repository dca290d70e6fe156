import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MAX_NOTIFICATIONS_PER_USER } from "../../../src/notifications/limits";
import { AUDIENCE_PAGE } from "../../../src/notifications/record";
import { DAY } from "../../../src/platform/time";
import {
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintMembers,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../../support/factories";
import { announceEvent, HubClient } from "../../support/hub";
import { runThrough } from "../../support/jobs";

const count = (statement: string, ...values: string[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .first<number>("n");

describe("an audience of several pages", () => {
  test("gets one notification for each person, and the live event is sent once", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const location = await mintLocation({ organizationId });
    const documentId = await mintDocument({ organizationId }, location);
    const ids = await mintMembers(organizationId, 2 * AUDIENCE_PAGE + 30);
    const outsider = await mintPerson();
    await mintGrant({ organizationId }, outsider.userId, "document", documentId, { Documents: "Read" });
    const last = ids.toSorted().at(-1) ?? "";
    const [ofLast, ofOwner] = [
      await HubClient.connect((await mintToken(last)).token),
      await HubClient.connect(owner.token),
    ];
    await ofOwner.join(location.id);
    await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    const told =
      "SELECT count(*) AS n FROM notifications JOIN notification_events ON no = event_no WHERE document_id = ?";
    expect(await count(told, documentId)).toBe(ids.length + 1);
    expect(await count(told.replace("*", "DISTINCT user_id"), documentId)).toBe(ids.length + 1);
    expect(await count(`${told} AND user_id = ?`, documentId, owner.userId)).toBe(0);
    await ofLast.invoke("Settle");
    await ofOwner.invoke("Settle");
    expect(ofLast.events("NotificationReceived")).toHaveLength(1);
    expect(ofOwner.events("DocumentUploaded")).toHaveLength(1);
    for (const client of [ofLast, ofOwner]) client.close();
  });
});

/** Writes notifications of a user with these numbers, each of a separate event, some of them read. */
async function addNotifications(userId: string, first: number, howMany: number, readAt: number | null): Promise<void> {
  const numbers = "WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)";
  // Numbers of events are unique. Numbers of an inbox are unique only within it.
  const no = "i + (SELECT coalesce(max(no), 0) + 1 FROM notification_events) - ?1";
  await env.DB.prepare(
    `INSERT INTO notification_events (no, event_id, type, severity, title, body, created_at, page_after, page_seq, recipients)
      ${numbers} SELECT ${no}, ?3 || i, 'storage-low', 'info', '', '', 0, '', i, 1 FROM n`,
  )
    .bind(first, howMany, userId)
    .run();
  await env.DB.prepare(
    `INSERT INTO notifications (user_id, seq, event_no, read_at)
      ${numbers} SELECT ?3, i, (SELECT no FROM notification_events WHERE event_id = ?3 || i), ?4 FROM n`,
  )
    .bind(first, howMany, userId, readAt)
    .run();
}

const kept = (userId: string) =>
  env.DB.prepare("SELECT count(*) AS n, min(seq) AS first, max(seq) AS last FROM notifications WHERE user_id = ?")
    .bind(userId)
    .first();

describe("the daily clean-up", () => {
  test("deletes the oldest notifications of a full inbox, and their events", async () => {
    const [{ userId }, other] = [await mintPerson(), await mintPerson()];
    await addNotifications(userId, 1, MAX_NOTIFICATIONS_PER_USER + 2, null);
    await addNotifications(other.userId, 1, 3, null);
    await runThrough("expire-notifications", [{}]);
    const last = MAX_NOTIFICATIONS_PER_USER + 2;
    expect(await kept(userId)).toEqual({ n: MAX_NOTIFICATIONS_PER_USER, first: 3, last });
    expect(await kept(other.userId)).toEqual({ n: 3, first: 1, last: 3 });
    const events = "SELECT count(*) AS n FROM notification_events WHERE event_id GLOB ?";
    expect(await count(events, `${userId}*`)).toBe(MAX_NOTIFICATIONS_PER_USER);
  });

  test("deletes all read notifications after their time, and no unread ones", async () => {
    const { userId } = await mintPerson();
    const [past, recent] = [Date.now() - 181 * DAY, Date.now() - 179 * DAY];
    await addNotifications(userId, 1, 1_200, past);
    await addNotifications(userId, 2_000, 2, recent);
    await addNotifications(userId, 3_000, 3, null);
    await runThrough("expire-notifications", [{}]);
    const left = await env.DB.prepare("SELECT seq FROM notifications WHERE user_id = ? ORDER BY seq")
      .bind(userId)
      .all();
    expect(left.results.map((row) => row.seq)).toEqual([2_000, 2_001, 3_000, 3_001, 3_002]);
    expect(await count("SELECT count(*) AS n FROM notification_events WHERE event_id GLOB ?", `${userId}*`)).toBe(5);
  });

  test("deletes notifications of events that were deleted with their subject", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const member = await mintMember(organizationId);
    const documentId = await mintDocument({ organizationId }, await mintLocation({ organizationId }));
    await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    expect(await kept(member.userId)).toMatchObject({ n: 1 });
    await env.DB.prepare("DELETE FROM notification_events WHERE document_id = ?").bind(documentId).run();
    await runThrough("expire-notifications", [{}]);
    expect(await kept(member.userId)).toMatchObject({ n: 0 });
  });
});
