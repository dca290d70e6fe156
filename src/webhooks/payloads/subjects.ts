import { and, eq, isNull } from "drizzle-orm";
import { type Capability, type Level, READ, type ResourcePath, type Role, WRITE } from "../../access";
import { memberships, organizations, people } from "../../access/tables";
import { ofOperation } from "../../cameras";
import { cameraExports } from "../../cameras/exports/tables";
import { cameraFrames, cameras, nameAtLocation } from "../../cameras/tables";
import { documentPublished, documents } from "../../documents/tables";
import type { EventOf } from "../../events";
import { workspaceExports } from "../../exports/tables";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import type { WorkspaceEvent } from "../../platform/events";
import {
  annotationPath,
  cameraPath,
  documentPath,
  HOME,
  locationPath as pageOfLocation,
  reportPath,
  settingsPath,
} from "../../platform/paths";
import { toUtc } from "../../platform/time";
import { reportJobs, reportNotDeleted, reports } from "../../reports/tables";
import { annotations, locations } from "../../workspace/tables";

/** The subject of an event as it is now: what a person needs to see it, and the data for a request. */
export interface Subject {
  place: ResourcePath;
  needs: { capability: Capability; level: Level };
  /** The roles that see it; null: all. */
  roles: readonly Role[] | null;
  data: Record<string, unknown>;
}

type Db = Pick<Context, "workspace" | "settings">;

/** A location of an organization. A deleted one is read only for events of deletions. */
async function findPlace({ workspace }: Db, locationId: string, mayBeDeleted = false) {
  const [row] = await workspace
    .select()
    .from(locations)
    .where(and(eq(locations.id, locationId), mayBeDeleted ? undefined : isNull(locations.deletedAt)));
  return row ?? null;
}
type Place = NonNullable<Awaited<ReturnType<typeof findPlace>>>;

/** A subject at a location. @param path its page in the console; null without one */
function at(
  { settings }: Db,
  place: Place,
  needs: { capability: Capability; level?: Level; documentId?: string },
  named: { id: string; name: string | null; path: string | null },
  data: Record<string, unknown>,
): Subject {
  const { capability, level = READ, documentId } = needs;
  const { tenantId, organizationId, clusterId, id: locationId } = place;
  return {
    place: { tenantId, organizationId, clusterId, locationId, ...(documentId !== undefined && { documentId }) },
    needs: { capability, level },
    roles: null,
    data: {
      id: named.id,
      name: named.name,
      url: named.path === null ? null : `${settings.PUBLIC_BASE_URL}${named.path}`,
      locationId,
      clusterId,
      ...data,
    },
  };
}

/** A subject of the whole organization. */
const ofOrganization = (
  { settings }: Db,
  organizationId: string,
  roles: readonly Role[],
  named: { id: string; name: string | null; path: string },
  data: Record<string, unknown>,
): Subject => ({
  place: { tenantId: organizationId, organizationId },
  needs: { capability: "OrganizationView", level: READ },
  roles,
  data: {
    id: named.id,
    name: named.name,
    url: `${settings.PUBLIC_BASE_URL}${named.path}`,
    ...{ locationId: null, clusterId: null, ...data },
  },
});

async function documentSubject(
  context: Db,
  documentId: string,
  data: Record<string, unknown>,
): Promise<Subject | null> {
  const [row] = await context.workspace
    .select()
    .from(documents)
    .where(and(eq(documents.id, documentId), documentPublished()));
  const place = row === undefined ? null : await findPlace(context, row.locationId);
  if (row === undefined || place === null) return null;
  const name = row.path === "" ? row.fileName : `${row.path}/${row.fileName}`;
  const needs = { capability: "Documents" as const, documentId };
  return at(context, place, needs, { id: documentId, name, path: documentPath(documentId) }, data);
}

/** The subjects of webhooks. A folder has no id, so receivers see its documents. */
type Told = Exclude<EventOf<"state-updated">["subject"], "folder">;

