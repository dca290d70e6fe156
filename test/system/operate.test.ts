import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { readOperateCommand } from "../../scripts/operate/command.mjs";
import { MAX_COUNTED, MAX_LISTED, retryStatements } from "../../scripts/operate/statements.mjs";
import { cellOf, durationOf, table } from "../../scripts/operate/table.mjs";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { copyPreparedState, preparedWorker } from "../../scripts/service/prepared.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { MAX_COUNTED_JOBS, MAX_COUNTED_OBJECTS } from "../../src/administration/limits";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { adminOf } from "./support/admin";

/** Every line of the log. */
const lineSchema = z.looseObject({
  event: z.string(),
  requestId: z.string(),
  workspace: z.string().nullable(),
  caller: z.enum(["person", "token", "device", "share-link", "anonymous", "job", "service"]),
});

const ORGANIZATION = "0193aaaa-0000-7000-8000-0000000000aa";
const stateDir = mkdtempSync(join(tmpdir(), "operate-"));
const { query, run } = adminOf(stateDir);

const jobId = (n: number) => `0193bbbb-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
const location = JSON.stringify({ type: "location", id: ORGANIZATION });

/** Writes this many failed jobs of the organization, from a number on; the last one has failed last. */
const fail = (count: number, first = 1, kind = "index-asset", payload = location) =>
  query(`WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count - 1})
    INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, attempts, run_at, error_code, error_detail, is_kept, request_id, created_at, finished_at)
    SELECT printf('0193bbbb-0000-7000-8000-%012x', i), '${kind}', 'light', '${ORGANIZATION}', '${payload}', 'failed', 6, i,
      iif(i % 2 = 0, 'internal', 'worker-died'), 'It stopped unexpectedly.', 1, 'asked', i, 1700000000000 + i FROM n`);

beforeAll(() => {
  copyPreparedState(stateDir);
  query(
    `INSERT INTO users (id, email, display_name, created_at) VALUES ('user-1', 'o''brien@people.test', 'O''Brien', 0)`,
  );
  query(`INSERT INTO people (id, email, display_name) VALUES ('user-1', 'o''brien@people.test', 'O''Brien')`);
  query(`INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month,
    max_retention_days, created_at, updated_at) VALUES ('${ORGANIZATION}', 'Ångström ''n'' pier', 1, 0, 5000000, 0, 0, 1, 0)`);
  query(`INSERT OR IGNORE INTO residents (workspace_id, state) VALUES ('${ORGANIZATION}', 'here')`);
  query(
    `INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES ('${ORGANIZATION}', 'user-1', 'owner', 0)`,
  );
});
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));
beforeEach(() => {
  query("DELETE FROM jobs");
});

test("an empty service has nothing to show, and the command names what it reaches", async () => {
  const status = await run("status");
  expect(status).toMatchObject({ code: 0 });
  expect(status.said).toContain(`Reaching the local state in ${stateDir}`);
  expect(status.said).toContain("No job waits, runs or has failed.");
  expect(status.said).toContain("Last complete backup of the service: none is known");
  expect((await run("jobs")).said).toContain("No job has failed.");
  expect(status.said).toMatch(/^first +document-workspace +no region, open, directory +[\d.]+ MB \(0 %\)/m);
  expect((await run("databases")).said).toContain(
    "first: document-workspace, bucket document-workspace, no region, open, directory: 1 workspace, 0.00 GB (0 %)",
  );
});

test("three failed jobs are three rows, and one that runs again is done as the service does it", async () => {
  fail(3);
  const listed = await run("jobs");
  expect(listed.said.match(/^0193bbbb-.*$/gm)?.map((line) => line.split(/ {2,}/))).toEqual(
    [3, 2, 1].map((n) => [
      jobId(n),
      "index-asset",
      n % 2 === 0 ? "internal" : "worker-died",
      "6",
      new Date(1_700_000_000_000 + n).toISOString(),
      ORGANIZATION,
      "It stopped unexpectedly.",
    ]),
  );
  const again = await run("retry", jobId(2).toUpperCase());
  expect(again).toMatchObject({ code: 0 });
  expect(query("SELECT id FROM jobs WHERE status = 'failed' ORDER BY id").map(({ id }) => id)).toEqual([
    jobId(1),
    jobId(3),
  ]);
  const [fresh, ...others] = query("SELECT * FROM jobs WHERE status = 'queued'");
  expect(others).toEqual([]);
  // It waits for a slot of its workspace, so that the sweeper admits and sends it.
  expect(fresh).toMatchObject({
    kind: "index-asset",
    lane: "light",
    tenant_id: ORGANIZATION,
    payload: location,
    attempts: 0,
    sent_at: null,
    error_code: null,
    is_kept: 0,
  });
  expect(again.said).toContain(`The job ${fresh?.id} (index-asset, database first) takes the place of ${jobId(2)}.`);
  expect(query("SELECT actor_kind, subject_id, details FROM audit_entries WHERE action = 'jobs.rerun'")).toEqual([
    {
      actor_kind: "system",
      subject_id: jobId(2),
      details: JSON.stringify({ reason: "operator", jobs: [{ jobId: jobId(2), newJobId: fresh?.id }] }),
    },
  ]);
});

test("a job that cannot run again is left alone, with the reason", async () => {
  fail(1);
  expect((await run("retry", jobId(99))).said).toContain("No database has a job with the id");
  query(`UPDATE jobs SET status = 'queued', finished_at = NULL WHERE id = '${jobId(1)}'`);
  expect((await run("retry", jobId(1))).said).toContain("has not failed: it is queued");
  fail(1, 2, "delete-tree");
  expect((await run("retry", jobId(2))).said).toContain("cannot run again here");
  fail(1, 3, "index-asset", `{"of":"another version"}`);
  expect((await run("retry", jobId(3))).said).toContain("cannot run again here");
  fail(1, 4);
  query(`UPDATE residents SET state = 'leaving' WHERE workspace_id = '${ORGANIZATION}'`);
  const moving = await run("retry", jobId(4));
  query(`UPDATE residents SET state = 'here' WHERE workspace_id = '${ORGANIZATION}'`);
  expect(moving).toMatchObject({ code: 1, said: expect.stringContaining("is being moved") });
  expect(query("SELECT count(*) AS count FROM jobs WHERE status = 'failed'")).toEqual([{ count: 3 }]);
});

test("fifty thousand failed jobs are as many rows as a table has, and counted up to the maximum", async () => {
  fail(50_000);
  query(`INSERT INTO jobs (id, kind, lane, payload, status, run_at, sent_at, request_id, created_at)
    VALUES ('${jobId(60_000)}', 'merge-index', 'light', '{}', 'queued', 0, 0, 'asked', 0)`);
  const listed = await run("jobs");
  expect(listed.said.match(/^0193bbbb-/gm)).toHaveLength(MAX_LISTED);
  expect(listed.said).toContain(jobId(50_000));
  expect(listed.said).toContain("… and more.");
  const { said } = await run("status");
  const [heads, line, ...rows] = said.split("\n").slice(said.split("\n").findIndex((row) => row.startsWith("JOBS ")));
  expect(heads?.split(/ {2,}/)).toEqual(["JOBS", "WAITING", "OLDEST", "RUNNING", "FAILED", "CODES"]);
  expect(line).toMatch(/^[- ]+$/);
  expect(rows.slice(0, 2).map((row) => row.trim().split(/ {2,}/))).toEqual([
    [
      "index-asset",
      "0",
      "-",
      "0",
      String(MAX_COUNTED + 1),
      expect.stringMatching(/^(internal|worker-died): 500[01], /),
    ],
    ["merge-index", "1", expect.stringMatching(/^\d+ d( \d+ h)?$/), "0", "0"],
  ]);
  expect(rows.slice(2).join("\n")).toContain("… of a set of more than 10000 jobs only so many were read");
  const shown = await run("organization", ORGANIZATION);
  expect(shown.said).toContain(`more than ${MAX_LISTED}`);
  expect(shown.said.match(/^0193bbbb-/gm)).toHaveLength(MAX_LISTED);
});

test("an organization is found by its id and by a part of its name, and several are listed", async () => {
  fail(2);
  for (const subject of [ORGANIZATION.toUpperCase(), "angstrom"]) {
    const { code, said } = await run("organization", subject);
    expect(code).toBe(0);
    expect(said).toMatch(/name +Ångström 'n' pier\n/);
    expect(said).toMatch(/owners +o'brien@people\.test\n/);
    expect(said).toMatch(/state +here\n/);
    expect(said).toMatch(/storage +0 bytes of 5\.0 MB\n/);
    expect(said).toMatch(/failed jobs +2\n/);
  }
  query(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month, max_retention_days, created_at, updated_at)
    SELECT printf('0193cccc-0000-7000-8000-%012x', i), 'Quay ' || i, 0, 0, 0, 0, 0, 1, 0 FROM n`);
  const many = await run("organization", "quay");
  query("DELETE FROM organizations WHERE id LIKE '0193cccc-%'");
  expect(many.said.match(/^0193cccc-/gm)).toHaveLength(20);
  expect(many.said).toContain("Only the first 20000 names of a database were read.");
  const none = await run("organization", "nowhere\u001b[31m");
  expect(none).toMatchObject({ code: 1, said: expect.stringContaining(`a name like "nowhere [31m"`) });
});

