import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { jobHandlers } from "../../src/job-handlers";
import { beginChange } from "../../src/platform/db/change";
import { NO_WORKSPACE } from "../../src/platform/db/residence";
import { newId } from "../../src/platform/ids";
import { complete } from "../../src/platform/jobs/handlers";
import { runJob } from "../../src/platform/jobs/run";
import { sweepJobs } from "../../src/platform/jobs/sweep";
import { jobs } from "../../src/platform/jobs/tables";
import { call } from "../support/call";
import { costsOf } from "../support/costs";
import { mintLocation, mintOrganization, mintPlace, mintResident } from "../support/factories";
import { handlersWith, hasSucceeded, insertJob, readJobRow, silentQueues, systemContext } from "../support/job-rows";
import { beforeNextChange, expireLease, setResidence, watchWorkspaces } from "../support/moves";
import { eventually } from "../support/patience";
import { register } from "../support/sessions";
import { testDatabase } from "../support/statements";

const quiet = () => systemContext({ queues: silentQueues().queues });
const moving = { code: "workspace-moving" };
const write = (person: string) => sql`INSERT INTO people (id, email, display_name) VALUES (${person}, '', '')`;
const isThere = async (person: string) =>
  (await env.DB.prepare("SELECT 1 FROM people WHERE id = ?").bind(person).first()) !== null;

describe("a change", () => {
  test.each(["leaving", "coming", "gone"] as const)("is refused while its workspace is %s", async (state) => {
    const [workspace, person] = [await mintResident(newId()), newId()];
    const change = () => beginChange(systemContext(), workspace).add(write(person)).commit();
    await setResidence(workspace, state);
    await expect(change()).rejects.toMatchObject({ ...moving, extras: { retryAfter: 2 } });
    expect(await isThere(person)).toBe(false);
    await setResidence(workspace, "here");
    expect(await change()).toHaveLength(1);
  });

  test("is refused for a workspace that this database does not know", async () => {
    await expect(beginChange(systemContext(), newId()).add(write(newId())).commit()).rejects.toMatchObject(moving);
  });

  test("of several workspaces is refused unless all of them are here", async () => {
    const [one, other, third] = [await mintResident(newId()), await mintResident(newId()), await mintResident(newId())];
    const change = () => {
      const begun = beginChange(quiet(), [one, other]).add(write(newId()));
      begun.job("expire-requests", {}, { tenantId: third });
      return begun.commit();
    };
    expect(await change()).toHaveLength(2);
    for (const workspace of [one, other, third]) {
      await setResidence(workspace, "leaving");
      await expect(change()).rejects.toMatchObject(moving);
      await setResidence(workspace, "here");
    }
    expect(await change()).toHaveLength(2);
  });

  test("costs two read rows by the meter of the database, and no written row and no round trip", async () => {
    const workspace = await mintResident(newId());
    const of = (whose: string | typeof NO_WORKSPACE) =>
      costsOf(() => beginChange(systemContext(), whose).add(write(newId())).commit());
    const [guarded, bare] = [await of(workspace), await of(NO_WORKSPACE)];
    expect(guarded.rowsRead - bare.rowsRead).toBe(2);
    expect(guarded.rowsWritten - bare.rowsWritten).toBe(0);
    expect(guarded.roundTrips).toBe(bare.roundTrips);
  });
});

describe("a move that begins after a request has read", () => {
  test.each([
    ["PATCH", "a location", (id: string) => `/v1/spatial/locations/${id}`, { name: "Another" }],
    ["DELETE", "a location", (id: string) => `/v1/spatial/locations/${id}`, undefined],
    ["POST", "an annotation", (id: string) => `/v1/spatial/locations/${id}/annotations`, { kind: "note", title: "A" }],
  ] as const)("leaves nothing of it: %s %s", async (method, _, pathOf, body) => {
    const { organizationId, owner, locationId } = await mintPlace();
    const changes = await watchWorkspaces();
    beforeNextChange(() => setResidence(organizationId, "leaving"));
    const headers = { "idempotency-key": newId() };
    const ask = () => call(method, pathOf(locationId), { token: owner.token, headers, ...(body && { body }) });
    expect((await ask()).status).toBe(503);
    expect(await changes(organizationId)).toEqual([]);
    await setResidence(organizationId, "here");
    expect((await ask()).status).toBeLessThan(300);
  });
});

describe("a workspace", () => {
  const stateOf = (id: string) =>
    env.DB.prepare("SELECT state FROM residents WHERE workspace_id = ?").bind(id).first<string>("state");

  test("is here from the registration of its person, and an organization from its creation to its removal", async () => {
    const { user, accessToken: token } = await register();
    expect(await stateOf(user.id)).toBe("here");
    const created = await call("POST", "/v1/orgs", { token, body: { name: "Harbour" } });
    const { id } = (await created.json()) as { id: string };
    expect(await stateOf(id)).toBe("here");
    expect((await call("DELETE", `/v1/orgs/${id}`, { token })).status).toBe(204);
    expect(await stateOf(id)).toBe("here");
    expect((await call("DELETE", `/v1/orgs/${id}?purge=true`, { token })).status).toBe(204);
    await eventually(async () => expect(await stateOf(id)).toBeNull());
  });

  test("that has moved away does not come back when the copy of its person is repeated", async () => {
    const { user } = await register();
    await setResidence(user.id, "gone");
    const id = await insertJob({ kind: "copy-person", payload: { userId: user.id } });
    expect(await runJob(quiet(), jobHandlers, id)).toBe("succeeded");
    expect(await stateOf(user.id)).toBe("gone");
  });
});

