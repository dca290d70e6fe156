import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, onTestFinished, test } from "vitest";
import * as Y from "yjs";
import { writeSigned } from "../../src/platform/crypto/tokens";
import { ROOM_TOKEN } from "../../src/reports/room/bootstrap";
import type { Arrival } from "../../src/reports/room/member";
import { UpdateLog } from "../../src/reports/room/update-log";
import { reportRoomMembers, reports } from "../../src/reports/tables";
import { call } from "../support/call";
import { mintMember } from "../support/factories";
import { systemContext } from "../support/jobs";
import { beforeItEnds, eventually } from "../support/patience";
import { bodyOf, bootstrap, connect, join, newReportSite, type ReportSite, reportRow, synced } from "../support/rooms";
import { holdAnswers, testDatabase } from "../support/statements";

const put = (token: string, reportId: string, body: Record<string, unknown>) =>
  call("PUT", `/v1/reports/${reportId}`, { token, body });

const roomOf = (reportId: string) => env.REPORT_ROOM.getByName(reportId);

/** A token of a user with changed claims. */
async function tokenWith(site: ReportSite, change: Partial<Arrival>): Promise<string> {
  const { token } = await bootstrap(site.owner.token, site.reportId);
  const said = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(token.split(".")[0] ?? "", { alphabet: "base64url" })),
  );
  return writeSigned(systemContext().settings.OBJECT_SIGNING_SECRET, ROOM_TOKEN, { ...said, ...change });
}

