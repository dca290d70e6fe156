import { CAMERAS } from "./cameras.mjs";
import { captureAt, gapsOf, timesOf } from "./past.mjs";
import { openStore } from "./store.mjs";

/*
 * Writes what the demo's cameras took before the service started: pictures, and why some are missing. It runs as a
 * separate process beside the local service: node write-past.mjs <state folder> <secrets file> <cameras as JSON>.
 */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** The report of a faulty camera's device. */
const FAULT = "camera-timeout";
/** Pictures that are written together. */
const BATCH_SIZE = 12;

const [stateDir, secretsFile, given] = process.argv.slice(2);
/** @type {{ id: string, organizationId: string, locationId: string, number: number }[]} */
const seeded = JSON.parse(given);
const now = Date.now();
const store = await openStore(stateDir, secretsFile, seeded[0].id);
const { DB, persistently, publish } = store;

/** The state of a camera: since when it is here, its newest picture, its last heartbeat and why pictures are missing. */
async function writeState({ id }, camera) {
  const { days, ended } = camera;
  const begin = now - (days + 1) * DAY;
  const last = timesOf(camera, now)[0];
  const waiting = ended?.cause === "late" ? 2 : 0;
  const report = {
    appliedRevision: 1,
    lastCaptureAt: last,
    queueCount: waiting,
    queueBytes: waiting * 63_000,
    freeBytes: 27_400_000_000,
    oldestPendingAt: waiting > 0 ? last + 20 * 60_000 : null,
    errorCode: ended?.cause === "camera-fault" ? FAULT : null,
  };
  const seen = ended?.cause === "offline" ? last : now;
  const statements = [
    DB.prepare("UPDATE camera_assignments SET started_at = ? WHERE camera_id = ?").bind(begin, id),
    DB.prepare(
      `UPDATE cameras SET created_at = ?, last_capture_at = max(coalesce(last_capture_at, 0), ?),
       last_seen_at = max(coalesce(last_seen_at, 0), ?), device = coalesce(device, ?), watermark = watermark + 1 WHERE id = ?`,
    ).bind(begin, last, seen, JSON.stringify(report), id),
    DB.prepare("UPDATE camera_conditions SET started_at = ? WHERE camera_id = ? AND ended_at IS NULL").bind(
      ended === undefined ? begin : now - ended.hoursAgo * HOUR,
      id,
    ),
    ...gapsOf(camera, now).map(({ cause, from, to }) =>
      DB.prepare(
        "INSERT OR IGNORE INTO camera_conditions (camera_id, kind, started_at, ended_at, detail) VALUES (?, ?, ?, ?, ?)",
      ).bind(id, cause, from, to, JSON.stringify(cause === "camera-fault" ? { errorCode: FAULT } : {})),
    ),
  ];
  await persistently(() => DB.batch(statements));
}

/** The silence of a camera. It is written again at the end: each picture makes the service check the camera. */
async function writeSilence({ id }, camera) {
  const { days, ended } = camera;
  if (ended?.cause !== "offline" && ended?.cause !== "camera-fault") return;
  const last = timesOf(camera, now)[0];
  const detail = ended.cause === "camera-fault" ? { errorCode: FAULT } : {};
  const statements = [
    DB.prepare(
      "INSERT OR IGNORE INTO camera_conditions (camera_id, kind, started_at, detail) VALUES (?, ?, ?, ?)",
    ).bind(id, ended.cause, last, JSON.stringify(detail)),
    // The device without a heartbeat was paired a moment ago.
    DB.prepare("UPDATE cameras SET last_accepted_at = ?, last_seen_at = coalesce(?, last_seen_at) WHERE id = ?").bind(
      last,
      ended.cause === "offline" ? last : null,
      id,
    ),
    // After the camera's own row: a change of it makes the camera due.
    DB.prepare(
      `UPDATE camera_health SET check_at = NULL, watched_since = ?, silence = ?, silent_since = ?, notified_at = ?,
       revision = revision + 1 WHERE camera_id = ?`,
    ).bind(now - (days + 1) * DAY, ended.cause, last, last, id),
  ];
  await persistently(() => DB.batch(statements));
}

const pairs = seeded.map((row) => ({ row, camera: CAMERAS[row.number] }));
// The newest picture of each camera comes first: the wall is complete at once, and the archives fill behind it.
const first = pairs.map(({ row, camera }) => captureAt(camera, row, timesOf(camera, now)[0]));
await publish(first);
for (const { row, camera } of pairs) {
  await writeState(row, camera);
  await writeSilence(row, camera);
}
process.send?.("wall");
for (const { row, camera } of pairs) {
  const times = timesOf(camera, now).slice(1);
  for (let at = 0; at < times.length; at += BATCH_SIZE)
    await publish(times.slice(at, at + BATCH_SIZE).map((time) => captureAt(camera, row, time)));
}
for (const { row, camera } of pairs) await writeSilence(row, camera);
await store.dispose();
process.send?.("done");
