import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, or, type SQL, sql } from "drizzle-orm";
import { v5 } from "uuid";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { idSchema } from "../../platform/ids";
import type { SignedUpload } from "../../platform/objects/store";
import { toUtc, utcSchema } from "../../platform/time";
import {
  abandonCaptures,
  areCaptures,
  type CaptureRow,
  ofCamera,
  openOf,
  type PlacedCapture,
  selectCaptures,
} from "../capture-rows";
import { MAX_LISTED_OPERATIONS, OPERATION_LIFETIME_MS } from "../limits";
import { cameraFrames } from "../tables";

/** The fields of a capture that an answer about its operation needs. */
type OperationState = Pick<
  CaptureRow,
  | "id"
  | "announcedId"
  | "operation"
  | "status"
  | "receivedAt"
  | "finishedAt"
  | "sizeBytes"
  | "checksum"
  | "reasonCode"
  | "reasonDetail"
>;

const OPERATION_STATUSES = [
  "pending-transfer",
  "verification-pending",
  "completed",
  "rejected",
  "expired",
  "cancelled",
] as const;
type OperationStatus = (typeof OPERATION_STATUSES)[number];

const receiptSchema = z
  .object({
    captureId: idSchema,
    operationId: idSchema,
    sizeBytes: z.int(),
    checksumSha256: z.string(),
    completedAtUtc: utcSchema,
  })
  .openapi("CaptureReceipt", { description: "The image is published: the device may delete its bytes." });

export const rejectionSchema = z
  .object({ code: z.string(), detail: z.string() })
  .openapi("CaptureRejection", { description: "The reason of the rejection. The decision is final." });

export const operationSchema = z
  .object({
    operationId: idSchema,
    captureId: idSchema,
    status: z.enum(OPERATION_STATUSES),
    expiresAtUtc: utcSchema.openapi({ description: "The operation expires at this time unless it is finished." }),
    uploadUrl: z.string().nullable().openapi({
      description:
        "PUT the bytes to this address, without the camera's credential. Null when this request does not create an address.",
    }),
    uploadUrlExpiresAtUtc: utcSchema.nullable(),
    requiredHeaders: z
      .record(z.string(), z.string())
      .openapi({ description: "Send these headers unchanged with the PUT." }),
    statusUrl: z.string(),
    receipt: z.union([receiptSchema, z.null()]),
    rejection: z.union([rejectionSchema, z.null()]),
  })
  .openapi("CaptureOperation");
export type OperationView = z.infer<typeof operationSchema>;

/** The path where a device reads the state of an operation. */
const statusPath = (operationId: string): string => `/v1/camera-ingestion/uploads/${operationId}`;

/** The end of an operation's lifetime, milliseconds since the epoch. */
export const expiryOf = ({ receivedAt }: Pick<CaptureRow, "receivedAt">): number => receivedAt + OPERATION_LIFETIME_MS;

/** The id that the device made for the capture. */
export const captureIdOf = ({ id, announcedId }: Pick<CaptureRow, "id" | "announcedId">): string => announcedId ?? id;

/** The state of an operation at `now`. It is expired from the end of its lifetime, even before its row says so. */
export function statusOf(capture: Pick<CaptureRow, "status" | "receivedAt">, now: number): OperationStatus {
  switch (capture.status) {
    case "pending":
      return expiryOf(capture) <= now ? "expired" : "pending-transfer";
    case "verifying":
      return "verification-pending";
    default:
      return capture.status;
  }
}

/** SQL that selects the open captures that are not finished at `now`. */
export const isUnfinished = (now: number): SQL | undefined =>
  or(eq(cameraFrames.status, "verifying"), gt(cameraFrames.receivedAt, now - OPERATION_LIFETIME_MS));

/** An operation on the wire, with an upload address when one was just signed. */
export function presentOperation(
  capture: OperationState,
  now: number,
  signed: SignedUpload | null = null,
): OperationView {
  const status = statusOf(capture, now);
  const { operation: operationId, sizeBytes, checksum: checksumSha256, finishedAt, reasonCode, reasonDetail } = capture;
  const captureId = captureIdOf(capture);
  return {
    operationId,
    captureId,
    status,
    expiresAtUtc: toUtc(expiryOf(capture)),
    uploadUrl: signed?.uploadUrl ?? null,
    uploadUrlExpiresAtUtc: signed && toUtc(signed.expiresAt),
    requiredHeaders: signed?.requiredHeaders ?? {},
    statusUrl: statusPath(operationId),
    receipt:
      status === "completed"
        ? { captureId, operationId, sizeBytes, checksumSha256, completedAtUtc: toUtc(finishedAt ?? now) }
        : null,
    rejection: status === "rejected" ? { code: reasonCode ?? "", detail: reasonDetail ?? "" } : null,
  };
}

/** Operations of a camera that are not finished at `now`, including held operations, newest first. */
export const findUnfinished = (
  { workspace, now }: Pick<Context, "workspace" | "now">,
  cameraId: string,
): Promise<PlacedCapture[]> =>
  selectCaptures(workspace)
    .where(and(openOf(cameraId), isUnfinished(now)))
    .orderBy(desc(cameraFrames.receivedAt), desc(cameraFrames.operation))
    .limit(MAX_LISTED_OPERATIONS);

const NAMESPACE = "5b0b3ac6-0b53-4a9b-8f0f-8a0c1f6f4e0d";

/**
 * The id under which an image is published when another camera uses the id that the device made. So a response
 * reveals nothing about other cameras.
 */
export const fallbackCaptureId = (cameraId: string, captureId: string): string =>
  v5(`${cameraId} ${captureId}`, NAMESPACE);

/** SQL that selects the captures of a camera for a capture id that its device made. */
export const ofCapture = (cameraId: string, captureId: string, isAbandoned: boolean): SQL | undefined =>
  and(areCaptures([captureId, fallbackCaptureId(cameraId, captureId)], isAbandoned), ofCamera(cameraId));

/** The capture of this camera with this id of the device, in any state; if several are abandoned, the last. Null when it is unknown. */
export async function findByCaptureId(
  { workspace }: Pick<Context, "workspace">,
  cameraId: string,
  captureId: string,
): Promise<CaptureRow | null> {
  const [[known], [abandoned]] = await workspace.batch([
    workspace
      .select()
      .from(cameraFrames)
      .where(ofCapture(cameraId, captureId, false)),
    workspace
      .select()
      .from(cameraFrames)
      .where(ofCapture(cameraId, captureId, true))
      .orderBy(desc(cameraFrames.receivedAt), desc(sql`${cameraFrames.finishedAt}`))
      .limit(1),
  ]);
  return known ?? abandoned ?? null;
}

/** SQL that holds while a camera has an operation that is not finished, to be guarded on in a change. */
export const hasPendingOperations = ({ now }: Pick<Context, "now">, { id }: { id: string }): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraFrames} WHERE ${and(openOf(id), isUnfinished(now))})`;

/**
 * Cancels the unfinished operations of a camera with this change. Images in verification are not published, and the
 * device may announce again the images that it still has.
 */
export const cancelOperations = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => abandonCaptures(context, change, openOf(id), "cancelled");

/** Cancels with this change the operations of a camera that have not reached verification. */
export const cancelTransfers = (
  context: Pick<Context, "workspace" | "now">,
  change: Change,
  { id }: { id: string },
): void => abandonCaptures(context, change, and(openOf(id), eq(cameraFrames.status, "pending")), "cancelled");
