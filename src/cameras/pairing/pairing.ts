import { z } from "@hono/zod-openapi";
import { and, eq, gt, isNull, lte, type SQL, sql } from "drizzle-orm";
import { auditStatement, contextAt, readIn, requireUser, WRITE } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { randomBytes, sameSecret, sha256Hex, toHex } from "../../platform/crypto/bytes";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { consumeRateLimit, networkOf } from "../../platform/http/rate-limit";
import { newIdIn } from "../../platform/ids";
import type { Settings } from "../../platform/settings";
import { toUtc } from "../../platform/time";
import { locationExists } from "../../workspace";
import { locations } from "../../workspace/tables";
import { announceCamera, type CameraRow, requireCamera } from "../find";
import { cancelTransfers } from "../ingestion";
import {
  ENDED_CODE_RETENTION,
  ENROLLMENTS_PER_CAMERA,
  PAIRING_CODE_LIFETIME_MS,
  REDEMPTIONS_PER_CAMERA,
  REDEMPTIONS_PER_NETWORK,
  REVOKED_CREDENTIAL_RETENTION,
} from "../limits";
import { cameraCredentials, cameraEnrollments, cameras } from "../tables";
import { endEnrollment, revokeCredential } from "./credentials";

const CODE_LENGTH = 8;
/** Digits and capital letters, without characters that look alike: 0 O, 1 I L. */
const ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
/** Random bytes from this value on are skipped: they would make the first letters of the alphabet more likely. */
const BIASED_FROM = 256 - (256 % ALPHABET.length);

/** A new pairing code. All characters are equally likely, which gives 39.6 bits. */
export function newPairingCode(): string {
  let code = "";
  while (code.length < CODE_LENGTH)
    for (const byte of randomBytes(2 * CODE_LENGTH))
      if (byte < BIASED_FROM && code.length < CODE_LENGTH) code += ALPHABET[byte % ALPHABET.length];
  return code;
}

/** A pairing code as people type it. Case, spaces and hyphens are ignored. */
export const pairingCodeSchema = z
  .string()
  .max(40)
  .transform((typed) => typed.replace(/[\s-]/g, "").toUpperCase())
  .refine(
    (code) => code.length === CODE_LENGTH && [...code].every((letter) => ALPHABET.includes(letter)),
    `must be ${CODE_LENGTH} characters of ${ALPHABET}`,
  )
  .openapi({ type: "string", example: "7KQ2-M9XD" });

const encoder = new TextEncoder();

/**
 * The stored hash of a pairing code: HMAC-SHA-256 under the service's signing key, in hex. From a plain hash, a reader of
 * the database could compute a code of so few bits.
 */
async function hashPairingCode(settings: Pick<Settings, "SESSION_SIGNING_KEY">, code: string): Promise<string> {
  const secret = encoder.encode(`pairing-code\n${settings.SESSION_SIGNING_KEY.d}`);
  const key = await crypto.subtle.importKey("raw", secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return toHex(await crypto.subtle.sign("HMAC", key, encoder.encode(code)));
}

const retired = () =>
  new DomainError("rule-violated", "This camera is retired permanently. Create another camera for the device.");

/**
 * Creates a pairing code for a camera and ends an older one. A device that is paired already keeps its access until the
 * code is used.
 * @throws DomainError 401, 403, 404, 422, 429.
 */
export async function requestEnrollment(
  context: Context,
  cameraId: string,
): Promise<{ pairingCode: string; expiresAtUtc: string }> {
  const { camera, location } = await requireCamera(context, cameraId, WRITE);
  if (camera.retiredAt !== null) throw retired();
  await limitEnrollment(context, camera.id);
  const { workspace, now, settings } = context;
  const pairingCode = newPairingCode();
  const expiresAt = now + PAIRING_CODE_LIFETIME_MS;
  const outdated = and(
    eq(cameraEnrollments.cameraId, camera.id),
    lte(cameraEnrollments.createdAt, now - PAIRING_CODE_LIFETIME_MS - ENDED_CODE_RETENTION),
  );
  const unchanged = and(eq(cameras.id, camera.id), eq(cameras.locationId, location.id), isNull(cameras.retiredAt));
  const change = beginChange(context, camera.tenantId)
    .guard(locationExists(location.id), notFound())
    .guard(sql`EXISTS (SELECT 1 FROM ${cameras} WHERE ${unchanged})`, notFound())
    .add(endEnrollment(context, camera.id), workspace.delete(cameraEnrollments).where(outdated))
    .add(
      workspace.insert(cameraEnrollments).values({
        id: newIdIn(camera.tenantId),
        cameraId: camera.id,
        codeHash: await hashPairingCode(settings, pairingCode),
        createdBy: requireUser(context).userId,
        createdAt: now,
        expiresAt,
      }),
    )
    .add(
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "camera.enrollment-created",
        subjectType: "camera",
        subjectId: camera.id,
        details: { expiresAtUtc: toUtc(expiresAt) },
      }),
    );
  announceCamera(change, camera, location.id);
  await change.commit();
  return { pairingCode, expiresAtUtc: toUtc(expiresAt) };
}

