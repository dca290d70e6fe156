import { and, eq, isNull } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { Caller } from "../../access";
import { organizations } from "../../access/tables";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/hash";
import { forbidden } from "../../platform/errors";
import { locations } from "../../workspace/tables";
import { cameras } from "../tables";
import { readCredential } from "./credential";
import { cameraCredentials } from "./tables";

const refused = (refusal: "malformed" | "unknown" | "revoked"): Caller => ({ kind: "anonymous", refusal });

/**
 * Which camera presents this bearer. The camera, its location and its organization are read each time: a
 * revocation, a retirement, a move and a deleted location count at once.
 * @throws DomainError forbidden while the organization may not use cameras.
 */
async function deviceOf({ db }: Pick<Context, "db">, bearer: string): Promise<Caller> {
  const presented = readCredential(bearer);
  if (presented === null) return refused("malformed");
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
    return refused("unknown");
  if ([row.credential.revokedAt, row.revokedAt, row.retiredAt].some((at) => at !== null) || row.locationId === null)
    return refused("revoked");
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
  const caller: Caller = header === undefined ? { kind: "anonymous", refusal: null } : await deviceOf(context, bearer);
  c.set("context", { ...context, caller });
  await next();
};
