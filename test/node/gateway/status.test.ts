import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CameraStatus } from "../../../gateway/src/camera/camera";
import { describeStatus, type ShownStatus, spanOf } from "../../../gateway/src/commands/describe";
import { askStatus, Gateway } from "../../../gateway/src/gateway";
import { settingsSchema } from "../../../gateway/src/settings";

const NOW = Date.UTC(2026, 10, 23, 12);
const ago = (seconds: number) => new Date(NOW - seconds * 1_000).toISOString();

const working: CameraStatus = {
  name: "crane",
  paired: true,
  queueCount: 0,
  queueBytes: 0,
  oldestAtUtc: null,
  lastCaptureAtUtc: ago(240),
  answeredSecondsAgo: 20,
  notDue: null,
  keptApart: 0,
  unusable: 0,
  skipped: 0,
  totals: { completed: 1_204 },
  conditions: {},
};
const running = { pid: 812, residentMegabytes: 63, runningSeconds: 7_200, freeMegabytes: 5_210 };
const textOf = (given: Partial<ShownStatus>) =>
  describeStatus({ ...running, cameras: [working], ...given }, NOW).join("\n");
const textOfCamera = (given: Partial<CameraStatus>) => textOf({ cameras: [{ ...working, ...given }] });

describe("the status for people", () => {
  test("is short while all works", () => {
    expect(textOf({})).toBe(`The gateway runs: process 812, for 2 h, 63 MB of memory.
5,210 MB of the disk are free.

crane: works
  last image  4 min ago
  service     answered 20 s ago
  waiting     none
  sent        1,204 images`);
  });

  const backlog = { queueCount: 432, queueBytes: 3e8, oldestAtUtc: ago(3 * 86_400) };
  test.each<[string, Partial<CameraStatus>, string[]]>([
    ["not paired", { paired: false }, ["crane: NOT PAIRED", "gateway pair crane"]],
    [
      "a revoked credential",
      { conditions: { "credential-revoked": "revoked" } },
      ["crane: NOT ACCEPTED", "gateway pair crane"],
    ],
    [
      "no answer for an hour",
      { answeredSecondsAgo: 7_300, ...backlog },
      ["crane: OFFLINE", "for 2 h", "gateway doctor", "waiting     432 images, 286.1 MB, the oldest is 3 days old"],
    ],
    ["no answer since the start", { answeredSecondsAgo: null }, ["OFFLINE", "since the start"]],
    ["a backlog that is sent", backlog, ["crane: works, and sends images that waited", "the oldest is 3 days old"]],
    [
      "rejected and refused images",
      { totals: { completed: 1, rejected: 2, refused: 1 }, keptApart: 3 },
      ["sent        1 image", "rejected    2 images by", "refused     1 image by", "in apart/   3 images"],
    ],
    [
      "a full disk",
      { totals: { thinned: 12, dropped: 4 }, conditions: { "frames-thinned": "The disk is full." } },
      [
        "thinned     12 images because the disk was full",
        "dropped     4 images because of their age",
        "! frames-thinned: The disk is full.",
        "maxMegabytes",
      ],
    ],
    [
      "no synchronized clock",
      { conditions: { "clock-unsynchronized": "The time is not known yet." } },
      ["! clock-unsynchronized", "takes the time from the service"],
    ],
    [
      "a frozen camera",
      { conditions: { "camera-frozen": "5 identical images in a row" } },
      ["! camera-frozen: 5 identical images in a row", "restart it"],
    ],
    ["no camera", { conditions: { "camera-timeout": "no image in 30 s" } }, ["crane: NO IMAGE", "! camera-timeout"]],
    ["a pause", { notDue: "paused" }, ["takes no images now: paused in the service"]],
    ["a night", { notDue: "night" }, ["takes no images now: skips the night"]],
  ])("says what there is: %s", (_state, given, expected) => {
    const text = textOfCamera(given);
    for (const words of expected) expect(text).toContain(words);
    expect(Math.max(...text.split("\n").map((line) => line.length))).toBeLessThan(100);
  });

  test("says that the gateway does not run, and what waits", () => {
    const text = textOf({
      pid: null,
      residentMegabytes: null,
      runningSeconds: null,
      cameras: [{ ...working, ...backlog, answeredSecondsAgo: null }],
    });
    expect(text).toContain("The gateway does not run. Start it: systemctl start camera-gateway");
    expect(text).toContain("crane: paired, and images wait until the gateway runs");
  });

  test("gives times in units that fit", () => {
    expect([0, 119, 120, 7_199, 7_200, 172_799, 172_800].map(spanOf)).toEqual([
      "0 s",
      "119 s",
      "2 min",
      "119 min",
      "2 h",
      "47 h",
      "2 days",
    ]);
  });
});

function newSettings(name = "state") {
  const folder = mkdtempSync(join(tmpdir(), "gw-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cameras = [{ name: "crane", source: { type: "folder", path: folder } }];
  return settingsSchema.safeParse({ service: "http://127.0.0.1:9", stateFolder: join(folder, name), cameras });
}

test("a gateway that does not answer keeps its folder: its files are not read, and no second one starts", async () => {
  const settings = newSettings().data ?? expect.fail("not valid");
  const second = new Gateway({ settings, say: () => undefined });
  const listen = async (onConnection: (connection: Socket) => void) => {
    const server = createServer(onConnection);
    await new Promise<void>((done) => server.listen(join(settings.stateFolder, "run.sock"), done));
    return () => new Promise<void>((done) => void server.close(() => done()));
  };
  const accepted: Socket[] = [];
  const close = await listen((connection) => void accepted.push(connection));
  await expect(askStatus(settings.stateFolder, 100)).rejects.toThrow(/runs on .* does not answer/);
  for (const connection of accepted) connection.destroy();
  await close();
  onTestFinished(await listen((connection) => void connection.destroy()));
  await expect(second.run(new AbortController().signal)).rejects.toThrow(/does not answer/);
});

test("a state folder whose socket would have too long a path is refused with advice", () => {
  expect(newSettings("short").success).toBe(true);
  expect(newSettings("x".repeat(90)).error?.message).toMatch(/at most 94 bytes.*shorter path/);
});
