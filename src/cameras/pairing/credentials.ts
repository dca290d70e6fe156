import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { type Caller, contextAt, type DeviceCaller, mayUseCameras } from "../../access";
import { organizations } from "../../access/tables";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/bytes";
import { secretTokens } from "../../platform/crypto/tokens";
import type { Change } from "../../platform/db/change";
import type { Statement } from "../../platform/db/database";
import { DomainError, forbidden } from "../../platform/errors";
import { noteCaller, noteWorkspace } from "../../platform/log";
import { locations } from "../../workspace/tables";
import { cameraCredentials, cameraEnrollments, cameras } from "../tables";

/** A camera's credential: `svccam1.<id without hyphens>.<64 hex>`. */
export const { write: writeCredential, read: readCredential } = secretTokens("svccam1");

export const PAIRINGS = ["none", "pending", "paired"] as const;
/** The pairing of a camera with a device. `pending`: only a pairing code is open. */
export type Pairing = (typeof PAIRINGS)[number];

const hasCredential = (cameraId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.cameraId} = ${cameraId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

const hasOpenCode = (cameraId: SQL, now: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraEnrollments} WHERE ${cameraEnrollments.cameraId} = ${cameraId}
    AND ${and(isNull(cameraEnrollments.endedAt), isNull(cameraEnrollments.redeemedAt), gt(cameraEnrollments.expiresAt, now))})`;

/** SQL that is true while a credential is valid. Another device may pair with the camera during a request. */
export const isLiveCredential = (credentialId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${cameraCredentials} WHERE ${cameraCredentials.id} = ${credentialId}
    AND ${isNull(cameraCredentials.revokedAt)})`;

/** The pairing of a camera, for a statement that selects from `cameras`. */
export const pairingColumn = (now: number): SQL.Aliased<Pairing> =>
  sql<Pairing>`CASE WHEN ${hasCredential(sql`${cameras.id}`)} THEN 'paired'
    WHEN ${hasOpenCode(sql`${cameras.id}`, now)} THEN 'pending' ELSE 'none' END`.as("pairing");

/** Ends the open pairing code of a camera. */
export const endEnrollment = ({ workspace, now }: Pick<Context, "workspace" | "now">, cameraId: string): Statement =>
  workspace
    .update(cameraEnrollments)
    .set({ endedAt: now })
    .where(and(eq(cameraEnrollments.cameraId, cameraId), isNull(cameraEnrollments.endedAt)));

/** Revokes the credential of a camera's device. */
export const revokeCredential = ({ workspace, now }: Pick<Context, "workspace" | "now">, cameraId: string): Statement =>
  workspace
    .update(cameraCredentials)
    .set({ revokedAt: now })
    .where(and(eq(cameraCredentials.cameraId, cameraId), isNull(cameraCredentials.revokedAt)));

/** Ends the credential and the pairing code of a camera with this change. */
export function endAccess(context: Pick<Context, "workspace" | "now">, change: Change, cameraId: string): void {
  change.add(endEnrollment(context, cameraId), revokeCredential(context, cameraId));
}

type Presented = NonNullable<ReturnType<typeof readCredential>>;

const refusedCaller = (refusal: "malformed" | "unknown" | "revoked" | null): Caller => ({ kind: "anonymous", refusal });

/**
 * The device behind a bearer credential. The camera, its location and its organization are read on each request, so a
 * revocation, a retirement, a move and a deleted location take effect at once.
 * @throws DomainError forbidden while the organization may not use cameras.
 */
async function readDevice(context: Context, presented: Presented): Promise<Caller> {
  const [row] = await context.workspace
    .select({
      credential: cameraCredentials,
      organizationId: cameras.organizationId,
      revokedAt: cameras.revokedAt,
      retiredAt: cameras.retiredAt,
      locationId: locations.id,
      mayUseCameras,
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

/** Sets the caller of a device route from the camera's credential. Credentials of users are not accepted here. */
export const authenticateDevice: MiddlewareHandler<AppEnv> = async (c, next) => {
  const context = c.get("context");
  const header = c.req.header("authorization");
  const [, bearer = ""] = /^Bearer +(\S+)$/i.exec(header ?? "") ?? [];
  const presented = readCredential(bearer);
  if (presented === null)
    c.set("context", { ...context, caller: refusedCaller(header === undefined ? null : "malformed") });
  else {
    const there = await contextAt(context, presented.id);
    const caller = await readDevice(there, presented);
    noteCaller(caller.kind);
    if (caller.kind === "device") noteWorkspace(caller.organizationId);
    c.set("context", { ...there, caller });
  }
  await next();
};

/** Name of the security scheme in the API's description. */
export const DEVICE_SCHEME = "device";

export const credentialRevoked = (): DomainError =>
  new DomainError(
    "credential-revoked",
    "This credential was revoked. Keep the images, and pair the camera again with a new code.",
  );

/** The calling device. @throws DomainError 401 unauthenticated, credential-revoked. */
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

/** Spread into a route for devices. It answers 401 before the request is validated. */
export const forDevices = { security: [{ [DEVICE_SCHEME]: [] as string[] }], middleware: deviceGuard };
