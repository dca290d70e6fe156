import { z } from "@hono/zod-openapi";
import { and, desc, eq, not, sql } from "drizzle-orm";
import { holds, READ, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { placeOfLocation, requireLocation } from "../../workspace";
import { cameraShares } from "../tables";
import { MOST_ACTIVE_LINKS, presentShare, shareSchema } from "./link";
import { isActive } from "./rules";

/** Ended links that a list still shows, newest first. */
const ENDED_SHOWN = 50;

export const sharesSchema = z
  .object({
    permissions: z.object({ canCreate: z.boolean(), canManage: z.boolean() }),
    links: z.array(shareSchema),
  })
  .openapi("CameraShares");

/**
 * What the caller may do with links to a location's cameras, and the links they may manage: those in
 * use, newest first, then those that ended last. @throws DomainError 401, 403, 404.
 */
export async function listShares(context: Context, locationId: string): Promise<z.infer<typeof sharesSchema>> {
  const { db, now } = context;
  const location = await requireLocation(context, locationId, "LocationCameras", READ);
  const caller = requireUser(context);
  const place = placeOfLocation(location);
  const canManage = holds(caller, "ExternalShareLinksManage", place);
  const canCreate = (["ExternalShareLinksCreate", "ClusterView", "LocationView"] as const).every((capability) =>
    holds(caller, capability, place),
  );
  const permissions = { canCreate, canManage };
  if (!canManage) return { permissions, links: [] };
  const active = isActive(now) ?? sql`1`;
  const ofLocation = eq(cameraShares.locationId, locationId);
  const newest = desc(cameraShares.id);
  const [inUse, ended] = await db.batch([
    db.select().from(cameraShares).where(and(ofLocation, active)).orderBy(newest).limit(MOST_ACTIVE_LINKS),
    db
      .select()
      .from(cameraShares)
      .where(and(ofLocation, not(active)))
      .orderBy(newest)
      .limit(ENDED_SHOWN),
  ]);
  return { permissions, links: [...inUse, ...ended].map(presentShare) };
}
