import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { openDevice } from "../../scripts/fake-camera/device.mjs";
import { openFrames } from "../../scripts/fake-camera/frames.mjs";
import { isDue } from "../../scripts/fake-camera/window.mjs";
import { isOpen } from "../../src/cameras/schedule";
import { entitle, newSite, RunningService, type Site } from "./support/running";

test("takes images when the service expects them, in any zone, over midnight and where clocks change", () => {
  const clock = fc
    .tuple(fc.nat(23), fc.nat(59))
    .map(([hour, minute]) => `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`);
  const captureWindow = fc
    .record(
      { start: clock, end: clock, daysOfWeek: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }) },
      { requiredKeys: ["start", "end"] },
    )
    .filter(({ start, end }) => start !== end);
  const timeZone = fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Asia/Kathmandu", "Pacific/Apia");
  const at = fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2031, 0) });
  fc.assert(
    fc.property(captureWindow, timeZone, at, (window, zone, instant) => {
      const configuration = { isPaused: false, timeZone: zone, captureWindow: window };
      expect(isDue(configuration, instant)).toBe(isOpen(configuration, instant));
    }),
    { numRuns: 2_000 },
  );
  expect(isDue({ isPaused: false, timeZone: "UTC", captureWindow: null }, 0)).toBe(true);
  expect(isDue({ isPaused: true, timeZone: "UTC", captureWindow: null }, 0)).toBe(false);
});

describe("pairing", () => {
  let service: RunningService;
  let site: Site;
  const folder = mkdtempSync(join(tmpdir(), "fake-camera-"));

  beforeAll(async () => {
    service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
    site = await newSite(service);
    await entitle(service, site);
  });

  afterAll(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A new camera's pairing code. */
  async function newCode(): Promise<string> {
    const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
    const { id } = await service.api(z.looseObject({ id: z.string() }), "POST", cameras, site.token, { name: "Gate" });
    const code = z.looseObject({ pairingCode: z.string() });
    return (await service.api(code, "POST", `/v1/cameras/${id}/enrollments`, site.token)).pairingCode;
  }

  const unasked = (): Promise<string> => Promise.reject(new Error("nobody is asked for a code"));

  test("that was cut off before its answer came is recovered after a restart, with the same code", async () => {
    const power = new AbortController();
    // Hands the proposal on, and has the power fail before the answer arrives.
    const server = createServer(async (request, response) => {
      const body = Buffer.concat(await Array.fromAsync(request)).toString();
      const headers = { "content-type": "application/json" };
      const answer = await fetch(`${service.url}${request.url}`, { method: "POST", headers, body });
      expect(answer.ok).toBe(true);
      power.abort();
      response.destroy();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const frames = openFrames(join(folder, "cut"));
    const cut = openDevice(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, frames, power.signal);
    await expect(cut.pair(newCode)).rejects.toThrow();
    server.close();
    expect(frames.identity()).toBeNull();

    const again = openFrames(join(folder, "cut"));
    const device = openDevice(service.url, again, new AbortController().signal);
    await device.pair(unasked);
    expect(again.proposal()).toBeNull();
    expect((await device.configuration()).captureIntervalMinutes).toBeGreaterThan(0);
  });

  test("is followed by what was under way when the power failed, and frees what nobody would finish", async () => {
    const frames = openFrames(join(folder, "restarted"));
    const device = openDevice(service.url, frames, new AbortController().signal);
    await device.pair(newCode);
    const { assignmentGeneration } = await device.configuration();
    const keep = (byte: number) => frames.keep(Buffer.of(byte), { capturedAt: Date.now(), assignmentGeneration });
    const [kept, lost] = [keep(1), keep(2)];
    const { credential = "" } = frames.identity() ?? {};
    const uploads = "/v1/camera-ingestion/uploads";
    const begun = z.looseObject({ items: z.array(z.looseObject({ captureId: z.string() })) });
    for (const intent of [kept, lost]) await service.api(z.unknown(), "POST", uploads, credential, intent);
    frames.drop(lost);
    expect(await device.unfinished()).toEqual([kept]);
    const { items } = await service.api(begun, "GET", uploads, credential);
    expect(items.map(({ captureId }) => captureId)).toEqual([kept.captureId]);
  });

  test("asks for another code when the one it kept leads nowhere", async () => {
    const frames = openFrames(join(folder, "stale"));
    const credentialSecret = randomBytes(32).toString("hex");
    frames.setProposal({ pairingCode: "ABCD-EFGH-JKMN", credentialSecret, redemptionId: randomUUID() });
    const device = openDevice(service.url, frames, new AbortController().signal);
    await device.pair(newCode);
    expect((await device.configuration()).isPaused).toBe(false);
  });
});
