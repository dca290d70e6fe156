import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { askStatus } from "../../gateway/src/gateway";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { entitle, newSite, RunningService } from "./support/running";

test("the simulated camera pairs, sends an image of the camera's size, and continues after a kill without a code", async () => {
  const folder = mkdtempSync(join(tmpdir(), "fake-camera-"));
  const service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  const processes: ChildProcess[] = [];
  onTestFinished(async () => {
    for (const child of processes) child.kill("SIGKILL");
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  let said = "";
  const start = (input: string) => {
    const args = ["scripts/fake-camera/main.mjs", "--state", folder, "--url", service.url];
    const child = spawn(process.execPath, args, { stdio: "pipe" });
    processes.push(child);
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (said += part));
    child.stdin.end(input);
    return child;
  };
  const site = await newSite(service);
  await entitle(service, site);
  const size = { captureWidth: 320, captureHeight: 180 };
  const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
  const made = z.looseObject({ id: z.string() });
  const { id } = await service.api(made, "POST", cameras, site.token, { name: "Gate", ...size });
  const code = z.looseObject({ pairingCode: z.string() });
  const { pairingCode } = await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token);

  const first = start(`${pairingCode}\n`);
  const history = z.object({ items: z.array(z.looseObject({ width: z.int(), height: z.int() })) }).loose();
  const path = `/v1/cameras/${id}/captures?locationId=${site.locationId}`;
  await eventually(async () => {
    const { items } = await service.api(history, "GET", path, site.token);
    expect(items, said).toMatchObject([{ width: 320, height: 180 }]);
  }, LONG_PATIENCE);
  first.kill("SIGKILL");
  await once(first, "close");

  const second = start("");
  await eventually(async () => {
    const status = await askStatus(folder);
    expect(status?.pid, said).toBe(second.pid);
    expect(status?.cameras).toMatchObject([{ paired: true, answeredSecondsAgo: expect.any(Number) }]);
  }, LONG_PATIENCE);
  second.kill("SIGTERM");
  expect(await once(second, "close"), said).toEqual([0, null]);
});
