import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { pairCamera } from "../support/cameras";
import { enter, page, service, site, useDesk } from "../support/desk";

/*
 * What people wait for on a slow network, in numbers that do not depend on the machine: the turns over the network before the
 * largest content, the bytes until then, and how much the page moves.
 */

const HOUR = 3_600_000;
const withId = z.looseObject({ id: z.string() });
/** A delay of 400 ms, and 1 Mbit/s in bytes per second. */
const SLOW = { latency: 400, download: 125_000, upload: 125_000 };
/** The limits of a view: turns over the network, kilobytes as they are sent, and the sum of layout shifts. */
const MAX_SHIFT = 0.05;

/** Records the largest content, the layout shifts and what moved. */
const WATCHER = `
  window.seen = { lcp: 0, what: "", shift: 0, moved: [] };
  const named = (node) => (node?.nodeType === 1 ? node.tagName + "." + node.className : String(node?.nodeName));
  new PerformanceObserver((list) => {
    for (const { startTime, element } of list.getEntries()) Object.assign(window.seen, { lcp: startTime, what: named(element) });
  }).observe({ type: "largest-contentful-paint", buffered: true });
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.seen.shift += value;
      for (const { node } of sources) window.seen.moved.push(named(node) + " " + value.toFixed(3));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;
/** The longest chain of requests before the largest content, each begun after the one before it ended, and all their bytes. */
const MEASURED = `(() => {
  const { lcp, what, shift, moved } = window.seen;
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
    .filter(({ startTime, responseEnd }) => responseEnd > 0 && responseEnd <= lcp)
    .sort((a, b) => a.startTime - b.startTime);
  const turns = new Map();
  for (const one of all)
    turns.set(one, 1 + Math.max(0, ...all.filter(({ responseEnd }) => responseEnd <= one.startTime).map((before) => turns.get(before) ?? 0)));
  const bytes = all.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
  const chain = all.map((one) => turns.get(one) + " " + Math.round(one.startTime) + "-" + Math.round(one.responseEnd) + " " + new URL(one.name).pathname.slice(-50) + " " + one.encodedBodySize);
  return { lcp, what, shift, moved, turns: Math.max(...turns.values()), kilobytes: Math.round(bytes / 1000), chain };
})()`;
const measured = z.object({
  lcp: z.number(),
  what: z.string(),
  shift: z.number(),
  moved: z.array(z.string()),
  turns: z.number(),
  kilobytes: z.number(),
  chain: z.array(z.string()),
});

let views: Record<string, { path: string; ready: string; turns: number; kilobytes: number }> = {};

useDesk({ site: "entitled" }, async () => {
  const gate = await pairCamera(service, site, "Gate");
  for (const [n, age] of [3 * HOUR, 2 * HOUR, HOUR / 60].entries()) await gate.send(age, 60 * n, 640);
  const { organizationId, locationId, token } = site;
  const template = { key: "survey", displayName: "Survey", contentTemplateJson: { inspector: "", notes: "# Seen\n" } };
  const templates = `/v1/reports/templates/organizations/${organizationId}`;
  const { id: templateId } = await service.api(withId, "POST", templates, token, {
    ...template,
    bodyFieldPath: "notes",
  });
  const draft = { templateId, title: "Survey of the quay" };
  const report = await service.api(withId, "POST", `/v1/reports/locations/${locationId}`, token, draft);
  views = {
    wall: { path: "cameras", ready: 'img[alt="Latest picture of Gate"]', turns: 6, kilobytes: 150 },
    archive: { path: `cameras/${gate.id}`, ready: ".stage .picture", turns: 7, kilobytes: 180 },
    report: { path: `reports/${report.id}`, ready: ".report .live iframe", turns: 4, kilobytes: 150 },
  };
  await enter("inbox");
  await page.evaluateOnNewDocument(WATCHER);
  await page.emulateNetworkConditions(SLOW);
  // Each visit is the first one: nothing is in the cache.
  await page.setCacheEnabled(false);
});

test.each(["wall", "archive", "report"] as const)("%s is quick on a slow network, and does not move", async (name) => {
  const view = views[name];
  if (view === undefined) throw new Error(`There is no view ${name}.`);
  await page.goto(`${service.url}/console/${view.path}`);
  await page.waitForSelector(view.ready, { timeout: LONG_PATIENCE });
  // The largest content is known when it does not change any more.
  let before = -1;
  await eventually(async () => {
    const { lcp } = measured.parse(await page.evaluate(MEASURED));
    const isSame = lcp === before;
    before = lcp;
    expect(isSame && lcp > 0).toBe(true);
  }, LONG_PATIENCE);
  const found = measured.parse(await page.evaluate(MEASURED));
  console.log(name, JSON.stringify(found, null, 1));
  expect.soft(found.turns, "turns").toBeLessThanOrEqual(view.turns);
  expect.soft(found.kilobytes, "kilobytes").toBeLessThanOrEqual(view.kilobytes);
  expect.soft(found.shift, found.moved.join()).toBeLessThanOrEqual(MAX_SHIFT);
});

const LINK = /<([^>]+)>; rel=(?:modulepreload|preload)/g;

test("a page names the files of its view, and of no other one", async () => {
  const linked = async (path: string) =>
    [...((await fetch(`${service.url}/console/${path}`)).headers.get("link") ?? "").matchAll(LINK)].map(
      ([, file]) => file,
    );
  const [wall, archive, templates] = [
    await linked("cameras"),
    await linked(`cameras/${site.locationId}`),
    await linked("reports/templates"),
  ];
  expect(wall.some((file) => /\/cameras-[\w-]+\.js$/.test(file ?? ""))).toBe(true);
  expect(wall.some((file) => /\/archive-/.test(file ?? ""))).toBe(false);
  expect(archive.some((file) => /\/archive-[\w-]+\.js$/.test(file ?? ""))).toBe(true);
  expect(templates.some((file) => /\/look-/.test(file ?? ""))).toBe(false);
  expect(await linked("nothing")).toEqual([]);
  for (const file of new Set([...wall, ...archive, ...templates]))
    expect((await fetch(`${service.url}${file}`)).status, file).toBe(200);
});
