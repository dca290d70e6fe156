import { Locator } from "puppeteer-core";

/** @typedef {import("./take.mjs").View} View */

/** States are captured on a desk and on a phone. */
const widths = [1440, 360];

/** The answer to a request that fails, as the service gives it. */
const PROBLEM = {
  type: "about:blank",
  title: "Not available at the moment",
  status: 503,
  code: "unavailable",
  detail: "The database does not answer at the moment. Try again in a minute.",
  requestId: "0192f0c1-5b7e-7cc3-8d43-91a7c0e5b2f4",
};

/** Handles the calls of the API whose address fits. Others go on, and so does the page itself. */
function intercept(data, handle) {
  return async (page) => {
    await page.setRequestInterception(true);
    page.on("request", (request) => {
      if (request.isInterceptResolutionHandled()) return;
      const { pathname } = new URL(request.url());
      if (pathname.startsWith("/v1/") && data.test(request.url())) void handle(request);
      else void request.continue();
    });
  };
}

async function endInterception(page) {
  page.removeAllListeners("request");
  await page.setRequestInterception(false);
}

const fail = (request) =>
  request.respond({ status: 503, contentType: "application/problem+json", body: JSON.stringify(PROBLEM) });
const ignore = () => undefined;

async function goOffline(page) {
  await page.setOfflineMode(true);
  await page.evaluate(() => dispatchEvent(new Event("offline")));
}
const goOnline = (page) => page.setOfflineMode(false);

/** A page while its data is read, when it cannot be read, and without a network. `data` fits the addresses of its data. */
const threeStates = ({ name, path, data }) => [
  { name: `${name}-waiting`, path, widths, isWaiting: true, before: intercept(data, ignore), after: endInterception },
  { name: `${name}-failed`, path, widths, before: intercept(data, fail), after: endInterception },
  { name: `${name}-offline`, path, widths, act: goOffline, after: goOnline },
];

/** Runs several actions, one after the other. */
const inOrder =
  (...actions) =>
  async (page) => {
    for (const action of actions) await action(page);
  };

const openSearch = async (page) => {
  await page.keyboard.down("Control");
  await page.keyboard.press("k");
  await page.keyboard.up("Control");
};

/**
 * The states of pages that need an action, a fault or a slow answer.
 * @param {import("./views.mjs").Client} client of the demo's owner
 * @param {(text: string) => string[]} textsOf gives an English text in the language of the pictures
 * @returns {Promise<View[]>}
 */
