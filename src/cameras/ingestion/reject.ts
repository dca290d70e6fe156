import { and, eq, gt, ne } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import type { UploadRow, UploadVerdict } from "../../workspace";
import { uploads } from "../../workspace/tables";
import { rejectedKey } from "../keys";
import { captureOperations } from "../tables";
import { REJECTION_NOTICE_EVERY } from "./limits";
import type { OperationRow } from "./operation";

/** Tells people of a rejection, unless they were told of another one of this camera a short while ago. */
async function tellOnce(
  { db }: Context,
  change: Change,
  { id: operationId, cameraId, tenantId }: OperationRow,
  at: number,
) {
  const [other] = await db
    .select({ id: uploads.id })
    .from(uploads)
    .where(
      and(
        eq(uploads.targetId, cameraId),
        eq(uploads.status, "rejected"),
        ne(uploads.id, operationId),
        gt(uploads.finishedAt, at - REJECTION_NOTICE_EVERY),
      ),
    )
    .limit(1);
  if (other === undefined) change.announce({ type: "capture-rejected", operationId }, tenantId);
}

/** Keeps what came, for people to look at, and says why it is refused for good. */
export async function rejectCapture(
  context: Context,
  operation: OperationRow,
  { tenantId }: UploadRow,
  came: { body: ReadableStream<Uint8Array> | Uint8Array; sizeBytes: number },
  { code, detail }: { code: string; detail: string },
): Promise<UploadVerdict> {
  const { id: operationId, cameraId, locationId } = operation;
  const key = rejectedKey({ organizationId: tenantId, cameraId, operationId });
  const { sizeBytes } = came;
  await context.objects.write(key, came.body, { contentType: "application/octet-stream", sizeBytes });
  return {
    status: "rejected",
    rejection: { code, detail },
    objects: [{ key, locationId, chargedBytes: sizeBytes }],
    conclude: async (change, at) => {
      const free = { heldAt: null, heldCode: null, heldDetail: null };
      change.add(context.db.update(captureOperations).set(free).where(eq(captureOperations.id, operationId)));
      await tellOnce(context, change, operation, at);
    },
  };
}
