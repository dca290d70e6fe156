import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import type { Archive } from "../../src/cameras/archive";
import { evenCaptures, readStrip } from "../../src/cameras/archive/frames";
import { nearestCaptures, readCaptures, readHistory, seek } from "../../src/cameras/archive/seek";
import { readTimeline } from "../../src/cameras/archive/timeline";
import { cameras } from "../../src/cameras/tables";
import type { Context } from "../../src/platform/context";
import { openDatabases } from "../../src/platform/db/database";
import { DAY, MINUTE, toUtc } from "../../src/platform/time";
import { openSchema, TimedD1 } from "../search/sqlite-d1.ts";
import { table } from "../support/results.ts";

const [LARGE, SMALL] = [Number(process.env.BENCH_CAPTURES ?? 1_000_000), 10_000];
const CALLS = Number(process.env.BENCH_CALLS ?? 100);
const NOW = Date.parse("2026-11-20T12:00:00Z");
const ORGANIZATION = randomUUID();

type Sqlite = ReturnType<typeof openSchema>;

/** Adds a location of the organization, with its cluster. */
function addPlace(db: Sqlite): string {
  const [locationId, clusterId] = [randomUUID(), randomUUID()];
  db.exec("PRAGMA foreign_keys = OFF");
  db.prepare(
    "INSERT INTO locations (id, tenant_id, organization_id, cluster_id, name, metadata, created_at, updated_at) VALUES (?, ?, ?, ?, 'Bridge', '{}', 0, 0)",
  ).run(locationId, ORGANIZATION, ORGANIZATION, clusterId);
  return locationId;
}

/** Adds a camera with `count` images, one each minute except at night and in a few outages. */
function addArchive(db: Sqlite, locationId: string, count: number): string {
  const cameraId = randomUUID();
  db.prepare(
    `INSERT INTO cameras (id, tenant_id, organization_id, location_id, name, capture_interval_minutes, retention_days,
       capture_width, capture_height, jpeg_quality, time_zone, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'Camera', 1, 36500, 1920, 1080, 90, 'Europe/Vienna', 0, 0)`,
  ).run(cameraId, ORGANIZATION, ORGANIZATION, locationId);
  db.prepare("INSERT INTO camera_assignments (camera_id, generation, location_id, started_at) VALUES (?, 1, ?, 0)").run(
    cameraId,
    locationId,
  );
  const insert = db.prepare(
    `INSERT INTO camera_captures (id, tenant_id, organization_id, camera_id, location_id, assignment_generation, operation_id,
       captured_at, received_at, completed_at, clock_quality, size_bytes, checksum_sha256, crc32, width, height, preview_width, preview_height)
     VALUES (?1, ?2, ?2, ?3, ?4, 1, ?1, ?5, ?5, ?5, 'synchronized', 400000, ?6, 0, 1920, 1080, 128, 72)`,
  );
  const checksum = "0".repeat(64);
  // Random ids are spread over the indexes, so writing them in memory takes much less time.
  db.exec("PRAGMA cache_size = -1000000");
  db.exec("BEGIN");
  for (let i = 0, at = NOW; i < count; i++) {
    insert.run(randomUUID(), ORGANIZATION, cameraId, locationId, at, checksum);
    at -= MINUTE;
    if (new Date(at).getUTCHours() < 5) at -= 6 * 60 * MINUTE;
    if (i % 7_000 === 6_999) at -= 3 * DAY;
  }
  db.exec("COMMIT; PRAGMA cache_size = -2000");
  return cameraId;
}

const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? 0;

export async function measureSql(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bench-archive-"));
  const sqlite = openSchema(join(folder, "archive.sqlite"));
  const locationId = addPlace(sqlite);
  const ids = { large: addArchive(sqlite, locationId, LARGE), small: addArchive(sqlite, locationId, SMALL) };
  const d1 = new TimedD1(sqlite);
  const { workspace: db } = openDatabases(d1 as unknown as D1Database);
  const context = { workspace: db, now: NOW + 1 } as unknown as Context;
  const open = async (id: string): Promise<Archive> => {
    const [camera] = await db.select().from(cameras).where(eq(cameras.id, id));
    if (camera === undefined) throw new Error("the camera is missing");
    return { camera, locationId };
  };
  const [large, small] = [await open(ids.large), await open(ids.small)];
  /** Times spread over an archive, the same in every run. */
  const moments = (archive: Archive, n: number, count: number) => {
    const span = (archive === large ? LARGE : SMALL) * 1.3 * MINUTE;
    return Array.from({ length: count }, (_, i) => Math.round(NOW - span * (((n * 31 + i * 17) % 101) / 101)));
  };
  const calls: { what: string; wanted: string; call: (archive: Archive, n: number) => Promise<unknown> }[] = [
    { what: "timeline", wanted: "≤ 20 ms, ≤ 3 ×", call: (a) => readTimeline(context, a) },
    {
      what: "seek, nearest",
      wanted: "≤ 10 ms, flat",
      call: (a, n) => seek(context, a, { direction: "nearest", at: moments(a, n, 1)[0] ?? NOW }),
    },
    {
      what: "seek, older",
      wanted: "≤ 10 ms, flat",
      call: (a, n) => seek(context, a, { direction: "older", at: moments(a, n, 1)[0] ?? NOW, captureId: ids.large }),
    },
    {
      what: "history, 50 images",
      wanted: "≤ 10 ms, flat",
      call: (a, n) => readHistory(context, a, { before: moments(a, n, 1)[0], limit: 50 }),
    },
    {
      what: "32 previews",
      wanted: "≤ 10 ms, flat",
      call: async (a, n) => {
        const frames = await nearestCaptures(
          context,
          a,
          moments(a, n, 32).map((at) => ({ at })),
        );
        const found = frames.flatMap((frame) => frame?.id ?? []);
        await readCaptures(context, a, found);
        await readCaptures(context, a, found);
      },
    },
    { what: "1,000 frames", wanted: "", call: (a) => evenCaptures(context, a, {}, 1_000) },
    {
      what: "day strip, 366 days",
      wanted: "",
      call: (a) => {
        const [from, to] = [NOW - 365 * DAY, NOW].map((at) => toUtc(at).slice(0, 10)) as [string, string];
        return readStrip(context, a, { timeZone: "Europe/Vienna", from, to, minute: 720 });
      },
    },
  ];
  const rows: string[][] = [];
  for (const { what, wanted, call } of calls) {
    const times: Record<"large" | "small", number[]> = { large: [], small: [] };
    for (let n = 0; n < CALLS + 5; n++)
      for (const [size, archive] of [
        ["large", large],
        ["small", small],
      ] as const) {
        d1.take();
        await call(archive, n);
        if (n >= 5) times[size].push(d1.take().ms);
      }
    const [l, s] = [percentile(times.large, 0.5), percentile(times.small, 0.5)];
    const ms = (value: number) => `${value.toFixed(2)} ms`;
    rows.push([what, ms(l), ms(percentile(times.large, 0.99)), ms(s), `${(l / s).toFixed(2)} ×`, wanted]);
  }
  sqlite.close();
  rmSync(folder, { recursive: true });
  return table(["SQL of one call", "1,000,000 captures, p50", "p99", "10,000 captures, p50", "ratio", "wanted"], rows);
}
