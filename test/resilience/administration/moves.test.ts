import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { newIdIn } from "../../../src/platform/ids";
import {
  callSeveral,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  placeOf,
  registerSeveral,
  runJobs,
  severalContext,
} from "../../support/databases";
import { beginMoveOf, rowsOfWorkspace, runMove, runSlice, stateOf } from "../../support/moving";
import { type Stop, Worker } from "../../support/stopping";

/*
 * Moves whose worker is stopped at each of its round trips, while people change and read what moves. Nothing that was acknowledged
 * is lost or doubled, and nobody reads what is older than what was acknowledged before.
 */

beforeAll(migrateSeveral);

const made = z.object({ id: z.string(), revision: z.int() });

interface Subject {
  token: string;
  organizationId: string;
  clusterId: string;
}

async function mintSubject(): Promise<Subject> {
  const { token } = await registerSeveral();
  const create = async (path: string, body: object) =>
    (await expectSeveral(z.object({ id: z.string() }), 201, "POST", path, { token, body })).id;
  const organizationId = await create("/v1/orgs", { name: "Harbour" });
  const clusterId = await create("/v1/spatial/clusters", { organizationId, name: "Quay" });
  const locationId = await create("/v1/spatial/locations", { clusterId, name: "Crane" });
  await runJobs();
  const place = databaseOf((await placeOf(organizationId)) ?? "");
  const documentId = newIdIn(organizationId);
  await place.batch([
    place
      .prepare(
        `INSERT INTO documents (id, tenant_id, organization_id, cluster_id, location_id, file_name, path, latest_version, text_version,
          text_status, created_at, updated_at)
        SELECT ?1, tenant_id, organization_id, cluster_id, id, 'Log', '', 1, 1, 'indexed', 0, 0 FROM locations WHERE id = ?2`,
      )
      .bind(documentId, locationId),
    place
      .prepare(
        "INSERT INTO text_sections (document_id, version, chunk_index, texts) VALUES (?1, 1, 0, '[\"sapphire lens\"]')",
      )
      .bind(documentId),
  ]);
  return { token, organizationId, clusterId };
}

/** One person who changes the cluster and makes others, and one who reads it, until they are stopped. */
function use({ token, organizationId, clusterId }: Subject) {
  const acknowledged = { revision: 1, ids: new Set<string>() };
  const seen = { refused: 0, changes: 0, reads: 0 };
  let isStopped = false;
  const change = async () => {
    while (!isStopped) {
      const { revision } = acknowledged;
      const path = `/v1/spatial/clusters/${clusterId}`;
      const renamed = await callSeveral("PATCH", path, {
        token,
        body: { name: `Quay ${revision}` },
        headers: { "if-match": `"${revision}"` },
      });
      if (renamed.status === 200) acknowledged.revision = made.parse(await renamed.json()).revision;
      else expect(renamed.status, await renamed.text()).toBe(503);
      const created = await callSeveral("POST", "/v1/spatial/clusters", {
        token,
        body: { organizationId, name: "Dock" },
      });
      if (created.status === 201) acknowledged.ids.add(made.parse(await created.json()).id);
      else expect(created.status, await created.text()).toBe(503);
      seen.changes += Number(renamed.status === 200) + Number(created.status === 201);
      seen.refused += Number(renamed.status === 503) + Number(created.status === 503);
      await scheduler.wait(1);
    }
  };
  const read = async () => {
    while (!isStopped) {
      const { revision } = acknowledged;
      const { id, ...cluster } = await expectSeveral(made, 200, "GET", `/v1/spatial/clusters/${clusterId}`, { token });
      expect(cluster.revision, id).toBeGreaterThanOrEqual(revision);
      seen.reads++;
      await scheduler.wait(1);
    }
  };
  const both = Promise.all([change(), read()]);
  return {
    acknowledged,
    seen,
    stop: async () => {
      isStopped = true;
      await both;
    },
  };
}

/** Runs a move whose worker stops at one round trip; others take it over. @returns the round trips of the first worker */
async function moveWithStop(organizationId: string, stop: Stop | null): Promise<number> {
  const { id } = await beginMoveOf(organizationId);
  const worker = new Worker(stop);
  let sleeper: Promise<void> | null = null;
  for (let slices = 0; slices < 50 && (await stateOf(id)) !== "finished"; slices++) {
    if (worker.stop !== null && worker.trips >= worker.stop.at) break;
    const run = runSlice(id, severalContext(worker.through)).catch(() => undefined);
    const asleep = async () => {
      while (stop?.how === "sleep" && worker.trips < stop.at) await scheduler.wait(2);
      if (stop?.how !== "sleep") await run;
    };
    await Promise.race([run, asleep()]);
    sleeper = run;
  }
  await runMove(id);
  // The others have finished: what it does now must change nothing.
  worker.wake();
  await sleeper;
  return worker.trips;
}

