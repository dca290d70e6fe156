import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { app } from "../../../src/app";
import { isRead } from "../../../src/platform/db/database";
import { isOutage } from "../../../src/platform/db/failures";
import { continueLater } from "../../../src/platform/jobs/handlers";
import { runJob } from "../../../src/platform/jobs/run";
import { BASE_URL, call, problem } from "../../support/call";
import { mintPerson } from "../../support/factories";
import { handlersWith, insertJob, readJobRow, silentQueues, systemContext } from "../../support/job-rows";

/** The error message of D1 during a short outage. */
const OUTAGES = [
  "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  "D1_ERROR: D1 DB is overloaded. Too many requests queued.",
  "Network connection lost.",
  "D1_ERROR: D1 DB reset because its code was updated.",
  "D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.",
  "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
  "D1_ERROR: database is locked: SQLITE_BUSY",
];

const ofRequest = /users|sessions|organizations|memberships/;

/** The database with an outage: the first `times` statements that match are not answered. */
function failing(message: string, times: number, fits: RegExp = ofRequest) {
  const asked: string[] = [];
  const ask = (text: string) => {
    if (!fits.test(text)) return;
    asked.push(text);
    if (asked.length <= times) throw new Error(message);
  };
  const texts = new WeakMap<D1PreparedStatement, string>();
  const wrapped = (statement: D1PreparedStatement, text: string): D1PreparedStatement => {
    texts.set(statement, text);
    return new Proxy(statement, {
      get(target, name) {
        if (name === "inner") return target;
        if (name === "bind") return (...values: unknown[]) => wrapped(target.bind(...values), text);
        const method = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          ask(text);
          return method.apply(target, given);
        };
      },
    });
  };
  const session = (constraint?: string) => {
    const real = env.DB.withSession(constraint);
    return {
      prepare: (text: string) => wrapped(real.prepare(text), text),
      batch: async (statements: (D1PreparedStatement & { inner: D1PreparedStatement })[]) => {
        for (const { inner } of statements) ask(texts.get(inner) ?? "");
        return real.batch(statements.map(({ inner }) => inner));
      },
      getBookmark: () => real.getBookmark(),
    };
  };
  return { asked, DB: { withSession: session } as unknown as D1Database };
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
    const handlers = handlersWith({ run: () => Promise.reject(new Error("D1 DB is overloaded.")) });
    expect(await runJob(systemContext({ queues: silentQueues().queues }), handlers, id)).toBe("retry");
    expect(await readJobRow(id)).toMatchObject({ errorCode: "unavailable" });
    const works = handlersWith({ run: async () => continueLater(null) });
    expect(await runJob(systemContext({ queues: silentQueues().queues }), works, id)).toBe("not-due");
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
