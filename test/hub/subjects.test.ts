import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { shardOf } from "../../src/hub/live";
import { writeBatch } from "../../src/hub/protocol";
import type { WorkspaceEvent } from "../../src/platform/events";
import { newId } from "../../src/platform/ids";
import type { LocationEvent, Subject } from "../../src/platform/ports";
import { type CallOptions, call } from "../support/call";
import { mintCamera } from "../support/cameras";
import { mintAnnotation, mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { END, events, HANDSHAKE, joinOf, negotiate, poll, post, readerOf, readUntil } from "../support/hub-requests";
import { mintReport, mintReportJob } from "../support/reports";

/*
 * An event is about a subject. It is not sent when the subject was deleted or moved while the event waited: for its turn at
 * the location, or for a reader. Nothing of a location follows the answer that ended a subscription.
 */

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, location, locationId: location.id };
}
type Site = Awaited<ReturnType<typeof site>>;

const run = (statement: string, ...values: string[]) =>
  env.DB.prepare(statement)
    .bind(...values)
    .run();

async function answers(status: number, method: string, path: string, options: CallOptions): Promise<void> {
  expect((await call(method, path, options)).status).toBe(status);
}

interface Kind {
  mint(site: Site): Promise<string>;
  requires: LocationEvent["requires"];
  /** The ways in which a subject of this kind leaves its location. */
  leaves: Readonly<Record<string, (id: string, site: Site) => Promise<unknown>>>;
}

const deletedFrom = (table: string) => (id: string) => run(`DELETE FROM ${table} WHERE id = ?`, id);
const movedIn = (table: string) => async (id: string, here: Site) => {
  const other = await mintLocation({ organizationId: here.organizationId });
  await run(`UPDATE ${table} SET location_id = ? WHERE id = ?`, other.id, id);
};

const KINDS: Readonly<Record<Subject["type"], Kind>> = {
  annotation: {
    mint: ({ organizationId, location }) => mintAnnotation({ organizationId }, location),
    requires: "LocationBundles",
    leaves: { deleted: deletedFrom("annotations"), moved: movedIn("annotations") },
  },
  document: {
    mint: ({ organizationId, location }) => mintDocument({ organizationId }, location),
    requires: "Documents",
    leaves: {
      trashed: (id, { owner }) => answers(204, "DELETE", `/v1/documents/${id}`, { token: owner.token }),
      deleted: async (id) => {
        await run("DELETE FROM document_versions WHERE document_id = ?", id);
        await deletedFrom("documents")(id);
      },
      moved: movedIn("documents"),
    },
  },
  report: {
    mint: ({ organizationId, location }) => mintReport({ organizationId }, location),
    requires: "Reports",
    leaves: {
      trashed: (id, { owner }) => answers(204, "DELETE", `/v1/reports/${id}`, { token: owner.token }),
      deleted: deletedFrom("reports"),
      moved: movedIn("reports"),
    },
  },
  camera: {
    mint: async ({ organizationId, locationId }) => (await mintCamera(organizationId, locationId)).id,
    requires: "LocationCameras",
    leaves: {
      deleted: (id) => run("DELETE FROM camera_assignments WHERE camera_id = ?", id),
      "moved without its images": async (id, { organizationId }) => {
        const { id: other } = await mintLocation({ organizationId });
        await run("UPDATE camera_assignments SET location_id = ? WHERE camera_id = ?", other, id);
      },
    },
  },
};

const about = (type: Subject["type"], id: string, mark: string): LocationEvent => ({
  target: "StateUpdated",
  payload: { subject: { type, id }, mark },
  requires: KINDS[type].requires,
  documentId: type === "document" ? id : null,
  subject: { type, id },
});

const WAYS = Object.entries(KINDS).flatMap(([type, { leaves }]) =>
  Object.keys(leaves).map((how) => [type as Subject["type"], how] as const),
);