describe("a room", () => {
  test("lets users edit one draft, which is the report's next revision within a second", async () => {
    const { owner, organizationId, reportId } = await newReportSite();
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    expect(ada.map.toJSON()).toEqual({ body: "Hello", items: [1, 2] });
    bodyOf(ada).insert(5, " world");
    bodyOf(bob).insert(0, "> ");
    bob.map.set("title", "Quay");
    const said = { body: "> Hello world", items: [1, 2], title: "Quay" };
    await eventually(() => {
      expect(ada.map.toJSON()).toEqual(said);
      expect(bob.map.toJSON()).toEqual(said);
    });
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(said));
    expect((await reportRow(reportId)).revision).toBeGreaterThan(1);
  });

  test("merges a PUT with the latest or an older base revision with the edits of others", async () => {
    const { owner, reportId } = await newReportSite({ body: "one two three", items: [1, 2, 3] });
    const ada = await join(owner.token, reportId);
    bodyOf(ada).insert(0, "zero ");
    ada.map.set("by", "Ada");
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toMatchObject({ by: "Ada" }));
    bodyOf(ada).insert(0, "and ");
    const before = bodyOf(ada);
    const contentJson = { body: "one 2 three", items: [1, 2, 3, 4], done: true };
    expect((await put(owner.token, reportId, { baseRevision: 1, contentJson })).status).toBe(200);
    before.insert(before.length, " four");
    const said = { body: "and zero one 2 three four", items: [1, 2, 3, 4], by: "Ada", done: true };
    await eventually(() => expect(ada.map.toJSON()).toEqual(said));
    expect(bodyOf(ada)).toBe(before);
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(said));
  });

  test("refuses a PUT that would erase edits: a conflict names the fields, and without a base it is 409", async () => {
    const { owner, reportId } = await newReportSite({ body: "one two three", title: "a" });
    const ada = await join(owner.token, reportId);
    bodyOf(ada).delete(4, 3);
    bodyOf(ada).insert(4, "TWO");
    await eventually(async () =>
      expect((await reportRow(reportId)).contentJson).toMatchObject({ body: "one TWO three" }),
    );
    const refused = async (body: Record<string, unknown>, headers = {}) => {
      const answer = await call("PUT", `/v1/reports/${reportId}`, { token: owner.token, body, headers });
      return { status: answer.status, ...(await answer.json<{ code: string; errors?: { path: string }[] }>()) };
    };
    const mine = { contentJson: { body: "one 2 three", title: "b" } };
    const conflict = { status: 409, code: "stale-revision", errors: [{ path: "contentJson.body" }] };
    expect(await refused({ ...mine, baseRevision: 1 })).toMatchObject(conflict);
    expect(await refused(mine, { "if-match": '"1"' })).toMatchObject(conflict);
    expect(await refused(mine)).toMatchObject({ status: 409 });
    expect(await refused(mine, { "if-match": "*" })).toMatchObject({ status: 409 });
    expect((await reportRow(reportId)).contentJson).toEqual({ body: "one TWO three", title: "a" });
    ada.provider.destroy();
    await eventually(async () => expect((await put(owner.token, reportId, mine)).status).toBe(200));
  });

  test("merges a PUT with simultaneous edits and loses neither", async () => {
    const { owner, reportId } = await newReportSite({ body: "alpha omega", note: "" });
    const ada = await join(owner.token, reportId);
    const { workspace: db } = systemContext();
    // This acts like a PUT that was committed while an edit was being written to the row: the room is not notified of
    // it.
    const row = await reportRow(reportId);
    await db
      .update(reports)
      .set({ contentJson: { ...row.contentJson, note: "by PUT" }, revision: row.revision + 1 })
      .where(eq(reports.id, reportId));
    bodyOf(ada).insert(5, " beta");
    const said = { body: "alpha beta omega", note: "by PUT" };
    await eventually(() => expect(ada.map.toJSON()).toEqual(said));
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(said));
  });

  test("keeps edits after the loss of its object, and merges offline edits", async () => {
    const { owner, organizationId, reportId } = await newReportSite({ body: "middle" });
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    bob.provider.disconnect();
    bodyOf(bob).insert(0, "offline ");
    bodyOf(ada).insert(6, " online");
    await eventually(async () => expect((await reportRow(reportId)).revision).toBe(2));
    ada.provider.disconnect();
    await evictDurableObject(roomOf(reportId));
    bob.provider.connect();
    ada.provider.connect();
    const said = { body: "offline middle online" };
    await eventually(() => {
      expect(ada.map.toJSON()).toEqual(said);
      expect(bob.map.toJSON()).toEqual(said);
    });
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(said));
  });

  test("recognizes its own write after the loss of its answer", async () => {
    const { owner, reportId } = await newReportSite({ body: "" });
    const ada = await join(owner.token, reportId);
    bodyOf(ada).insert(0, "once");
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual({ body: "once" }));
    // The state after the object ended between the commit of the row and its own record of it.
    await runInDurableObject(roomOf(reportId), (_, { storage }) => {
      storage.kv.put("revision", 1);
      storage.sql.exec("UPDATE updates SET settled = 0 WHERE id > (SELECT min(id) FROM updates)");
    });
    ada.provider.disconnect();
    await evictDurableObject(roomOf(reportId));
    const late = await join(owner.token, reportId);
    expect(late.map.toJSON()).toEqual({ body: "once" });
  });

  test("removes edits that break the limits of a draft", async () => {
    const { owner, reportId } = await newReportSite({ body: "fine" });
    const ada = await join(owner.token, reportId);
    ada.map.set("blob", "x".repeat(1_000_001));
    await eventually(() => expect(ada.map.toJSON()).toEqual({ body: "fine" }));
    expect((await reportRow(reportId)).contentJson).toEqual({ body: "fine" });
  });

  test("keeps every edit that it has sent to others", async () => {
    const { owner, organizationId, reportId } = await newReportSite({ body: "" });
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    const heard = new Promise<string>((told) => bob.doc.once("update", () => told(bodyOf(bob).toString())));
    for (let n = 0; n < 300; n++) bodyOf(ada).insert(n, String.fromCharCode(97 + (n % 26)));
    const before = await heard;
    expect(before).not.toBe("");
    // The provider that could send it again has ended together with the object.
    ada.provider.destroy();
    bob.provider.destroy();
    await evictDurableObject(roomOf(reportId));
    const late = await join(member.token, reportId);
    expect(bodyOf(late).toString().startsWith(before)).toBe(true);
    bodyOf(late).insert(0, "> ");
    const said = bodyOf(late).toString();
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual({ body: said }));
  });

  test("compacts a long history without loss, even of edits that are not in the row yet", async () => {
    const { owner, reportId } = await newReportSite({ body: "" });
    const ada = await join(owner.token, reportId);
    bodyOf(ada).insert(0, "all of it");
    const said = { body: "all of it" };
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(said));
    const more = new Y.Doc();
    const updates: Uint8Array[] = [];
    more.on("update", (update: Uint8Array) => updates.push(update));
    for (let n = 0; n < 300; n++) more.getArray("list").push([n]);
    const left = await runInDurableObject(roomOf(reportId), (_, { storage }) => {
      const log = new UpdateLog(storage.sql);
      for (const update of updates.slice(0, 299)) log.append(update, false);
      const { end } = log;
      for (const update of updates.slice(299)) log.append(update, false);
      log.settle(end);
      const rows = storage.sql.exec("SELECT 1 FROM updates").toArray().length;
      const list = (all: boolean) => log.document(all).getArray("list").length;
      return { rows, isUnsettled: log.isUnsettled, settled: list(false), all: list(true) };
    });
    expect(left).toEqual({ rows: 2, isUnsettled: true, settled: 299, all: 300 });
    ada.provider.disconnect();
    await evictDurableObject(roomOf(reportId));
    const late = await join(owner.token, reportId);
    expect(late.map.toJSON()).toEqual(said);
    expect(late.doc.getArray("list").length).toBe(300);
  });
});

