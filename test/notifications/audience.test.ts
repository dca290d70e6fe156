import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { MAX_NOTIFICATIONS_PER_USER } from "../../src/notifications/limits";
import { AUDIENCE_PAGE } from "../../src/notifications/record";
import { newId } from "../../src/platform/ids";
import { DAY } from "../../src/platform/time";
import { mintDocument, mintGrant, mintLocation, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { runThrough } from "../support/jobs";

const count = (statement: string, ...values: string[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .first<number>("n");

describe("an audience of several pages", () => {
  test("gets one notification for each person, and the live event is sent once", async () => {
    const { id: organizationId, owner } = await mintOrganization();
    const location = await mintLocation({ organizationId });
    const documentId = await mintDocument({ organizationId }, location);
    const ids = Array.from({ length: 2 * AUDIENCE_PAGE + 30 }, () => newId());
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO users (id, email, display_name, created_at) SELECT value, value || '@people.test', 'Person', 0 FROM json_each(?)",
      ).bind(JSON.stringify(ids)),
      env.DB.prepare(
        "INSERT INTO memberships (organization_id, user_id, role, created_at) SELECT ?, value, 'member', 0 FROM json_each(?)",
      ).bind(organizationId, JSON.stringify(ids)),
    ]);
    const outsider = await mintPerson();
    await mintGrant({ organizationId }, outsider.userId, "document", documentId, { Documents: "Read" });
    const last = ids.toSorted().at(-1) ?? "";
    const [ofLast, ofOwner] = [
      await HubClient.connect((await mintToken(last)).token),
      await HubClient.connect(owner.token),
    ];
    await ofOwner.join(location.id);
    await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: owner.userId });
    const told = "SELECT count(*) AS n FROM notifications WHERE document_id = ?";
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

/** Writes notifications of a user with these sequence numbers, read at some time or not. */
const addNotifications = (userId: string, first: number, howMany: number, readAt: number | null) =>
  env.DB.prepare(
    `WITH RECURSIVE n(i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 + ?2)
      INSERT INTO notifications (id, user_id, seq, event_id, type, severity, title, body, created_at, read_at)
      SELECT ?3 || i, ?3, i, i, 'storage-low', 'info', '', '', 0, ?4 FROM n`,
  )
    .bind(first, howMany, userId, readAt)
    .run();

describe("a full inbox", () => {
  test("loses its oldest notification when a new one comes, and `seq` keeps increasing", async () => {
    const [{ userId }, other] = [await mintPerson(), await mintPerson()];
    await addNotifications(userId, 1, MAX_NOTIFICATIONS_PER_USER, null);
    await addNotifications(other.userId, 1, 3, null);
    await env.DB.prepare("INSERT INTO notification_sequences (user_id, last_seq) VALUES (?, ?)")
      .bind(userId, MAX_NOTIFICATIONS_PER_USER)
      .run();
    await announceEvent({ type: "storage-level", tenantId: userId, percent: 95 });
    const kept = await env.DB.prepare(
      "SELECT count(*) AS n, min(seq) AS first, max(seq) AS last FROM notifications WHERE user_id = ?",
    )
      .bind(userId)
      .first();
    expect(kept).toEqual({ n: MAX_NOTIFICATIONS_PER_USER, first: 2, last: MAX_NOTIFICATIONS_PER_USER + 1 });
    expect(await count("SELECT count(*) AS n FROM notifications WHERE user_id = ?", other.userId)).toBe(3);
  });
});

describe("retention", () => {
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
  });
});
