import { LONG_AGO_MS } from "./many-frames.mjs";

/** @typedef {{ name: string, path: string }} View */

/** A span of the ruler that is longer than any archive. */
const ALL_MINUTES = 366 * 24 * 60;

/** The pages without a session. @type {View[]} */
export const ENTRY_VIEWS = [
  { name: "sign-in", path: "/console/locations" },
  { name: "register", path: "/console/register" },
];

/** The pages that show lists, for a person who has nothing yet. @type {View[]} */
export const EMPTY_VIEWS = [
  { name: "search", path: "/console/search" },
  { name: "nothing-found", path: "/console/search?q=zeppelin" },
  { name: "locations", path: "/console/locations" },
  { name: "reports", path: "/console/reports" },
  { name: "templates", path: "/console/reports/templates" },
  { name: "cameras", path: "/console/cameras" },
  { name: "inbox", path: "/console/inbox" },
  { name: "trash", path: "/console/trash" },
  { name: "no-such-page", path: "/console/nothing" },
];

const SETTINGS_PARTS = ["profile", "sessions", "tokens", "organization", "members", "branding", "usage", "searches"];

const LINK_PASSCODE = "lantern and quay 7";

/** The path of an address, with its fragment. @param {string} url */
const pathOf = (url) => {
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`;
};

/**
 * The pages that show the content of the demo.
 * @param {ReturnType<typeof import("../seed/client.mjs").openClient>} client of the demo's owner
 * @returns {Promise<View[]>}
 */
export async function demoViews(client) {
  const { items: locations } = await client.request("GET", "/v1/spatial/locations?limit=100");
  const location = locations.find(({ name }) => name === "Northern breakwater") ?? locations[0];
  const place = `/console/locations/${location.id}`;
  const { items: documents } = await client.request("GET", `/v1/spatial/locations/${location.id}/documents`);
  const pdf = documents.find(({ fileName }) => fileName.endsWith(".pdf")) ?? documents[0];
  const { items: reports } = await client.request("GET", "/v1/reports?limit=100");
  const report = `/console/reports/${reports[0].id}`;
  const { items: all } = await client.request("GET", "/v1/cameras?limit=100");
  const camera = all.find(({ name }) => name === "Crane east") ?? all[0];
  const cameras = `/console/locations/${camera.locationId}/cameras`;
  const archive = `/console/cameras/${camera.id}`;
  const shares = `/v1/spatial/locations/${camera.locationId}/camera-shares`;
  const cameraIds = all.filter(({ locationId }) => locationId === camera.locationId).map(({ id }) => id);
  const shared = await client.request("POST", shares, { name: "The new terminal", cameraIds });
  const locked = await client.request("POST", shares, { name: "For the crew", cameraIds, passcode: LINK_PASSCODE });
  return [
    { name: "search", path: "/console/search?q=sapphire+lens" },
    { name: "search-corrected", path: "/console/search?q=sapphire+lense" },
    { name: "locations", path: "/console/locations" },
    { name: "location", path: place },
    ...["documents", "annotations", "people"].map((tab) => ({ name: `location-${tab}`, path: `${place}/${tab}` })),
    { name: "cluster", path: `/console/clusters/${location.clusterId}` },
    { name: "document", path: `/console/documents/${pdf.id}?page=2` },
    { name: "document-people", path: `/console/documents/${pdf.id}/people` },
    { name: "reports", path: "/console/reports" },
    { name: "report", path: report },
    { name: "report-preview", path: `${report}?view=preview` },
    { name: "templates", path: "/console/reports/templates" },
    { name: "template", path: `/console/reports/templates/${reports[0].templateKey}` },
    { name: "cameras", path: "/console/cameras" },
    { name: "cameras-of-a-location", path: cameras },
    { name: "camera-settings", path: `${cameras}?camera=${camera.id}&part=settings` },
    { name: "camera-device", path: `${cameras}?camera=${camera.id}&part=device` },
    { name: "camera-review", path: `${cameras}?camera=${camera.id}&part=review` },
    { name: "archive", path: archive },
    ...["facts", "days", "gaps", "camera", "export"].map((panel) => ({
      name: `archive-${panel}`,
      path: `${archive}?panel=${panel}`,
    })),
    { name: "share-viewer", path: pathOf(shared.url) },
    { name: "share-viewer-wall", path: `${pathOf(shared.url)}/all` },
    { name: "share-viewer-passcode", path: pathOf(locked.url) },
    { name: "inbox", path: "/console/inbox" },
    { name: "trash", path: "/console/trash" },
    { name: "admin", path: "/console/admin" },
    ...["jobs", "organizations"].map((part) => ({ name: `admin-${part}`, path: `/console/admin/${part}` })),
    ...SETTINGS_PARTS.map((part) => ({ name: `settings-${part}`, path: `/console/settings/${part}` })),
  ];
}

/**
 * The pages that show a camera whose archive has 10,000 frames.
 * @param {ReturnType<typeof import("../seed/client.mjs").openClient>} client of the demo's owner
 * @param {import("../seed/cameras.mjs").SeededCamera} camera
 * @returns {Promise<View[]>}
 */
export async function manyFramesViews(client, { id, locationId }) {
  const at = new Date(Date.now() - LONG_AGO_MS).toISOString();
  const { capture } = await client.request("GET", `/v1/cameras/${id}/captures/seek?locationId=${locationId}&at=${at}`);
  const archive = `/console/cameras/${id}`;
  return [
    { name: "cameras", path: "/console/cameras" },
    { name: "archive", path: archive },
    { name: "archive-long-ago", path: `${archive}?t=${capture.capturedAtUtc}` },
    { name: "archive-whole", path: `${archive}?span=${ALL_MINUTES}` },
    ...["gaps", "days", "export"].map((panel) => ({
      name: `archive-${panel}`,
      path: `${archive}?span=${ALL_MINUTES}&panel=${panel}`,
    })),
    { name: "settings-usage", path: "/console/settings/usage" },
  ];
}