describe("the route of a room", () => {
  test("accepts a valid token of this report", async () => {
    const site = await newReportSite();
    const other = await newReportSite();
    const admitted = await bootstrap(site.owner.token, site.reportId);
    const refused = async (token: string) => {
      const { closed } = connect(admitted, token);
      await eventually(() => expect(closed).toHaveLength(1));
      return closed[0];
    };
    expect(await refused("")).toBe(4403);
    expect(await refused(`${admitted.token}x`)).toBe(4403);
    expect(await refused((await bootstrap(other.owner.token, other.reportId)).token)).toBe(4403);
    expect(await refused(await tokenWith(site, { expiresAt: Date.now() }))).toBe(4401);
    expect((await call("GET", `/v1/reports/rooms/${site.reportId}`)).status).toBe(400);
  });

  test("refuses a user who lost access after the token was issued", async () => {
    const site = await newReportSite();
    const member = await mintMember(site.organizationId);
    const admitted = await bootstrap(member.token, site.reportId);
    const path = `/v1/orgs/${site.organizationId}/members/${member.userId}`;
    expect((await call("DELETE", path, { token: site.owner.token })).status).toBe(204);
    const { closed } = connect(admitted, admitted.token);
    await eventually(() => expect(closed).toEqual([4403]));
  });

  test("closes when the token expires, and accepts a new token", async () => {
    const site = await newReportSite();
    const admitted = await bootstrap(site.owner.token, site.reportId);
    const ada = await beforeItEnds(async (expiresAt) => {
      const ada = connect(admitted, await tokenWith(site, { expiresAt }));
      const tooLate = eventually(() => expect(ada.closed).toEqual([4401]));
      return Promise.race([synced(ada).then(() => ada), tooLate.then(() => null)]);
    });
    await eventually(() => expect(ada.closed).toEqual([4401]));
    ada.provider.params = { token: (await bootstrap(site.owner.token, site.reportId)).token };
    ada.provider.connect();
    await eventually(() => expect(ada.provider.synced).toBe(true));
  });
});

describe("access", () => {
  test("that is lost during an edit disconnects only that user, and drops their later edits", async () => {
    const { owner, organizationId, reportId } = await newReportSite({ body: "" });
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    bodyOf(bob).insert(0, "before ");
    await eventually(() => expect(ada.map.toJSON()).toEqual({ body: "before " }));
    const path = `/v1/orgs/${organizationId}/members/${member.userId}`;
    expect((await call("DELETE", path, { token: owner.token })).status).toBe(204);
    await eventually(() => expect(bob.closed).toEqual([4403]));
    bodyOf(bob).insert(0, "after ");
    bodyOf(ada).insert(7, "end");
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual({ body: "before end" }));
    expect(ada.closed).toEqual([]);
    const left = await testDatabase().select().from(reportRoomMembers).where(eq(reportRoomMembers.reportId, reportId));
    expect(left.map(({ userId }) => userId)).toEqual([owner.userId]);
  });

  test("is checked for every user in the room, even when one window closes while another window opens", async () => {
    const { owner, reportId } = await newReportSite();
    const here = await join(owner.token, reportId);
    const known = async () => {
      const rows = await testDatabase()
        .select()
        .from(reportRoomMembers)
        .where(eq(reportRoomMembers.reportId, reportId));
      return rows.map(({ userId }) => userId);
    };
    const seats = () => runInDurableObject(roomOf(reportId), (_, state) => state.getWebSockets().length);
    const held = holdAnswers('insert into "report_room_members"');
    const admitted = await bootstrap(owner.token, reportId);
    const next = connect(admitted, admitted.token);
    await eventually(() => expect(held.isReached()).toBe(true));
    const before = await seats();
    here.provider.disconnect();
    await eventually(async () => expect(await seats()).toBe(before - 1));
    held.release();
    await synced(next);
    await eventually(async () => expect(await seats()).toBe(1));
    expect(await known()).toEqual([owner.userId]);
    next.provider.destroy();
    await eventually(async () => expect(await known()).toEqual([]));
  });

  test("is checked for a user until the last of their tokens expires", async () => {
    const site = await newReportSite();
    const [long, short] = [Date.now() + 600_000, Date.now() + 60_000];
    const admitted = await bootstrap(site.owner.token, site.reportId);
    for (const expiresAt of [long, short]) await synced(connect(admitted, await tokenWith(site, { expiresAt })));
    const rows = await testDatabase()
      .select({ expiresAt: reportRoomMembers.expiresAt })
      .from(reportRoomMembers)
      .where(eq(reportRoomMembers.reportId, site.reportId));
    expect(rows).toEqual([{ expiresAt: long }]);
  });

  test("with Read shows the draft and rejects edits", async () => {
    const { owner, organizationId, reportId } = await newReportSite({ body: "draft" });
    const reader = await mintMember(organizationId, "member", { Reports: "Read" });
    expect((await bootstrap(reader.token, reportId)).readOnly).toBe(true);
    const [ada, eve] = [await join(owner.token, reportId), await join(reader.token, reportId)];
    expect(eve.map.toJSON()).toEqual({ body: "draft" });
    bodyOf(eve).insert(0, "not ");
    bodyOf(ada).insert(5, "ed");
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual({ body: "drafted" }));
    await eventually(() => expect(eve.map.toJSON()).toEqual({ body: "not drafted" }));
    expect(ada.map.toJSON()).toEqual({ body: "drafted" });
    await eventually(() => expect(eve.told.join()).toContain("you may only read this draft"));
  });

  test("ends with the report: the room closes, and its data are deleted with a purge", async () => {
    const { owner, reportId } = await newReportSite();
    const ada = await join(owner.token, reportId);
    expect((await call("DELETE", `/v1/reports/${reportId}?purge=true`, { token: owner.token })).status).toBe(204);
    await eventually(() => expect(ada.closed).toEqual([4404]));
    const tables = () =>
      runInDurableObject(roomOf(reportId), (_, { storage }) =>
        storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'updates'").toArray(),
      );
    await eventually(async () => expect(await tables()).toEqual([]));
  });
});