/** The request of a device to pair. An unchanged repeat returns the same answer, in case the first one was lost. */
interface Proposal {
  pairingCode: string;
  /** 64 lower-case hex characters, made by the device. */
  credentialSecret: string;
  redemptionId: string;
  /** The camera that the device expects. */
  cameraId?: string | undefined;
}

interface Redeemed {
  cameraId: string;
  credentialId: string;
  assignmentGeneration: number;
}

const otherCamera = () =>
  new DomainError(
    "other-camera",
    "This code is for another camera. Nothing has changed, and the code is still valid. Request a code of the camera that this device has, or use the code at the device of the other camera.",
  );
const pairingEnded = () =>
  new DomainError("pairing-ended", "This pairing code was used or replaced, or it has expired. Request a new one.");

/** SQL that is true while devices may pair with the camera under this assignment generation. */
const acceptsDevices = ({ id, assignmentGeneration }: CameraRow): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameras} JOIN ${locations} ON ${locations.id} = ${cameras.locationId}
    JOIN ${organizations} ON ${organizations.id} = ${cameras.organizationId}
    WHERE ${cameras.id} = ${id} AND ${cameras.retiredAt} IS NULL AND ${locations.deletedAt} IS NULL
      AND ${organizations.cameras} AND ${organizations.deletedAt} IS NULL AND ${cameras.assignmentGeneration} = ${assignmentGeneration})`;

/**
 * The enrollment of a pairing code, with its camera, the credential that it created, and the context in its database; or null. A
 * code is too short to name its database, so each database is asked.
 */
async function findEnrollment(context: Context, pairingCode: string) {
  const codeHash = await hashPairingCode(context.settings, pairingCode);
  const answers = await readIn(context, context.databases.names, async (there) => {
    const rows = await there.workspace
      .select({ enrollment: cameraEnrollments, camera: cameras, credential: cameraCredentials })
      .from(cameraEnrollments)
      .innerJoin(cameras, eq(cameras.id, cameraEnrollments.cameraId))
      .leftJoin(cameraCredentials, eq(cameraCredentials.id, cameraEnrollments.credentialId))
      .where(eq(cameraEnrollments.codeHash, codeHash));
    return rows.map((row) => ({ ...row, there }));
  });
  const found = answers.flat();
  if (found.length <= 1) return found[0] ?? null;
  // While the workspace moves, two databases have the row. The directory decides.
  const { database } = await contextAt(context, found[0]?.camera.tenantId ?? "");
  return found.find(({ there }) => there.database === database) ?? null;
}
type Enrollment = NonNullable<Awaited<ReturnType<typeof findEnrollment>>>;

/** The answer of a used code, for a repeat of the request that used it. @throws DomainError pairing-ended. */
function recover(
  { enrollment, camera, credential }: Enrollment,
  { redemptionId }: Proposal,
  secretHash: string,
): Redeemed {
  const isRepeat =
    credential !== null &&
    credential.revokedAt === null &&
    enrollment.redemptionId === redemptionId &&
    sameSecret(credential.secretHash, secretHash);
  if (!isRepeat) throw pairingEnded();
  return { cameraId: camera.id, credentialId: credential.id, assignmentGeneration: camera.assignmentGeneration };
}

/**
 * Pairs a device with the camera of a pairing code: the code is the proof. The same change revokes the former
 * credential and cancels the transfers of its device.
 * @throws DomainError 404 (no such code), 409 other-camera, 410 pairing-ended, 429.
 */
export async function redeemEnrollment(context: Context, proposal: Proposal): Promise<Redeemed> {
  await limitNetwork(context);
  const found = await findEnrollment(context, proposal.pairingCode);
  if (found === null) throw new DomainError("not-found", "There is no such pairing code. Check its 8 characters.");
  await limitCamera(context, found.camera.id);
  const { enrollment } = found;
  if (proposal.cameraId !== undefined && proposal.cameraId !== found.camera.id) throw otherCamera();
  if (enrollment.endedAt !== null || enrollment.expiresAt <= context.now) throw pairingEnded();
  const secretHash = await sha256Hex(proposal.credentialSecret);
  if (enrollment.redeemedAt !== null) return recover(found, proposal, secretHash);
  try {
    return await useEnrollment(found, proposal, secretHash);
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || thrown.code !== "pairing-ended") throw thrown;
    // If two requests are concurrent, the second may be a repeat of the first.
    const now = await findEnrollment(context, proposal.pairingCode);
    if (now === null || now.enrollment.endedAt !== null) throw thrown;
    return recover(now, proposal, secretHash);
  }
}

async function useEnrollment(
  { enrollment, camera, there: context }: Enrollment,
  { redemptionId }: Proposal,
  secretHash: string,
) {
  const { locationId } = camera;
  if (locationId === null) throw notFound();
  const { workspace, now } = context;
  const credentialId = newIdIn(camera.tenantId);
  const unused = and(
    eq(cameraEnrollments.id, enrollment.id),
    isNull(cameraEnrollments.endedAt),
    isNull(cameraEnrollments.redeemedAt),
    gt(cameraEnrollments.expiresAt, now),
  );
  const outdated = and(
    eq(cameraCredentials.cameraId, camera.id),
    lte(cameraCredentials.revokedAt, now - REVOKED_CREDENTIAL_RETENTION),
  );
  const change = beginChange(context, camera.tenantId)
    .guard(acceptsDevices(camera), pairingEnded())
    .add(workspace.update(cameraEnrollments).set({ redeemedAt: now, redemptionId, credentialId }).where(unused))
    .guardChanged(pairingEnded())
    .add(revokeCredential(context, camera.id), workspace.delete(cameraCredentials).where(outdated))
    .add(
      workspace.insert(cameraCredentials).values({ id: credentialId, cameraId: camera.id, secretHash, createdAt: now }),
    )
    // The new device has not reported yet. A revoked camera gets access again and stays paused.
    .add(
      workspace
        .update(cameras)
        .set({ revokedAt: null, lastSeenAt: now, device: null })
        .where(eq(cameras.id, camera.id)),
    )
    .add(
      auditStatement(context, {
        organizationId: camera.organizationId,
        action: "camera.paired",
        subjectType: "camera",
        subjectId: camera.id,
        actor: { userId: null, kind: "device", credentialId },
      }),
    );
  // The new device does not continue the transfers of the former one. Their slots become free for the new one.
  cancelTransfers(context, change, camera);
  announceCamera(change, camera, locationId);
  await change.commit();
  return { cameraId: camera.id, credentialId, assignmentGeneration: camera.assignmentGeneration };
}

/** Counts one attempt to redeem a code, right or wrong. @throws DomainError rate-limited. */
const limitNetwork = (context: Context): Promise<void> =>
  consumeRateLimit(
    context,
    `pairing:network:${networkOf(context.origin?.ip ?? "unknown")}`,
    REDEMPTIONS_PER_NETWORK,
    "pairing",
  );

/** Counts one attempt to redeem a code of this camera. @throws DomainError rate-limited. */
const limitCamera = (context: Context, cameraId: string): Promise<void> =>
  consumeRateLimit(context, `pairing:camera:${cameraId}`, REDEMPTIONS_PER_CAMERA);

/** Counts one new pairing code of a camera. @throws DomainError rate-limited. */
const limitEnrollment = (context: Context, cameraId: string): Promise<void> =>
  consumeRateLimit(context, `pairing:enrollment:${cameraId}`, ENROLLMENTS_PER_CAMERA);
