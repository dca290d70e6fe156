import { sql } from "drizzle-orm";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { readJobKinds } from "../../src/administration/jobs/by-kind";
import { MAX_COUNTED_JOBS, MAX_COUNTED_OBJECTS } from "../../src/administration/limits";
import type { Context } from "../../src/platform/context";
import { MAX_DATABASE_BYTES } from "../../src/platform/db/database";
import { DAY } from "../../src/platform/time";
import { expectJson } from "../support/call";
import { mintOrganization, mintPerson, type Person } from "../support/factories";
import { insertJob, systemContext } from "../support/job-rows";
import { rowsRead } from "../support/rows-read";
import { testDatabase } from "../support/statements";
import { sweepOnce } from "../support/sweeper";

const kindStatus = z.strictObject({
  kind: z.string(),
  waiting: z.int(),
  running: z.int(),
  oldestWaitingSeconds: z.int().nullable(),
  failures: z.array(z.strictObject({ code: z.string(), count: z.int() })),
});
const statusSchema = z.object({
  databases: z.array(
    z.object({
      sizeBytes: z.int(),
      growthBytesPerDay: z.int().nullable(),
      daysUntilFull: z.int().nullable(),
      lastSweepAtUtc: z.string().nullable(),
    }),
  ),
  jobs: z.strictObject({ kinds: z.array(kindStatus), isExact: z.boolean() }),
  objectsToPurge: z.strictObject({
    waiting: z.int(),
    due: z.int(),
    oldestDueSeconds: z.int().nullable(),
    isExact: z.boolean(),
  }),
});

let admin: Person;
beforeEach(async () => {
  admin = await mintPerson({ isAdmin: true });
});

const read = () => expectJson(statusSchema, 200, "GET", "/v1/admin/status", admin);
const kindOf = async (kind: string) => (await read()).jobs.kinds.find((one) => one.kind === kind);
const run = (statement: ReturnType<typeof sql>) => testDatabase().run(statement);

test("shows the waiting, running and failed jobs of each kind", async () => {
  onTestFinished(async () => void (await run(sql`DELETE FROM jobs WHERE kind = 'merge-index'`)));
  const { id: tenantId } = await mintOrganization();
  const now = Date.now();
  expect(await kindOf("merge-index")).toBeUndefined();
  // In line, with a place in the queue, running, and for a later time.
  await insertJob({ kind: "merge-index", tenantId, sentAt: null, runAt: now - 90_000 });
  await insertJob({ kind: "merge-index", sentAt: now, runAt: now - 30_000 });
  await insertJob({ kind: "merge-index", sentAt: now + DAY, runAt: now + DAY });
  await insertJob({ kind: "merge-index", status: "running", leaseUntil: now + DAY, runAt: now - 900_000 });
  for (const errorCode of ["internal", "worker-died", "internal", null])
    await insertJob({ kind: "merge-index", status: "failed", sentAt: null, finishedAt: now, isKept: true, errorCode });
  const found = await kindOf("merge-index");
  expect(found).toMatchObject({
    waiting: 3,
    running: 1,
    failures: [
      { code: "internal", count: 2 },
      { code: "unknown", count: 1 },
      { code: "worker-died", count: 1 },
    ],
  });
  expect(found?.oldestWaitingSeconds).toBeGreaterThanOrEqual(90);
  expect(found?.oldestWaitingSeconds).toBeLessThan(900);
});

test("a kind whose jobs are only for later has no oldest job", async () => {
  onTestFinished(async () => void (await run(sql`DELETE FROM jobs WHERE kind = 'merge-index'`)));
  const later = Date.now() + DAY;
  await insertJob({ kind: "merge-index", sentAt: later, runAt: later });
  expect(await kindOf("merge-index")).toEqual({
    kind: "merge-index",
    waiting: 1,
    running: 0,
    oldestWaitingSeconds: null,
    failures: [],
  });
});

test("fifty thousand jobs cost no more than the maximum of each set, and the answer says so", async () => {
  onTestFinished(async () => void (await run(sql`DELETE FROM jobs WHERE request_id = 'test'`)));
  expect((await read()).jobs.isExact).toBe(true);
  await run(sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000)
    INSERT INTO jobs (id, kind, lane, tenant_id, payload, status, run_at, request_id, created_at)
    SELECT printf('00000000-0000-7000-8000-%012x', i), 'extract-document', 'extraction', 'busy', '{}', 'queued', i, 'test', i FROM n`);
  const { jobs } = await read();
  expect(jobs.isExact).toBe(false);
  expect(jobs.kinds.find(({ kind }) => kind === "extract-document")?.waiting).toBe(MAX_COUNTED_JOBS + 1);
  const rows = await rowsRead((workspace) =>
    readJobKinds({ ...systemContext(), workspace, directory: workspace } as unknown as Context),
  );
  expect(rows).toBeGreaterThan(MAX_COUNTED_JOBS);
  expect(rows).toBeLessThan(3 * MAX_COUNTED_JOBS);
});

test("says when a database is full if it grows as before, and when it was swept", async () => {
  onTestFinished(async () => void (await run(sql`DELETE FROM database_sizes WHERE bytes > 0`)));
  await run(sql`DELETE FROM database_sizes`);
  expect((await read()).databases).toMatchObject([{ growthBytesPerDay: null, daysUntilFull: null }]);
  const today = Math.floor(Date.now() / DAY);
  const measured = (day: number, bytes: number) =>
    run(sql`INSERT INTO database_sizes (database, day, bytes, told) VALUES ('first', ${day}, ${bytes}, 0)`);
  await measured(today - 10, 1_000_000);
  await measured(today, 11_000_000);
  const [growing] = (await read()).databases;
  expect(growing).toMatchObject({ growthBytesPerDay: 1_000_000 });
  expect(growing?.daysUntilFull).toBe(Math.floor((MAX_DATABASE_BYTES - (growing?.sizeBytes ?? 0)) / 1_000_000));
  await run(sql`UPDATE database_sizes SET bytes = 500000 WHERE day = ${today}`);
  expect((await read()).databases).toMatchObject([{ growthBytesPerDay: -50_000, daysUntilFull: null }]);

  const before = Date.now();
  await sweepOnce();
  const at = Date.parse((await read()).databases[0]?.lastSweepAtUtc ?? "");
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});

test("counts the objects that wait for their deletion, up to a maximum", async () => {
  onTestFinished(async () => void (await run(sql`DELETE FROM stored_objects WHERE tenant_id = 'test'`)));
  const { objectsToPurge: before } = await read();
  expect(before.isExact).toBe(true);
  const [now, put] = [
    Date.now(),
    (key: string, purgeAfter: number | null) =>
      run(sql`INSERT INTO stored_objects (key, tenant_id, charged_bytes, in_trash, created_at, purge_after)
      VALUES (${key}, 'test', 0, 0, 0, ${purgeAfter})`),
  ];
  await put("kept", null);
  await put("later", now + DAY);
  await put("due", now - 3_600_000);
  const { objectsToPurge: found } = await read();
  expect(found).toMatchObject({ waiting: before.waiting + 2, due: before.due + 1, isExact: true });
  expect(found.oldestDueSeconds).toBeGreaterThanOrEqual(3_600);
  await run(sql`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MAX_COUNTED_OBJECTS})
    INSERT INTO stored_objects (key, tenant_id, charged_bytes, in_trash, created_at, purge_after)
    SELECT 'many ' || i, 'test', 0, 0, 0, ${now + DAY} FROM n`);
  expect((await read()).objectsToPurge).toMatchObject({ waiting: MAX_COUNTED_OBJECTS, isExact: false });
});
