import { expect } from "vitest";
import { evenCaptures, readStrip } from "../../src/cameras/archive/frames";
import { nearestCaptures, readHistory, seek } from "../../src/cameras/archive/seek";
import { readTimeline } from "../../src/cameras/archive/timeline";
import { timelinePreviews } from "../../src/cameras/previews";
import { embedPreview } from "../../src/platform/jpeg";
import type { ObjectStore } from "../../src/platform/objects/store";
import { DAY, daysFrom } from "../../src/platform/time";
import type { Taken } from "../support/archives";
import { type World, worldAt } from "./archive-worlds";
import * as reference from "./reference";

/*
 * Compares the service's answers about an archive with a plain reading of the rules. Each comparison returns the
 * number of compared answers.
 */

const ids = (rows: readonly ({ id: string } | null)[]) => rows.map((row) => row?.id ?? null);

/** Shares of an archive's time that have expired when its timeline is read. */
const CLOCKS = [0.1, 0.25, 0.45, 0.6, 0.8];

/** Compares timelines of an archive at several times. @returns the numbers of answers and of gaps in them. */
export async function compareTimelines(world: World): Promise<{ answers: number; gaps: number }> {
  let found = 0;
  const worlds = [world, ...(world.all.length < 2 ? [] : CLOCKS.map((share) => worldAt(world, share)))];
  for (const { context, archive, visible } of worlds) {
    const { first, last, gaps } = await readTimeline(context, archive);
    expect([first?.id, last?.id]).toEqual([visible[0]?.id, visible.at(-1)?.id]);
    expect(gaps.map(({ start, end }) => ({ start, end }))).toEqual(reference.gaps(visible));
    found += gaps.length;
  }
  return { answers: worlds.length, gaps: found };
}

/** Compares all other answers about an archive. @returns the number of answers. */
export async function compareAnswers(world: World): Promise<number> {
  const counts = [
    await compareSeeks(world),
    await compareHistory(world),
    await comparePreviews(world),
    await compareFrames(world),
    await compareStrip(world),
  ];
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Any visible frame; an id that does not exist if none is visible. */
function anyFrame({ visible, random, moment }: World): Taken {
  return visible[Math.floor(random() * visible.length)] ?? { id: crypto.randomUUID(), capturedAt: moment() };
}

const POINTS = 200;
const STEPS = 5;

async function compareSeeks(world: World): Promise<number> {
  const { context, archive, visible, moment } = world;
  const points = Array.from({ length: POINTS }, () => ({ at: moment() }));
  const expected = points.map(({ at }) => reference.nearest(visible, at));
  expect(ids(await nearestCaptures(context, archive, points))).toEqual(ids(expected));
  for (let n = 0; n < STEPS; n++) {
    const at = moment();
    expect((await seek(context, archive, { direction: "nearest", at }))?.id).toBe(reference.nearest(visible, at)?.id);
    const { id: captureId, capturedAt } = anyFrame(world);
    for (const direction of ["older", "newer"] as const) {
      const found = await seek(context, archive, { direction, at: capturedAt, captureId });
      expect(found?.id).toBe(reference.step(visible, direction, capturedAt, captureId)?.id);
    }
  }
  return POINTS + 3 * STEPS;
}

async function compareHistory(world: World): Promise<number> {
  const { context, archive, visible, random } = world;
  const { id: beforeId, capturedAt: before } = anyFrame(world);
  const limit = 1 + Math.floor(random() * 30);
  const newestFirst = [...visible].reverse();
  const after = newestFirst.slice(newestFirst.findIndex((frame) => frame.id === beforeId) + 1);
  const page = await readHistory(context, archive, { before, beforeId, limit });
  expect(ids(page.rows)).toEqual(ids(after.slice(0, limit)));
  expect(page.hasNextPage).toBe(after.length > limit);
  return 1;
}

/** The service checks a frame again after it has read its bytes, so nothing of this archive may expire today. */
async function comparePreviews({ context, archive, kept, moment }: World): Promise<number> {
  const { locationId } = archive;
  const camera = { ...archive.camera, retentionDays: 100_000 };
  const times = Array.from({ length: 32 }, moment);
  const expected = times.map((at) => reference.nearest(kept, at)?.id ?? null);
  const read: ObjectStore["read"] = async (key) => ({
    key,
    sizeBytes: 1,
    etag: "",
    body: new Blob([embedPreview(Uint8Array.of(0xff, 0xd8), Uint8Array.of(1)).slice()]).stream(),
  });
  const objects = { ...context.objects, read };
  const { samples, images } = await timelinePreviews({ ...context, objects }, { camera, locationId }, times);
  expect(samples.map(({ captureId }) => captureId)).toEqual(expected);
  expect(images.map(({ captureId }) => captureId)).toEqual([...new Set(expected.filter((id) => id !== null))]);
  return times.length;
}

async function compareFrames({ context, archive, visible, random, moment }: World): Promise<number> {
  const [a, b] = [moment(), moment()].sort((x, y) => x - y);
  const whole = random() < 0.5;
  const range = whole ? {} : { from: a, to: b };
  const inside = whole ? visible : visible.filter((f) => f.capturedAt >= (a ?? 0) && f.capturedAt <= (b ?? 0));
  const count = 1 + Math.floor(random() * 40);
  expect(ids(await evenCaptures(context, archive, range, count))).toEqual(ids(reference.spread(inside, count)));
  return 1;
}

const ZONES = [
  "UTC",
  "Europe/Vienna",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Casablanca",
];
/** Days around clock changes in these zones, and any day of the archive. */
const CHANGES = ["2015-03-08", "2015-03-29", "2015-10-04", "2015-10-25", "2015-11-01", "2016-03-13", "2016-04-03"];

async function compareStrip({ context, archive, visible, random, moment }: World): Promise<number> {
  const timeZone = ZONES[Math.floor(random() * ZONES.length)] ?? "UTC";
  const around = random() < 0.5 ? Date.parse(CHANGES[Math.floor(random() * CHANGES.length)] ?? "2015-03-29") : moment();
  const days = daysFrom(
    new Date(around - 2 * DAY).toISOString().slice(0, 10),
    new Date(around + 2 * DAY).toISOString().slice(0, 10),
  );
  const minute = 15 * Math.floor(random() * 96);
  const time = `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  const [from = "", to = ""] = [days[0], days.at(-1)];
  const found = await readStrip(context, archive, { timeZone, from, to, minute });
  expect(ids(found.map(({ capture }) => capture))).toEqual(ids(reference.strip(visible, timeZone, days, time)));
  return days.length;
}