export async function stateViews(client, textsOf) {
  const press = (text) => async (page) => {
    const names = textsOf(text).map((name) => page.locator(`::-p-aria([name="${name}"][role="button"])`));
    await Locator.race(names).click();
  };
  const { items: locations } = await client.request("GET", "/v1/spatial/locations?limit=100");
  const location = locations.find(({ name }) => name === "Northern breakwater") ?? locations[0];
  const place = `/console/locations/${location.id}`;
  const { items: documents } = await client.request("GET", `/v1/spatial/locations/${location.id}/documents`);
  const pdf = documents.find(({ fileName }) => fileName.endsWith(".pdf")) ?? documents[0];
  const { items: reports } = await client.request("GET", "/v1/reports?limit=100");
  const report = `/console/reports/${reports[0].id}`;
  const { items: cameras } = await client.request("GET", "/v1/cameras?limit=100");
  const camera = cameras.find(({ name }) => name === "Crane east") ?? cameras[0];
  const camerasOf = `/console/locations/${camera.locationId}/cameras`;
  const archive = `/console/cameras/${camera.id}`;
  return [
    ...[
      { name: "cameras", path: "/console/cameras", data: /\/v1\/cameras\?/ },
      { name: "archive", path: archive, data: /\/v1\/cameras\/[^/?]+(\?|$)/ },
      { name: "archive-times", path: archive, data: /\/timeline|\/captures/ },
      { name: "search", path: "/console/search?q=sapphire+lens", data: /\/v1\/search/ },
      { name: "locations", path: "/console/locations", data: /\/v1\/spatial\// },
      { name: "location", path: place, data: /\/v1\/spatial\/locations\/[^/]+$/ },
      { name: "location-overview", path: place, data: /\/(documents|annotations|reports)(\/|\?)/ },
      { name: "location-documents", path: `${place}/documents`, data: /\/documents\?/ },
      { name: "location-annotations", path: `${place}/annotations`, data: /\/annotations\?/ },
      { name: "location-people", path: `${place}/people`, data: /\/(grants|members|clusters)/ },
      { name: "location-cameras", path: camerasOf, data: /\/cameras\?|camera-shares/ },
      { name: "document", path: `/console/documents/${pdf.id}`, data: /\/v1\/documents\/[^/?]+($|\?)/ },
      { name: "document-file", path: `/console/documents/${pdf.id}`, data: /\/download/ },
      { name: "reports", path: "/console/reports", data: /\/v1\/reports\?/ },
      { name: "report", path: report, data: /\/v1\/reports\/[^/?]+(\/|\?|$)/ },
      { name: "templates", path: "/console/reports/templates", data: /\/templates/ },
      { name: "inbox", path: "/console/inbox", data: /\/v1\/notifications\?/ },
      { name: "trash", path: "/console/trash", data: /\/v1\/trash/ },
      { name: "admin-jobs", path: "/console/admin/jobs", data: /\/v1\/admin\// },
      { name: "settings-members", path: "/console/settings/members", data: /\/(members|invitations)\?/ },
      { name: "settings-audit", path: "/console/settings/audit", data: /\/audit\?/ },
      { name: "settings-usage", path: "/console/settings/usage", data: /\/entitlements|\/storage|\/use/ },
      { name: "settings-branding", path: "/console/settings/branding", data: /\/branding$/ },
      { name: "no-organizations", path: "/console/locations", data: /\/v1\/orgs\?/ },
    ].flatMap(threeStates),
    { name: "account", path: "/console/locations", widths, act: (page) => page.click("[popovertarget=account]") },
    {
      name: "search-palette",
      path: "/console/locations",
      widths,
      act: inOrder(openSearch, (page) => page.type("dialog[open] input", "caisson")),
    },
    {
      name: "search-preview",
      path: "/console/search?q=sapphire+lens",
      widths: [1440],
      act: (page) => page.keyboard.press("ArrowRight"),
    },
    { name: "new-location", path: "/console/locations", widths, act: press("New location") },
    { name: "new-camera", path: "/console/cameras", widths, act: press("New camera") },
    { name: "edit-location", path: place, widths, act: press("Edit") },
    { name: "delete-location", path: place, widths, act: press("Delete") },
    { name: "new-report", path: "/console/reports", widths, act: press("New report") },
    { name: "new-token", path: "/console/settings/tokens", widths, act: press("New token") },
    { name: "new-member", path: "/console/settings/members", widths, act: press("Add a person") },
    { name: "new-share", path: camerasOf, widths, act: press("New link") },
    { name: "share-location", path: `${place}/people`, widths, act: press("Share") },
    {
      name: "pairing",
      path: `${camerasOf}?camera=${camera.id}&part=device`,
      widths,
      act: press("Make a pairing code"),
    },
    { name: "archive-keys", path: archive, widths: [1440], act: press("All keys") },
    { name: "archive-compare", path: archive, widths, act: press("Before / after") },
    { name: "report-picture", path: report, widths, act: press("Picture") },
    {
      name: "report-pdf",
      path: report,
      widths,
      act: inOrder(press("Make PDF"), (page) => page.waitForSelector(".pdf")),
    },
    {
      name: "removed-message",
      path: `${place}/documents`,
      widths,
      act: (page) => page.click("td.actions button:last-child"),
      after: press("Undo"),
    },
  ];
}