let subject: Subject;
beforeEach(async () => {
  subject = await mintSubject();
});

/** Moments at which a worker is stopped. */
const MOMENTS = 120;
const HOW = ["before", "after", "sleep"] as const;

test("a move that is stopped anywhere is finished by another worker", { timeout: 900_000 }, async () => {
  const { organizationId, token } = subject;
  const trips = await moveWithStop(organizationId, null);
  expect(trips).toBeGreaterThan(100);
  const people = use(subject);
  try {
    for (let moment = 0; moment < MOMENTS; moment++) {
      const at = 1 + Math.floor(((moment + 0.5) * trips) / MOMENTS);
      const how = HOW[moment % HOW.length] ?? "before";
      await moveWithStop(organizationId, { at, how });
    }
  } finally {
    await people.stop();
  }
  expect(people.seen.changes).toBeGreaterThan(MOMENTS / 4);
  expect(people.seen.reads).toBeGreaterThan(MOMENTS / 4);
  const place = (await placeOf(organizationId)) ?? "";
  const elsewhere = place === "first" ? "second" : "first";
  // Whoever made it is the only one of the two databases that has it.
  const clusters = await inEach<{ id: string }>("SELECT id FROM clusters WHERE tenant_id = ?", organizationId);
  expect(clusters[elsewhere]).toEqual([]);
  expect(new Set(clusters[place]?.map(({ id }) => id))).toEqual(
    new Set([subject.clusterId, ...people.acknowledged.ids]),
  );
  expect(clusters[place]).toHaveLength(1 + people.acknowledged.ids.size);
  const { revision } = await expectSeveral(made, 200, "GET", `/v1/spatial/clusters/${subject.clusterId}`, { token });
  expect(revision).toBe(people.acknowledged.revision);
  const left = (await rowsOfWorkspace(elsewhere, organizationId)).filter((line) => !/^(?:people|search_)/.test(line));
  expect(left).toEqual([]);
  await runJobs();
  const indexed = await inEach<{ n: number }>(
    `SELECT (SELECT count(*) FROM search_entries WHERE live = 1 AND resource_id IN (SELECT id FROM clusters WHERE tenant_id = ?1))
      + (SELECT count(*) FROM search_entries WHERE live = 1 AND type = 'text' AND resource_id IN (SELECT id FROM documents WHERE tenant_id = ?1)) AS n`,
    organizationId,
  );
  expect(indexed[place]).toEqual([{ n: 2 + people.acknowledged.ids.size }]);
  const groups = await inEach<{ type: string; rows: number; counted: number }>(
    `SELECT g.type, g.row_count AS rows, (SELECT coalesce(sum(e.row_count), 0) FROM search_entries e WHERE e.group_key = g.key AND e.live = 1) AS counted
      FROM search_groups g JOIN search_scopes s ON s.key = g.tenant_key WHERE s.scope_id = ?`,
    organizationId,
  );
  for (const { rows, counted, type } of groups[place] ?? []) expect(rows, type).toBe(counted);
});

test("a move that is undone at any moment leaves the workspace as it was", { timeout: 600_000 }, async () => {
  const { organizationId, clusterId, token } = subject;
  const place = (await placeOf(organizationId)) ?? "";
  const before = await rowsOfWorkspace(place, organizationId);
  for (let moment = 0; moment < 12; moment++) {
    const { id, target } = await beginMoveOf(organizationId);
    const worker = new Worker({ at: 3 + 8 * moment, how: HOW[moment % 2] ?? "before" });
    await runSlice(id, severalContext(worker.through)).catch(() => undefined);
    if ((await stateOf(id)) !== "copying") break;
    await env.D1_DIRECTORY.prepare("UPDATE moves SET state = 'undoing' WHERE id = ?").bind(id).run();
    await runMove(id, "undone");
    expect(await placeOf(organizationId)).toBe(place);
    expect(await rowsOfWorkspace(target, organizationId)).toEqual([]);
    expect(await rowsOfWorkspace(place, organizationId)).toEqual(before);
    await expectSeveral(made, 200, "GET", `/v1/spatial/clusters/${clusterId}`, { token });
  }
});