/** The name and the page of a resource at a location; null if it is not there any more. */
async function findNamed(
  { workspace }: Db,
  subject: Told,
  id: string,
  place: Place,
): Promise<{ name: string; path: string } | null> {
  switch (subject) {
    case "location":
      return { name: place.name, path: pageOfLocation(place.id) };
    case "annotation": {
      const [row] = await workspace
        .select({ name: annotations.title })
        .from(annotations)
        .where(and(eq(annotations.id, id), eq(annotations.locationId, place.id)));
      return row === undefined ? null : { ...row, path: annotationPath(place.id, id) };
    }
    case "report": {
      const [row] = await workspace
        .select({ name: reports.title })
        .from(reports)
        .where(and(eq(reports.id, id), eq(reports.locationId, place.id), reportNotDeleted()));
      return row === undefined ? null : { ...row, path: reportPath(id) };
    }
    case "camera": {
      const [row] = await workspace
        .select({ name: cameras.name })
        .from(cameras)
        .where(and(eq(cameras.id, id), eq(cameras.locationId, place.id)));
      return row === undefined ? null : { ...row, path: cameraPath(id) };
    }
    case "document":
      return null;
  }
}

/** The capability that shows a resource at a location. */
const SHOWN_BY = {
  location: "LocationView",
  annotation: "LocationBundles",
  document: "Documents",
  camera: "LocationCameras",
  report: "Reports",
} as const satisfies Record<Told, Capability>;

async function changedSubject(context: Db, event: EventOf<"state-updated">): Promise<Subject | null> {
  const { subject, subjectId: id, action, revision, locationId } = event;
  if (subject === "folder") return null;
  const capability = SHOWN_BY[subject];
  if (action === "deleted") {
    const place = await findPlace(context, locationId, true);
    return place && at(context, place, { capability }, { id, name: null, path: null }, { revision });
  }
  if (subject === "document") return documentSubject(context, id, { revision });
  const place = await findPlace(context, locationId);
  const named = place && (await findNamed(context, subject, id, place));
  return place && named && at(context, place, { capability }, { id, ...named }, { revision });
}

async function printedSubject(context: Db, event: EventOf<"report-printed">): Promise<Subject | null> {
  const { workspace } = context;
  const [found] = await workspace
    .select({ report: reports, job: reportJobs })
    .from(reportJobs)
    .innerJoin(reports, and(eq(reports.id, reportJobs.reportId), reportNotDeleted()))
    .where(and(eq(reportJobs.id, event.jobId), eq(reportJobs.reportId, event.reportId)));
  const place = found === undefined ? null : await findPlace(context, found.report.locationId);
  if (found === undefined || place === null) return null;
  const { report, job } = found;
  const named = { id: report.id, name: report.title, path: reportPath(report.id) };
  const data = { status: job.status, documentId: job.documentId };
  return at(context, place, { capability: "Reports" }, named, data);
}

async function camerasSubject(
  context: Db,
  event: EventOf<"cameras-silent"> | EventOf<"cameras-back">,
): Promise<Subject | null> {
  const place = await findPlace(context, event.locationId);
  if (place === null) return null;
  const rows = await context.workspace
    .select({ id: cameras.id, name: cameras.name })
    .from(cameras)
    .where(and(inSet(cameras.id, event.cameraIds), eq(cameras.locationId, place.id)));
  if (rows.length === 0) return null;
  const named = { id: place.id, name: place.name, path: pageOfLocation(place.id) };
  const cause = event.type === "cameras-silent" ? { cause: event.cause } : {};
  return at(context, place, { capability: "LocationCameras" }, named, { ...cause, cameras: rows, count: event.count });
}

