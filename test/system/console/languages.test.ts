import type { HTTPRequest } from "puppeteer-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { createClient } from "../../../client/src/index";
import { cameraPartPath } from "../../../src/platform/paths";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { sendImages } from "../support/cameras";
import { enter, page, service, site, useDesk } from "../support/desk";
import { READ_TEXTS, speakPseudoLanguage } from "../support/pseudo-language";
import { entitle } from "../support/running";

/* Every text of the console is in the catalogues: in a language without plain letters, the pages show none of them. */

const HOUR = 3_600_000;
/** A name that people gave, with letters that no catalogue has. */
const NAME = "工地";
const withId = z.looseObject({ id: z.string() });

let views: Record<string, string>;

useDesk({ settings: { FIRST_USER_IS_ADMIN: "true" }, site: "plain" }, async () => {
  const { token, locationId, organizationId } = site;
  await entitle(service, site);
  const place = `/v1/spatial/locations/${locationId}`;
  const { clusterId } = await service.api(z.looseObject({ clusterId: z.string() }), "GET", place, token);
  await service.api(z.unknown(), "PATCH", place, token, {
    name: NAME,
    latitude: 59.9,
    longitude: 10.7,
    timeZone: "UTC",
  });
  await service.api(z.unknown(), "PATCH", `/v1/spatial/clusters/${clusterId}`, token, { name: NAME });
  await service.api(z.unknown(), "PATCH", `/v1/orgs/${organizationId}`, token, { name: NAME });
  await service.api(z.unknown(), "PATCH", "/v1/auth/me", token, { displayName: NAME });
  const cameraId = await sendImages(service, site, NAME, [5 * HOUR, HOUR]);
  const client = createClient({ baseUrl: service.url, personalAccessToken: token });
  const file = new Blob(["工地"], { type: "text/plain" });
  const { id: documentId } = await client.uploadDocument({ locationId, file, fileName: `${NAME}.txt` });
  const template = { key: "1", displayName: NAME, contentTemplateJson: { [NAME]: "", "2": "" }, bodyFieldPath: "2" };
  const templates = `/v1/reports/templates/organizations/${organizationId}`;
  await service.api(withId, "POST", templates, token, template);
  const camera = `/console/cameras/${cameraId}`;
  const here = `/console/locations/${locationId}`;
  const named = (prefix: string, parts: string[]) =>
    parts.map((part) => [`${prefix} ${part}`, `/console/${prefix}/${part}`]);
  views = {
    locations: "/console/locations",
    location: here,
    ...Object.fromEntries(
      ["documents", "cameras", "reports", "annotations", "people"].map((tab) => [`location ${tab}`, `${here}/${tab}`]),
    ),
    cluster: `/console/clusters/${clusterId}`,
    document: `/console/documents/${documentId}`,
    map: "/console/locations?view=map",
    cameras: "/console/cameras",
    "control room": "/console/cameras?room=on",
    archive: camera,
    ...Object.fromEntries(
      ["settings", "device", "review"].map((part) => [`camera ${part}`, cameraPartPath(locationId, cameraId, part)]),
    ),
    reports: "/console/reports",
    templates: "/console/reports/templates",
    "shared parts": "/console/reports/partials",
    "new shared part": `/console/reports/new-partial?organizationId=${organizationId}`,
    search: `/console/search?q=${encodeURIComponent(NAME)}`,
    "search without results": "/console/search?q=0",
    inbox: "/console/inbox",
    trash: "/console/trash",
    lost: "/console/nothing",
    ...Object.fromEntries([
      ...named("settings", [
        "profile",
        "sessions",
        "passkeys",
        "notifications",
        "tokens",
        "deleted-organizations",
        "organization",
        "members",
        "branding",
        "usage",
        "searches",
        "webhooks",
        "audit",
        "cleanups",
      ]),
      ...named("admin", ["index", "jobs", "organizations", "databases", "deleted"]),
    ]),
  };
  await enter("locations");
  await speakPseudoLanguage(page);
});

/** Words that are no texts of the console: units, clocks, zones, addresses, keys, a database, and names of other products. */
const NO_TEXTS = [
  /\b(?:byte|[kMG]B)\b/g,
  /\b(?:UTC|GMT|first)\b/g,
  /\b[A-Z]\w+(?:\/[\w+-]+)+/g,
  /\S+@people\.test/g,
  /\bhttps?:\S+/g,
  /\.txt\b|\b[0-9a-f]{64}\b/g,
  /\b(?:node|Chrome|Linux)\b/g,
];

const readings = z.array(z.tuple([z.string(), z.string()]));

