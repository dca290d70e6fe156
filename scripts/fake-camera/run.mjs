import { statfsSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import jpeg from "jpeg-js";
import { openDevice } from "./device.mjs";
import { openFrames } from "./frames.mjs";
import { drawScene } from "./scene.mjs";
import { isDue } from "./window.mjs";

const MINUTE = 60_000;
/** Time between two heartbeats, and pause after a queue made no progress. */
const HEARTBEAT_INTERVAL_MS = MINUTE;
const QUEUE_PAUSE_MS = 5_000;

/** The picture of a time, encoded with the settings of the camera. */
function shoot(time, { captureWidth, captureHeight, jpegQuality }, site) {
  const scene = drawScene(time, { width: captureWidth, height: captureHeight, site });
  return jpeg.encode(scene, jpegQuality).data;
}

/**
 * A simulated camera: it draws its pictures, and otherwise behaves like every device. Runs until it is stopped or its
 * credential is revoked.
 * @param {object} options
 * @param {string} options.url
 * @param {string} options.folder folder of its credential and its images
 * @param {() => Promise<string>} options.pairingCode called if it has no credential
 * @param {number} [options.site] number of its scene
 * @param {(time: number) => Uint8Array} [options.see] what it sees at a time, instead of a scene that it draws
 * @param {(line: string) => void} options.say
 * @param {AbortSignal} options.stopping
 */
export async function runCamera({ url, folder, pairingCode, site = 0, see, say, stopping }) {
  const frames = openFrames(folder);
  const failed = new AbortController();
  const ended = AbortSignal.any([stopping, failed.signal]);
  const device = openDevice(url, frames, ended);
  if (frames.identity() === null) await device.pair(pairingCode);
  let configuration = await device.configuration();
  let lastShot = null;
  const take = (time) => {
    frames.keep(see?.(time) ?? shoot(time, configuration, site), {
      capturedAt: time,
      assignmentGeneration: configuration.assignmentGeneration,
    });
    lastShot = Math.max(lastShot ?? 0, time);
  };
  const intervalMs = () => configuration.captureIntervalMinutes * MINUTE;

  async function report() {
    for (;;) {
      const { bavail, bsize } = statfsSync(folder);
      const { revision } = await device.heartbeat(configuration.revision, lastShot, bavail * bsize);
      // Coordinates and limits change without a revision, so the configuration is read each time.
      configuration = await device.configuration();
      if (revision !== configuration.revision) continue;
      await wait(HEARTBEAT_INTERVAL_MS, undefined, { signal: ended });
    }
  }
  async function capture() {
    for (;;) {
      if (isDue(configuration, Date.now())) take(Date.now());
      await wait(intervalMs() - (Date.now() % intervalMs()), undefined, { signal: ended });
    }
  }
  async function send() {
    for (const intent of await device.unfinished()) await device.upload(intent);
    for (;;) {
      // The newest image comes first, so that people see the current state.
      const next = frames.owed().at(-1);
      const end = next === undefined ? "idle" : await device.upload(next);
      if (end === "idle" || end === "owed") await wait(QUEUE_PAUSE_MS, undefined, { signal: ended });
    }
  }
  /** If one of the three fails, the others stop too. */
  const guarded = async (work) => {
    try {
      await work();
    } catch (thrown) {
      if (!ended.aborted) say(`The camera in ${folder} stops: ${thrown.message}`);
      failed.abort();
    }
  };
  await Promise.all([report, capture, send].map(guarded));
}