/** A camera at a location where it is or was. */
async function cameraAt(
  context: Db,
  cameraId: string,
  locationId: string,
  data: Record<string, unknown>,
  level: Level = READ,
): Promise<Subject | null> {
  const place = await findPlace(context, locationId);
  const [camera] = await context.workspace
    .select({ name: nameAtLocation(locationId) })
    .from(cameras)
    .where(eq(cameras.id, cameraId));
  if (place === null || camera === undefined) return null;
  const named = { id: cameraId, name: camera.name, path: cameraPath(cameraId) };
  return at(context, place, { capability: "LocationCameras", level }, named, data);
}

async function rejectedSubject(context: Db, event: EventOf<"capture-rejected">): Promise<Subject | null> {
  const { cameraId, operationId } = event;
  const [row] = await context.workspace
    .select({ reasonCode: cameraFrames.reasonCode, locationId: cameras.locationId })
    .from(cameraFrames)
    .innerJoin(cameras, eq(cameras.id, cameraId))
    .where(ofOperation(cameraId, operationId));
  if (row === undefined || row.locationId === null) return null;
  const { reasonCode, locationId } = row;
  return cameraAt(context, cameraId, locationId, { operationId, reasonCode }, WRITE);
}

async function exportSubject(context: Db, exportId: string): Promise<Subject | null> {
  const [row] = await context.workspace.select().from(cameraExports).where(eq(cameraExports.id, exportId));
  if (row === undefined || row.status !== "ready") return null;
  return cameraAt(context, row.cameraId, row.locationId, { of: "camera", exportId });
}

async function workspaceExportSubject(context: Db, exportId: string): Promise<Subject | null> {
  const [row] = await context.workspace
    .select({ made: workspaceExports, name: organizations.name })
    .from(workspaceExports)
    .innerJoin(organizations, eq(organizations.id, workspaceExports.organizationId))
    .where(eq(workspaceExports.id, exportId));
  const id = row?.made.organizationId ?? null;
  if (row === undefined || id === null || row.made.status !== "ready") return null;
  const named = { id, name: row.name, path: settingsPath("organization") };
  return ofOrganization(context, id, ["owner"], named, { of: "organization", exportId });
}

async function memberSubject(
  context: Db,
  { organizationId, userId }: { organizationId: string; userId: string },
  hasLeft: boolean,
): Promise<Subject | null> {
  const [person] = await context.workspace
    .select({ name: people.displayName })
    .from(people)
    .where(and(eq(people.id, userId), isNull(people.deletedAt)));
  const [membership] = await context.workspace
    .select({ role: memberships.role })
    .from(memberships)
    .where(and(eq(memberships.organizationId, organizationId), eq(memberships.userId, userId)));
  // A person who was added or changed, and is not there any more, has their own event of that.
  if (!hasLeft && (person === undefined || membership === undefined)) return null;
  const named = { id: userId, name: person?.name ?? null, path: hasLeft ? HOME : settingsPath("members") };
  const role = hasLeft ? null : (membership?.role ?? null);
  return ofOrganization(context, organizationId, ["owner", "admin", "member"], named, { role });
}

/** Reads the subject of an event. Null if it does not exist any more, so that there is nothing to tell. */
export function readSubject(context: Db, event: WorkspaceEvent): Promise<Subject | null> | null {
  switch (event.type) {
    case "document-uploaded":
      return documentSubject(context, event.documentId, { version: event.version });
    case "state-updated":
      return changedSubject(context, event);
    case "report-printed":
      return printedSubject(context, event);
    case "membership-given":
      return memberSubject(context, event, false);
    case "membership-changed":
      return memberSubject(context, event, event.action === "removed");
    case "capture-published": {
      const { cameraId, locationId, captureId, capturedAt } = event;
      return cameraAt(context, cameraId, locationId, { captureId, capturedAtUtc: toUtc(capturedAt) });
    }
    case "capture-rejected":
      return rejectedSubject(context, event);
    case "cameras-silent":
    case "cameras-back":
      return camerasSubject(context, event);
    case "export-ready":
      return exportSubject(context, event.exportId);
    case "workspace-export-ready":
      return workspaceExportSubject(context, event.exportId);
    default:
      return null;
  }
}