test("a user is shown with credentials and organizations, and without secrets", async () => {
  query(`INSERT INTO access_tokens (id, user_id, name, secret_hash, created_at, last_used_at)
    VALUES ('token-1', 'user-1', 'x', 'a-hash-of-a-secret', 0, 86400000)`);
  const { code, said } = await run("user", " O'Brien@People.test ");
  expect(code).toBe(0);
  expect(said).toMatch(/verified +no\n/);
  expect(said).toMatch(/sessions +none\n/);
  expect(said).toMatch(/personal access tokens +1, last used 1970-01-02T00:00:00\.000Z\n/);
  expect(said).toMatch(new RegExp(`^${ORGANIZATION} +Ångström 'n' pier +owner `, "m"));
  expect(said).not.toContain("a-hash-of-a-secret");
  expect((await run("user", "nobody@people.test")).said).toContain("There is no account with nobody@people.test.");
});

test("a running service runs the jobs that are retried, and each line of its log says what it is about", async () => {
  fail(1);
  fail(1, 2, "backfill-assets", "{}");
  query(`UPDATE jobs SET tenant_id = NULL WHERE id = '${jobId(2)}'`);
  // The service deletes jobs that failed long ago.
  query(`UPDATE jobs SET finished_at = ${Date.now()}`);
  const lines: string[] = [];
  const service = await serve({
    ...preparedWorker,
    port: await freePort(),
    stateDir,
    secretsFile: localSecrets(stateDir),
    onLine: (line) => lines.push(line),
  });
  try {
    for (const id of [jobId(1), jobId(2)]) expect((await run("retry", id)).said).toContain("takes the place");
    // A job that succeeds leaves no row.
    await eventually(() => {
      expect(query(`SELECT kind, status FROM jobs WHERE kind IN ('index-asset', 'backfill-assets')`)).toEqual([]);
    }, LONG_PATIENCE);
    expect((await fetch(`${service.url}/v1/orgs/${ORGANIZATION}`)).status).toBe(401);
    const told = () =>
      lines.flatMap((line) => {
        const json = /\{"level":.*\}/.exec(line)?.[0];
        return json === undefined ? [] : [lineSchema.parse(JSON.parse(json))];
      });
    await eventually(() => {
      expect(told()).toContainEqual(
        expect.objectContaining({ event: "job.slice", kind: "index-asset", workspace: ORGANIZATION, caller: "job" }),
      );
      expect(told()).toContainEqual(
        expect.objectContaining({ event: "job.slice", kind: "backfill-assets", workspace: null, caller: "job" }),
      );
      expect(told()).toContainEqual(expect.objectContaining({ event: "request", status: 401, caller: "anonymous" }));
    }, LONG_PATIENCE);
  } finally {
    await service.stop();
  }
});

