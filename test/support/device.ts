import { env } from "cloudflare:workers";
import { and, eq } from "drizzle-orm";
import { expect } from "vitest";
import type { z } from "zod";
import { contextAt } from "../../src/access";
import { ofCamera } from "../../src/cameras/capture-rows";
import { cancelOperations } from "../../src/cameras/ingestion";
import { operationSchema } from "../../src/cameras/ingestion/operations";
import { cameraCaptures, cameraFrames, cameraPlaces, cameras } from "../../src/cameras/tables";
import { jobHandlers } from "../../src/job-handlers";
import type { Context } from "../../src/platform/context";
import { sha256Hex } from "../../src/platform/crypto/bytes";
import { beginChange } from "../../src/platform/db/change";
import { runJob } from "../../src/platform/jobs/run";
import { encodeJpeg, pictureOfRgba } from "../../src/platform/jpeg";
import { call } from "./call";
import { mintCamera, mintCredential } from "./cameras";
import { putBytes } from "./documents";
import { mintLocation, mintOrganization, type Person } from "./factories";
import { contextOfJob } from "./job-rows";
import { eventually } from "./patience";
import { scene } from "./pictures";
import { testDatabase } from "./statements";
import { quietJob, runToEnd, systemContext } from "./storage";

/* The device of a camera and its requests. */

export type View = z.infer<typeof operationSchema>;

export interface Device {
  organizationId: string;
  owner: Person;
  locationId: string;
  camera: typeof cameras.$inferSelect;
  /** The device's bearer. */
  token: string;
}

/** A paired camera at a new location. */
export async function mintDevice(
  overrides: Parameters<typeof mintCamera>[2] = {},
  of?: { id: string; owner: Person },
): Promise<Device> {
  const { id: organizationId, owner } = of ?? (await mintOrganization());
  const { id: locationId } = await mintLocation({ organizationId });
  const camera = await mintCamera(organizationId, locationId, overrides);
  const { token } = await mintCredential(camera.id);
  return { organizationId, owner, locationId, camera, token };
}

let seeds = 0;

/** A unique small JPEG. */
export function image(width = 48, height = 32): Uint8Array<ArrayBuffer> {
  const pixels = scene(width, height, 40, ++seeds);
  return Uint8Array.from(encodeJpeg(pictureOfRgba(pixels, width, height), 80));
}

/** Bytes that are not an image. */
export const words = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(new TextEncoder().encode(text));

export interface Announcement {
  captureId: string;
  assignmentGeneration: number;
  capturedAtUtc: string;
  sizeBytes: number;
  checksumSha256: string;
  clockQuality: string;
  contentType: string;
}

/** The announcement of an image. */
export const factsOf = async (
  bytes: Uint8Array<ArrayBuffer>,
  overrides: Partial<Announcement> = {},
): Promise<Announcement> => ({
  captureId: crypto.randomUUID(),
  assignmentGeneration: 1,
  capturedAtUtc: new Date().toISOString(),
  sizeBytes: bytes.byteLength,
  checksumSha256: await sha256Hex(bytes),
  clockQuality: "synchronized",
  contentType: "image/jpeg",
  ...overrides,
});

export const announce = ({ token }: Pick<Device, "token">, body: Announcement): Promise<Response> =>
  call("POST", "/v1/camera-ingestion/uploads", { token, body });

export const viewOf = async (response: Response): Promise<View> => {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return operationSchema.parse(JSON.parse(text));
};

const operationPath = (operationId: string) => `/v1/camera-ingestion/uploads/${operationId}`;
export const complete = ({ token }: Device, operationId: string): Promise<Response> =>
  call("POST", `${operationPath(operationId)}/complete`, { token });
export const refresh = ({ token }: Device, operationId: string): Promise<Response> =>
  call("POST", `${operationPath(operationId)}/upload-url`, { token });
/** Cancels an operation like its device. */
export const giveUp = ({ token }: Device, operationId: string): Promise<Response> =>
  call("DELETE", operationPath(operationId), { token });
export const ask = async ({ token }: Device, operationId: string): Promise<View> =>
  viewOf(await call("GET", operationPath(operationId), { token }));

/** Sends bytes to an operation's address with PUT. */
export const put = ({ uploadUrl, requiredHeaders }: View, bytes: Uint8Array<ArrayBuffer>): Promise<Response> =>
  putBytes({ uploadUrl: uploadUrl ?? "", requiredHeaders }, bytes);

