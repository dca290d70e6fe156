/*
 * The paths of the pages that people open: pages of the console, and targets of links in e-mails and notifications. The
 * console's router, the inbox and the mails share them. The file has no imports, because it runs in the Worker and in
 * pages.
 */

/** The views of the console by the first part of their path after /console. */
export const AREAS = [
  "search",
  "settings",
  "locations",
  "clusters",
  "admin",
  "documents",
  "trash",
  "inbox",
  "reports",
  "cameras",
] as const;
export type Area = (typeof AREAS)[number];

/** The view of a path of the console, and the parts of the path after its own. Null for a path without a view. */
export function areaAt(pathname: string): { area: Area; path: string[] } | null {
  const [root, name, ...path] = pathname.split("/").filter((part) => part !== "");
  const area = AREAS.find((one) => one === name);
  return root === "console" && area !== undefined ? { area, path } : null;
}

/** The pages that need no session, of links in e-mails. Their secret is in the fragment, which no server logs. */
export const PASSWORD_RESET = "/password-reset";
export const INVITATIONS = "/invitations";
export const passwordResetPath = (token: string): string => `${PASSWORD_RESET}#${token}`;
export const invitationPath = (token: string): string => `${INVITATIONS}#${token}`;

export const HOME = "/console/locations";
export const CAMERAS = "/console/cameras";
export const INBOX = "/console/inbox";
export const REPORTS = "/console/reports";
export const TRASH = "/console/trash";
export const SETTINGS = "/console/settings";

export const locationPath = (locationId: string): string => `/console/locations/${locationId}`;

/** The path of a tab of a location. */
export const tabPath = (locationId: string, tab: string): string => `${locationPath(locationId)}/${tab}`;

export const clusterPath = (clusterId: string): string => `/console/clusters/${clusterId}`;

/** The path of a camera's archive. */
export const cameraPath = (cameraId: string): string => `${CAMERAS}/${cameraId}`;

/** The path of the archive of a camera at a location, which it may have left. */
export const cameraAtPath = (cameraId: string, locationId: string): string =>
  `${cameraPath(cameraId)}?${new URLSearchParams({ location: locationId })}`;

/** The path of an export of the archive of a camera at a location. */
const exportPath = (cameraId: string, locationId: string, operationId: string): string =>
  `${cameraAtPath(cameraId, locationId)}&${new URLSearchParams({ panel: "export", export: operationId })}`;

/** The path of a part of a camera at its location: settings, device or review. */
export const cameraPartPath = (locationId: string, cameraId: string, part = "settings"): string =>
  `${tabPath(locationId, "cameras")}?${new URLSearchParams({ camera: cameraId, part })}`;

/** The path of an annotation in the list of its location. */
export const annotationPath = (locationId: string, annotationId: string): string =>
  `${tabPath(locationId, "annotations")}?${new URLSearchParams({ annotation: annotationId })}`;

/** The path of the documents of a location in a folder. */
export const folderPath = (locationId: string, folder: string): string =>
  `${tabPath(locationId, "documents")}${folder === "" ? "" : `?${new URLSearchParams({ folder })}`}`;

/** The path of a document: at a page, with a passage and words marked, or of an old version. */
export function documentPath(
  documentId: string,
  at: { page?: number | null; passage?: number | null; words?: readonly string[]; version?: number | null } = {},
): string {
  const query = new URLSearchParams();
  if (at.version != null) query.set("version", String(at.version));
  if (at.page != null) query.set("page", String(at.page));
  if (at.passage != null) query.set("passage", String(at.passage));
  if (at.words !== undefined && at.words.length > 0) query.set("find", at.words.join(" "));
  return `/console/documents/${documentId}${query.size > 0 ? `?${query}` : ""}`;
}

/** The path of the people who have access to a document. */
export const documentPeoplePath = (documentId: string): string => `/console/documents/${documentId}/people`;

/** The path of a part of the administration. The first part is "" and has the path of the whole administration. */
export const adminPath = (part: string): string => (part === "" ? "/console/admin" : `/console/admin/${part}`);

/** The path of a webhook, in the settings of the organization that is shown. */
export const webhookPath = (id: string): string =>
  `${settingsPath("webhooks")}?${new URLSearchParams({ webhook: id })}`;

/** The path of a part of the settings. */
export const settingsPath = (part: string): string => `${SETTINGS}/${part}`;

export const searchPath = (term: string): string => `/console/search?${new URLSearchParams({ q: term })}`;

/** The path of a report's editor. */
export const reportPath = (reportId: string): string => `${REPORTS}/${reportId}`;

/** The path of the list of report templates. */
export const TEMPLATES = `${REPORTS}/templates`;

/** The path of a template's editor. */
export const templatePath = (key: string, organizationId: string | null): string =>
  `${TEMPLATES}/${key}${organizationId === null ? "" : `?organizationId=${organizationId}`}`;

/** The path of the editor of a new template. `from` is the key of the template to copy. */
export function newTemplatePath(organizationId: string | null, from: string | null = null): string {
  const query = new URLSearchParams({
    ...(organizationId !== null && { organizationId }),
    ...(from !== null && { from }),
  });
  return `${REPORTS}/new-template?${query}`;
}

/** The path of the list of the parts that templates share. */
export const PARTIALS = `${REPORTS}/partials`;

/** The path of the editor of a shared part of an organization. */
export const partialPath = (name: string, organizationId: string): string =>
  `${PARTIALS}/${name}?organizationId=${organizationId}`;

/** The path of the editor of a new shared part of an organization. */
export const newPartialPath = (organizationId: string): string =>
  `${REPORTS}/new-partial?organizationId=${organizationId}`;

/** The query field that chooses the organization that the console shows. */
export const ORGANIZATION_FIELD = "organization";

/** A path that also chooses an organization. */
const ofOrganization = (path: string, organizationId: string): string =>
  `${path}?${new URLSearchParams({ [ORGANIZATION_FIELD]: organizationId })}`;

/** The facts about the subject of a notification that its path needs. */
interface About {
  /** The type of the notification. */
  about: string;
  origin: {
    type: "spatial-document" | "location" | "cluster" | "annotation" | "report" | "camera" | "organization";
    id: string;
    locationId: string | null;
    data: Readonly<Record<string, unknown>>;
  };
}

function organizationOrigin(about: string, id: string): string {
  if (about.startsWith("storage-")) return ofOrganization(settingsPath("usage"), id);
  if (about === "webhook-disabled") return ofOrganization(settingsPath("webhooks"), id);
  return ofOrganization(about === "export-ready" ? settingsPath("organization") : HOME, id);
}

/** The path of the view that shows the origin of a notification. */
export function originPath({ about, origin: { type, id, locationId, data } }: About): string {
  switch (type) {
    case "spatial-document":
      return documentPath(id);
    case "location":
      return locationPath(id);
    case "cluster":
      return clusterPath(id);
    case "annotation":
      return locationId === null ? HOME : annotationPath(locationId, id);
    case "report":
      return reportPath(id);
    case "camera":
      if (about === "export-ready" && locationId !== null) return exportPath(id, locationId, String(data.operationId));
      if (about === "capture-rejected" && locationId !== null) return cameraPartPath(locationId, id, "review");
      return cameraPath(id);
    case "organization":
      return organizationOrigin(about, id);
  }
}
