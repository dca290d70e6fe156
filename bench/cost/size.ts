import { randomBytes, randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { v7 } from "uuid";

/*
 * The size of a database with many captures, two days after the last one. The rows are written in the order in which
 * cameras send. The size counts whole pages, so half-full pages count in full.
 */

const CAMERAS = 200;
const INTERVAL_MS = 20 * 60_000;
const START = Date.parse("2026-01-01T00:00:00Z");

interface Image {
  camera: { n: number; id: string; locationId: string; tenantId: string };
  id: string;
  operation: string;
  at: number;
  checksum: Buffer;
}

/** Images of all cameras in turns. */
function* images(count: number): Generator<Image> {
  const tenants = Array.from({ length: CAMERAS / 50 }, () => randomUUID());
  const locations = Array.from({ length: CAMERAS / 10 }, () => v7());
  const cameras = Array.from({ length: CAMERAS }, (_, n) => ({
    n,
    id: v7(),
    locationId: locations[n % locations.length] ?? "",
    tenantId: tenants[n % tenants.length] ?? "",
  }));
  for (let n = 0; n < count; n++) {
    const camera = cameras[n % CAMERAS];
    if (camera === undefined) return;
    const at = START + Math.floor(n / CAMERAS) * INTERVAL_MS + (n % CAMERAS) * (INTERVAL_MS / CAMERAS);
    yield { camera, id: randomUUID(), operation: v7({ msecs: at }), at, checksum: randomBytes(32) };
  }
}

/** Fills an empty database. @returns bytes of its pages without the pages of an empty database. */
function sizeOf(db: DatabaseSync, count: number, prepare: (db: DatabaseSync) => (image: Image) => void): number {
  const bytes = () => Number(db.prepare("SELECT sum(pgsize) AS bytes FROM dbstat").get()?.bytes ?? 0);
  const empty = bytes();
  const write = prepare(db);
  db.exec("BEGIN");
  for (const image of images(count)) write(image);
  db.exec("COMMIT");
  return bytes() - empty;
}

/** Runs a statement with these values. */
const runner = (statement: StatementSync) => (values: (string | number | Uint8Array)[]) =>
  void statement.run(...values);

function before(db: DatabaseSync) {
  const capture = runner(
    db.prepare(
      `INSERT INTO camera_captures (id, tenant_id, organization_id, camera_id, location_id, assignment_generation, operation_id,
         captured_at, received_at, completed_at, clock_quality, size_bytes, checksum_sha256, crc32, width, height, preview_width, preview_height)
       VALUES (?1, ?2, ?2, ?3, ?4, 1, ?5, ?6, ?6, ?6, 'synchronized', 427190, ?7, 3123456789, 1920, 1080, 64, 36)`,
    ),
  );
  const object = runner(
    db.prepare(
      "INSERT INTO stored_objects (key, tenant_id, location_id, charged_bytes, companion, created_at) VALUES (?, ?, ?, 427190, ?, ?)",
    ),
  );
  return ({ camera, id, operation, at, checksum }: Image) => {
    const folder = `captures/${camera.tenantId}/${camera.id}/${operation}`;
    capture([id, camera.tenantId, camera.id, camera.locationId, operation, at, checksum.toString("hex")]);
    object([`${folder}/original.jpg`, camera.tenantId, camera.locationId, `${folder}/thumbnail.jpg`, at]);
  };
}

function now(db: DatabaseSync) {
  const places = new Map<number, number>();
  const frame = runner(
    db.prepare(
      `INSERT INTO camera_frames (place, section, captured_at, id, operation, generation, status, received_at, finished_at,
         is_estimated, size_bytes, checksum, charged_bytes, crc32, width, height, preview_width, preview_height)
       VALUES (?1, 0, ?2, ?3, ?4, 1, 'completed', ?2 + 4000, ?2 + 6000, 0, 427190, ?5, 427190, 3123456789, 1920, 1080, 64, 36)`,
    ),
  );
  return ({ camera, id, operation, at, checksum }: Image) => {
    const place = places.get(camera.n) ?? Math.floor(randomBytes(6).readUIntBE(0, 6) / 2);
    places.set(camera.n, place);
    frame([place, at, id, Buffer.from(operation.replaceAll("-", ""), "hex"), checksum]);
  };
}

/** Bytes of a database with `count` captures: in the tables of before.sql, and in the tables of the migrations. */
export function databaseSizes(count: number): { before: number; now: number } {
  const old = new DatabaseSync(":memory:");
  old.exec(readFileSync("bench/cost/before.sql", "utf8"));
  const present = new DatabaseSync(":memory:");
  present.exec("PRAGMA foreign_keys = OFF");
  for (const file of readdirSync("migrations").sort()) present.exec(readFileSync(`migrations/${file}`, "utf8"));
  // These rows are what finished captures leave; the counters of the triggers are other rows.
  const triggers = present.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all();
  for (const { name } of triggers) present.exec(`DROP TRIGGER "${String(name)}"`);
  return { before: sizeOf(old, count, before), now: sizeOf(present, count, now) };
}
