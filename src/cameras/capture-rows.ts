import { and, eq, type SQL, sql } from "drizzle-orm";
import { v7 } from "uuid";
import type { Context } from "../platform/context";
import { seededIdOptions } from "../platform/crypto/bytes";
import type { Change } from "../platform/db/change";
import type { WorkspaceDatabase } from "../platform/db/database";
import { inSet } from "../platform/db/statements";
import { registerPendingObjects } from "../uploads";
import { CAPTURE_FORMS, captureKey, type OperationKey, rejectedKey, stagingKey } from "./captures";
import { LEFTOVER_GRACE_MS, OPERATION_LIFETIME_MS } from "./limits";
import { cameraFrames, cameraPlaces, cameras, PART } from "./tables";

/*
 * The row of an image from its announcement to its removal. It is the operation of the device, the transfer, the image, the
 * ledger entry of its objects, and the receipt.
 */

export type CaptureRow = typeof cameraFrames.$inferSelect;

/** A capture with the camera, the location and the tenant of its place. */
export interface PlacedCapture {
  capture: CaptureRow;
  place: Omit<typeof cameraPlaces.$inferSelect, "place">;
}

/** A new operation id: a UUIDv7 whose time is the capture time, so that the primary key finds its capture. */
export const newOperationId = (capturedAt: number): string => v7({ ...seededIdOptions(), msecs: capturedAt });

const TIME_DIGITS = 12;
const capturedAtOf = (operationId: string): number =>
  Number.parseInt(operationId.replaceAll("-", "").slice(0, TIME_DIGITS), 16);

/** SQL that selects the captures of a camera, at each location where it is or was. */
export const ofCamera = (cameraId: string): SQL =>
  sql`${cameraFrames.place} IN (SELECT ${cameraPlaces.place} FROM ${cameraPlaces} WHERE ${cameraPlaces.cameraId} = ${cameraId})`;

/** SQL that selects the captures of a camera that wait for their bytes or for a verdict. */
export const openOf = (cameraId: string): SQL | undefined => and(ofCamera(cameraId), eq(cameraFrames.part, PART.open));

/** SQL that selects the capture of an operation of a camera. */
export const ofOperation = (cameraId: string, operationId: string): SQL | undefined =>
  and(
    ofCamera(cameraId),
    sql`${cameraFrames.part} IN (0, 1, 2)`,
    eq(cameraFrames.capturedAt, capturedAtOf(operationId)),
    eq(cameraFrames.operation, operationId),
  );

/** The ids of a place. Its number is in the capture: in a batch, D1 gives two columns of one name as one. */
export const placeColumns = {
  cameraId: cameraPlaces.cameraId,
  locationId: cameraPlaces.locationId,
  tenantId: cameraPlaces.tenantId,
};

/** A page of the keys to which devices of a workspace can send bytes now. `next` continues after it; null at the end. */
export async function stagedCaptures(
  { workspace }: Pick<Context, "workspace">,
  tenantId: string,
  after: string | null,
  limit: number,
): Promise<{ keys: string[]; next: string | null }> {
  const rows = await workspace.all<{ id: string; operation: string }>(
    sql`SELECT f.id AS "id", lower(hex(f.operation)) AS "operation" FROM ${cameras} AS c
      CROSS JOIN ${cameraPlaces} AS p ON p.camera_id = c.id
      CROSS JOIN ${cameraFrames} AS f ON f.place = p.place AND f.section = ${PART.open}
      WHERE c.tenant_id = ${tenantId} AND f.id > ${after ?? ""} ORDER BY f.id LIMIT ${limit}`,
  );
  const keys = rows.map(({ operation }) => stagingKey({ operationId: uuidOf(operation) }));
  return { keys, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}

/** An id from its 32 hex characters. */
const uuidOf = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Selects captures with their places. */
export const selectCaptures = (workspace: WorkspaceDatabase) =>
  workspace
    .select({ capture: cameraFrames, place: placeColumns })
    .from(cameraFrames)
    .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place));

