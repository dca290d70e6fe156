import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, inArray, isNull, or, type SQL } from "drizzle-orm";
import { v5 } from "uuid";
import type { Context } from "../../platform/context";
import { idSchema } from "../../platform/ids";
import type { SignedUpload } from "../../platform/objects/store";
import { toUtc, utcSchema } from "../../platform/time";
import type { UploadRow } from "../../uploads";
import { uploads } from "../../uploads/tables";
import type { CaptureRow } from "../captures";
import type { CameraRow } from "../find";
import { MAX_LISTED_OPERATIONS } from "../limits";
import { cameraCaptures, cameras, captureOperations } from "../tables";

export type OperationRow = typeof captureOperations.$inferSelect;

/** The fields of an upload that an answer about its operation needs. */
type UploadState = Pick<
  UploadRow,
  "status" | "expiresAt" | "finishedAt" | "sizeBytes" | "checksumSha256" | "rejectionCode" | "rejectionDetail"
>;

/** An operation with the upload that carries its state. */
export interface Operation {
  operation: OperationRow;
  upload: UploadRow;
}

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

/** The state of an operation at `now`. It is expired from the end of its lifetime, also before the sweep marks it. */
export function statusOf({ status, expiresAt, finishedAt }: UploadState, now: number): OperationStatus {
  switch (status) {
    case "pending":
      return expiresAt <= now ? "expired" : "pending-transfer";
    case "verifying":
      return "verification-pending";
    case "expired":
      return finishedAt !== null && finishedAt < expiresAt ? "cancelled" : "expired";
    default:
      return status;
  }
}

/** SQL that selects uploads whose operation is not finished at `now`. */
export const isUnfinished = (now: number): SQL | undefined =>
  and(
    isNull(uploads.finishedAt),
    or(eq(uploads.status, "verifying"), and(eq(uploads.status, "pending"), gt(uploads.expiresAt, now))),
  );

/** An operation on the wire, with an upload address when one was just signed. */
export function presentOperation(
  { operation, upload }: { operation: Pick<OperationRow, "id" | "captureId">; upload: UploadState },
  now: number,
  signed: SignedUpload | null = null,
): OperationView {
  const status = statusOf(upload, now);
  const { id: operationId, captureId } = operation;
  const { sizeBytes, checksumSha256, finishedAt, rejectionCode, rejectionDetail } = upload;
  return {
    operationId,
    captureId,
    status,
    expiresAtUtc: toUtc(upload.expiresAt),
    uploadUrl: signed?.uploadUrl ?? null,
    uploadUrlExpiresAtUtc: signed && toUtc(signed.expiresAt),
    requiredHeaders: signed?.requiredHeaders ?? {},
    statusUrl: statusPath(operationId),
    receipt:
      status === "completed"
        ? { captureId, operationId, sizeBytes, checksumSha256, completedAtUtc: toUtc(finishedAt ?? now) }
        : null,
    rejection: status === "rejected" ? { code: rejectionCode ?? "", detail: rejectionDetail ?? "" } : null,
  };
}

/** The same for an image whose operation row was deleted already: the image's row is the receipt. */
export const presentPublished = (row: CaptureRow, captureId: string): OperationView => ({
  operationId: row.operationId,
  captureId,
  status: "completed",
  expiresAtUtc: toUtc(row.completedAt),
  uploadUrl: null,
  uploadUrlExpiresAtUtc: null,
  requiredHeaders: {},
  statusUrl: statusPath(row.operationId),
  receipt: {
    captureId,
    operationId: row.operationId,
    sizeBytes: row.sizeBytes,
    checksumSha256: row.checksumSha256,
    completedAtUtc: toUtc(row.completedAt),
  },
  rejection: null,
});

const selectOperations = ({ workspace }: Pick<Context, "workspace">) =>
  workspace
    .select({ operation: captureOperations, upload: uploads })
    .from(captureOperations)
    .innerJoin(uploads, eq(uploads.id, captureOperations.id));

/** An operation of this camera, or null. */
export async function findOperation(
  context: Pick<Context, "workspace">,
  cameraId: string,
  operationId: string,
): Promise<Operation | null> {
  const mine = and(eq(captureOperations.id, operationId), eq(captureOperations.cameraId, cameraId));
  const [found] = await selectOperations(context).where(mine);
  return found ?? null;
}

/** Operations of a camera that are not finished at `now`, held ones included, newest first. */
export const findUnfinished = (context: Pick<Context, "workspace" | "now">, cameraId: string): Promise<Operation[]> =>
  selectOperations(context)
    .where(and(eq(uploads.targetId, cameraId), eq(captureOperations.cameraId, cameraId), isUnfinished(context.now)))
    .orderBy(desc(uploads.id))
    .limit(MAX_LISTED_OPERATIONS);

const NAMESPACE = "5b0b3ac6-0b53-4a9b-8f0f-8a0c1f6f4e0d";

/**
 * The id under which an image is published when another camera uses the id that the device made. So a response
 * reveals nothing about other cameras.
 */
export const fallbackCaptureId = (cameraId: string, captureId: string): string =>
  v5(`${cameraId} ${captureId}`, NAMESPACE);

/** The last operation for a capture of this camera, and its published image, deleted or not. */
export async function findByCaptureId(
  { workspace }: Pick<Context, "workspace">,
  cameraId: string,
  captureId: string,
): Promise<{ begun: Operation | null; published: CaptureRow | null; camera: CameraRow | null }> {
  const mine = and(eq(captureOperations.cameraId, cameraId), eq(captureOperations.captureId, captureId));
  const ids = [captureId, fallbackCaptureId(cameraId, captureId)];
  const [operations, transfers, captures, [camera]] = await workspace.batch([
    workspace.select().from(captureOperations).where(mine),
    workspace
      .select()
      .from(uploads)
      .where(inArray(uploads.id, workspace.select({ id: captureOperations.id }).from(captureOperations).where(mine))),
    workspace
      .select()
      .from(cameraCaptures)
      .where(and(inArray(cameraCaptures.id, ids), eq(cameraCaptures.cameraId, cameraId))),
    workspace.select().from(cameras).where(eq(cameras.id, cameraId)),
  ]);
  const operation = operations.reduce<OperationRow | null>(
    (last, row) => (last === null || row.id > last.id ? row : last),
    null,
  );
  const upload = transfers.find(({ id }) => id === operation?.id);
  const begun = operation === null || upload === undefined ? null : { operation, upload };
  return { begun, published: captures[0] ?? null, camera: camera ?? null };
}

/** The image that an operation of this camera has published, or null. */
export async function findPublishedBy(
  { workspace }: Pick<Context, "workspace">,
  cameraId: string,
  operationId: string,
): Promise<CaptureRow | null> {
  const [row] = await workspace
    .select()
    .from(cameraCaptures)
    .where(and(eq(cameraCaptures.operationId, operationId), eq(cameraCaptures.cameraId, cameraId)));
  return row ?? null;
}

/** Name of the upload purpose of captures. */
export const CAPTURE_PURPOSE = "capture";
