import { z } from "@hono/zod-openapi";
import { eq, sql } from "drizzle-orm";
import { log } from "../../platform/log";
import { DAY } from "../../platform/time";
import { type ExaminedPurpose, giveUpObjects, type UploadRow } from "../../workspace";
import { CAPTURE_FORMS, captureKey, type OperationKey, rejectedKey } from "../keys";
import { captureOperations } from "../tables";
import { examineCapture } from "./examine";
import { CAPTURE_PURPOSE } from "./limits";

/** How long a rejected image is kept for people to look at. */
const REJECTED_KEPT = 90 * DAY;
/** How long it is remembered of an operation that ended without a result what was announced. */
const ENDED_REMEMBERED = 30 * DAY;
/** A completed operation need not be remembered: the image's own row is its receipt. */
const COMPLETED_REMEMBERED = 2 * DAY;

const keyOf = ({ id, tenantId, targetId }: UploadRow): OperationKey => ({
  organizationId: tenantId,
  cameraId: targetId,
  operationId: id,
});

/** Uploads of captures: what they announced is the operation of the same id. */
export const captureUploads: ExaminedPurpose = {
  name: CAPTURE_PURPOSE,
  subject: z.strictObject({}),
  examine: (context, _subject, upload) => examineCapture(context, upload),

  leftovers(_subject, upload) {
    const forms = CAPTURE_FORMS.map((form) => captureKey(keyOf(upload), form));
    if (upload.status === "completed") return [rejectedKey(keyOf(upload))];
    return upload.status === "rejected" ? forms : [...forms, rejectedKey(keyOf(upload))];
  },

  undecided({ db, now }, change, upload, { code, detail }) {
    log("error", "capture.held", { operationId: upload.id, cameraId: upload.targetId, code });
    change.add(
      db
        .update(captureOperations)
        .set({ heldAt: now, heldCode: code, heldDetail: detail })
        .where(eq(captureOperations.id, upload.id)),
    );
  },

  rememberedMs({ status }) {
    if (status === "rejected") return REJECTED_KEPT;
    return status === "completed" ? COMPLETED_REMEMBERED : ENDED_REMEMBERED;
  },

  forgotten(context, change, uploads) {
    const rejected = uploads.filter(({ status }) => status === "rejected").map((upload) => rejectedKey(keyOf(upload)));
    if (rejected.length > 0)
      giveUpObjects(context, change, sql`SELECT value FROM json_each(${JSON.stringify(rejected)})`);
  },
};