/** The plain words on the page that no catalogue has, with the elements that show them. */
async function plainWords(): Promise<string[]> {
  const texts = readings.parse(await page.evaluate(READ_TEXTS));
  const rests = texts.map(([where, text]) => [where, NO_TEXTS.reduce((rest, known) => rest.replace(known, ""), text)]);
  return [...new Set(rests.filter(([, rest = ""]) => /[A-Za-z]{2}/.test(rest)).map((each) => each.join(": ")))];
}

/** Requests that may stay open: live messages, and one that a view repeats. */
const MAX_OPEN = 2;
/** Time without a new or ended request after which a view waits for nothing, milliseconds. */
const IDLE_MS = 500;

/** Opens a view, and waits until it shows the other letters and nothing waits. A failure names the open requests. */
async function openView(path: string): Promise<void> {
  const open = new Set<HTTPRequest>();
  let changedAt = Date.now();
  const begin = (request: HTTPRequest) => {
    open.add(request);
    changedAt = Date.now();
  };
  const end = (request: HTTPRequest) => {
    open.delete(request);
    changedAt = Date.now();
  };
  page.on("request", begin).on("requestfinished", end).on("requestfailed", end);
  try {
    await page.goto(`${service.url}${path}`);
    await eventually(async () => {
      expect(await page.evaluate("document.title")).toContain("⟦");
      expect(await page.evaluate("document.querySelector('main, form') !== null")).toBe(true);
      expect(await page.evaluate("document.querySelectorAll('[aria-busy=true], .opening').length")).toBe(0);
      const urls = [...open].map((request) => request.url());
      expect(urls.slice(MAX_OPEN), path).toEqual([]);
      expect(Date.now() - changedAt, path).toBeGreaterThan(IDLE_MS);
    }, LONG_PATIENCE);
  } finally {
    page.off("request", begin).off("requestfinished", end).off("requestfailed", end);
  }
}

/**
 * The places of the parts of a page that the layout puts beside each other, with the name of each. A part inside a line of text
 * follows the text, and a picture, a map and an axis of time have the same sides in every language.
 */
const READ_PLACES = `(() => {
  const found = [];
  const inLine = new Set();
  for (const one of document.body.querySelectorAll("*")) if (one.scrollLeft !== 0) one.scrollLeft = 0;
  for (const one of document.body.querySelectorAll("*")) {
    const { display, direction } = getComputedStyle(one);
    const { parentElement } = one;
    if (inLine.has(parentElement) || display.startsWith("inline") || one.closest("svg, .stage, .time, .last24, .cm-editor, .map-mark")) {
      inLine.add(one);
      continue;
    }
    const { left, right, width, height } = one.getBoundingClientRect();
    const name = one.tagName.toLowerCase() + (one.className ? "." + String(one.getAttribute("class")).replaceAll(" ", ".") : "");
    if (width > 0 && height > 0 && one.checkVisibility({ visibilityProperty: true })) found.push([name, left, right]);
  }
  return { width: document.documentElement.clientWidth, found };
})()`;
const places = z.object({ width: z.number(), found: z.array(z.tuple([z.string(), z.number(), z.number()])) });

/** The parts of the page that do not change their side when people read from right to left. */
async function unmirrored(): Promise<string[]> {
  const before = places.parse(await page.evaluate(READ_PLACES));
  const after = places.parse(await page.evaluate(`document.documentElement.dir = "rtl"; ${READ_PLACES}`));
  const wrong = after.found.flatMap(([name, left, right], n) => {
    const [same, was, until] = before.found[n] ?? [];
    if (name !== same || was === undefined || until === undefined) return [`${name} instead of ${same}`];
    const isMirrored =
      Math.abs(after.width - right - was) <= MAX_OFFSET_PX && Math.abs(after.width - left - until) <= MAX_OFFSET_PX;
    return isMirrored
      ? []
      : [`${name} ${Math.round(was)}-${Math.round(until)}: ${Math.round(left)}-${Math.round(right)}`];
  });
  return wrong;
}
/** Letters that are joined or rounded differently, pixels. */
const MAX_OFFSET_PX = 2;

test("no view of the console has a text outside the catalogues, and each one is mirrored for languages from right to left", async () => {
  const found: Record<string, string[]> = {};
  const sides: Record<string, string[]> = {};
  for (const [name, path] of Object.entries(views)) {
    await openView(path);
    const words = await plainWords();
    if (words.length > 0) found[name] = words;
    const wrong = await unmirrored();
    if (wrong.length > 0) sides[name] = wrong;
  }
  expect(found).toEqual({});
  expect(sides).toEqual({});
});
