import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { cameraFolder } from "../../../gateway/src/camera/camera";
import { Papers } from "../../../gateway/src/camera/identity";
import { settingsSchema } from "../../../gateway/src/settings";

/* A service whose answers the test defines, and a site with one camera. */

export const root = mkdtempSync(join(tmpdir(), "gw-"));
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  rmSync(root, { recursive: true, force: true });
});

type Handler = (request: IncomingMessage, body: string, response: ServerResponse) => void;
/** A server that has read each request before it answers. @returns its address */
export async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => handler(request, body, response));
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export const cameraId = randomUUID();
export const configuration = (revision: number, serverTime = Date.now()) => ({
  cameraId,
  assignmentGeneration: 1,
  revision,
  isPaused: true,
  captureIntervalMinutes: 10,
  retentionDays: 30,
  captureWidth: 640,
  captureHeight: 360,
  jpegQuality: 80,
  timeZone: "UTC",
  captureWindow: null,
  locationLatitude: null,
  locationLongitude: null,
  serverTimeUtc: new Date(serverTime).toISOString(),
  limits: {
    maxSizeBytes: 8_388_608,
    maxPixels: 24_000_000,
    maxPendingUploads: 3,
    newUploadsPerMinute: 10,
    requestsPerMinute: 600,
  },
});
export const json = (response: ServerResponse, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
export const refuse = (response: ServerResponse, status: number, code: string) =>
  response
    .writeHead(status, { "content-type": "application/problem+json" })
    .end(JSON.stringify({ type: `urn:problem:${code}`, title: "", status, detail: "why", code }));

const inFolder = { type: "folder", path: root };
export function site(service: string, more: object = {}, source: object = inFolder, nights: object = { skip: false }) {
  const stateFolder = mkdtempSync(join(root, "state-"));
  const cameras = [{ name: "gate", source, nights }];
  return settingsSchema.parse({ service, stateFolder, spool: { minFreeMegabytes: 0 }, cameras, ...more });
}
export function pairedSite(...given: Parameters<typeof site>) {
  const settings = site(...given);
  const folder = cameraFolder(settings.stateFolder, "gate");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const credential = "svccam1.a.b";
  new Papers(folder).setIdentity({ service: settings.service, cameraId, credentialId: randomUUID(), credential });
  return { settings, folder };
}
