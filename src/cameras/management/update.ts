import { and, eq, isNull } from "drizzle-orm";
import { auditStatement, WRITE } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { locationExists } from "../../workspace";
import { announceCamera } from "../announce";
import { requireCamera } from "../find";
import { rememberSettings } from "../health";
import { cameras } from "../tables";
import { retainedAfterOfCamera } from "../visibility";
import { longestRetention, type NewCamera } from "./create";
import { type CameraSettings, requirePicture, retentionTooLong, settingsOf } from "./settings";
import { readCamera } from "./state";

export const isRetired = (): DomainError =>
  new DomainError("rule-violated", "This camera is retired, which is for good. Create another one.");

const unconfirmed = (from: number, to: number) =>
  new DomainError(
    "retention-reduction-unconfirmed",
    `Images older than ${to} days would expire at once; ${from} days are kept now. Send confirmRetentionReduction true to mean it.`,
  );

/** What differs between two settings, as the audit shows it. */
const changesOf = (before: CameraSettings, after: CameraSettings): Partial<CameraSettings> =>
  Object.fromEntries(
    Object.entries(after).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(before[key as keyof CameraSettings]),
    ),
  );

/** Changes a camera's settings; its device learns of them with its next call. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function updateCamera(
  context: Context,
  cameraId: string,
  given: Partial<NewCamera>,
  precondition: Precondition,
  confirmRetentionReduction: boolean,
) {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  checkPrecondition(precondition, camera.revision);
  if (camera.retiredAt !== null) throw isRetired();
  const before = settingsOf(camera);
  const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const after: CameraSettings = { ...before, ...named };
  requirePicture(after);
  if (after.retentionDays > before.retentionDays) {
    const most = await longestRetention(context, camera.organizationId);
    if (after.retentionDays > most) throw retentionTooLong(most);
  }
  if (after.retentionDays < before.retentionDays && !confirmRetentionReduction)
    throw unconfirmed(before.retentionDays, after.retentionDays);
  // What has expired by now stays so, whether or not the sweep has taken it away.
  const grown = after.retentionDays > before.retentionDays ? { expiredUntil: retainedAfterOfCamera(context.now) } : {};
  const next = { ...camera, revision: camera.revision + 1 };
  const unchanged = and(eq(cameras.id, camera.id), eq(cameras.revision, camera.revision), isNull(cameras.retiredAt));
  const change = beginChange(context)
    .guard(locationExists(location.id), notFound())
    .add(
      context.db
        .update(cameras)
        .set({ ...after, ...grown, revision: next.revision, updatedAt: context.now })
        .where(unchanged),
    )
    .guardChanged(staleRevision());
  rememberSettings(context, change, camera, { ...after, id: camera.id });
  change.add(
    auditStatement(context, {
      organizationId: camera.organizationId,
      action: "camera.updated",
      subjectType: "camera",
      subjectId: camera.id,
      details: changesOf(before, after),
    }),
  );
  announceCamera(change, next, location.id);
  await change.commit();
  return readCamera(context, camera.id);
}
