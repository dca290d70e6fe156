import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Gateway } from "../../../gateway/src/gateway";
import { openFolder } from "../../../gateway/src/sources/folder";
import { Spool } from "../../../gateway/src/spool/spool";
import { eventually } from "../../support/patience";
import { drawn } from "./pictures";
import { configuration, json, pairedSite, refuse, root, serve } from "./stub-service";

/* Files that reach the folder of a camera after its settings or its assignment changed. */

/** A service with a camera, and a gateway that takes the files of a folder. */
async function newBench(settleSeconds = 0.2) {
  const settings = { ...configuration(1), isPaused: false };
  const announced: { at: number; generation: number }[] = [];
  const url = await serve((request, body, response) => {
    const serverTimeUtc = new Date().toISOString();
    if (request.method === "GET") return void json(response, { ...settings, serverTimeUtc });
    if (request.url?.endsWith("/heartbeat")) return void json(response, { revision: settings.revision, serverTimeUtc });
    const { captureId, sizeBytes, checksumSha256, capturedAtUtc, assignmentGeneration } = JSON.parse(body);
    announced.push({ at: Date.parse(capturedAtUtc), generation: assignmentGeneration });
    if (assignmentGeneration !== settings.assignmentGeneration) return refuse(response, 409, "assignment-changed");
    const receipt = { captureId, sizeBytes, checksumSha256, completedAtUtc: serverTimeUtc };
    const operation = { operationId: randomUUID(), captureId, status: "completed", uploadUrl: null };
    json(response, { ...operation, requiredHeaders: {}, receipt, rejection: null });
  });
  const path = mkdtempSync(join(root, "inbox-"));
  const site = pairedSite(url, {}, { type: "folder", path, settleSeconds });
  const totals = () => new Spool(site.folder).totals;
  let images = 0;
  /** Puts an image into the folder, with its capture time. */
  const shoot = (at: number) => {
    const file = join(path, `${images}.part`);
    writeFileSync(file, drawn(images++));
    utimesSync(file, at / 1_000, at / 1_000);
    renameSync(file, join(path, `${images}.jpg`));
  };
  /** Runs the gateway until a state is reached. */
  const runUntil = async (reached: (gateway: Gateway) => void) => {
    const stopping = new AbortController();
    const gateway = new Gateway({ settings: site.settings, say: () => undefined });
    const ended = gateway.run(stopping.signal);
    const stop = async () => {
      stopping.abort();
      await ended;
    };
    onTestFinished(stop);
    await eventually(() => reached(gateway));
    await stop();
  };
  const isConfigured = (gateway: Gateway) =>
    expect(gateway.status().cameras[0]?.answeredSecondsAgo).toEqual(expect.any(Number));
  return {
    settings,
    path,
    announced,
    totals,
    shoot,
    runUntil,
    isConfigured,
    ends: () => new Spool(site.folder).ends(),
  };
}

test("an image from before a pause is sent after a restart; one from the pause is removed with a line in the ledger", async () => {
  const { settings, path, totals, shoot, runUntil, isConfigured, ends } = await newBench(2);
  await runUntil((gateway) => {
    isConfigured(gateway);
    shoot(Date.now());
  });
  // The gateway stopped before the file had settled.
  expect(readdirSync(path)).toHaveLength(1);
  Object.assign(settings, { revision: 2, isPaused: true });
  await runUntil(() => expect(totals()).toMatchObject({ completed: 1 }));
  await runUntil((gateway) => {
    isConfigured(gateway);
    shoot(Date.now());
  });
  // A gateway that does not know what was in effect while it did not run keeps the image.
  await runUntil(() => expect(readdirSync(path)).toEqual([]));
  const before = totals();
  let isShot = false;
  await runUntil((gateway) => {
    isConfigured(gateway);
    if (!isShot) shoot(Date.now());
    isShot = true;
    expect(readdirSync(path)).toEqual([]);
  });
  expect(totals()).toMatchObject({ unwanted: before.unwanted + 1 });
  expect(ends().at(-1)).toMatchObject({ end: "unwanted", cause: "paused" });
});

test.each([
  [
    "a narrower window",
    { captureWindow: { start: "00:00", end: "00:01", daysOfWeek: [((new Date().getUTCDay() + 2) % 7) + 1] } },
  ],
  ["a pause", { isPaused: true }],
])("an image from before %s is kept, even when the gateway was down at the change", async (_name, change) => {
  const { settings, totals, shoot, runUntil, isConfigured } = await newBench();
  await runUntil(isConfigured);
  const between = Date.now();
  Object.assign(settings, { revision: 2 }, change);
  await runUntil(isConfigured);
  shoot(between - 3_600_000);
  shoot(between);
  await runUntil(() => expect(totals()).toMatchObject({ completed: 2, unwanted: 0 }));
});

test("an image that arrives after the move has the assignment of its time, and is not published at the new place", async () => {
  const { settings, announced, totals, shoot, runUntil, isConfigured } = await newBench();
  await runUntil(isConfigured);
  const there = Date.now();
  Object.assign(settings, {
    revision: 2,
    assignmentGeneration: 2,
    assignmentStartedAtUtc: new Date(there).toISOString(),
  });
  await runUntil(isConfigured);
  const here = Date.now();
  shoot(there - 1);
  shoot(here);
  await runUntil(() => expect(totals()).toMatchObject({ completed: 1, refused: 1 }));
  const generations = announced.sort((one, other) => one.at - other.at).map(({ generation }) => generation);
  expect(generations).toEqual([1, 2]);
});

test("a new image under the name of one that is being stored is not removed", async () => {
  const path = mkdtempSync(join(root, "inbox-"));
  const file = join(path, "now.jpg");
  writeFileSync(file, drawn(1));
  const source = openFolder({ type: "folder", path, settleSeconds: 0, subfolders: false });
  const picture = { captureWidth: 1, captureHeight: 1, jpegQuality: 1 };
  for await (const shot of source.take(picture, new AbortController().signal)) {
    const { atimeMs, mtimeMs } = statSync(file);
    writeFileSync(join(path, "next"), drawn(2));
    utimesSync(join(path, "next"), atimeMs / 1_000, mtimeMs / 1_000);
    renameSync(join(path, "next"), file);
    shot.kept?.();
  }
  expect(readdirSync(path)).toEqual(["now.jpg"]);
});