test.each(WAYS)("an event of a %s that was %s is not sent, but the rest of its batch is", async (type, how) => {
  const here = await site();
  const [gone, stays] = [await KINDS[type].mint(here), await KINDS[type].mint(here)];
  const client = await HubClient.connect(here.owner.token);
  await client.join(here.locationId);
  const channel = env.HUB_LOCATION.getByName(here.locationId);
  const [given, kept] = [about(type, gone, "given"), about(type, stays, "kept")];
  await channel.publish([given, kept]);
  await KINDS[type].leaves[how]?.(gone, here);
  client.received.length = 0;
  await channel.publish([given, kept]);
  await client.invoke("Settle");
  const told = client.events("StateUpdated").map(({ arguments: [, payload] }) => (payload as { mark: string }).mark);
  expect(told).toEqual(["kept"]);
  client.close();
});

const LAST = `{"type":1,"invocationId":"last","target":"Settle","arguments":[]}${END}`;

/** A client that has joined, and that reads what waits when it is asked to. */
const READERS = {
  "long polling": async (token: string, locationId: string) => {
    const id = await negotiate(token);
    await poll(token, id);
    await post(token, id, HANDSHAKE + joinOf(locationId));
    let got = "";
    while (!got.includes('"invocationId":"1"')) got += await (await poll(token, id)).text();
    return {
      say: (text: string) => post(token, id, text),
      async read() {
        await post(token, id, LAST);
        let said = "";
        while (!said.includes('"invocationId":"last"')) said += await (await poll(token, id)).text();
        return said;
      },
    };
  },
  "server-sent events": async (token: string, locationId: string) => {
    const id = await negotiate(token);
    const reader = readerOf(await events(token, id));
    await post(token, id, HANDSHAKE + joinOf(locationId));
    await readUntil(reader, '"invocationId":"1"');
    // The runtime takes one frame ahead of the reader: that frame is under way, and the next ones wait.
    await announceEvent({
      type: "state-updated",
      locationId,
      subject: "location",
      subjectId: locationId,
      action: "updated",
      revision: 1,
    });
    return {
      say: (text: string) => post(token, id, text),
      async read() {
        await post(token, id, LAST);
        const said = await readUntil(reader, '"invocationId":"last"');
        await reader.cancel();
        return said;
      },
    };
  },
};

describe.each(Object.entries(READERS))("what waits over %s", (_, connect) => {
  test.each(["trashed", "moved"])("is dropped when its document was %s", async (how) => {
    const here = await site();
    const [gone, stays] = [newId(), newId()];
    for (const id of [gone, stays])
      await mintDocument({ organizationId: here.organizationId }, here.location, [], { id, fileName: `${id}.txt` });
    const reader = await connect(here.owner.token, here.locationId);
    for (const documentId of [gone, stays])
      await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: null });
    await KINDS.document.leaves[how]?.(gone, here);
    const uploaded = [...(await reader.read()).matchAll(/"DocumentUploaded".*?"fileName":"([^"]+)"/g)];
    expect(uploaded.map(([, fileName]) => fileName)).toEqual([`${stays}.txt`]);
  });

  test("is dropped when its annotation was deleted", async () => {
    const here = await site();
    const annotationId = await KINDS.annotation.mint(here);
    const reader = await connect(here.owner.token, here.locationId);
    const moved: WorkspaceEvent = {
      type: "position-changed",
      locationId: here.locationId,
      annotationId,
      position: { x: 1 },
      revision: 2,
    };
    await announceEvent(moved);
    await answers(204, "DELETE", `/v1/annotations/${annotationId}`, { token: here.owner.token });
    expect(await reader.read()).not.toContain("PositionChanged");
  });

  test("is dropped from live delivery and the inbox when its report was deleted", async () => {
    const here = await site();
    const { token, userId } = here.owner;
    const reportId = await mintReport({ organizationId: here.organizationId }, here.location, { title: "Leak" });
    const jobId = await mintReportJob({ organizationId: here.organizationId }, reportId, userId);
    const reader = await connect(token, here.locationId);
    await announceEvent({ type: "report-printed", reportId, jobId });
    const unread = async () => (await call("GET", "/v1/notifications", { token })).text();
    expect(await unread()).toContain("Leak");
    await answers(204, "DELETE", `/v1/reports/${reportId}`, { token });
    expect(await unread()).not.toContain("Leak");
    expect(await reader.read()).not.toContain("Leak");
  });

  test("is dropped when its reader has left the location", async () => {
    const here = await site();
    const reader = await connect(here.owner.token, here.locationId);
    await env.HUB_LOCATION.getByName(here.locationId).publish([{ ...about("camera", newId(), "late"), subject: null }]);
    await reader.say(
      `${JSON.stringify({ type: 1, invocationId: "left", target: "LeaveLocation", arguments: [here.locationId] })}${END}`,
    );
    const said = await reader.read();
    expect(said).toContain('"invocationId":"left"');
    expect(said).not.toContain("late");
  });
});

