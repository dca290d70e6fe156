import { env } from "cloudflare:workers";
import { areCaptures } from "../../src/cameras/capture-rows";
import { captureKey } from "../../src/cameras/captures";
import { writeCredential } from "../../src/cameras/pairing/credentials";
import {
  cameraAssignments,
  cameraCaptures,
  cameraCredentials,
  cameraFrames,
  cameras,
  PART,
} from "../../src/cameras/tables";
import { randomHex, sha256Hex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { newId, newIdIn } from "../../src/platform/ids";
import { embedPreview } from "../../src/platform/jpeg";
import { mintLocation, mintOrganization, type Person } from "./factories";
import { jpegFixture } from "./pictures";
import { testDatabase } from "./statements";

/* Cameras and published images, written directly into the database, for tests that only need them. */

const database = () => openDatabases(env.DB).workspace;

/** Creates a camera at a location of an organization. */
export async function mintCamera(
  organizationId: string,
  locationId: string,
  overrides: Partial<typeof cameras.$inferInsert> = {},
): Promise<typeof cameras.$inferSelect> {
  const [id, now] = [newIdIn(organizationId), Date.now()];
  const [row] = await database()
    .insert(cameras)
    .values({
      id,
      tenantId: organizationId,
      organizationId,
      locationId,
      name: "Camera",
      captureIntervalMinutes: 20,
      retentionDays: 30,
      captureWidth: 1920,
      captureHeight: 1080,
      jpegQuality: 90,
      timeZone: "UTC",
      createdAt: now,
      updatedAt: now,
      ...overrides,
    })
    .returning();
  if (row === undefined) throw new Error("no camera was written");
  await mintAssignment(row.id, locationId, { generation: row.assignmentGeneration });
  return row;
}

export interface CameraSite {
  organizationId: string;
  owner: Person;
  locationId: string;
  camera: typeof cameras.$inferSelect;
}

/** Creates a camera in a new organization. */
export async function mintCameraSite(overrides: Partial<typeof cameras.$inferInsert> = {}): Promise<CameraSite> {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  return { organizationId, owner, locationId, camera: await mintCamera(organizationId, locationId, overrides) };
}

/** A current or earlier location of a camera. */
export async function mintAssignment(
  cameraId: string,
  locationId: string,
  overrides: Partial<typeof cameraAssignments.$inferInsert> = {},
): Promise<void> {
  await database()
    .insert(cameraAssignments)
    .values({ cameraId, generation: 1, locationId, startedAt: 0, ...overrides });
}

/** A credential of a camera's device, as a pairing makes it. */
export async function mintCredential(
  cameraId: string,
  overrides: Partial<typeof cameraCredentials.$inferInsert> = {},
): Promise<{ id: string; token: string }> {
  const [id, secret] = [newIdIn(cameraId), randomHex(32)];
  await database()
    .insert(cameraCredentials)
    .values({ id, cameraId, secretHash: await sha256Hex(secret), createdAt: Date.now(), ...overrides });
  return { id, token: writeCredential(id, secret) };
}

type Camera = typeof cameras.$inferSelect;
/** A published image; with `deletedAt`, a person has deleted it. */
type CaptureInsert = typeof cameraCaptures.$inferInsert & { deletedAt?: number };

/** The row of a published image of a camera, without bytes. */
export function captureRow(camera: Camera, locationId: string, overrides: Partial<CaptureInsert> = {}): CaptureInsert {
  const capturedAt = overrides.capturedAt ?? Date.now();
  return {
    id: crypto.randomUUID(),
    tenantId: camera.tenantId,
    organizationId: camera.organizationId,
    cameraId: camera.id,
    locationId,
    assignmentGeneration: camera.assignmentGeneration,
    operationId: newId(),
    receivedAt: capturedAt,
    completedAt: capturedAt,
    clockQuality: "synchronized",
    sizeBytes: 1,
    checksumSha256: "0".repeat(64),
    crc32: 0,
    width: 1920,
    height: 1080,
    previewWidth: 128,
    previewHeight: 72,
    tolerated: [],
    ...overrides,
    capturedAt,
  };
}

/** Hides images as their deletion by a person does. */
export const hideCaptures = (ids: readonly string[], deletedAt = Date.now()): Promise<unknown> =>
  testDatabase().update(cameraFrames).set({ part: PART.aside, deletedAt }).where(areCaptures(ids, false));

/** Brings hidden images back, for a test that hides others of them next. */
export const showCaptures = (ids: readonly string[]): Promise<unknown> =>
  testDatabase().update(cameraFrames).set({ part: PART.archive, deletedAt: null }).where(areCaptures(ids, false));

async function publish(rows: readonly CaptureInsert[]): Promise<void> {
  await database()
    .insert(cameraCaptures)
    .values(rows.map(({ deletedAt, ...row }) => row));
  const hidden = rows.filter(({ deletedAt }) => deletedAt !== undefined).map(({ id }) => id);
  if (hidden.length > 0) await hideCaptures(hidden);
}

/** Number of rows of an insert into camera_captures within the 100 parameters of a statement. */
const ROWS_A_STATEMENT = 4;

/** Publishes images of a camera, oldest first, without bytes. @returns their ids, in the order given. */
export async function mintCaptures(
  camera: Camera,
  locationId: string,
  rows: readonly Partial<CaptureInsert>[],
): Promise<string[]> {
  const all = rows.map((overrides) => captureRow(camera, locationId, overrides));
  for (let at = 0; at < all.length; at += ROWS_A_STATEMENT) await publish(all.slice(at, at + ROWS_A_STATEMENT));
  return all.map(({ id }) => id);
}

/** A picture of at most 3 KiB. */
const TINY = "baseline-gray";

/** Publishes one image with its bytes. The thumbnail is the same picture, with another, tiny one as the preview in it. */
export async function mintImage(
  camera: Camera,
  locationId: string,
  overrides: Partial<CaptureInsert> = {},
  bytes: Uint8Array = jpegFixture("baseline-420"),
): Promise<CaptureInsert> {
  const row = captureRow(camera, locationId, {
    sizeBytes: bytes.byteLength,
    checksumSha256: await sha256Hex(bytes.slice()),
    ...overrides,
  });
  await env.BUCKET.put(captureKey(row, "original"), bytes);
  const picture = bytes.length > 1 ? bytes : jpegFixture(TINY);
  await env.BUCKET.put(captureKey(row, "thumbnail"), embedPreview(picture, jpegFixture(TINY)));
  await publish([row]);
  return row;
}
