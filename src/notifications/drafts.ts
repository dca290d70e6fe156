import { and, eq, isNull } from "drizzle-orm";
import { type Capability, type Level, READ, WRITE } from "../access";
import { grants, organizations } from "../access/tables";
import { cameraExports } from "../cameras/exports/tables";
import { cameras, captureOperations, nameAt } from "../cameras/tables";
import { documents, joinedDocumentExists } from "../documents/tables";
import type { Context } from "../platform/context";
import { inSet } from "../platform/db/statements";
import type { WorkspaceEvent } from "../platform/events";
import { reportJobs, reports } from "../reports/tables";
import { uploads } from "../uploads/tables";
import { clusters, locations } from "../workspace/tables";
import type { NotificationType, OriginType, Severity } from "./tables";

/** The possible recipients of a notification, before their access is checked. */
export type Audience =
  | { kind: "users"; userIds: string[] }
  | { kind: "administrators"; organizationId: string }
  /** Users with at least `level` of a capability at a location. */
  | {
      kind: "location";
      locationId: string;
      clusterId: string;
      organizationId: string | null;
      tenantId: string;
      capability: Capability;
      level: Level;
    }
  | {
      kind: "document";
      documentId: string;
      locationId: string;
      clusterId: string;
      organizationId: string | null;
      tenantId: string;
    };

export interface Draft {
  type: NotificationType;
  severity: Severity;
  title: string;
  body: string;
  origin: { type: OriginType; id: string; data: Record<string, unknown> } | null;
  organizationId: string | null;
  clusterId: string | null;
  locationId: string | null;
  documentId: string | null;
  audience: Audience;
  /** The user who caused the event. They get no notification. */
  actorUserId: string | null;
}

type EventOf<T extends WorkspaceEvent["type"]> = Extract<WorkspaceEvent, { type: T }>;
const NOWHERE = { organizationId: null, clusterId: null, locationId: null, documentId: null };

/** Makes the notification of an event. Null for events that have no notification, or whose subject no longer exists. */
export async function draftOf(context: Context, event: WorkspaceEvent): Promise<Draft | null> {
  switch (event.type) {
    case "document-uploaded":
      return documentUploaded(context, event);
    case "membership-given":
      return membershipGiven(context, event);
    case "grant-given":
      return grantGiven(context, event);
    case "report-printed":
      return reportPrinted(context, event);
    case "storage-level":
      return storageLevel(context, event);
    case "cameras-silent":
      return camerasSilent(context, event);
    case "cameras-back":
      return camerasBack(context, event);
    case "export-ready":
      return exportReady(context, event);
    case "capture-rejected":
      return captureRejected(context, event);
    default:
      return null;
  }
}

async function documentUploaded({ db }: Context, event: EventOf<"document-uploaded">): Promise<Draft | null> {
  const [row] = await db
    .select({ document: documents, location: locations })
    .from(documents)
    .innerJoin(locations, eq(locations.id, documents.locationId))
    .where(and(eq(documents.id, event.documentId), joinedDocumentExists()));
  if (row === undefined) return null;
  const { document, location } = row;
  const place = {
    organizationId: document.organizationId,
    clusterId: location.clusterId,
    locationId: location.id,
    documentId: document.id,
  };
  return {
    type: "document-uploaded",
    severity: "info",
    title: event.version === 1 ? "A document was added" : "A document has a new version",
    body: document.fileName,
    origin: { type: "spatial-document", id: document.id, data: { version: event.version } },
    ...place,
    audience: { kind: "document", tenantId: document.tenantId, ...place },
    actorUserId: event.actorUserId,
  };
}

async function membershipGiven({ db }: Context, event: EventOf<"membership-given">): Promise<Draft | null> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, event.organizationId));
  if (organization === undefined) return null;
  return {
    type: "membership-given",
    severity: "info",
    title: "You are a member now",
    body: organization.name,
    origin: { type: "organization", id: organization.id, data: {} },
    ...NOWHERE,
    organizationId: organization.id,
    audience: { kind: "users", userIds: [event.userId] },
    actorUserId: event.actorUserId,
  };
}

async function grantGiven({ db }: Context, event: EventOf<"grant-given">): Promise<Draft | null> {
  const [grant] = await db.select().from(grants).where(eq(grants.id, event.grantId));
  if (grant === undefined) return null;
  const name = {
    cluster: () =>
      db.select({ name: clusters.name, clusterId: clusters.id }).from(clusters).where(eq(clusters.id, grant.targetId)),
    location: () => db.select({ name: locations.name }).from(locations).where(eq(locations.id, grant.targetId)),
    document: () =>
      db
        .select({ name: documents.fileName, locationId: documents.locationId })
        .from(documents)
        .where(eq(documents.id, grant.targetId)),
  };
  const [target]: { name: string; locationId?: string }[] = await name[grant.target]();
  if (target === undefined) return null;
  const originType = grant.target === "document" ? "spatial-document" : grant.target;
  return {
    type: "grant-given",
    severity: "info",
    title: `A ${grant.target} was shared with you`,
    body: target.name,
    origin: { type: originType, id: grant.targetId, data: {} },
    organizationId: grant.organizationId,
    clusterId: grant.target === "cluster" ? grant.targetId : null,
    locationId: grant.target === "location" ? grant.targetId : (target.locationId ?? null),
    documentId: grant.target === "document" ? grant.targetId : null,
    audience: { kind: "users", userIds: [grant.userId] },
    actorUserId: event.actorUserId,
  };
}