describe("a frame that its location had authorized", () => {
  const frameOf = (locationId: string, event: LocationEvent) => ({
    ...writeBatch([
      { type: "invocation", invocationId: null, target: event.target, arguments: [locationId, event.payload] },
    ]),
    guard: { locationId, needs: [event] },
    checkedAt: Date.now(),
    isReplay: false,
  });

  async function joined({ locationId }: Site, person: { token: string; userId: string }) {
    const client = await HubClient.connect(person.token);
    await client.join(locationId);
    const shard = env.HUB_SHARD.getByName(shardOf(person.userId));
    const ids = await runInDurableObject(shard, (_, { storage }) =>
      storage.sql
        .exec<{ id: string }>("SELECT connection_id AS id FROM joins WHERE location_id = ?", locationId)
        .toArray()
        .map(({ id }) => id),
    );
    return { client, deliver: (event: LocationEvent) => shard.deliver(ids, frameOf(locationId, event)) };
  }

  const simple: LocationEvent = {
    target: "StateUpdated",
    payload: { mark: "simple" },
    requires: "LocationView",
    documentId: null,
    subject: null,
  };

  test("is not sent after LeaveLocation was answered", async () => {
    const here = await site();
    const { client, deliver } = await joined(here, here.owner);
    await deliver(simple);
    await client.expectEvent("StateUpdated");
    await client.invoke("LeaveLocation", here.locationId);
    await deliver(simple);
    await client.invoke("Settle");
    expect(client.events("StateUpdated")).toHaveLength(1);
    client.close();
  });

  test("is not sent after the removal of a member was answered, whose subscription ended with it", async () => {
    const here = await site();
    const member = await mintMember(here.organizationId);
    const { client, deliver } = await joined(here, member);
    const path = `/v1/orgs/${here.organizationId}/members/${member.userId}`;
    await answers(204, "DELETE", path, { token: here.owner.token });
    await deliver(simple);
    await client.invoke("Settle");
    expect(client.events("SubscriptionRevoked")).toHaveLength(1);
    expect(client.events("StateUpdated")).toEqual([]);
    client.close();
  });

  test("is not sent after a part of the access was withdrawn and the connection stayed joined", async () => {
    const here = await site();
    const member = await mintMember(here.organizationId);
    const { client, deliver } = await joined(here, member);
    const documentId = await KINDS.document.mint(here);
    const path = `/v1/orgs/${here.organizationId}/members/${member.userId}`;
    const body = { overrides: { Documents: "None" } };
    await answers(200, "PATCH", path, { token: here.owner.token, body });
    await deliver(about("document", documentId, "late"));
    await deliver(simple);
    await client.expectEvent("StateUpdated");
    expect(client.events("StateUpdated").map(({ arguments: [, payload] }) => payload)).toEqual([{ mark: "simple" }]);
    client.close();
  });

  test("is not sent after the deletion of its location was answered", async () => {
    const here = await site();
    const { client, deliver } = await joined(here, here.owner);
    await answers(204, "DELETE", `/v1/spatial/locations/${here.locationId}`, { token: here.owner.token });
    await deliver(simple);
    await client.invoke("Settle");
    expect(client.events("StateUpdated")).toEqual([]);
    client.close();
  });
});
