import { LONG_AGO_MS } from "./many-frames.mjs";

/** @typedef {import("./take.mjs").View} View */
/** @typedef {ReturnType<typeof import("../seed/client.mjs").openClient>} Client */

/** A span of the ruler that is longer than any archive. */
const ALL_MINUTES = 366 * 24 * 60;

const SETTINGS_PARTS = ["profile", "sessions", "tokens", "organization", "members", "branding", "usage", "searches"];

const LINK_PASSCODE = "lantern and quay 7";

/**
 * The pages without a session.
 * @param {Client} client of the demo's owner
 * @returns {Promise<View[]>}
 */
export async function entryViews(client) {
  const { items: organizations } = await client.request("GET", "/v1/orgs");
  const invite = { email: "solveig@northwick.example", role: "member" };
  const { invitation } = await client.request("POST", `/v1/orgs/${organizations[0].id}/members`, invite);
  const noToken = "0".repeat(64);
  return [
    { name: "sign-in", path: "/console/locations" },
    { name: "sign-in-refused", path: "/console/locations", act: signInWrongly },
    { name: "register", path: "/console/register" },
    { name: "password-reset", path: "/password-reset" },
    { name: "password-reset-sent", path: "/password-reset", act: askForLink },
    { name: "new-password", path: `/password-reset#${noToken}` },
    { name: "invitation", path: `/invitations#${invitation.token}` },
    { name: "invitation-ended", path: `/invitations#${noToken}` },
    { name: "invitation-incomplete", path: "/invitations#0" },
  ];
}

async function signInWrongly(page) {
  await page.type("[name=email]", "astrid@northwick.example");
  await page.type("[name=password]", "not the password");
  await page.click("form button.primary");
  await page.waitForSelector("[role=alert]");
}

async function askForLink(page) {
  await page.type("[name=email]", "astrid@northwick.example");
  await page.click("form button.primary");
}

/** An id that nothing has. */
const NOBODYS_ID = "019ab000-0000-7000-8000-000000000000";
const TABS = ["documents", "cameras", "reports", "annotations", "people"];
const CAMERA_PARTS = ["settings", "device", "review"];

/**
 * The pages of a person who has nothing.
 * @returns {View[]}
 */
export function emptyViews() {
  return [
    { name: "search", path: "/console/search" },
    { name: "nothing-found", path: "/console/search?q=zeppelin" },
    { name: "locations", path: "/console/locations" },
    { name: "reports", path: "/console/reports" },
    { name: "templates", path: "/console/reports/templates" },
    { name: "cameras", path: "/console/cameras" },
    { name: "inbox", path: "/console/inbox" },
    { name: "inbox-unread", path: "/console/inbox?show=unread" },
    { name: "trash", path: "/console/trash" },
    { name: "no-such-page", path: "/console/nothing" },
    { name: "no-such-location", path: `/console/locations/${NOBODYS_ID}` },
    { name: "no-such-camera", path: `/console/cameras/${NOBODYS_ID}` },
    { name: "no-such-document", path: `/console/documents/${NOBODYS_ID}` },
    { name: "no-such-report", path: `/console/reports/${NOBODYS_ID}` },
    { name: "not-an-administrator", path: "/console/admin" },
    ...["profile", "sessions", "notifications", "tokens"].map((part) => ({
      name: `settings-${part}`,
      path: `/console/settings/${part}`,
    })),
  ];
}

/**
 * The pages of an organization without content, and of a location and a camera without content.
 * @param {Client} client of the organization's owner @param {Client} admin may allow cameras
 * @returns {Promise<View[]>}
 */
export async function emptyOrganizationViews(client, admin) {
  const { id: organizationId } = await client.request("POST", "/v1/orgs", { name: "Harbour Company" });
  const entitlements = `/v1/orgs/${organizationId}/entitlements`;
  const { documentStorageBytes, jobsPerMonth, maxRetentionDays } = await admin.request("GET", entitlements);
  const allowed = { cameras: true, externalShares: true, documentStorageBytes, jobsPerMonth, maxRetentionDays };
  await admin.request("PUT", entitlements, allowed);
  const cluster = await client.request("POST", "/v1/spatial/clusters", { organizationId, name: "East" });
  const made = { clusterId: cluster.id, name: "Pier", timeZone: "Europe/Oslo" };
  const location = await client.request("POST", "/v1/spatial/locations", made);
  const cameras = `/v1/spatial/locations/${location.id}/cameras`;
  const camera = await client.request("POST", cameras, { name: "New camera" });
  const place = `/console/locations/${location.id}`;
  return [
    { name: "organization-cameras", path: "/console/cameras" },
    { name: "organization-reports", path: "/console/reports" },
    { name: "location", path: place },
    ...TABS.map((tab) => ({ name: `location-${tab}`, path: `${place}/${tab}` })),
    { name: "archive", path: `/console/cameras/${camera.id}` },
    ...CAMERA_PARTS.map((part) => ({
      name: `camera-${part}`,
      path: `${place}/cameras?camera=${camera.id}&part=${part}`,
    })),
    { name: "cluster", path: `/console/clusters/${cluster.id}` },
    ...SETTINGS_PARTS.map((part) => ({ name: `organization-${part}`, path: `/console/settings/${part}` })),
  ];
}

