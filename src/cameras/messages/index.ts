import { and, eq, isNull } from "drizzle-orm";
import { READ, WRITE } from "../../access";
import { type Audience, type EventOf, type Message, type MessagesOf, NOWHERE } from "../../events";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import type { InEachLanguage, ReaderLanguage } from "../../platform/languages/languages";
import { say } from "../../platform/languages/translate";
import { locations } from "../../workspace/tables";
import { ofOperation } from "../capture-rows";
import { cameraExports } from "../exports/tables";
import { faultInWords } from "../faults";
import { cameraFrames, cameraPlaces, cameras, nameAtLocation } from "../tables";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};
const FAULTS: InEachLanguage<typeof en.FAULTS> = { en: en.FAULTS, de: de.FAULTS, fr: fr.FAULTS, es: es.FAULTS };

/** Largest number of camera names in a notification; it counts the others. */
const MAX_NAMES_SHOWN = 3;

interface CameraGroup {
  locationId: string;
  cameraIds: string[];
  count: number;
}

/** The common parts of camera messages, for users who may see cameras at the location. Null when the location or all cameras are gone. */
async function cameraMessageParts({ workspace }: Context, { locationId, cameraIds, count }: CameraGroup) {
  const [location] = await workspace
    .select()
    .from(locations)
    .where(and(eq(locations.id, locationId), isNull(locations.deletedAt)));
  if (location === undefined) return null;
  const rows = await workspace
    .select({ id: cameras.id, name: cameras.name, device: cameras.device })
    .from(cameras)
    .where(and(inSet(cameras.id, cameraIds), eq(cameras.locationId, locationId)));
  const [first] = rows;
  if (first === undefined) return null;
  const shown = rows.slice(0, MAX_NAMES_SHOWN).map(({ name }) => name);
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
    /** The names of the location and of the cameras. */
    names: (language: ReaderLanguage) => {
      const { at, names } = MESSAGES[language];
      return at(location.name, names(shown, Math.max(0, count - shown.length)));
    },
    common: {
      origin: { type: "camera" as const, id: first.id, data: { cameraIds: rows.map(({ id }) => id), count } },
      ...place,
      documentId: null,
      audience,
      actorUserId: null,
    },
  };
}

/** Makes one message for all cameras of a location that are silent for the same cause. */
async function camerasSilent(context: Context, event: EventOf<"cameras-silent">): Promise<Message | null> {
  const news = await cameraMessageParts(context, event);
  if (news === null) return null;
  const { first, names, common } = news;
  const isOffline = event.cause === "offline";
  const said = first.device?.errorCode ?? null;
  const origin = { ...common.origin, data: { ...common.origin.data, cause: event.cause } };
  return {
    ...common,
    origin,
    type: "camera-silent",
    severity: "warning",
    text: (language) => {
      const { offline, noImages, because } = MESSAGES[language];
      const where = names(language);
      return {
        title: (isOffline ? offline : noImages)(event.count),
        body: isOffline || said === null ? where : because(where, faultInWords(FAULTS[language], said)),
      };
    },
  };
}

/** Makes one message for all cameras of a location that send images again. */
async function camerasBack(context: Context, event: EventOf<"cameras-back">): Promise<Message | null> {
  const news = await cameraMessageParts(context, event);
  if (news === null) return null;
  return {
    ...news.common,
    type: "camera-back",
    severity: "info",
    text: (language) => ({ title: MESSAGES[language].back(event.count), body: news.names(language) }),
  };
}

async function exportReady({ workspace }: Context, event: EventOf<"export-ready">): Promise<Message | null> {
  const [row] = await workspace
    .select({
      made: cameraExports,
      cameraName: nameAtLocation(cameraExports.locationId),
      clusterId: locations.clusterId,
    })
    .from(cameraExports)
    .innerJoin(cameras, eq(cameras.id, cameraExports.cameraId))
    .innerJoin(locations, and(eq(locations.id, cameraExports.locationId), isNull(locations.deletedAt)))
    .where(and(eq(cameraExports.id, event.exportId), eq(cameraExports.status, "ready")));
  if (row === undefined) return null;
  const { made, cameraName, clusterId } = row;
  return {
    type: "export-ready",
    severity: "info",
    text: (language) => ({ title: MESSAGES[language].exportReady, body: cameraName }),
    origin: { type: "camera", id: made.cameraId, data: { operationId: made.id, imageCount: made.imageCount } },
    ...NOWHERE,
    organizationId: made.organizationId,
    clusterId,
    locationId: made.locationId,
    audience: { kind: "users", userIds: [made.userId] },
    actorUserId: null,
  };
}

/** Goes to users who may see the image and change the camera. */
async function captureRejected(
  { workspace }: Context,
  { cameraId, operationId }: EventOf<"capture-rejected">,
): Promise<Message | null> {
  const [row] = await workspace
    .select({ frame: cameraFrames, cameraName: nameAtLocation(cameraPlaces.locationId), location: locations })
    .from(cameraFrames)
    .innerJoin(cameraPlaces, eq(cameraPlaces.place, cameraFrames.place))
    .innerJoin(cameras, eq(cameras.id, cameraPlaces.cameraId))
    .innerJoin(locations, and(eq(locations.id, cameraPlaces.locationId), isNull(locations.deletedAt)))
    .where(ofOperation(cameraId, operationId));
  if (row === undefined) return null;
  const { frame, cameraName, location } = row;
  const { organizationId, tenantId, clusterId, id: locationId } = location;
  return {
    type: "capture-rejected",
    severity: "warning",
    text: (language) => {
      const { rejected, rejectedBecause } = MESSAGES[language];
      return { title: rejected, body: rejectedBecause(cameraName, say(frame.reasonDetail ?? "", language)) };
    },
    origin: {
      type: "camera",
      id: cameraId,
      data: { operationId, captureId: frame.announcedId ?? frame.id, code: frame.reasonCode },
    },
    ...NOWHERE,
    organizationId,
    clusterId,
    locationId,
    audience: {
      kind: "location",
      tenantId,
      organizationId,
      clusterId,
      locationId,
      capability: "LocationCameras",
      level: WRITE,
    },
    actorUserId: null,
  };
}

/** The messages of camera events. */
export const cameraMessages: MessagesOf<"cameras-silent" | "cameras-back" | "export-ready" | "capture-rejected"> = {
  "cameras-silent": camerasSilent,
  "cameras-back": camerasBack,
  "export-ready": exportReady,
  "capture-rejected": captureRejected,
};
