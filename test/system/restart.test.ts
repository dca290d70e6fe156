import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { localSecrets } from "../../scripts/secrets.mjs";
import { openClient } from "../../scripts/seed/client.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { copyPreparedState, preparedWorker } from "../../scripts/service/prepared.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { pagedPdf } from "../support/paged-pdf";
import { LONG_PATIENCE } from "../support/patience";
import { readState } from "./support/state";

/*
 * Kills the service like a power failure while documents are processed. Every job must end once, and its effect must
 * exist once.
 */

const DOCUMENTS = 16;
/** Three slices of text extraction for each document. */
const PAGES = 120;
/** The lease of a dead worker, a sweep and the work itself, on a slow machine. */
const ALL_ENDED_WITHIN_MS = 480_000;

/** The service holds each call that waits for a verification for 10 seconds. */
const MAX_TRIES = 20;

const stateDir = mkdtempSync(join(tmpdir(), "restart-"));
let service: Awaited<ReturnType<typeof start>> | undefined;

async function start(port: number) {
  const vars = { REGISTRATION: "open", FIRST_USER_IS_ADMIN: "true" };
  return serve({ ...preparedWorker, port, stateDir, secretsFile: localSecrets(stateDir), vars });
}

/** Reads the database file of the service from outside. */
const ask = <Row>(sql: string): Row[] => readState(stateDir, (database) => database.prepare(sql).all() as Row[]);

interface Counts {
  queued: number;
  running: number;
  /** Jobs that have run some slices and have more work. */
  halfDone: number;
}

const openJobs = (): Counts =>
  ask<Counts>(`SELECT
    count(*) FILTER (WHERE status = 'queued') AS queued,
    count(*) FILTER (WHERE status = 'running') AS running,
    count(*) FILTER (WHERE status IN ('queued', 'running') AND state IS NOT NULL) AS halfDone FROM jobs
    WHERE kind IN ('verify-upload', 'extract-document', 'index-document', 'index-asset')`)[0] ?? {
    queued: 0,
    running: 0,
    halfDone: 0,
  };

/** Completes an upload like a client: it calls again while the lease of a dead worker makes it wait. */
async function completeAtLast(upload: { complete: () => Promise<unknown> }): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      await upload.complete();
      return;
    } catch (thrown) {
      if (tries === MAX_TRIES || !(thrown instanceof Error && thrown.message.includes(" answered 503"))) throw thrown;
    }
}

beforeAll(() => copyPreparedState(stateDir));
afterAll(async () => {
  await service?.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

test("a service that was killed with queued, leased and unfinished jobs ends every job once after its restart", async () => {
  const port = await freePort();
  service = await start(port);
  const { accessToken } = await openClient(service.url).request("POST", "/v1/auth/register", {
    email: "restart@people.test",
    password: "a password for this test",
    displayName: "Restart",
  });
  const client = openClient(service.url, accessToken);
  const { id: organizationId } = await client.request("POST", "/v1/orgs", { name: "Restart" });
  const { id: clusterId } = await client.request("POST", "/v1/spatial/clusters", { organizationId, name: "Cluster" });
  const { id: locationId } = await client.request("POST", "/v1/spatial/locations", { clusterId, name: "Location" });
  const bytes = pagedPdf(PAGES);
  const uploads = [];
  for (let n = 0; n < DOCUMENTS; n++)
    uploads.push(
      await client.send(locationId, { fileName: `document-${n}.pdf`, contentType: "application/pdf", bytes }),
    );

  // The requests run the completion themselves, and the queue has the jobs that follow.
  const completions = uploads.map((upload) =>
    upload.complete().then(
      () => "answered",
      () => "cut off",
    ),
  );
  await vi.waitFor(
    () => {
      const counts = openJobs();
      expect(counts.queued).toBeGreaterThan(0);
      expect(counts.running).toBeGreaterThan(0);
      expect(counts.halfDone).toBeGreaterThan(0);
    },
    { timeout: LONG_PATIENCE, interval: 20 },
  );
  await service.kill();
  await Promise.all(completions);
  const left = openJobs();
  expect(left.queued + left.running).toBeGreaterThan(0);

  service = await start(port);
  // The client repeats what the kill interrupted before a job was written. The service repeats everything else.
  await Promise.all(uploads.map(completeAtLast));
  await vi.waitFor(() => expect(openJobs()).toEqual({ queued: 0, running: 0, halfDone: 0 }), {
    timeout: ALL_ENDED_WITHIN_MS,
    interval: 500,
  });

  // A job that succeeds leaves no row.
  expect(ask("SELECT kind, error_code FROM jobs WHERE kind IN ('verify-upload', 'extract-document')")).toEqual([]);
  expect(ask("SELECT status, count(*) AS uploads FROM uploads GROUP BY status")).toEqual([
    { status: "completed", uploads: DOCUMENTS },
  ]);
  expect(
    ask("SELECT text_status, latest_version, page_count, count(*) AS documents FROM documents GROUP BY 1, 2, 3"),
  ).toEqual([{ text_status: "indexed", latest_version: 1, page_count: PAGES, documents: DOCUMENTS }]);
  expect(
    ask(`SELECT min(n) AS least, max(n) AS most FROM
      (SELECT count(*) AS n, count(DISTINCT page) AS pages FROM text_sections GROUP BY document_id, version, page)`),
  ).toEqual([{ least: 1, most: 1 }]);
  expect(ask("SELECT count(*) AS n, count(DISTINCT document_id) AS documents FROM text_sections")).toEqual([
    { n: DOCUMENTS * PAGES, documents: DOCUMENTS },
  ]);
  expect(ask(`SELECT used_bytes, reserved_bytes FROM storage_usage WHERE tenant_id = '${organizationId}'`)).toEqual([
    { used_bytes: DOCUMENTS * bytes.byteLength, reserved_bytes: 0 },
  ]);

  const scope = { resultTypes: ["DocumentContent"] };
  const { results } = await openClient(service.url, accessToken).request("POST", "/v1/search", {
    term: "lantern77",
    scope,
    limit: 100,
  });
  expect(results.map((result: { source: { pageNumber: number } }) => result.source.pageNumber)).toEqual(
    Array.from({ length: DOCUMENTS }, () => 77),
  );
}, 900_000);
