import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { Caller, DeviceCaller } from "../../access";
import { organizations } from "../../access/tables";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/bytes";
import { secretTokens } from "../../platform/crypto/tokens";
import type { Change } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { DomainError, forbidden } from "../../platform/errors";
import { locations } from "../../workspace/tables";
import { cameraCredentials, cameraEnrollments, cameras } from "../tables";

/** A camera's credential: `svccam1.<id without hyphens>.<64 hex>`. */
export const { write: writeCredential, read: readCredential } = secretTokens("svccam1");

export const PAIRINGS = ["none", "pending", "paired"] as const;
/** Whether a device may act for a camera; `pending` while only a code waits for one. */
export type Pairing = (typeof PAIRINGS)[number];

const hasCredential = (cameraId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameraId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

const hasOpenCode = (cameraId: SQL, now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraEnrollments} WHERE ${cameraEnrollments.cameraId} = ${cameraId}
    AND ${and(isNull(cameraEnrollments.endedAt), isNull(cameraEnrollments.redeemedAt), gt(cameraEnrollments.expiresAt, now))})`;

/** Holds while a device has a credential for the camera. */
export const isPaired = (cameraId: string): SQL => hasCredential(sql`${cameraId}`);

/** Holds while a device's own credential counts: another one may take the camera over during a call. */
export const isLiveCredential = (credentialId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.id} = ${credentialId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

/** The pairing of the camera that a statement selects from `cameras`. */
export const pairingColumn = (now: number): SQL.Aliased<Pairing> =>
  sql<Pairing>`CASE WHEN ${hasCredential(sql`${cameras.id}`)} THEN 'paired'
    WHEN ${hasOpenCode(sql`${cameras.id}`, now)} THEN 'pending' ELSE 'none' END`.as("pairing");

/** Takes back the code that a camera has open. */
export const endEnrollment = ({ db, now }: Pick<Context, "db" | "now">, cameraId: string): Statement =>
  db
    .update(cameraEnrollments)
    .set({ endedAt: now })
    .where(and(eq(cameraEnrollments.cameraId, cameraId), isNull(cameraEnrollments.endedAt)));

/** Ends the credential that a camera's device holds. */
export const revokeCredential = ({ db, now }: Pick<Context, "db" | "now">, cameraId: string): Statement =>
  db
    .update(cameraCredentials)
    .set({ revokedAt: now })
    .where(and(eq(cameraCredentials.cameraId, cameraId), isNull(cameraCredentials.revokedAt)));

/** Ends all access of devices to a camera, codes included, with this change. */
export function endAccess(context: Pick<Context, "db" | "now">, change: Change, cameraId: string): void {
  change.add(endEnrollment(context, cameraId), revokeCredential(context, cameraId));
}

const refusedCaller = (refusal: "malformed" | "unknown" | "revoked"): Caller => ({ kind: "anonymous", refusal });

/**
 * Which camera presents this bearer. The camera, its location and its organization are read each time: a
 * revocation, a retirement, a move and a deleted location count at once.
 * @throws DomainError forbidden while the organization may not use cameras.
 */
async function readDevice({ db }: Pick<Context, "db">, bearer: string): Promise<Caller> {
  const presented = readCredential(bearer);
  if (presented === null) return refusedCaller("malformed");
  const [row] = await db
    .select({
      credential: cameraCredentials,
      organizationId: cameras.organizationId,
      revokedAt: cameras.revokedAt,
      retiredAt: cameras.retiredAt,
      locationId: locations.id,
      mayUseCameras: organizations.cameras,
    })
    .from(cameraCredentials)
    .innerJoin(cameras, eq(cameras.id, cameraCredentials.cameraId))
    .innerJoin(organizations, eq(organizations.id, cameras.organizationId))
    .leftJoin(locations, and(eq(locations.id, cameras.locationId), isNull(locations.deletedAt)))
    .where(eq(cameraCredentials.id, presented.id));
  if (row === undefined || !sameSecret(row.credential.secretHash, await sha256Hex(presented.secret)))
    return refusedCaller("unknown");
  if ([row.credential.revokedAt, row.revokedAt, row.retiredAt].some((at) => at !== null) || row.locationId === null)
    return refusedCaller("revoked");
  if (!row.mayUseCameras)
    throw forbidden("The camera's organization may not use cameras now. Keep the images and try again later.");
  const { id: credentialId, cameraId } = row.credential;
  return { kind: "device", credentialId, cameraId, organizationId: row.organizationId };
}

/** Sets the caller of a device route: a camera by its own credential, or nobody. No person's credential counts here. */
export const authenticateDevice: MiddlewareHandler<AppEnv> = async (c, next) => {
  const context = c.get("context");
  const header = c.req.header("authorization");
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  const caller: Caller =
    header === undefined ? { kind: "anonymous", refusal: null } : await readDevice(context, bearer);
  c.set("context", { ...context, caller });
  await next();
};

/** Name of the security scheme in the API's description. */
export const DEVICE_SCHEME = "device";

export const credentialRevoked = (): DomainError =>
  new DomainError(
    "credential-revoked",
    "This credential was revoked. Keep the images, and pair the camera again with a new code.",
  );

/** The camera behind this call. @throws DomainError 401 unauthenticated, credential-revoked. */
export function requireDevice({ caller }: Pick<Context, "caller">): DeviceCaller {
  if (caller.kind === "device") return caller;
  throw caller.kind === "anonymous" && caller.refusal === "revoked"
    ? credentialRevoked()
    : new DomainError("unauthenticated", "Send the camera's own credential as `Authorization: Bearer svccam1.…`.");
}

const deviceGuard: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireDevice(c.get("context"));
  await next();
};

/** Spread into a route that is for cameras' own devices: 401 comes before anything of the request is judged. */
export const forDevices = { security: [{ [DEVICE_SCHEME]: [] as string[] }], middleware: deviceGuard };