/** The capture of an operation of this camera, or null. */
export async function findPlacedCapture(
  { workspace }: Pick<Context, "workspace">,
  cameraId: string,
  operationId: string,
): Promise<PlacedCapture | null> {
  const [found] = await selectCaptures(workspace).where(ofOperation(cameraId, operationId));
  return found ?? null;
}

/** The ids in the keys of a capture's objects. */
export const keyOf = ({ capture, place }: PlacedCapture): OperationKey => ({
  organizationId: place.tenantId,
  cameraId: place.cameraId,
  operationId: capture.operation,
});

/** Keys of the forms of an image. */
export const formKeys = (capture: PlacedCapture): string[] =>
  CAPTURE_FORMS.map((form) => captureKey(keyOf(capture), form));

/** Every key to which a device or a worker can have written for a capture. */
export const allKeys = (capture: PlacedCapture): string[] => [
  stagingKey(keyOf(capture)),
  rejectedKey(keyOf(capture)),
  ...formKeys(capture),
];

/** A transfer whose lifetime has ended expired before it was cancelled. */
const cancelledOrExpired = (now: number): SQL =>
  sql`iif(${cameraFrames.status} = 'pending' AND ${cameraFrames.receivedAt} <= ${now - OPERATION_LIFETIME_MS}, 'expired', 'cancelled')`;

/**
 * Ends the open captures that `where` selects: nothing is published, and their reserved bytes are free with this change. Their
 * objects are deleted when no address and no worker can write them any more. The device may announce the capture again.
 */
export function abandonCaptures(
  { workspace, now }: Pick<Context, "workspace" | "now">,
  change: Change,
  where: SQL | undefined,
  status: "expired" | "cancelled",
): void {
  change.add(
    workspace
      .update(cameraFrames)
      .set({
        part: PART.aside,
        status: status === "expired" ? status : cancelledOrExpired(now),
        isAbandoned: true,
        finishedAt: now,
        dueAt: now + LEFTOVER_GRACE_MS,
      })
      .where(and(where, eq(cameraFrames.part, PART.open))),
  );
}

/**
 * Deletes the objects of captures that nobody can see any more, and adds the deletion of their rows to `change`. A kill between
 * the two repeats both. Objects that an address or a slow worker may still write are deleted once more later.
 * @returns the cameras that lose published images. The caller increases their watermark with this change.
 */
export async function removeCaptures(
  context: Context,
  change: Change,
  captures: readonly PlacedCapture[],
): Promise<string[]> {
  const { workspace, objects, now } = context;
  if (captures.length === 0) return [];
  await objects.remove(captures.flatMap(allKeys));
  const late = captures.filter(({ capture }) => (capture.finishedAt ?? now) > now - LEFTOVER_GRACE_MS);
  const leftovers = late.flatMap((capture) =>
    allKeys(capture).map((key) => ({ key, tenantId: capture.place.tenantId, chargedBytes: 0 })),
  );
  registerPendingObjects(context, change, leftovers, LEFTOVER_GRACE_MS);
  const places = inSet(cameraFrames.place, [...new Set(captures.map(({ capture }) => capture.place))]);
  for (const isAbandoned of [false, true]) {
    const ids = captures.flatMap(({ capture }) => (capture.isAbandoned === isAbandoned ? [capture.id] : []));
    if (ids.length > 0) change.add(workspace.delete(cameraFrames).where(and(areCaptures(ids, isAbandoned), places)));
  }
  const published = captures.filter(({ capture }) => capture.status === "completed").map(({ place }) => place.cameraId);
  return [...new Set(published)];
}

/** SQL that selects captures by their capture ids. It names the condition of an index, so it is text and no parameter. */
export const areCaptures = (ids: readonly string[], isAbandoned: boolean): SQL =>
  isAbandoned
    ? sql`${inSet(cameraFrames.id, ids)} AND ${cameraFrames.isAbandoned} = 1`
    : sql`${inSet(cameraFrames.id, ids)} AND ${cameraFrames.isAbandoned} = 0`;
