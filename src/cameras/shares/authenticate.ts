import { and, eq, isNull } from "drizzle-orm";
import type { MiddlewareHandler } from "hono";
import { contextAt, recordUse, type ShareCaller } from "../../access";
import { organizations } from "../../access/tables";
import type { AppEnv, Context } from "../../platform/context";
import { sameSecret, sha256Hex } from "../../platform/crypto/bytes";
import { notFound } from "../../platform/errors";
import { InstanceLimiter, networkOf } from "../../platform/http/rate-limit";
import { securedBy } from "../../platform/http/router";
import { noteCaller, noteWorkspace } from "../../platform/log";
import { locations } from "../../workspace/tables";
import { SHARED_REQUESTS_PER_NETWORK } from "../limits";
import { cameraShares } from "../tables";
import { isActive, readShareToken, type ShareRow } from "./links";
import { isUnlocked, passcodeRequired } from "./passcode";

/** Anonymous reads, by address and instance. */
const reads = new InstanceLimiter("shared-cameras", SHARED_REQUESTS_PER_NETWORK);

/** The hash to compare with if the link does not exist, so that the response time does not reveal which ids exist. */
const NO_HASH = "0".repeat(64);

/** An active link at a location that is not deleted, of an organization that may share cameras; or null. */
async function findOpenShare(
  { workspace }: Pick<Context, "workspace">,
  id: string,
  now: number,
): Promise<ShareRow | null> {
  const [found] = await workspace
    .select({ share: cameraShares })
    .from(cameraShares)
    .innerJoin(locations, and(eq(locations.id, cameraShares.locationId), isNull(locations.deletedAt)))
    .innerJoin(
      organizations,
      and(
        eq(organizations.id, cameraShares.organizationId),
        eq(organizations.cameras, true),
        eq(organizations.externalShares, true),
        isNull(organizations.deletedAt),
      ),
    )
    .where(and(eq(cameraShares.id, id), isActive(now)));
  return found?.share ?? null;
}

/** The link that a token opens now, or null. */
async function findShareByToken(context: Context, token: string): Promise<{ share: ShareRow | null; there: Context }> {
  const read = readShareToken(token);
  if (read === null) return { share: null, there: context };
  const there = await contextAt(context, read.id);
  const share = await findOpenShare(there, read.id, context.now);
  const isRight = sameSecret(share?.secretHash ?? NO_HASH, await sha256Hex(read.secret));
  return { share: isRight ? share : null, there };
}

/** The cameras that a link shows now; none when it has ended. Call it after slow work, before the result is sent. */
export async function camerasStillShared(context: Context, { linkId }: ShareCaller): Promise<readonly string[]> {
  const share = await findOpenShare(context, linkId, Date.now());
  return share?.cameraIds ?? [];
}

/** Sets the caller from the X-Camera-Share header. The caller stays anonymous when the token opens no link. */
export const authenticateShare: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.get("context");
  reads.consume(given, networkOf(given.origin?.ip ?? "unknown"));
  const { share, there: context } = await findShareByToken(given, c.req.header("x-camera-share") ?? "");
  if (share !== null) {
    recordUse(context, { database: context.workspace, table: cameraShares, tenantId: share.tenantId }, share);
    const { id: linkId, name, revision, organizationId, locationId, cameraIds } = share;
    noteCaller("share");
    noteWorkspace(organizationId);
    const { shownFrom, shownUntil, hidesMetadata, showsGapCauses } = share;
    const isLocked = !(await isUnlocked(context, share, c.req.header("x-camera-share-pass")));
    const terms = { isLocked, shownFrom, shownUntil, hidesMetadata, showsGapCauses };
    const caller: ShareCaller = {
      kind: "share",
      linkId,
      name,
      revision,
      organizationId,
      locationId,
      cameraIds,
      ...terms,
    };
    c.set("context", { ...context, caller });
  }
  await next();
};

/** The link behind this call, locked or not. @throws DomainError 404: wrong, revoked and expired links are all absent. */
export function requireShareLink({ caller }: Pick<Context, "caller">): ShareCaller {
  if (caller.kind !== "share") throw notFound();
  return caller;
}

/** The link behind this call. @throws DomainError 401 passcode-required, 404. */
export function requireOpenShare(context: Pick<Context, "caller">): ShareCaller {
  const share = requireShareLink(context);
  if (share.isLocked) throw passcodeRequired();
  return share;
}

const guarded =
  (requireShare: typeof requireOpenShare): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    requireShare(c.get("context"));
    await next();
  };

const security = [{ cameraShare: [] }];

/** Spread into a route for share links: answers 404 without a valid link, before the request is validated. */
export const forShares = { ...securedBy(guarded(requireOpenShare)), security };

/** The same for a route that a link with a passcode answers before the passcode was entered. */
export const forLockedShares = { ...securedBy(guarded(requireShareLink)), security };
