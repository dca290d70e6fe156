import { CAMERAS } from "../seed/harbour/cameras.mjs";
import { captureAt, gapsOf, timesOf } from "../seed/harbour/past.mjs";
import { openStore } from "../seed/harbour/store.mjs";
import { LONG_AGO_MS, MANY_FRAMES } from "./many-frames.mjs";

/*
 * Writes a large archive of one camera, beside the local service: node write-many-frames.mjs <state folder> <secrets file>
 * <camera as JSON>. Only the frames that the pages show have objects.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Enough days for all frames, with the gaps. */
const MAX_DAYS = 200;
const RETENTION_DAYS = 365;
/** Days between two gaps. Each gap lasts from 2:00 to 9:00. */
const GAP_EVERY_DAYS = 9;
/** Pictures that are written together. */
const BATCH_SIZE = 50;
/** Number of days that the day strip shows. */
const STRIP_DAYS = 15;

const [stateDir, secretsFile, given] = process.argv.slice(2);
/** @type {import("../seed/cameras.mjs").SeededCamera} */
const seeded = JSON.parse(given);
const present = CAMERAS[seeded.number];
const now = Date.now();
const gaps = Array.from({ length: Math.floor(MAX_DAYS / GAP_EVERY_DAYS) }, (_, n) => [
  n % 3 === 2 ? "paused" : "offline",
  (n + 1) * GAP_EVERY_DAYS,
  2,
  9,
]);
const camera = { ...present, days: MAX_DAYS, gaps: [...(present.gaps ?? []), ...gaps] };
const times = timesOf(camera, now).slice(0, MANY_FRAMES);
const [latest = now] = times;
const begin = (times.at(-1) ?? now) - DAY;

/**
 * Whether the pages show a frame: one near the middle of the archive, or one of the day strip. The demo has the
 * latest ones.
 */
function isSeen({ row: { captured_at: time } }) {
  const age = latest - time;
  const awayFromHour = Math.abs(((age + DAY / 2) % DAY) - DAY / 2);
  const isInStrip = age > present.days * DAY && age < STRIP_DAYS * DAY && awayFromHour < 30 * MINUTE;
  return isInStrip || Math.abs(now - LONG_AGO_MS - time) < 14 * HOUR;
}

const { DB, persistently, publish, dispose } = await openStore(stateDir, secretsFile);
await persistently(() =>
  DB.batch([
    DB.prepare("UPDATE camera_assignments SET started_at = min(started_at, ?) WHERE camera_id = ?").bind(
      begin,
      seeded.id,
    ),
    DB.prepare("UPDATE cameras SET created_at = min(created_at, ?), retention_days = ? WHERE id = ?").bind(
      begin,
      RETENTION_DAYS,
      seeded.id,
    ),
    ...gapsOf(camera, now)
      .filter(({ from }) => from > begin)
      .map(({ cause, from, to }) =>
        DB.prepare(
          "INSERT OR IGNORE INTO camera_conditions (camera_id, kind, started_at, ended_at, detail) VALUES (?, ?, ?, ?, '{}')",
        ).bind(seeded.id, cause, from, to),
      ),
  ]),
);
for (let at = 0; at < times.length; at += BATCH_SIZE)
  await publish(
    times.slice(at, at + BATCH_SIZE).map((time) => captureAt(camera, seeded, time)),
    isSeen,
  );
await persistently(() => DB.prepare("UPDATE cameras SET watermark = watermark + 1 WHERE id = ?").bind(seeded.id).run());
await dispose();
