import { and, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import { auditStatement } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/hash";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { newId } from "../../platform/ids";
import { DAY } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { announceCamera } from "../announce";
import type { CameraRow } from "../find";
import { cancelTransfers } from "../ingestion";
import { cameras } from "../tables";
import { revokeCredential } from "./access";
import { hashPairingCode } from "./code";
import { limitCamera, limitGuess } from "./limits";
import { cameraCredentials, cameraEnrollments } from "./tables";

/** What a device proposes; repeated as it is, it recovers an answer that was lost. */
export interface Proposal {
  pairingCode: string;
  /** 64 lower-case hex characters, made by the device. */
  credentialSecret: string;
  redemptionId: string;
}

export interface Redeemed {
  cameraId: string;
  credentialId: string;
  assignmentGeneration: number;
}

/** How long a revoked credential is remembered, so that its refusal says so. */
const REVOKED_KEPT = 90 * DAY;

const ended = () =>
  new DomainError("pairing-ended", "This pairing code was used, replaced or has expired. Ask for a new one.");

/** Holds while devices may act for the camera, under the generation that is answered. */
const acceptsDevices = ({ id, assignmentGeneration }: CameraRow): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameras} JOIN ${locations} ON ${locations.id} = ${cameras.locationId}
    JOIN ${organizations} ON ${organizations.id} = ${cameras.organizationId}
    WHERE ${cameras.id} = ${id} AND ${cameras.retiredAt} IS NULL AND ${locations.deletedAt} IS NULL
      AND ${organizations.cameras} AND ${cameras.assignmentGeneration} = ${assignmentGeneration})`;

/** The grant behind a code, with the camera it is for and the credential it gave, or null. */
async function findGrant({ db, settings }: Context, pairingCode: string) {
  const [found] = await db
    .select({ enrollment: cameraEnrollments, camera: cameras, credential: cameraCredentials })
    .from(cameraEnrollments)
    .innerJoin(cameras, eq(cameras.id, cameraEnrollments.cameraId))
    .leftJoin(cameraCredentials, eq(cameraCredentials.id, cameraEnrollments.credentialId))
    .where(eq(cameraEnrollments.codeHash, await hashPairingCode(settings, pairingCode)));
  return found ?? null;
}
type Grant = NonNullable<Awaited<ReturnType<typeof findGrant>>>;

/** The answer of a grant that is used up, for the proposal that used it. @throws DomainError pairing-ended. */
function recover({ enrollment, camera, credential }: Grant, { redemptionId }: Proposal, secretHash: string): Redeemed {
  const isTheSame =
    credential !== null &&
    credential.revokedAt === null &&
    enrollment.redemptionId === redemptionId &&
    sameSecret(credential.secretHash, secretHash);
  if (!isTheSame) throw ended();
  return { cameraId: camera.id, credentialId: credential.id, assignmentGeneration: camera.assignmentGeneration };
}

/**
 * Gives a device its credential for the camera that the code is for: the code is the proof. The credential
 * before it ends with the same change, and so do the transfers that it began. @throws DomainError 404 (no such code), 410 pairing-ended, 429.
 */
export async function redeemEnrollment(context: Context, proposal: Proposal): Promise<Redeemed> {
  await limitGuess(context);
  const grant = await findGrant(context, proposal.pairingCode);
  if (grant === null) throw new DomainError("not-found", "There is no such pairing code. Check its 8 characters.");
  await limitCamera(context, grant.camera.id);
  const { enrollment } = grant;
  if (enrollment.endedAt !== null || enrollment.expiresAt <= context.now) throw ended();
  const secretHash = await sha256Hex(proposal.credentialSecret);
  if (enrollment.redeemedAt !== null) return recover(grant, proposal, secretHash);
  try {
    return await useGrant(context, grant, proposal, secretHash);
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || thrown.code !== "pairing-ended") throw thrown;
    // Two calls at once: the one that came second may be a repeat of the first.
    const now = await findGrant(context, proposal.pairingCode);
    if (now === null || now.enrollment.endedAt !== null) throw thrown;
    return recover(now, proposal, secretHash);
  }
}

async function useGrant(
  context: Context,
  { enrollment, camera }: Grant,
  { redemptionId }: Proposal,
  secretHash: string,
) {
  const { locationId } = camera;
  if (locationId === null) throw notFound();
  const { db, now } = context;
  const credentialId = newId();
  const unused = and(
    eq(cameraEnrollments.id, enrollment.id),
    isNull(cameraEnrollments.endedAt),
    isNull(cameraEnrollments.redeemedAt),
    gt(cameraEnrollments.expiresAt, now),
  );
  const forgotten = and(eq(cameraCredentials.cameraId, camera.id), lt(cameraCredentials.revokedAt, now - REVOKED_KEPT));
  const change = beginChange(context)
    .guard(acceptsDevices(camera), ended())
    .add(db.update(cameraEnrollments).set({ redeemedAt: now, redemptionId, credentialId }).where(unused))
    .guardChanged(ended())
    .add(revokeCredential(context, camera.id), db.delete(cameraCredentials).where(forgotten))
    .add(db.insert(cameraCredentials).values({ id: credentialId, cameraId: camera.id, secretHash, createdAt: now }))
    // The new device has reported nothing yet; a camera whose access was revoked has it again, and stays paused.
    .add(db.update(cameras).set({ revokedAt: null, lastSeenAt: now, device: null }).where(eq(cameras.id, camera.id)))
    .add(
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "camera.paired",
        subjectType: "camera",
        subjectId: camera.id,
        actor: { userId: null, kind: "device", credentialId },
      }),
    );
  // Nobody goes on with what the device before it began: its places are free for the new one.
  cancelTransfers(context, change, camera);
  announceCamera(change, camera, locationId);
  await change.commit();
  return { cameraId: camera.id, credentialId, assignmentGeneration: camera.assignmentGeneration };
}