describe("the command line", () => {
  test("is refused when it is not understood", () => {
    for (const args of [
      ["status", "more"],
      ["retry"],
      ["organization"],
      ["user", "a@b.test", "more"],
      ["jobs", "--yes"],
    ])
      expect(() => readOperateCommand(args)).toThrow("npm run admin");
    expect(() => readOperateCommand(["user", "nobody"])).toThrow("is not an e-mail address");
    for (const id of ["1", "x' OR 1=1 --"])
      expect(() => readOperateCommand(["retry", id])).toThrow("is not the id of a job");
    expect(readOperateCommand(["status", "--remote"])).toEqual({ verb: "status", subject: "", remote: true });
  });

  test("cannot put SQL into a statement", () => {
    const sql = retryStatements({ id: "x' OR 1=1;--", newId: "n", auditId: "a", lane: "light", waits: true, now: 1 });
    expect(sql.join(";\n")).toContain("'x'' OR 1=1;--'");
  });

  test("counts as many rows as the service", () => {
    expect([MAX_COUNTED, MAX_COUNTED]).toEqual([MAX_COUNTED_JOBS, MAX_COUNTED_OBJECTS]);
  });
});

test("a table is aligned, and a cell is one short line without control characters", () => {
  expect(
    table(
      ["NAME", "COUNT"],
      [
        ["a", 1],
        ["bcdefg", 1_000],
        ["", 20],
      ],
    ),
  ).toBe(["NAME    COUNT", "------  -----", "a           1", "bcdefg   1000", "           20"].join("\n"));
  expect(cellOf("two\nlines\u202e\u001b[2J")).toBe("two lines  [2J");
  expect([...cellOf("x".repeat(100))]).toHaveLength(60);
  expect(cellOf(null)).toBe("-");
  expect([0, 59_000, 61_000, 3_600_000, 90_000_000, 864_000_000, null].map(durationOf)).toEqual([
    "0 s",
    "59 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
    "10 d",
    "-",
  ]);
});
