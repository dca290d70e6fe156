import { beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import {
  addMemberSeveral,
  callSeveral,
  databaseOf,
  expectSeveral,
  migrateSeveral,
  organizationIn,
  registerIn,
  settingOf,
} from "../../support/databases";
import { failingDatabase } from "../../support/hosted/outages";

/* One of several databases does not answer: people lose what is in it, and lists over all databases. Nobody is told that what is in it is absent. */

beforeAll(migrateSeveral);

const made = z.object({ id: z.string() });
const code = z.object({ code: z.string() });

/** A service whose second database does not answer. */
const silent = () => {
  const { DB, failures } = failingDatabase("Network connection lost.", () => true, databaseOf("second"));
  return { given: { bindings: { D1_SECOND: DB } }, failures };
};
/** A service whose settings do not name the second database, although the directory does. */
const renamed = () => {
  const [first] = JSON.parse(settingOf(1)) as unknown[];
  const DATABASES = JSON.stringify([first, { name: "third", binding: "D1_THIRD" }]);
  return { given: { vars: { DATABASES } }, failures: () => 1 };
};

/** A person with an organization in each database. */
async function mint(home: string) {
  const person = await registerIn(home);
  const of = async (place: string) => {
    const id = await organizationIn(place, person.token);
    const { token } = person;
    const body = { organizationId: id, name: "Quay" };
    return { id, cluster: await expectSeveral(made, 201, "POST", "/v1/spatial/clusters", { token, body }) };
  };
  return { person, first: await of("first"), second: await of("second") };
}

describe.each([
  ["does not answer", silent],
  ["is not in the settings", renamed],
] as const)("while one database %s", (_, broken) => {
  test.each(["first", "second"])("a person with %s as home works in the other one", async (home) => {
    const { person, first, second } = await mint(home);
    const { token } = person;
    const { given, failures } = broken();
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const ask = (method: string, path: string, body?: unknown) =>
      callSeveral(method, path, { token, ...(body !== undefined && { body }), ...given });
    const statusOf = async (method: string, path: string, body?: unknown) => (await ask(method, path, body)).status;
    // Reads and changes of a workspace in a database that answers.
    expect(await statusOf("GET", `/v1/orgs/${first.id}`)).toBe(200);
    expect(await statusOf("GET", `/v1/spatial/clusters/${first.cluster.id}`)).toBe(200);
    expect(await statusOf("POST", "/v1/spatial/clusters", { organizationId: first.id, name: "Pier" })).toBe(201);
    expect(await statusOf("GET", "/v1/auth/sessions")).toBe(200);
    // What is in the other one is not absent, and lists over both are not given in part.
    for (const path of [
      `/v1/orgs/${second.id}`,
      `/v1/spatial/clusters/${second.cluster.id}`,
      "/v1/orgs",
      "/v1/notifications",
      "/v1/notifications/unread-count",
    ]) {
      const answer = await ask("GET", path);
      expect([path, answer.status]).toEqual([path, 503]);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(code.parse(await answer.json()).code).toBe("unavailable");
    }
    expect(await statusOf("POST", "/v1/search", { term: "quay" })).toBe(503);
    // What is in neither is absent for all that is known.
    expect(await statusOf("GET", `/v1/orgs/${crypto.randomUUID()}`)).toBe(404);
    expect(failures()).toBeGreaterThan(0);
    lines.mockRestore();
    expect((await callSeveral("GET", "/v1/orgs", { token })).status).toBe(200);
  });

  test("a caller without a credential is asked for one", async () => {
    const { first, second } = await mint("first");
    const { given } = broken();
    for (const { cluster } of [first, second]) {
      const answer = await callSeveral("GET", `/v1/spatial/clusters/${cluster.id}`, given);
      expect([answer.status, code.parse(await answer.json()).code]).toEqual([401, "unauthenticated"]);
    }
  });

  test("a person without anything in it notices nothing", async () => {
    const [owner, person] = [await registerIn("first"), await registerIn("first")];
    const id = await organizationIn("first", owner.token);
    await addMemberSeveral(id, owner, person);
    const { given } = broken();
    for (const path of ["/v1/orgs", `/v1/orgs/${id}`, "/v1/notifications"])
      expect((await callSeveral("GET", path, { token: person.token, ...given })).status).toBe(200);
    const search = { token: person.token, body: { term: "quay" }, ...given };
    expect((await callSeveral("POST", "/v1/search", search)).status).toBe(200);
  });
});
