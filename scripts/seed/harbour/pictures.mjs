import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { ROOT } from "../../setup/project.mjs";
import { TIME_ZONE } from "./cameras.mjs";

const FRAMES = resolve(ROOT, "scripts/seed/harbour/frames");
const DAY_MS = 86_400_000;

const clock = new Intl.DateTimeFormat("en-GB", {
  timeZone: TIME_ZONE,
  hourCycle: "h23",
  hour: "numeric",
  minute: "numeric",
});

/** The hour that clocks at the harbour show, with its fraction. */
export function hourAt(time) {
  const [hour, minute] = clock.format(time).split(":").map(Number);
  return hour + minute / 60;
}

/** The weather of some days, by their number in a week. */
const WEATHER = { 1: "fog", 3: "rain", 4: "snow", 6: "overcast" };

/** The picture from the tower crane: the light of the hour, and the weather of the day. */
function fromCrane(time) {
  const hour = hourAt(time);
  const day = Math.floor(time / DAY_MS);
  if (hour < 6.7 || hour >= 17.2) return "night";
  if (hour < 7.8 || hour >= 16.3) return "blue";
  const weather = WEATHER[day % 7];
  if (weather !== undefined) return weather;
  if (hour < 9) return "dawn";
  if (hour < 11) return day % 2 ? "morning" : "morning2";
  if (hour < 13) return day % 2 ? "noon2" : "noon";
  return hour < 15 ? "late" : "sunset";
}

const files = new Map();

function fileOf(name) {
  const known = files.get(name);
  if (known !== undefined) return known;
  const read = {
    original: readFileSync(resolve(FRAMES, `${name}.jpg`)),
    preview: readFileSync(resolve(FRAMES, "tiny", `${name}.jpg`)),
  };
  files.set(name, read);
  return read;
}

/** A JPEG with a comment behind its first marker, so that no two pictures have the same bytes. */
function withComment(jpeg, text) {
  const comment = Buffer.from(text);
  const head = Buffer.from([0xff, 0xfe, (comment.length + 2) >> 8, (comment.length + 2) & 255]);
  return Buffer.concat([jpeg.subarray(0, 2), head, comment, jpeg.subarray(2)]);
}

/**
 * The picture of a demo camera at a time, and its preview of 128 pixels.
 * @param {{ settings: { name: string }, pictures: "crane" | [number, string][] }} camera
 * @param {number} time milliseconds since the epoch
 */
export function pictureAt({ settings, pictures }, time) {
  const hour = hourAt(time);
  const name = pictures === "crane" ? `q7-s5-${fromCrane(time)}` : pictures.find(([until]) => hour < until)[1];
  const { original, preview } = fileOf(name);
  return { original: withComment(original, `${settings.name} ${new Date(time).toISOString()}`), preview };
}
