import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { runThrough } from "../../support/jobs";

const DAY = 24 * 3_600_000;

test("old rows of requests and jobs are deleted", async () => {
  const now = Date.now();
  const key = env.DB.prepare(
    "INSERT INTO idempotency_keys (id, request_hash, status, claim_token, claimed_until, created_at) VALUES (?, '', 'answered', '', 0, ?)",
  );
  const mark = env.DB.prepare(
    "INSERT INTO committed_requests (id, claim_token, created_at, committed_at) VALUES (?1, '', ?2, ?2)",
  );
  const window = env.DB.prepare("INSERT INTO rate_windows (bucket, started_at, count) VALUES (?, ?, 1)");
  const job = env.DB.prepare(
    `INSERT INTO jobs (id, kind, lane, payload, status, run_at, is_kept, request_id, created_at, finished_at)
     VALUES (?1, 'index-asset', 'light', '{}', ?2, ?3, ?4 IS NOT NULL, '', 0, ?4)`,
  );
  await env.DB.batch([
    key.bind("old-key", now - DAY - 1),
    key.bind("young-key", now - DAY + 60_000),
    mark.bind("old-key", now - DAY - 1),
    mark.bind("young-key", now - DAY + 60_000),
    window.bind("old-window", now - DAY - 1),
    window.bind("young-window", now - 3_600_000),
    job.bind("old-job", "succeeded", 0, now - 31 * DAY),
    job.bind("old-failure", "failed", 0, now - 31 * DAY),
    job.bind("young-job", "succeeded", 0, now - 29 * DAY),
    job.bind("waiting-job", "queued", now + 300 * DAY, null),
  ]);
  await runThrough("expire-requests", [{}]);
  await runThrough("expire-jobs", [{}]);
  const left = async (table: string, column: string, pattern: string) =>
    (
      await env.DB.prepare(`SELECT ${column} AS name FROM ${table} WHERE ${column} LIKE ? ORDER BY 1`)
        .bind(pattern)
        .all<{ name: string }>()
    ).results.map(({ name }) => name);
  expect(await left("idempotency_keys", "id", "%-key")).toEqual(["young-key"]);
  expect(await left("committed_requests", "id", "%-key")).toEqual(["young-key"]);
  expect(await left("rate_windows", "bucket", "%-window")).toEqual(["young-window"]);
  expect(await left("jobs", "id", "%-job")).toEqual(["waiting-job", "young-job"]);
  expect(await left("jobs", "id", "old-failure")).toEqual([]);
});
