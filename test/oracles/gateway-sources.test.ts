import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { pair } from "../../gateway/src/commands/pair";
import { Gateway } from "../../gateway/src/gateway";
import { checkFrame } from "../../gateway/src/jpeg/check";
import { settingsSchema } from "../../gateway/src/settings";
import { openSource } from "../../gateway/src/sources/open";
import type { Source } from "../../gateway/src/sources/source";
import { jpegSize } from "../../src/platform/jpeg";
import {
  CLOCK_PAGE,
  ffmpegCommand,
  RtspCamera,
  rtspCommand,
  StreamingCamera,
  screenshotCommand,
} from "../gateway/support/sources";
import { LIMITS } from "../node/gateway/pictures";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService } from "../system/support/running";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

/** The same source. It records the SHA-256 of each image that the gateway must store. */
const recorded = (source: Source, taken: string[]): Source => ({
  pace: source.pace,
  async *take(picture, signal) {
    for await (const shot of source.take(picture, signal)) {
      const checked = checkFrame(shot.bytes, LIMITS);
      if (checked.isGood) taken.push(sha256(checked.bytes));
      yield shot;
    }
  },
});

test("images of ffmpeg's stream, of an ffmpeg command and of headless Chromium arrive complete and unchanged", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gw-"));
  const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  const [stream, video] = [await StreamingCamera.open("mjpeg"), await StreamingCamera.open("video")];
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();
  onTestFinished(async () => {
    stopping.abort();
    await running;
    for (const camera of [stream, video]) camera.close();
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const site = await newSite(service);
  await entitle(service, site);
  const sources = {
    stream: { type: "snapshot", url: stream.url, timeoutSeconds: 60 },
    video: { type: "command", command: ffmpegCommand(video.url), timeoutSeconds: 60 },
    screen: { type: "command", command: await screenshotCommand(CLOCK_PAGE), timeoutSeconds: 120 },
  };
  const settings = settingsSchema.parse({
    service: service.url,
    stateFolder: join(folder, "state"),
    cameras: Object.entries(sources).map(([name, source]) => ({ name, source })),
  });
  const ids = new Map<string, string>();
  for (const { name } of settings.cameras) {
    const made = z.looseObject({ id: z.string() });
    const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
    const body = { name, captureIntervalMinutes: 1, captureWidth: 640, captureHeight: 360 };
    const { id } = await service.api(made, "POST", cameras, site.token, body);
    const code = z.looseObject({ pairingCode: z.string() });
    const { pairingCode } = await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token);
    await pair(settings, name, async () => pairingCode, stopping.signal);
    ids.set(name, id);
  }
  const taken = new Map<string, string[]>();
  const said: string[] = [];
  const gateway = new Gateway({
    settings,
    say: (line) => said.push(line),
    source: ({ name, source }) => {
      const hashes: string[] = [];
      taken.set(name, hashes);
      return recorded(openSource(source), hashes);
    },
  });
  running = gateway.run(stopping.signal);

  await eventually(() => {
    for (const { totals, queueCount } of gateway.status().cameras) {
      expect(queueCount, said.join("\n")).toBe(0);
      expect(totals.completed, said.join("\n")).toBeGreaterThan(0);
    }
  }, LONG_PATIENCE);
  stopping.abort();
  await running;
  const captures = z.looseObject({
    items: z.array(z.looseObject({ id: z.string(), width: z.int(), height: z.int(), checksumSha256: z.string() })),
  });
  for (const { name, totals } of gateway.status().cameras) {
    const path = `/v1/cameras/${ids.get(name)}/captures?locationId=${site.locationId}&limit=200`;
    const { items } = await service.api(captures, "GET", path, site.token);
    expect(items).toHaveLength(totals.completed ?? 0);
    for (const { id, width, height, checksumSha256 } of items) {
      expect([width, height]).toEqual([640, 360]);
      expect(taken.get(name)).toContain(checksumSha256);
      const headers = { authorization: `Bearer ${site.token}` };
      const download = await fetch(`${service.url}/v1/camera-captures/${id}/download`, { headers });
      expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(checksumSha256);
    }
  }
});

test("the recipe for an RTSP camera, as the README has it, gives an image of a server with a password, and its refusal", async () => {
  const camera = await RtspCamera.open();
  onTestFinished(() => camera.close());
  const picture = { captureWidth: 640, captureHeight: 360, jpegQuality: 80 };
  const take = async (url: string) => {
    const source = openSource({ type: "command", command: rtspCommand(url), timeoutSeconds: 60 });
    return (await Array.fromAsync(source.take(picture, new AbortController().signal)))[0];
  };
  const shot = await take(camera.url);
  const checked = checkFrame(shot?.bytes ?? Buffer.alloc(0), LIMITS);
  expect(checked).toMatchObject({ isGood: true });
  if (checked.isGood) expect(jpegSize(checked.bytes)).toMatchObject({ width: 640, height: 360 });
  const wrong = camera.url.replace("secret", "wrong");
  await expect(take(wrong)).rejects.toMatchObject({ code: "camera-failed", message: expect.stringContaining("401") });
});
