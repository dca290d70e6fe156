import { signal } from "@preact/signals";

export const HOME = "/console/locations";
export const CAMERAS = "/console/cameras";
export const INBOX = "/console/inbox";
export const REPORTS = "/console/reports";
export const TRASH = "/console/trash";
export const SETTINGS = "/console/settings";

/** The address of the present view. */
export const address = signal(new URL(location.href));

/** Shows another view. `replace` replaces the current entry of the history. */
export function navigate(to: string, { replace = false } = {}): void {
  const next = new URL(to, location.href);
  if (next.href === location.href) return;
  if (replace) history.replaceState(null, "", next);
  else history.pushState(null, "", next);
  show(next);
}

/** Shows an address. A new view starts at its top. */
function show(next: URL): void {
  const moved = next.pathname !== address.peek().pathname;
  address.value = next;
  if (moved) document.querySelector("main")?.scrollTo(0, 0);
}

addEventListener("popstate", () => show(new URL(location.href)));

/** Links inside the console change the view. The browser handles links that a person opens in another tab or window. */
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || event.defaultPrevented || event.button !== 0) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  if (link.origin !== location.origin || !link.pathname.startsWith("/console/") || link.target !== "") return;
  event.preventDefault();
  navigate(link.href);
});

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
export const exportPath = (cameraId: string, locationId: string, operationId: string): string =>
  `${cameraAtPath(cameraId, locationId)}&${new URLSearchParams({ panel: "export", export: operationId })}`;

/** The path of a part of a camera at its location: settings, device or review. */
export const cameraPartPath = (locationId: string, cameraId: string, part = "settings"): string =>
  `${tabPath(locationId, "cameras")}?${new URLSearchParams({ camera: cameraId, part })}`;

/** The path of an annotation among those of its location. */
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

/** The path of a part of the administration. The first part has no path of its own. */
export const adminPath = (part: string): string => (part === "" ? "/console/admin" : `/console/admin/${part}`);

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
