import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { openBrowser, openTab } from "./support/browser";
import { Canary } from "./support/printing/canary";
import { LoggedBrowsers } from "./support/printing/logged-browsers";
import { CSS_WAYS, HTML_WAYS, SVG_WAYS, writeWays } from "./support/printing/ways-out";
import { newSite, RunningService, type Site } from "./support/running";

/*
 * Hostile authors of templates, drafts, branding and logos try every way out of a PDF, and out of the preview in
 * another user's browser, through every route of the API.
 */

let browsers: LoggedBrowsers;
let canary: Canary;
let service: RunningService;
let site: Site;

beforeAll(async () => {
  browsers = await LoggedBrowsers.link();
  canary = await Canary.start();
  service = await RunningService.start({}, { XDG_CACHE_HOME: browsers.cacheHome });
  site = await newSite(service);
});

afterAll(async () => {
  await service?.stop();
  canary?.stop();
  browsers?.remove();
});

const withId = z.object({ id: z.string() });
const started = z.object({
  uploadId: z.string(),
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
});

const api = <T extends z.ZodType>(schema: T, method: string, path: string, body?: unknown) =>
  service.api(schema, method, path, site.token, body);
const headers = () => ({ authorization: `Bearer ${site.token}`, "content-type": "application/json" });

/** Status and code of an answer that may be a refusal. */
async function attempt(method: string, path: string, body?: unknown): Promise<{ status: number; code: string }> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(`${service.url}${path}`, { method, headers: headers(), ...sent });
  const text = await response.text();
  return { status: response.status, code: /"code":"([a-z-]+)"/.exec(text)?.[1] ?? "" };
}

/** Uploads a drawing as logo or banner. Returns whether the service accepted it. */
async function upload(slot: "logo" | "banner", drawing: string): Promise<boolean> {
  const path = `/v1/orgs/${site.organizationId}/branding/assets/${slot}`;
  const { uploadId, uploadUrl, requiredHeaders } = await api(started, "POST", `${path}/upload-start`, {
    fileName: "mark.svg",
    contentType: "image/svg+xml",
    sizeBytes: Buffer.byteLength(drawing),
    checksumSha256: createHash("sha256").update(drawing).digest("hex"),
  });
  const put = await fetch(uploadUrl, { method: "PUT", headers: requiredHeaders, body: drawing });
  expect(put.status).toBe(200);
  const { status } = await attempt("POST", `${path}/upload-complete`, { uploadId });
  expect([200, 422]).toContain(status);
  return status === 200;
}

/** Every attack of these kinds, in every place that a template and a draft have. */
interface Attack {
  names: string[];
  /** By place: head and body of the layout, markdown, a field. */
  html: Record<"head" | "layout" | "body" | "field", string>;
}

const styles = (place: string) => writeWays(CSS_WAYS, `api/${place}`, canary.outside).map(({ text }) => text);

function attackOf(names: readonly string[]): Attack {
  const ways = Object.fromEntries(names.flatMap((name) => (name in HTML_WAYS ? [[name, HTML_WAYS[name]]] : [])));
  const at = (place: string) =>
    writeWays(ways as typeof HTML_WAYS, `api/${place}`, canary.outside)
      .map(({ text }) => text)
      .join("\n");
  return { names: [...names], html: { head: at("head"), layout: at("layout"), body: at("body"), field: at("field") } };
}

/** Creates a report that tries these attacks. Returns its id, or null when its page is refused. */
async function newReport({ names, html }: Attack): Promise<string | null> {
  const drawings = writeWays(SVG_WAYS, "api/inline", canary.outside).map(({ text }) => text.replace(/<[?!].*?>/g, ""));
  const template = await api(withId, "POST", `/v1/reports/templates/organizations/${site.organizationId}`, {
    key: `attack-${crypto.randomUUID()}`,
    displayName: names.join().slice(0, 100),
    contentTemplateJson: { body: "" },
    bodyFieldPath: "body",
    htmlLayoutTemplate: `<html><head><style>{{stylesheet_css}}</style>${html.head}</head><body class="a" bgcolor="{{branding.primary_color}}">
<img src="{{branding.logo_data_url}}"><img src="{{{branding.banner_data_url}}}">
<p style="background:url({{branding.logo_data_url}});color:{{branding.accent_color}};--x:{{css}}" title="{{field}}">{{branding.slogan}}{{{branding.slogan}}}</p>
<div>y</div><ul><li>z</ul><h1>w</h1>{{image "field"}}{{image_list "addresses"}}{{body_html}}{{{field}}}${html.layout}`,
    cssStylesheetTemplate: `${styles("stylesheet").join("\n")}
@page { @top-left { content: "{{branding.brand_name}}{{css}}" } } p { background: {{css}}; border-color: {{branding.brand_name}} }`,
  });
  const { web } = canary.outside;
  const { id } = await api(withId, "POST", `/v1/reports/locations/${site.locationId}`, {
    templateId: template.id,
    title: `<img src="${web}/api/title">`,
    contentJson: {
      body: `![a](${web}/api/markdown)\n\n![b][ref] <${web}/api/link>\n\n[ref]: ${web}/api/reference\n\n${html.body}\n\n${drawings.join("\n")}`,
      field: html.field,
      css: styles("value").join(" "),
      addresses: [`${web}/api/gallery`, { documentPath: `${web}/api/path` }, "file:///etc/passwd"],
    },
  });
  const { status, code } = await attempt("GET", `/v1/reports/${id}/preview`);
  if (status === 200) return id;
  expect([status, code]).toEqual([422, "rule-violated"]);
  return null;
}

