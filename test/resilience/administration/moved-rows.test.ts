import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { numberOf } from "../../../src/platform/ids";
import { fill, plan } from "../../platform/carry/world";
import {
  callSeveral,
  databaseOf,
  expectSeveral,
  inEach,
  migrateSeveral,
  placeOf,
  registerSeveral,
  runJobs,
} from "../../support/databases";
import { beginMoveOf, rowsOfWorkspace, runMove } from "../../support/moving";
import fc from "../../support/properties";

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });

async function world() {
  const owner = await registerSeveral();
  const { token } = owner;
  const { id: organizationId } = await expectSeveral(made, 201, "POST", "/v1/orgs", {
    token,
    body: { name: "Harbour" },
  });
  const { id: clusterId } = await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", {
    token,
    body: { organizationId, name: "Quay" },
  });
  const { id: locationId } = await expectSeveral(made, 201, "POST", "/v1/spatial/locations", {
    token,
    body: { clusterId, name: "Crane" },
  });
  await runJobs();
  return { owner, token, organizationId, clusterId, locationId };
}

const states = (id: string) => inEach<{ state: string }>("SELECT state FROM residents WHERE workspace_id = ?", id);

describe("a workspace of every table", () => {
  test("has the same rows in the other database, and none in the former one", async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (given) => {
        const workspaces = await fill(given, env.D1_FIRST, true);
        for (const id of workspaces)
          await env.D1_DIRECTORY.prepare("INSERT INTO workspaces (id, number, database) VALUES (?, ?, 'first')")
            .bind(id, numberOf(id))
            .run();
        const [owner = "", organization = ""] = [workspaces[0], workspaces.at(-1)];
        for (const id of [owner, organization]) {
          const before = await rowsOfWorkspace("first", id);
          const move = await beginMoveOf(id);
          await runMove(move.id);
          expect(await placeOf(id)).toBe("second");
          // The index removes texts of former versions, and can queue work for them.
          const isKept = (line: string) => !/^text_sections|^jobs:.*"index-document"/.test(line);
          expect((await rowsOfWorkspace("second", id)).filter(isKept)).toEqual(before.filter(isKept));
          const left = (await rowsOfWorkspace("first", id)).filter((line) => !/^(?:people|search_)/.test(line));
          expect(left).toEqual([]);
        }
      }),
      { numRuns: 2 },
    );
  });
});

describe("a move", () => {
  test("leaves a workspace readable and closed to changes, and lists show it once", async () => {
    const { token, organizationId, clusterId, locationId } = await world();
    const before = await rowsOfWorkspace((await placeOf(organizationId)) ?? "", organizationId);
    const { id, source, target } = await beginMoveOf(organizationId);
    for (const state of ["switched", "opened", "finished"]) {
      await runMove(id, state);
      const isOpen = state !== "switched";
      await expectSeveral(made, 200, "GET", `/v1/spatial/locations/${locationId}`, { token });
      const renamed = await callSeveral("PATCH", `/v1/spatial/clusters/${clusterId}`, {
        token,
        body: { name: "Quay" },
        headers: { "if-match": '"1"' },
      });
      expect(renamed.status, state).toBe(isOpen ? (state === "opened" ? 200 : 412) : 503);
      if (!isOpen) expect(Number(renamed.headers.get("retry-after"))).toBeGreaterThan(0);
      for (const path of ["/v1/orgs", "/v1/spatial/clusters", "/v1/spatial/locations"]) {
        const list = await expectSeveral(z.object({ items: z.array(made) }), 200, "GET", path, { token });
        expect(list.items, `${path} ${state}`).toHaveLength(1);
      }
      if (state === "switched") expect(await rowsOfWorkspace(target, organizationId)).toEqual(before);
    }
    expect(await states(organizationId)).toMatchObject({
      [source]: [{ state: "gone" }],
      [target]: [{ state: "here" }],
    });
  });

  test("of a deleted organization is undone, and leaves nothing", async () => {
    const { organizationId } = await world();
    const place = (await placeOf(organizationId)) ?? "";
    await databaseOf(place).prepare("UPDATE organizations SET deleted_at = 1 WHERE id = ?").bind(organizationId).run();
    const { id, source, target } = await beginMoveOf(organizationId);
    await runMove(id, "undone");
    expect(await placeOf(organizationId)).toBe(source);
    expect(await states(organizationId)).toMatchObject({ [source]: [{ state: "here" }] });
    expect(await rowsOfWorkspace(target, organizationId)).toEqual([]);
  });

  test("gives events and notifications of the inbox other numbers where the target has theirs already", async () => {
    const { owner, organizationId } = await world();
    const { id, source, target } = await beginMoveOf(organizationId);
    const write = async (place: string, eventId: string, organization: string | null) => {
      const database = databaseOf(place);
      await database.batch([
        database
          .prepare("INSERT INTO people (id, email, display_name) VALUES (?1, ?1, 'P') ON CONFLICT DO NOTHING")
          .bind(owner.userId),
        database
          .prepare(
            `INSERT INTO notification_events (no, event_id, type, severity, title, body, organization_id, created_at, page_after, page_seq, recipients)
              VALUES (500, ?1, 'document-uploaded', 'info', ?1, '', ?2, 0, '', 500, 1)`,
          )
          .bind(eventId, organization),
        database.prepare("INSERT INTO notifications (user_id, seq, event_no) VALUES (?1, 500, 500)").bind(owner.userId),
      ]);
    };
    await write(source, "of the organization", organizationId);
    await write(target, "of another one", null);
    await runMove(id, "opened");
    const { results } = await databaseOf(target)
      .prepare(
        `SELECT n.seq, e.no, e.title FROM notifications n JOIN notification_events e ON e.no = n.event_no
          WHERE n.user_id = ? AND n.seq <= 500 ORDER BY n.seq`,
      )
      .bind(owner.userId)
      .all();
    expect(results).toEqual([
      { seq: 499, no: 499, title: "of the organization" },
      { seq: 500, no: 500, title: "of another one" },
    ]);
  });

  test("there and back brings a workspace to where it was", async () => {
    const { organizationId } = await world();
    const place = (await placeOf(organizationId)) ?? "";
    const before = await rowsOfWorkspace(place, organizationId);
    for (let n = 0; n < 2; n++) await runMove((await beginMoveOf(organizationId)).id);
    expect(await placeOf(organizationId)).toBe(place);
    expect(await rowsOfWorkspace(place, organizationId)).toEqual(before);
  });
});