describe("presence", () => {
  test("shows each user with their own name, not the name from the client", async () => {
    const { owner, organizationId, reportId } = await newReportSite();
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    bob.provider.awareness.setLocalState({ user: { name: "The owner" }, cursor: 3 });
    const seen = () => ada.provider.awareness.getStates().get(bob.doc.clientID);
    await eventually(() => expect(seen()).toMatchObject({ cursor: 3, user: { id: member.userId, name: "Person" } }));
    bob.provider.disconnect();
    await eventually(() => expect(seen()).toBeUndefined());
  });

  test("cannot be changed by another user", async () => {
    const { owner, organizationId, reportId } = await newReportSite();
    const member = await mintMember(organizationId);
    const [ada, bob] = [await join(owner.token, reportId), await join(member.token, reportId)];
    ada.provider.awareness.setLocalState({ cursor: 1 });
    await eventually(() =>
      expect(bob.provider.awareness.getStates().get(ada.doc.clientID)).toMatchObject({ cursor: 1 }),
    );
    const forger = new Y.Doc();
    forger.clientID = ada.doc.clientID;
    const eve = await join(member.token, reportId, forger);
    eve.provider.awareness.setLocalState({ cursor: 99 });
    bob.provider.awareness.setLocalState({ cursor: 2 });
    await eventually(() =>
      expect(ada.provider.awareness.getStates().get(bob.doc.clientID)).toMatchObject({ cursor: 2 }),
    );
    expect(bob.provider.awareness.getStates().get(ada.doc.clientID)).toMatchObject({ cursor: 1 });
  });
});

test("an invalid message closes only the connection of its sender", async () => {
  const { owner, reportId } = await newReportSite();
  const ada = await join(owner.token, reportId);
  for (const data of [
    new Uint8Array([0, 2, 5, 1, 2, 3, 4, 5]),
    new Uint8Array([0, 9]),
    new Uint8Array([1, 200]),
    "text",
  ]) {
    const { token, serverUrl } = await bootstrap(owner.token, reportId);
    const url = `${serverUrl.replace(/^ws/, "http")}/${reportId}?token=${token}`;
    const { exports } = await import("cloudflare:workers");
    const { webSocket } = await exports.default.fetch(url, { headers: { upgrade: "websocket" } });
    const codes: number[] = [];
    webSocket?.addEventListener("close", ({ code }) => void codes.push(code));
    webSocket?.accept();
    onTestFinished(() => webSocket?.close());
    webSocket?.send(data);
    await eventually(() => expect(codes).toEqual([4400]));
  }
  expect(ada.closed).toEqual([]);
});