/** Goes to the user who requested the PDF, because they wait for it. */
async function reportPrinted({ db }: Context, event: EventOf<"report-printed">): Promise<Draft | null> {
  const [row] = await db
    .select({ job: reportJobs, title: reports.title, location: locations })
    .from(reportJobs)
    .innerJoin(reports, eq(reports.id, reportJobs.reportId))
    .innerJoin(locations, and(eq(locations.id, reports.locationId), isNull(locations.deletedAt)))
    .where(eq(reportJobs.id, event.jobId));
  if (row === undefined) return null;
  const { job, title, location } = row;
  const isReady = job.status === "succeeded";
  return {
    type: isReady ? "report-pdf-ready" : "report-pdf-failed",
    severity: isReady ? "info" : "error",
    title: isReady ? "The PDF of a report is ready" : "A report could not be made into a PDF",
    body: isReady ? title : `${title}: ${job.errorDetail ?? ""}`,
    origin: {
      type: "report",
      id: job.reportId,
      data: { jobId: job.id, documentId: job.documentId, version: job.documentVersion, code: job.errorCode },
    },
    ...NOWHERE,
    organizationId: location.organizationId,
    clusterId: location.clusterId,
    locationId: location.id,
    audience: { kind: "users", userIds: [job.requestedBy] },
    actorUserId: null,
  };
}

async function storageLevel({ db }: Context, event: EventOf<"storage-level">): Promise<Draft | null> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, event.tenantId));
  const full = event.percent === 100;
  return {
    type: full ? "storage-full" : "storage-low",
    severity: full ? "error" : "warning",
    title: full ? "The storage is full" : `${event.percent} % of the storage is used`,
    body: organization?.name ?? "Personal workspace",
    origin:
      organization === undefined
        ? null
        : { type: "organization", id: organization.id, data: { percent: event.percent } },
    ...NOWHERE,
    organizationId: organization?.id ?? null,
    audience:
      organization === undefined
        ? { kind: "users", userIds: [event.tenantId] }
        : { kind: "administrators", organizationId: organization.id },
    actorUserId: null,
  };
}

async function exportReady({ db }: Context, event: EventOf<"export-ready">): Promise<Draft | null> {
  const [row] = await db
    .select({ made: cameraExports, cameraName: nameAt(cameraExports.locationId), clusterId: locations.clusterId })
    .from(cameraExports)
    .innerJoin(cameras, eq(cameras.id, cameraExports.cameraId))
    .innerJoin(locations, and(eq(locations.id, cameraExports.locationId), isNull(locations.deletedAt)))
    .where(and(eq(cameraExports.id, event.exportId), eq(cameraExports.status, "ready")));
  if (row === undefined) return null;
  const { made, cameraName, clusterId } = row;
  return {
    type: "export-ready",
    severity: "info",
    title: "An export is ready to download",
    body: cameraName,
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
async function captureRejected({ db }: Context, { operationId }: EventOf<"capture-rejected">): Promise<Draft | null> {
  const [row] = await db
    .select({
      operation: captureOperations,
      upload: uploads,
      cameraName: nameAt(captureOperations.locationId),
      location: locations,
    })
    .from(captureOperations)
    .innerJoin(uploads, eq(uploads.id, captureOperations.id))
    .innerJoin(cameras, eq(cameras.id, captureOperations.cameraId))
    .innerJoin(locations, and(eq(locations.id, captureOperations.locationId), isNull(locations.deletedAt)))
    .where(eq(captureOperations.id, operationId));
  if (row === undefined) return null;
  const { operation, upload, cameraName, location } = row;
  const { organizationId, tenantId, clusterId, id: locationId } = location;
  return {
    type: "capture-rejected",
    severity: "warning",
    title: "A camera sent an image that was rejected",
    body: `${cameraName}: ${upload.rejectionDetail ?? ""}`,
    origin: {
      type: "camera",
      id: operation.cameraId,
      data: { operationId, captureId: operation.captureId, code: upload.rejectionCode },
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

/** Largest number of camera names in a notification; it counts the others. */
const MAX_NAMES_SHOWN = 3;

interface CameraGroup {
  locationId: string;
  cameraIds: string[];
  count: number;
}

/** The common parts of camera notifications, for users who may see cameras at the location. Null when the location or all cameras are gone. */
async function cameraDraftParts({ db }: Context, { locationId, cameraIds, count }: CameraGroup) {
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

/** Makes one notification for all cameras of a location that are silent for the same cause. */
async function camerasSilent(context: Context, event: EventOf<"cameras-silent">): Promise<Draft | null> {
  const news = await cameraDraftParts(context, event);
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

/** Makes one notification for all cameras of a location that send images again. */
async function camerasBack(context: Context, event: EventOf<"cameras-back">): Promise<Draft | null> {
  const news = await cameraDraftParts(context, event);
  if (news === null) return null;
  return {
    ...news.common,
    type: "camera-back",
    severity: "info",
    title: event.count === 1 ? "A camera is back" : `${event.count} cameras are back`,
    body: `${news.location.name}: ${news.names}`,
  };
}
