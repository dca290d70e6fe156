import { and, eq, isNull, lt, or } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import type { ShareCaller } from "../../access";
import { organizations } from "../../access/tables";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/hash";
import { notFound } from "../../platform/errors";
import { networkOf } from "../../platform/http/network";
import { InstanceLimiter } from "../../platform/http/rate";
import { securedBy } from "../../platform/http/router";
import { describeFailure, log } from "../../platform/log";
import { MINUTE } from "../../platform/time";
import { locations } from "../../workspace/tables";
import { cameraShares } from "../tables";
import { isActive, readShareToken, type ShareRow } from "./links";

/** Anonymous reads, by address and instance. */
const reads = new InstanceLimiter({ limit: 600, windowMs: MINUTE });

/** How exactly `last_used_at` is kept: one write in this time, after the answer. */
const LAST_USED_RESOLUTION = 5 * MINUTE;

/** Compared with where there is no such link, so that a guess of the id takes as long as one of the secret. */
const NO_HASH = "0".repeat(64);

function recordUse({ db, now, background }: Context, { id, lastUsedAt }: ShareRow): void {
  const stale = now - LAST_USED_RESOLUTION;
  if (lastUsedAt !== null && lastUsedAt > stale) return;
  const unnoted = or(isNull(cameraShares.lastUsedAt), lt(cameraShares.lastUsedAt, stale + 1));
  background(
    db
      .update(cameraShares)
      .set({ lastUsedAt: now })
      .where(and(eq(cameraShares.id, id), unnoted))
      .run()
      .catch((thrown) => log("warn", "camera-share.use-not-noted", { id, ...describeFailure(thrown) })),
  );
}

/** A link as it stands now: in use, at a living location, of an organization that may share cameras; or null. */
async function findOpenShare({ db }: Pick<Context, "db">, id: string, now: number): Promise<ShareRow | null> {
  const [found] = await db
    .select({ share: cameraShares })
    .from(cameraShares)
    .innerJoin(locations, and(eq(locations.id, cameraShares.locationId), isNull(locations.deletedAt)))
    .innerJoin(
      organizations,
      and(
        eq(organizations.id, cameraShares.organizationId),
        eq(organizations.cameras, true),
        eq(organizations.externalShares, true),
      ),
    )
    .where(and(eq(cameraShares.id, id), isActive(now)));
  return found?.share ?? null;
}

/** The link that a token opens now, or null. */
async function findShareByToken(context: Context, token: string): Promise<ShareRow | null> {
  const read = readShareToken(token);
  if (read === null) return null;
  const share = await findOpenShare(context, read.id, context.now);
  const isRight = sameSecret(share?.secretHash ?? NO_HASH, await sha256Hex(read.secret));
  return isRight ? share : null;
}

/** Whether a link still shows a camera, asked anew: for what took time to prepare. */
export async function isStillShared(context: Context, { linkId }: ShareCaller, cameraId: string): Promise<boolean> {
  const share = await findOpenShare(context, linkId, Date.now());
  return share?.cameraIds.includes(cameraId) === true;
}

/** Sets the caller of a request to what its X-Camera-Share opens; nobody, when that is nothing. */
export const authenticateShare: MiddlewareHandler<AppEnv> = async (c, next) => {
  const context = c.get("context");
  reads.take(networkOf(context.origin?.ip ?? "unknown"), context.now);
  const share = await findShareByToken(context, c.req.header("x-camera-share") ?? "");
  if (share !== null) {
    recordUse(context, share);
    const { id: linkId, name, revision, organizationId, locationId, cameraIds } = share;
    const caller: ShareCaller = { kind: "share", linkId, name, revision, organizationId, locationId, cameraIds };
    c.set("context", { ...context, caller });
  }
  await next();
};

/** The link behind this call. @throws DomainError 404: wrong, revoked and expired links are all absent. */
export function requireOpenShare({ caller }: Pick<Context, "caller">): ShareCaller {
  if (caller.kind !== "share") throw notFound();
  return caller;
}

const shareGuard: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireOpenShare(c.get("context"));
  await next();
};

/** Spread into a route that is for those with a link: 404 comes before anything of the request is judged. */
export const forShares = { ...securedBy(shareGuard), security: [{ cameraShare: [] }] };
