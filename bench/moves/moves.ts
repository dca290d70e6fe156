import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { inWaves } from "../../src/platform/concurrency";
import { newIdIn, newWorkspaceId, numberOf } from "../../src/platform/ids";
import { databaseOf, migrateSeveral, severalContext } from "../../test/support/databases";
import { beginMoveOf, runMove, runSlice, stateOf } from "../../test/support/moving";

declare module "vitest" {
  interface TaskMeta {
    seconds?: Record<string, number>;
    slices?: number;
    /** Objects of two buckets that are compared in a second. */
    compared?: number;
    rows?: { captures: number; passages: number };
  }
}

const [CAPTURES, DOCUMENTS, SECTIONS, PASSAGES_A_SECTION] = [100_000, 200, 25, 4];
const WORDS =
  "harbour crane quay lens sapphire signal mooring tide ledger inspection valve pressure cable winch beacon".split(" ");
const WORDS_OF_PASSAGE = 150;

const run = (sql: string, ...values: unknown[]) =>
  databaseOf("first")
    .prepare(sql)
    .bind(...values)
    .run();

/** An organization with images of four cameras and long texts, in the first database. */
async function mintLarge(): Promise<string> {
  const id = newWorkspaceId();
  const [clusterId, locationId] = [newIdIn(id), newIdIn(id)];
  await env.D1_DIRECTORY.prepare("INSERT INTO workspaces (id, number, database) VALUES (?, ?, 'first')")
    .bind(id, numberOf(id))
    .run();
  await run("INSERT INTO residents (workspace_id, state) VALUES (?, 'here')", id);
  await run(
    `INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month, max_retention_days, created_at, updated_at)
      VALUES (?, 'Harbour', 1, 1, 1, 1, 30, 0, 0)`,
    id,
  );
  await run(
    "INSERT INTO clusters (id, tenant_id, organization_id, name, created_at, updated_at) VALUES (?1, ?2, ?2, 'Quay', 0, 0)",
    clusterId,
    id,
  );
  await run(
    "INSERT INTO locations (id, tenant_id, organization_id, cluster_id, name, created_at, updated_at) VALUES (?1, ?2, ?2, ?3, 'Crane', 0, 0)",
    locationId,
    id,
    clusterId,
  );
  for (let n = 0; n < 4; n++) {
    const cameraId = newIdIn(id);
    await run(
      `INSERT INTO cameras (id, tenant_id, organization_id, location_id, name, capture_interval_minutes, retention_days,
          capture_width, capture_height, jpeg_quality, time_zone, created_at, updated_at)
        SELECT ?1, tenant_id, organization_id, id, ?2, 5, 365, 1920, 1080, 80, 'UTC', 0, 0 FROM locations WHERE id = ?3`,
      cameraId,
      `Camera ${n}`,
      locationId,
    );
    await run(
      "INSERT INTO camera_places (place, camera_id, location_id, tenant_id) VALUES (?, ?, ?, ?)",
      n + 1,
      cameraId,
      locationId,
      id,
    );
    for (let from = 0; from < CAPTURES / 4; from += 5_000)
      await run(
        `WITH RECURSIVE n (i) AS (SELECT ?2 UNION ALL SELECT i + 1 FROM n WHERE i < ?2 + 4999)
        INSERT INTO camera_frames (place, section, captured_at, id, operation, generation, status, received_at, finished_at, is_estimated,
          size_bytes, checksum, charged_bytes, crc32, width, height, preview_width, preview_height)
        SELECT ?1, 0, 1700000000000 + i * 300000, printf('0192f0c1-5b7e-7cc3-9d43-%012x', ?1 * 1000000 + i), randomblob(16), 1, 'completed',
          1700000000000 + i * 300000, 1700000000000 + i * 300000, 0, 400000, randomblob(32), 400000, i, 1920, 1080, 320, 180 FROM n`,
        n + 1,
        from,
      );
  }
  let at = 0;
  const word = () => {
    at = (at * 1_103_515_245 + 12_345) % 2 ** 31;
    return WORDS[at % WORDS.length] ?? "";
  };
  const passage = () => Array.from({ length: WORDS_OF_PASSAGE }, word).join(" ");
  for (let n = 0; n < DOCUMENTS; n++) {
    const documentId = newIdIn(id);
    await run(
      `INSERT INTO documents (id, tenant_id, organization_id, cluster_id, location_id, file_name, path, latest_version, text_version, text_status, created_at, updated_at)
        SELECT ?1, tenant_id, organization_id, cluster_id, id, ?2, '', 1, 1, 'indexed', 0, 0 FROM locations WHERE id = ?3`,
      documentId,
      `Log ${n}.txt`,
      locationId,
    );
    const sections = Array.from({ length: SECTIONS }, (_, s) => [
      s * PASSAGES_A_SECTION,
      JSON.stringify(Array.from({ length: PASSAGES_A_SECTION }, passage)),
    ]);
    await run(
      "INSERT INTO text_sections (document_id, version, chunk_index, texts) SELECT ?1, 1, value ->> 0, value ->> 1 FROM json_each(?2)",
      documentId,
      JSON.stringify(sections),
    );
  }
  return id;
}

/** Objects that two buckets have, for the time that their comparison takes. */
const OBJECTS = 5_000;

test("a comparison of two buckets", { timeout: 600_000 }, async ({ task }) => {
  const keys = Array.from({ length: OBJECTS }, (_, n) => `compared/${String(n).padStart(40, "0")}`);
  for (const bucket of [env.BUCKET, env.BUCKET_SECOND]) await inWaves(keys, 20, (key) => bucket.put(key, "x"));
  const pair = severalContext().stores.between("first", "second");
  const begun = Date.now();
  let after: string | null = null;
  do after = (await pair?.copy("compared/", after, { isFull: () => false, mayRemove: async () => {} })) ?? null;
  while (after !== null);
  Object.assign(task.meta, { compared: OBJECTS / ((Date.now() - begun) / 1_000) });
});

test("a move of 100,000 captures and 20,000 passages", { timeout: 3_600_000 }, async ({ task }) => {
  await migrateSeveral();
  const organizationId = await mintLarge();
  const { id } = await beginMoveOf(organizationId);
  let slices = 0;
  const begun = Date.now();
  for (; (await stateOf(id)) === "copying"; slices++) await runSlice(id);
  const switched = Date.now();
  const closedAt = await env.D1_DIRECTORY.prepare("SELECT closed_at FROM moves WHERE id = ?")
    .bind(id)
    .first<number>("closed_at");
  await runMove(id, "opened");
  const opened = Date.now();
  await runMove(id, "finished");
  const finished = Date.now();
  const inSecond = databaseOf("second").prepare("SELECT count(*) AS n FROM camera_frames");
  expect(await inSecond.first<number>("n")).toBe(CAPTURES);
  const seconds = {
    "before the close": ((closedAt ?? begun) - begun) / 1_000,
    "rows, sums and index": (switched - (closedAt ?? begun)) / 1_000,
    "opening, without the wait for routes": (opened - switched) / 1_000,
    "removal from the source": (finished - opened) / 1_000,
  };
  const passages = DOCUMENTS * SECTIONS * PASSAGES_A_SECTION;
  Object.assign(task.meta, { seconds, slices, rows: { captures: CAPTURES, passages } });
  console.log(JSON.stringify({ seconds, slices }));
});