/** The path of an address, with its fragment. @param {string} url */
const pathOf = (url) => {
  const { pathname, hash } = new URL(url);
  return `${pathname}${hash}`;
};

/** Deletes a location, so that the trash has something. */
async function putIntoTrash(client) {
  const { items: clusters } = await client.request("GET", "/v1/spatial/clusters?limit=100");
  const fields = { clusterId: clusters[0].id, name: "Old pilot station" };
  const { id } = await client.request("POST", "/v1/spatial/locations", fields);
  await client.request("DELETE", `/v1/spatial/locations/${id}`);
}

/**
 * The pages that show the content of the demo.
 * @param {Client} client of the demo's owner
 * @returns {Promise<View[]>}
 */
export async function demoViews(client) {
  const { items: locations } = await client.request("GET", "/v1/spatial/locations?limit=100");
  const location = locations.find(({ name }) => name === "Northern breakwater") ?? locations[0];
  const place = `/console/locations/${location.id}`;
  const { items: documents } = await client.request("GET", `/v1/spatial/locations/${location.id}/documents`);
  const pdf = documents.find(({ fileName }) => fileName === "Harbour inspection 2026.pdf") ?? documents[0];
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
  const ended = await client.request("POST", shares, { name: "Ended", cameraIds });
  await client.request("POST", `/v1/camera-shares/${ended.id}/revoke`, { baseRevision: ended.revision });
  const named = (ending) => documents.find(({ fileName }) => fileName.endsWith(ending)) ?? documents[0];
  await putIntoTrash(client);
  return [
    { name: "search", path: "/console/search?q=sapphire+lens" },
    { name: "search-narrowed", path: "/console/search?q=caisson&kind=documents&in=here" },
    { name: "search-corrected", path: "/console/search?q=sapphire+lense" },
    { name: "locations", path: "/console/locations" },
    { name: "location", path: place },
    ...["documents", "reports", "annotations", "people"].map((tab) => ({
      name: `location-${tab}`,
      path: `${place}/${tab}`,
    })),
    { name: "cluster", path: `/console/clusters/${location.clusterId}` },
    { name: "document", path: `/console/documents/${pdf.id}?page=2` },
    { name: "document-found", path: `/console/documents/${pdf.id}?page=2&find=sapphire+lens` },
    { name: "document-text", path: `/console/documents/${named(".docx").id}` },
    { name: "document-picture", path: `/console/documents/${named(".jpg").id}` },
    { name: "document-people", path: `/console/documents/${pdf.id}/people` },
    { name: "reports", path: "/console/reports" },
    { name: "report", path: report, ready: "iframe" },
    { name: "report-preview", path: `${report}?view=preview`, ready: "iframe" },
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
    { name: "share-viewer-ended", path: pathOf(ended.url) },
    { name: "share-viewer-incomplete", path: new URL(shared.url).pathname },
    { name: "inbox", path: "/console/inbox" },
    { name: "trash", path: "/console/trash" },
    { name: "admin", path: "/console/admin" },
    ...["jobs", "organizations"].map((part) => ({ name: `admin-${part}`, path: `/console/admin/${part}` })),
    ...SETTINGS_PARTS.map((part) => ({ name: `settings-${part}`, path: `/console/settings/${part}` })),
  ];
}

/**
 * The pages that show a camera whose archive has 10,000 frames.
 * @param {Client} client of the demo's owner
 * @param {import("../seed/cameras.mjs").SeededCamera} camera
 * @returns {Promise<View[]>}
 */
export async function manyFramesViews(client, { id, locationId }) {
  const at = new Date(Date.now() - LONG_AGO_MS).toISOString();
  const { capture } = await client.request("GET", `/v1/cameras/${id}/captures/seek?locationId=${locationId}&at=${at}`);
  const archive = `/console/cameras/${id}`;
  const shares = `/v1/spatial/locations/${locationId}/camera-shares`;
  const shared = await client.request("POST", shares, { name: "Since the beginning", cameraIds: [id] });
  return [
    { name: "cameras", path: "/console/cameras" },
    { name: "share-viewer", path: pathOf(shared.url) },
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