/** Creates reports that try all of these attacks, with as few pages as possible: a refused page is split in halves. */
async function reportsOf(names: readonly string[]): Promise<{ id: string; names: readonly string[] }[]> {
  const id = await newReport(attackOf(names));
  if (id !== null) return [{ id, names }];
  if (names.length <= 1) return [];
  const half = names.length >> 1;
  return [...(await reportsOf(names.slice(0, half))), ...(await reportsOf(names.slice(half)))];
}

async function printed(reportId: string): Promise<void> {
  const { jobId } = await api(z.object({ jobId: z.string() }), "POST", `/v1/reports/${reportId}/generate-pdf`);
  const job = z.object({ status: z.string(), error: z.unknown(), finishedAtUtc: z.string().nullable() });
  const read = () => api(job, "GET", `/v1/reports/jobs/${jobId}`);
  await eventually(async () => expect((await read()).finishedAtUtc).not.toBeNull(), 4 * LONG_PATIENCE);
  expect(await read()).toMatchObject({ status: "succeeded", error: null });
}

vi.setConfig({ testTimeout: 900_000 });

test("no template, text, branding or logo lets a report reach outside of its page", async () => {
  const branding = `/v1/orgs/${site.organizationId}/branding`;
  const { outside } = canary;
  for (const { text } of writeWays(CSS_WAYS, "api/colour", outside)) {
    const refused = await attempt("PUT", branding, { primaryColor: `#0b5fff;}${text}` });
    expect(refused.status).toBe(400);
  }
  const out = `"}</style><img src=${outside.web}/api/brand>`;
  expect((await attempt("PUT", branding, { primaryColor: "#0b5fff", brandName: out, slogan: out })).status).toBe(200);

  const drawings = writeWays(SVG_WAYS, "api/logo", outside);
  const taken: string[] = [];
  for (const { name, text } of drawings) {
    const slot = name === "svg stylesheet instruction" ? "banner" : "logo";
    if ((await upload(slot, text)) && slot === "logo") taken.push(text);
  }
  expect(taken.length).toBeGreaterThan(6);
  const all = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="90">${taken.join("")}</svg>`;
  expect(await upload("logo", all)).toBe(true);

  const names = Object.keys(HTML_WAYS);
  const groups = Array.from({ length: 5 }, (_, n) => names.filter((_way, at) => at % 5 === n));
  const reports = (await Promise.all(groups.map(reportsOf))).flat();
  const tried = reports.flatMap((report) => report.names);
  expect(tried.length).toBeGreaterThan(60);
  await Promise.all(reports.map(({ id }) => printed(id)));

  const reader = await openBrowser(browsers.argument("reader"));
  for (const { id } of reports) {
    const page = await openTab(reader);
    await page.setExtraHTTPHeaders({ authorization: `Bearer ${site.token}` });
    const answer = await page.goto(`${service.url}/v1/reports/${id}/preview`);
    expect(answer?.status()).toBe(200);
    await page.close();
  }
  await reader.close();

  expect([canary.requests, canary.connections]).toEqual([[], 0]);
  // The log of a browser is complete after its end.
  await service.stop();
  await browsers.noneLeft();
  const log = browsers.logsOf([...browsers.started, "reader"]);
  expect(log.length).toBeGreaterThan(10_000);
  const { web, socket, domain } = outside;
  expect([web, socket, domain, "/etc/passwd"].filter((trace) => log.includes(trace))).toEqual([]);
});