describe("a job of a moving workspace", () => {
  // The sweeper always sends such a job again. One with a later time waits if its lane took an older job just now.
  const lost = { sentAt: 0 };

  test("is not claimed, sent or changed, and runs afterwards", async () => {
    const tenantId = await mintResident(newId());
    const waiting = await insertJob({ tenantId, ...lost });
    const dead = await insertJob({
      tenantId,
      status: "running",
      leaseToken: "dead",
      leaseUntil: 1,
      attempts: 1,
      ...lost,
    });
    const inLine = await insertJob({ tenantId, sentAt: null });
    const ids = [waiting, dead, inLine];
    const before = await Promise.all(ids.map(readJobRow));
    await setResidence(tenantId, "leaving");
    const { queues, sent } = silentQueues();
    const handlers = handlersWith({ run: async () => complete() });
    for (const id of ids) expect(await runJob(quiet(), handlers, id)).toBe("not-due");
    await sweepJobs(systemContext({ queues }), handlers);
    expect(await Promise.all(ids.map(readJobRow))).toEqual(before);
    expect(sent.filter(({ jobId }) => ids.includes(jobId))).toEqual([]);
    await setResidence(tenantId, "here");
    await sweepJobs(systemContext({ queues }), handlers);
    expect(sent.map(({ jobId }) => jobId)).toEqual(expect.arrayContaining(ids));
    for (const id of ids) expect(await runJob(quiet(), handlers, id)).toBe("succeeded");
  });

  test("that is running changes nothing, and runs again when its lease has expired", async () => {
    const [tenantId, person] = [await mintResident(newId()), newId()];
    const id = await insertJob({ tenantId });
    let runs = 0;
    const handlers = handlersWith({
      async run(context) {
        if (++runs === 1) await setResidence(tenantId, "leaving");
        return complete(beginChange(context, tenantId).add(write(person)));
      },
    });
    expect(await runJob(quiet(), handlers, id)).toBe("put-off");
    expect(await isThere(person)).toBe(false);
    expect(await readJobRow(id)).toMatchObject({ status: "running", attempts: 1 });
    await setResidence(tenantId, "here");
    await expireLease(id);
    expect(await runJob(quiet(), handlers, id)).toBe("succeeded");
    expect(await isThere(person)).toBe(true);
  });

  test("that fails keeps its failure for the next try", async () => {
    const tenantId = await mintResident(newId());
    const id = await insertJob({ tenantId });
    const handlers = handlersWith({
      async run() {
        await setResidence(tenantId, "leaving");
        throw new Error("broken");
      },
    });
    expect(await runJob(quiet(), handlers, id)).toBe("put-off");
    expect(await readJobRow(id)).toMatchObject({ status: "running", errorCode: null });
    await setResidence(tenantId, "here");
    await expireLease(id);
    const mended = handlersWith({ run: async () => complete() });
    expect(await runJob(quiet(), mended, id)).toBe("succeeded");
  });
});

test("a job of the whole service that meets a moving workspace is put off, and the try does not count", async () => {
  const tenantId = await mintResident(newId());
  await setResidence(tenantId, "leaving");
  const id = await insertJob();
  const { queues, sent } = silentQueues();
  const handlers = handlersWith({
    run: async (context) => complete(beginChange(context, tenantId).add(write(newId()))),
  });
  for (let n = 0; n < 20; n++) {
    await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, id));
    expect(await runJob(systemContext({ queues }), handlers, id)).toBe("put-off");
  }
  expect(await readJobRow(id)).toMatchObject({ status: "queued", attempts: 0 });
  expect(sent.filter(({ jobId }) => jobId === id)).toHaveLength(20);
  await setResidence(tenantId, "here");
  await testDatabase().update(jobs).set({ runAt: 1 }).where(eq(jobs.id, id));
  expect(await runJob(systemContext({ queues }), handlers, id)).toBe("succeeded");
});

test("a job of a deleted workspace ends", async () => {
  const id = await insertJob({ tenantId: newId() });
  const handlers = handlersWith({ run: async () => complete() });
  expect(await runJob(quiet(), handlers, id)).toBe("put-off");
  expect(await hasSucceeded(id)).toBe(true);
});

test("a recurring job cleans other workspaces while one moves, and the moved workspace afterwards", async () => {
  const [one, other] = [await mintOrganization(), await mintOrganization()];
  const due = async (organizationId: string) => {
    const { id: locationId } = await mintLocation({ organizationId });
    const id = newId();
    await env.DB.prepare(
      `INSERT INTO stored_objects (key, tenant_id, location_id, charged_bytes, created_at, purge_after) VALUES (?, ?, ?, 0, 0, 1)`,
    )
      .bind(id, organizationId, locationId)
      .run();
    return async () => (await env.DB.prepare("SELECT 1 FROM stored_objects WHERE key = ?").bind(id).first()) !== null;
  };
  const [isLeft, isOtherLeft] = [await due(one.id), await due(other.id)];
  await setResidence(one.id, "leaving");
  await runJob(quiet(), jobHandlers, await insertJob({ kind: "purge-objects" }));
  expect([await isLeft(), await isOtherLeft()]).toEqual([true, false]);
  await setResidence(one.id, "here");
  await runJob(quiet(), jobHandlers, await insertJob({ kind: "purge-objects" }));
  expect(await isLeft()).toBe(false);
});