/** Announces an image and sends its bytes. */
export async function transfer(device: Device, bytes = image(), overrides: Partial<Announcement> = {}) {
  const facts = await factsOf(bytes, overrides);
  const begun = await viewOf(await announce(device, facts));
  const sent = await put(begun, bytes);
  if (sent.status !== 200) throw new Error(`PUT answered ${sent.status}: ${await sent.text()}`);
  return { ...begun, facts, bytes };
}

/** Sends an image and waits for its verification by the real queue. */
export async function upload(device: Device, bytes = image(), overrides: Partial<Announcement> = {}) {
  const sent = await transfer(device, bytes, overrides);
  const accepted = await complete(device, sent.operationId);
  expect(accepted.status).toBe(202);
  await decided(sent.operationId);
  return sent;
}

/** SQL that selects the frame of an operation. */
export const ofFrame = (operationId: string) => eq(cameraFrames.operation, operationId);

/** The row of an operation's frame. */
export async function frameRow(operationId: string) {
  const [row] = await testDatabase().select().from(cameraFrames).where(ofFrame(operationId));
  if (row === undefined) throw new Error(`there is no frame of the operation ${operationId}`);
  return row;
}

/** The frames of a camera, at each of its locations. */
export const framesOf = ({ id }: { id: string }) => testDatabase().select().from(cameraFrames).where(ofCamera(id));

/** The common part of the keys of an operation's objects. */
export const keysOf = (device: Device, operationId: string) => ({
  organizationId: device.organizationId,
  cameraId: device.camera.id,
  operationId,
});

/** Waits until the verification has ended. */
export const decided = (operationId: string): Promise<void> =>
  eventually(async () => expect(["pending", "verifying"]).not.toContain(await statusIfThere(operationId)));

/** The status of an operation; null when its location was removed with it. */
async function statusIfThere(operationId: string): Promise<string | null> {
  const [row] = await testDatabase().select().from(cameraFrames).where(ofFrame(operationId));
  return row?.status ?? null;
}

/** A job that verifies an operation. Only the test runs it. */
export async function verification(operationId: string): Promise<string> {
  const frames = testDatabase()
    .select({ cameraId: cameraPlaces.cameraId, tenantId: cameraPlaces.tenantId })
    .from(cameraFrames)
    .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place));
  const [found] = await frames.where(ofFrame(operationId));
  if (found === undefined) throw new Error(`there is no frame of the operation ${operationId}`);
  return quietJob("verify-capture", { cameraId: found.cameraId, operationId }, found.tenantId);
}

/** Starts a verification that only the test runs. @returns its job. */
export async function handOver(operationId: string): Promise<string> {
  await testDatabase().update(cameraFrames).set({ status: "verifying" }).where(ofFrame(operationId));
  return verification(operationId);
}

/** Runs the verification of an operation with its clean-up. @returns the result. */
export async function verifyNow(operationId: string, context?: Context): Promise<string> {
  const id = await handOver(operationId);
  return runJob(context ?? (await contextOfJob(id)), jobHandlers, id);
}

export async function captureOf(camera: { id: string }, operationId: string) {
  const mine = and(eq(cameraCaptures.cameraId, camera.id), eq(cameraCaptures.operationId, operationId));
  const [row] = await testDatabase().select().from(cameraCaptures).where(mine);
  return row ?? null;
}

export async function cameraRow({ id }: { id: string }) {
  const [row] = await testDatabase().select().from(cameras).where(eq(cameras.id, id));
  if (row === undefined) throw new Error(`there is no camera ${id}`);
  return row;
}

/** Ends the lifetime of an operation. */
export async function ageOperation(operationId: string): Promise<void> {
  await testDatabase().update(cameraFrames).set({ receivedAt: 1, dueAt: 1 }).where(ofFrame(operationId));
}

/** Makes a frame due at once, as if the time for its next step had come, and looks at it. */
export async function passDue(...operationIds: string[]): Promise<void> {
  for (const operationId of operationIds)
    await testDatabase().update(cameraFrames).set({ dueAt: 1 }).where(ofFrame(operationId));
  await runToEnd("clean-frames");
}

/** Resets the rate limits of admissions, as if a minute had passed. */
export const passMinute = ({ camera }: Device): Promise<unknown> =>
  testDatabase().update(cameras).set({ admitted: [] }).where(eq(cameras.id, camera.id));

/** Cancels the open operations of a camera, like a relink. */
export async function cancel({ camera }: Device): Promise<void> {
  const context = await contextAt(systemContext(), camera.id);
  const change = beginChange(context, camera.tenantId);
  cancelOperations(context, change, camera);
  await change.commit();
}

export const objectBytes = async (key: string): Promise<Uint8Array | null> => {
  const object = await env.BUCKET.get(key);
  return object && new Uint8Array(await object.arrayBuffer());
};
