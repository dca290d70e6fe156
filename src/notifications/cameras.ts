import { and, eq, isNull } from "drizzle-orm";
import { READ } from "../access";
import { cameras } from "../cameras/tables";
import type { Context } from "../platform/context";
import { inSet } from "../platform/db/sets";
import { locations } from "../workspace/tables";
import type { Audience, Draft, EventOf } from "./draft";

/** Names a notification shows before it only counts. */
const NAMES_SHOWN = 3;

interface Told {
  locationId: string;
  cameraIds: string[];
  count: number;
}

/** What all news of cameras have in common: for whoever may see cameras there; null when the place or all of them are gone. */
async function newsOf({ db }: Context, { locationId, cameraIds, count }: Told) {
  const [location] = await db
    .select()
    .from(locations)
    .where(and(eq(locations.id, locationId), isNull(locations.deletedAt)));
  if (location === undefined) return null;
  const rows = await db
    .select({ id: cameras.id, name: cameras.name, device: cameras.device })
    .from(cameras)
    .where(and(inSet(cameras.id, cameraIds), eq(cameras.locationId, locationId)));
  const [first] = rows;
  if (first === undefined) return null;
  const shown = rows.slice(0, NAMES_SHOWN).map(({ name }) => name);
  const place = {
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId,
  };
  const audience: Audience = {
    kind: "location",
    ...place,
    tenantId: location.tenantId,
    capability: "LocationCameras",
    level: READ,
  };
  return {
    first,
    location,
    names: shown.join(", ") + (count > shown.length ? ` and ${count - shown.length} more` : ""),
    common: {
      origin: { type: "camera" as const, id: first.id, data: { cameraIds: rows.map(({ id }) => id), count } },
      ...place,
      documentId: null,
      audience,
      actorUserId: null,
    },
  };
}

/** One notification for all cameras of a location that are silent for the same cause. */
export async function camerasSilent(context: Context, event: EventOf<"cameras-silent">): Promise<Draft | null> {
  const news = await newsOf(context, event);
  if (news === null) return null;
  const { first, location, names, common } = news;
  const isOffline = event.cause === "offline";
  const said = first.device?.errorCode ?? null;
  const origin = { ...common.origin, data: { ...common.origin.data, cause: event.cause } };
  return {
    ...common,
    origin,
    type: "camera-silent",
    severity: "warning",
    title:
      event.count === 1
        ? `A camera is silent: ${isOffline ? "nothing is heard of it" : "it sends no images"}`
        : `${event.count} cameras are silent: ${isOffline ? "nothing is heard of them" : "they send no images"}`,
    body: `${location.name}: ${names}${isOffline || said === null ? "" : ` (${said})`}`,
  };
}

/** The other half: they send images again. */
export async function camerasBack(context: Context, event: EventOf<"cameras-back">): Promise<Draft | null> {
  const news = await newsOf(context, event);
  if (news === null) return null;
  return {
    ...news.common,
    type: "camera-back",
    severity: "info",
    title: event.count === 1 ? "A camera is back" : `${event.count} cameras are back`,
    body: `${news.location.name}: ${news.names}`,
  };
}
