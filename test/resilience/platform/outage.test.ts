import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../../src/app";
import { isRead } from "../../../src/platform/db/database";
import { continueLater } from "../../../src/platform/jobs/handlers";
import { runJob } from "../../../src/platform/jobs/run";
import { isOutage, reach } from "../../../src/platform/outages";
import { BASE_URL, call, problem } from "../../support/call";
import { mintPerson } from "../../support/factories";
import { failingDatabase, OUTAGES } from "../../support/hosted/outages";
import { handlersWith, insertJob, readJobRow, silentQueues, systemContext } from "../../support/job-rows";

const ofRequest = /users|sessions|organizations|memberships/;

/** The database with an outage: the first `times` statements that match are not answered. */
function failing(message: string, times: number, fits: RegExp = ofRequest) {
  const asked: string[] = [];
  const { DB } = failingDatabase(message, (text) => fits.test(text) && asked.push(text) <= times);
  return { asked, DB };
}

async function send(method: string, path: string, token: string, DB: D1Database, body?: object) {
  const execution = createExecutionContext();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = new Request(`${BASE_URL}${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
  const response = await app.fetch(request, { ...env, DB }, execution);
  await waitOnExecutionContext(execution);
  return response;
}

describe("while the database does not answer", () => {
  test.each(OUTAGES)("a request answers 503 with Retry-After: %s", async (message) => {
    const { token } = await mintPerson();
    for (const [method, path, body] of [
      ["GET", "/v1/orgs", undefined],
      ["POST", "/v1/orgs", { name: "Harbour" }],
    ] as const) {
      const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const response = await send(method, path, token, failing(message, Number.POSITIVE_INFINITY).DB, body);
      expect([response.status, response.headers.get("retry-after")], method).toEqual([503, "2"]);
      expect(problem.parse(await response.json()).code).toBe("unavailable");
      expect(lines.mock.calls.flat().join("\n")).toContain("dependency.unavailable");
      lines.mockRestore();
    }
  });

  test.each(OUTAGES)("a read is asked once more, and no more than once: %s", async (message) => {
    const { token } = await mintPerson();
    const short = failing(message, 1);
    expect((await send("GET", "/v1/orgs", token, short.DB)).status).toBe(200);
    const long = failing(message, 2);
    expect((await send("GET", "/v1/orgs", token, long.DB)).status).toBe(503);
    expect(long.asked).toHaveLength(2);
  });

  test("a change is tried once, because its result is unknown", async () => {
    const { token, userId } = await mintPerson();
    const broken = failing("Network connection lost.", 1, /insert into "organizations"/i);
    expect((await send("POST", "/v1/orgs", token, broken.DB, { name: "Harbour" })).status).toBe(503);
    expect(broken.asked).toHaveLength(1);
    const mine = env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE user_id = ?").bind(userId);
    expect(await mine.first("n")).toBe(0);
  });

  test("a job records it and is retried", async () => {
    const id = await insertJob();
    const handlers = handlersWith({
      run: () => reach("database", () => Promise.reject(new Error("D1 DB is overloaded."))),
    });
    expect(await runJob(systemContext({ queues: silentQueues().queues }), handlers, id)).toBe("retry");
    expect(await readJobRow(id)).toMatchObject({ errorCode: "unavailable" });
    const works = handlersWith({ run: async () => continueLater(null) });
    expect(await runJob(systemContext({ queues: silentQueues().queues }), works, id)).toBe("not-due");
  });

  test.each(["D1_ERROR: Exceeded maximum DB size", "D1_ERROR: database or disk is full: SQLITE_FULL"])(
    "a write into a full database answers 507, the operator is told, and reads go on: %s",
    async (message) => {
      const { token } = await mintPerson();
      const full = failing(message, Number.POSITIVE_INFINITY, /insert into "organizations"/i);
      const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
      const refused = await send("POST", "/v1/orgs", token, full.DB, { name: "Harbour" });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([507, "300"]);
      expect(problem.parse(await refused.json()).code).toBe("storage-full");
      expect(lines.mock.calls.flat().join("\n")).toContain("database.full");
      lines.mockRestore();
      expect((await send("GET", "/v1/orgs", token, full.DB)).status).toBe(200);
    },
  );

  test.each([
    "D1_ERROR: UNIQUE constraint failed: organizations.id: SQLITE_CONSTRAINT",
    "D1_ERROR: no such table: residents: SQLITE_ERROR",
    'D1_ERROR: near "SELCT": syntax error at offset 0: SQLITE_ERROR',
    "D1_ERROR: string or blob too big: SQLITE_TOOBIG",
    "D1_TYPE_ERROR: Type 'undefined' not supported for value 'undefined'",
    "D1_ERROR: LIKE or GLOB pattern too complex: SQLITE_ERROR",
  ])("a wrong statement is a fault of the service, and is not repeated: %s", async (message) => {
    const { token } = await mintPerson();
    const broken = failing(message, Number.POSITIVE_INFINITY);
    const lines = vi.spyOn(console, "error").mockImplementation(() => undefined);
    expect((await send("GET", "/v1/orgs", token, broken.DB)).status).toBe(500);
    expect(broken.asked).toHaveLength(1);
    lines.mockRestore();
  });

  test("user text is not mistaken for an outage", async () => {
    const wrapped = new Error("Failed query: insert into …\nparams: Network connection lost.", {
      cause: new Error("D1_ERROR: UNIQUE constraint failed: users.email"),
    });
    expect(isOutage(wrapped)).toBe(false);
    const { token } = await mintPerson();
    const created = await call("POST", "/v1/orgs", { token, body: { name: "D1 DB is overloaded" } });
    expect(created.status).toBe(201);
  });
});

test.each([
  ["SELECT 1", true],
  ["select replace(name, 'a', 'b'), deleted_at from locations", true],
  ["WITH a AS (SELECT 1) SELECT * FROM a WHERE updated > 1", true],
  ["WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", false],
  ["WITH a AS (SELECT 1) UPDATE OR IGNORE b SET c = 1", false],
  ['with a as (select 1) update "b" set "c" = 1', false],
  ["WITH a AS (SELECT 1) DELETE FROM b", false],
  ["INSERT INTO b VALUES (1)", false],
  ["update b set c = 1 returning *", false],
])("whether a statement is a read: %s", (statement, expected) => {
  expect(isRead(statement)).toBe(expected);
});
