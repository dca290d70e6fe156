import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { cameraFolder } from "../../gateway/src/camera/camera";
import { Papers } from "../../gateway/src/camera/identity";
import { pair } from "../../gateway/src/commands/pair";
import { makeFolder } from "../../gateway/src/files";
import { Service } from "../../gateway/src/service/client";
import { entitle, newSite, RunningService, type Site } from "../system/support/running";
import { Device } from "./support/device";

let service: RunningService;
let site: Site;

beforeAll(async () => {
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  site = await newSite(service);
  await entitle(service, site);
});
afterAll(() => service?.stop());

/** A new camera's pairing code. */
async function newCode(): Promise<string> {
  const cameras = `/v1/spatial/locations/${site.locationId}/cameras`;
  const { id } = await service.api(z.looseObject({ id: z.string() }), "POST", cameras, site.token, { name: "Gate" });
  return codeOf(id);
}

/** A pairing code of a camera. */
async function codeOf(cameraId: string): Promise<string> {
  const code = z.looseObject({ pairingCode: z.string() });
  return (await service.api(code, "POST", `/v1/cameras/${cameraId}/enrollments`, site.token)).pairingCode;
}

function papersOf(device: Device, name = "gate"): Papers {
  const folder = cameraFolder(device.stateFolder, name);
  makeFolder(folder);
  return new Papers(folder);
}

/** Whether the service accepts the credential that the device stored. */
async function expectPaired(papers: Papers): Promise<void> {
  const { credential } = papers.identity() ?? expect.fail("not paired");
  const answer = await new Service(service.url, credential, new AbortController().signal).configuration(null);
  expect(answer?.value.isPaused).toBe(false);
  expect(papers.proposal()).toBeNull();
}

const unasked = (): Promise<string> => Promise.reject(new Error("nobody may be asked for a code"));

test("a pairing whose answer is lost in a power failure is completed after a restart, with the same code", async () => {
  const power = new AbortController();
  // Passes the proposal on. The power fails before the answer arrives.
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = Buffer.concat(await Array.fromAsync(request)).toString();
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${service.url}${request.url}`, { method: "POST", headers, body });
    expect(answer.ok).toBe(true);
    power.abort();
    response.destroy();
  };
  const server = createServer((request, response) => void pass(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const device = await Device.make(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, ["gate"]);
  await expect(pair(device.settings(), "gate", newCode, power.signal)).rejects.toThrow();
  const papers = papersOf(device);
  expect(papers.identity()).toBeNull();
  expect(papers.proposal()).not.toBeNull();

  const settings = { ...device.settings(), service: service.url };
  await pair(settings, "gate", unasked, new AbortController().signal);
  await expectPaired(papers);
});

test("a stored pairing that the service refuses is discarded, and the gateway asks for another code", async () => {
  const device = await Device.make(service.url, ["gate"]);
  const papers = papersOf(device);
  papers.propose("ABCD-EFGH");
  expect(await device.command(["pair", "gate"], `${await newCode()}\n`)).toMatchObject({ code: 0 });
  await expectPaired(papers);
});

test("a code of another camera is refused before anything changes, and the device of that camera keeps its access", async () => {
  const device = await Device.make(service.url, ["gate", "yard"]);
  const other = await Device.make(service.url, ["gate"]);
  const pairWith = (which: Device, name: string, code: string) => which.command(["pair", name], `${code}\n`);
  expect(await pairWith(device, "gate", await newCode())).toMatchObject({ code: 0 });
  expect(await pairWith(other, "gate", await newCode())).toMatchObject({ code: 0 });
  const { cameraId = "" } = papersOf(other).identity() ?? {};
  const code = await codeOf(cameraId);
  const before = papersOf(device).identity();
  expect(await pairWith(device, "gate", code)).toMatchObject({
    code: 1,
    output: expect.stringContaining("for another camera. Nothing has changed"),
  });
  expect(papersOf(device).identity()).toEqual(before);
  await expectPaired(papersOf(device));
  await expectPaired(papersOf(other));
  // The code is still valid at its own device.
  expect(await pairWith(other, "gate", code)).toMatchObject({ code: 0 });
  await expectPaired(papersOf(other));
  // A name without a camera expects none: the code pairs the camera that has another name here.
  const { cameraId: own = "" } = before ?? {};
  expect(await pairWith(device, "yard", await codeOf(own))).toMatchObject({
    code: 1,
    output: expect.stringContaining('"gate" is paired again'),
  });
  await expectPaired(papersOf(device));
  expect(papersOf(device).identity()?.credentialId).not.toBe(before?.credentialId);
  expect(papersOf(device, "yard").identity()).toBeNull();
});

test("the code can come from a file descriptor", async () => {
  const device = await Device.make(service.url, ["gate"]);
  const args = ["pair", "gate", "--code-fd", "0"];
  expect(await device.command(args, `${await newCode()}\n`)).toMatchObject({ code: 0 });
  await expectPaired(papersOf(device));
});

test("a code that is wrong is refused with the service's reason, and nothing is stored", async () => {
  const device = await Device.make(service.url, ["gate"]);
  const { code, output } = await device.command(["pair", "gate"], "ABCD-EFGH\n");
  expect(code).toBe(1);
  expect(output).toMatch(/pairing code/i);
  const papers = papersOf(device);
  expect([papers.identity(), papers.proposal()]).toEqual([null, null]);
});

test("a code on the command line is refused with advice, and so are words and options that mean nothing", async () => {
  const device = await Device.make(service.url, ["gate"]);
  const refused = async (args: string[]) => {
    const { code, output } = await device.command(args);
    expect(code).toBe(1);
    expect(output).not.toMatch(/\n {4}at /);
    return output;
  };
  const output = await refused(["pair", "gate", "ABCD-2345"]);
  expect(output).toContain("gateway pair gate");
  expect(output).toContain("history of this shell");
  expect(output).not.toContain("ABCD-2345");
  expect(papersOf(device).proposal()).toBeNull();
  expect(await refused(["pair", "gate", "--code-fd", "three"])).toContain("file descriptor");
  expect(await refused(["status", "gate"])).toContain("gateway status [--json]");
  expect(await refused(["run", "--fast"])).toContain("gateway run");
});
