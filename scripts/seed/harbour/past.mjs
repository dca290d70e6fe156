import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { hourAt, pictureAt } from "./pictures.mjs";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const DEFAULT_INTERVAL_MINUTES = 20;

/** @typedef {(typeof import("./cameras.mjs").CAMERAS)[number]} DemoCamera */

/**
 * Periods without pictures, by their causes; milliseconds since the epoch. A period that would not have ended yet is
 * moved to the day before.
 * @param {Pick<DemoCamera, "gaps">} camera
 * @param {number} now
 */
export function gapsOf({ gaps = [] }, now) {
  const midnight = now - hourAt(now) * HOUR;
  return gaps
    .map(([cause, daysAgo, from, to]) => ({
      cause,
      from: midnight - daysAgo * DAY + from * HOUR,
      to: midnight - daysAgo * DAY + to * HOUR,
    }))
    .map(({ cause, from, to }) => (to < now - HOUR ? { cause, from, to } : { cause, from: from - DAY, to: to - DAY }));
}

const isInside = ({ start, end }, time) => {
  const [from, to] = [start, end].map((text) => Number(text.slice(0, 2)) + Number(text.slice(3)) / 60);
  const hour = hourAt(time);
  return hour >= from && hour < to;
};

/**
 * The times at which a camera took pictures until now, the newest first.
 * @param {DemoCamera} camera @param {number} now
 */
export function timesOf(camera, now) {
  const { settings, days, ended } = camera;
  const interval = (settings.captureIntervalMinutes ?? DEFAULT_INTERVAL_MINUTES) * MINUTE;
  const until = now - (ended?.hoursAgo ?? 0) * HOUR;
  const gaps = gapsOf(camera, now);
  const times = [];
  for (let at = Math.floor(until / interval) * interval; at > until - days * DAY; at -= interval) {
    // A device is never exact to the second.
    const time = at + (((at / MINUTE) * 7919) % 9_000);
    if (time >= now || gaps.some(({ from, to }) => time > from && time < to)) continue;
    if (settings.captureWindow !== undefined && !isInside(settings.captureWindow, time)) continue;
    times.push(time);
  }
  return times;
}

/** An id that is the same in every run. */
function idOf(...parts) {
  const hex = createHash("sha256").update(parts.join(" ")).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A thumbnail as the service writes it: with the preview in a segment behind its JFIF segment. */
function withPreview(file, preview) {
  const at = file[3] === 0xe0 ? 4 + file.readUInt16BE(4) : 2;
  const name = Buffer.from("preview\0");
  const head = Buffer.from([0xff, 0xef, 0, 0]);
  head.writeUInt16BE(2 + name.length + preview.length, 2);
  return Buffer.concat([file.subarray(0, at), head, name, preview, file.subarray(at)]);
}

/** A published picture: its objects and its row. */
export function captureAt(camera, { id, organizationId, locationId }, time) {
  const { original, preview } = pictureAt(camera, time);
  const operationId = idOf("operation", id, time);
  const folder = `captures/${organizationId}/${id}/${operationId}`;
  return {
    objects: [
      { key: `${folder}/original.jpg`, bytes: original },
      { key: `${folder}/thumbnail.jpg`, bytes: withPreview(original, preview) },
    ],
    row: {
      id: idOf("capture", id, time),
      tenant_id: organizationId,
      organization_id: organizationId,
      camera_id: id,
      location_id: locationId,
      assignment_generation: 1,
      operation_id: operationId,
      captured_at: time,
      received_at: time + 4_000,
      completed_at: time + 6_000,
      clock_quality: "synchronized",
      size_bytes: original.length,
      checksum_sha256: createHash("sha256").update(original).digest("hex"),
      crc32: crc32(original),
      width: 1280,
      height: 720,
      preview_width: 128,
      preview_height: 72,
      tolerated: "[]",
    },
  };
}
