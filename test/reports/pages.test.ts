import { eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { loadCredential, userRef } from "../../src/access";
import { documentVersions } from "../../src/documents/tables";
import { encodeJpeg, jpegSize, pictureOfRgba } from "../../src/platform/jpeg";
import { DAY, MINUTE } from "../../src/platform/time";
import type { Reader } from "../../src/reports/rendering/images/resolve";
import { languageOf } from "../../src/reports/rendering/language";
import { reportInputSchema } from "../../src/reports/rendering/layout";
import { prepareReport, renderInput } from "../../src/reports/rendering/render";
import { reportImages, reports } from "../../src/reports/tables";
import { storedObjects } from "../../src/uploads/tables";
import { call } from "../support/call";
import { mintCamera, mintImage } from "../support/cameras";
import { uploadDocument } from "../support/documents";
import { mintGrant, mintLocation, mintOrganization, mintPerson, mintToken, type Person } from "../support/factories";
import { endedJobs, systemContext } from "../support/jobs";
import { eventually } from "../support/patience";
import { exifSegment, scene, splice } from "../support/pictures";
import { scenePng } from "../support/png";
import { mintReport, mintTemplate } from "../support/reports";
import { testDatabase } from "../support/statements";

const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);
const jpeg = (width: number, height: number) => own(encodeJpeg(pictureOfRgba(scene(width, height), width, height), 88));

interface Site {
  organizationId: string;
  owner: Person;
  location: { id: string; clusterId: string };
  report: (content: object, layout?: string, more?: object) => Promise<string>;
  put: (path: string, bytes: Uint8Array<ArrayBuffer>) => Promise<{ id: string; version: number }>;
}

async function mintSite(): Promise<Site> {
  const { id: organizationId, owner } = await mintOrganization({ name: "Northwick" });
  const location = await mintLocation({ organizationId }, { name: "Quay", address: "1 Mole" });
  return {
    organizationId,
    owner,
    location,
    report: async (content, layout = "{{body_html}}", more = {}) => {
      const template = await mintTemplate({ organizationId }, { htmlLayoutTemplate: layout, ...more });
      return mintReport({ organizationId }, location, {
        templateId: template.id,
        contentJson: { ...content },
        createdBy: owner.userId,
      });
    },
    put: async (full, bytes) => {
      const segments = full.split("/");
      const fileName = segments.pop() ?? "";
      const file = { path: segments.join("/"), fileName, bytes, contentType: "application/octet-stream" };
      return uploadDocument(owner.token, location.id, file);
    },
  };
}

const preview = async (token: string, reportId: string) => {
  const response = await call("GET", `/v1/reports/${reportId}/preview`, { token });
  return { status: response.status, html: await response.text(), headers: response.headers };
};

async function readerOf(userId: string): Promise<Reader> {
  const credential = userRef(userId);
  const live = await loadCredential(systemContext(), credential, Date.now());
  if (live === null) throw new Error("no such person");
  return { facts: live.facts, credential };
}

/** Renders like a PDF job: missing pictures are scaled. */
async function make(reportId: string, userId: string) {
  const context = systemContext();
  const [report] = await testDatabase().select().from(reports).where(eq(reports.id, reportId));
  if (report === undefined) throw new Error("no such report");
  const prepared = await prepareReport(context, report, await readerOf(userId));
  // The data that a job keeps of it is JSON.
  const input = reportInputSchema.parse(JSON.parse(JSON.stringify(prepared.input)));
  const page = await renderInput(context, input, "make");
  return { ...prepared, page: { ...page, html: [...page.html].join("") } };
}

/** Bytes of the pictures of a page, in order. */
const picturesOf = (html: string): Uint8Array[] =>
  [...html.matchAll(/src="data:image\/jpeg;base64,([^"]+)"/g)].map(([, text = ""]) => Uint8Array.fromBase64(text));
const sizesOf = (html: string) => picturesOf(html).map((bytes) => jpegSize(bytes));

describe("a page", () => {
  test("has the values of the draft, the reserved values, the body and the stylesheet", async () => {
    const site = await mintSite();
    const layout =
      '<html lang="nb"><style>{{stylesheet_css}}</style><h1>{{report.title}} at {{location.name}}</h1>{{template.key}}|{{report.revision}}|{{report.created_by}}|{{branding.organization_name}}|{{weather.wind}}|{{report.mine}}{{body_html}}</html>';
    const content = { weather: { wind: "6 < 7" }, report: { mine: "shadowed" }, body: "**strong** <u>raw</u>" };
    const more = { key: "k1", cssStylesheetTemplate: 'h1{color:red;content:"{{location.name}}</style>"}' };
    const { html, status, headers } = await preview(site.owner.token, await site.report(content, layout, more));
    expect(status).toBe(200);
    expect(html).toContain(
      '<h1>Report at Quay</h1>k1|1|Person|Northwick|6 &lt; 7|<p dir="auto"><strong>strong</strong> <u>raw</u></p>',
    );
    expect(html).toContain('<style>h1{color:red;content:"Quay<\\/style>"}</style>');
    expect(html).toMatch(
      /^<!doctype html><html lang="nb"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy"/,
    );
    expect(headers.get("content-type")).toMatch(/^text\/html/);
    expect(headers.get("content-security-policy")).toMatch(/^sandbox; default-src 'none'; img-src data:;/);
  });

  test("has the reserved values also inside sections whose items have such fields", async () => {
    const site = await mintSite();
    const layout =
      "{{#findings}}[{{report.title}}|{{location.name}}|{{template.key}}|{{branding.organization_name}}|{{{body_html}}}|{{what}}]{{/findings}}{{findings.0.location}}";
    const fake = { name: "Elsewhere", title: "Other", key: "k2", organization_name: "Others" };
    const shadows = { report: fake, location: fake, template: fake, branding: fake, body_html: "<b>Other</b>" };
    const content = {
      body: "Words",
      findings: [
        { what: "rust", ...shadows, location: "Caisson 3" },
        { what: "rot", ...shadows },
      ],
    };
    const { html } = await preview(site.owner.token, await site.report(content, layout, { key: "k1" }));
    const shown = (what: string) => `[Report|Quay|k1|Northwick|<p dir="auto">Words</p>\n|${what}]`;
    expect(html).toContain(`${shown("rust")}${shown("rot")}Caisson 3`);
  });

  test("of a template without layout has cover, contents, facts, tables and the body", async () => {
    const site = await mintSite();
    const content = {
      inspector: "A. Keeper",
      windSpeed: 12,
      findings: [
        { place: "Caisson 3", severity: "low" },
        { place: "Ladder", severity: "high" },
      ],
      body: "# Summary\n\nText.\n\n# Findings\n\n## First\n\nMore.\n\n## Second\n\n# Signed",
      language: "de-AT",
    };
    const { html } = await preview(site.owner.token, await site.report(content, ""));
    for (const piece of [
      'lang="de-AT"',
      "@bottom-right",
      'class="cover"',
      '<a href="#findings" dir="auto">Findings</a>',
      '<dt dir="auto">Wind speed</dt><dd dir="auto">12</dd>',
      "<th>Severity</th>",
      "<td>Caisson 3</td>",
      '<h1 id="summary" dir="auto">Summary</h1>',
    ])
      expect(html).toContain(piece);
  });

  test("takes its body and its pictures from fields whose names have spaces", async () => {
    const site = await mintSite();
    const content = { "Site notes": { "long text": "*Words*" }, "Site photo": "lost.jpg" };
    const more = { bodyFieldPath: "Site notes.long text" };
    const { html } = await preview(
      site.owner.token,
      await site.report(content, '{{body_html}}{{image "Site photo"}}', more),
    );
    expect(html).toContain('<p dir="auto"><em>Words</em></p>');
    expect(html).toContain("lost.jpg");
  });

  test("leaves out the section of its contents if it has too few headings", async () => {
    const site = await mintSite();
    const layout = "{{#contents_html}}<h2>In this report</h2>{{contents_html}}{{/contents_html}}{{body_html}}";
    const { html: few } = await preview(site.owner.token, await site.report({ body: "# A\n".repeat(4) }, layout));
    expect(few).not.toContain("In this report");
    const { html: many } = await preview(site.owner.token, await site.report({ body: "# A\n".repeat(90) }, layout));
    expect(many).toContain('<h2>In this report</h2><ol class="report-contents">');
    expect(many.match(/<li class="contents-level-1">/g)).toHaveLength(90);
  });

  test("runs and loads nothing, for every way to try it", async () => {
    const site = await mintSite();
    const evil = [
      "<script>fetch('http://evil.test/1')</script>",
      '<iframe src="http://evil.test/2"></iframe>',
      '<link rel="preconnect" href="http://evil.test">',
      '<meta http-equiv="refresh" content="0;url=http://evil.test/3">',
      '<base href="http://evil.test/">',
      '<noscript><link rel="dns-prefetch" href="http://evil.test"></noscript>',
      '<svg><script>1</script><a xlink:href="javascript:1"/></svg>',
      '<object data="http://evil.test/4"></object>',
    ].join("\n");
    const layout = `${evil}{{{raw}}}<p title="{{image "photo"}}<script>late()</script>">x</p>{{body_html}}`;
    const { html, status } = await preview(
      site.owner.token,
      await site.report({ raw: evil, body: evil, photo: "a.jpg" }, layout),
    );
    expect(status).toBe(200);
    const after = html.slice(html.indexOf("<style>"));
    const literal = '<script>late()</script>">x</p>';
    expect(after.replace(literal, "")).not.toMatch(/<(?:script|iframe|link|base|noscript|object|meta)\b/i);
    // Text in an attribute is not an element, and stays text.
    expect(after).toContain(literal);
    expect(after).not.toContain('class="report-image"');
  });

  test("names the place of an error during rendering", async () => {
    const site = await mintSite();
    const id = await site.report({ a: Array.from({ length: 1000 }, () => 0) }, "\n {{#a}}{{#a}}{{/a}}{{/a}}");
    const { status, html } = await preview(site.owner.token, id);
    expect(status).toBe(422);
    expect(html).toContain("htmlLayoutTemplate, line 2, column");
  });
});

describe("pictures", () => {
  test("are scaled once and stored: upright, 1,600 px alone, and in a gallery the medium preview of the upload", async () => {
    const site = await mintSite();
    const turned = jpeg(1700, 1020);
    const front = await site.put(
      "photos/front.jpg",
      splice(turned, 2, 0, exifSegment(6, false)) as Uint8Array<ArrayBuffer>,
    );
    const plan = await site.put("plan.png", scenePng(1040, 720));
    const layout = '{{image "cover"}}{{image_list "photos" 3}}{{image_list "photos" 1}}';
    const photos = ["photos/front.jpg", { documentPath: "plan.png", caption: "The <plan>" }];
    const id = await site.report(
      { cover: { documentPath: "documents/photos/front.jpg", caption: null }, photos },
      layout,
    );
    const first = await make(id, site.owner.userId);
    expect(first.page.missingImages).toEqual([]);
    expect(sizesOf(first.page.html)).toEqual([
      { width: 960, height: 1600 },
      { width: 614, height: 1024 },
      { width: 1024, height: 709 },
      { width: 614, height: 1024 },
    ]);
    expect(first.page.html).toContain('<figcaption dir="auto">The &lt;plan&gt;</figcaption>');
    const rows = await testDatabase().select().from(reportImages);
    const keys = rows.map(({ objectKey }) => objectKey);
    const kept = await testDatabase()
      .select()
      .from(storedObjects)
      .where(eq(storedObjects.tenantId, site.organizationId));
    expect(
      kept.filter(({ key }) => keys.includes(key)).map(({ chargedBytes, purgeAfter }) => [chargedBytes, purgeAfter]),
    ).toEqual([[0, null]]);
    const again = await make(id, site.owner.userId);
    expect(again.digest).toBe(first.digest);
    expect(sizesOf(again.page.html)).toEqual(sizesOf(first.page.html));
    expect((await testDatabase().select().from(reportImages)).map(({ createdAt }) => createdAt)).toEqual(
      rows.map(({ createdAt }) => createdAt),
    );
    const versions = await testDatabase()
      .select()
      .from(documentVersions)
      .where(inArray(documentVersions.documentId, [front.id, plan.id]));
    expect(versions.map(({ derivativeStatus }) => derivativeStatus)).toEqual(["ready", "ready"]);
  });

  test("are the latest version unless one is named, and are deleted with their document", async () => {
    const site = await mintSite();
    const first = await site.put("photos/a.jpg", jpeg(400, 300));
    const second = await site.put("photos/a.jpg", jpeg(500, 200));
    expect([first.version, second.version]).toEqual([1, 2]);
    const layout = '{{image "a"}}{{image "b"}}{{image "c"}}';
    const id = await site.report(
      { a: "photos/a.jpg", b: "photos/v00000001/a.jpg", c: "photos/v00000009/a.jpg" },
      layout,
    );
    const { page, digest } = await make(id, site.owner.userId);
    expect(sizesOf(page.html)).toEqual([
      { width: 500, height: 200 },
      { width: 400, height: 300 },
    ]);
    expect(page.missingImages).toEqual([
      { image: "photos/v00000009/a.jpg", code: "not-found", detail: expect.any(String) },
    ]);
    await site.put("photos/a.jpg", jpeg(300, 300));
    expect((await make(id, site.owner.userId)).digest).not.toBe(digest);
    expect((await call("DELETE", `/v1/documents/${first.id}?purge=true`, site.owner)).status).toBe(204);
    await endedJobs(site.organizationId, "delete-tree");
    const left = testDatabase().select().from(reportImages).where(eq(reportImages.documentId, first.id));
    expect(await left).toEqual([]);
    await eventually(async () => {
      const objects = await testDatabase()
        .select()
        .from(storedObjects)
        .where(eq(storedObjects.tenantId, site.organizationId));
      expect(objects.filter(({ purgeAfter }) => purgeAfter === null)).toEqual([]);
    });
  });

  test("that are missing are listed with the reason and drawn as a placeholder", async () => {
    const site = await mintSite();
    await site.put("notes.txt", own(new TextEncoder().encode("no picture")));
    await site.put("broken.jpg", splice(jpeg(400, 300), 2000, 4000) as Uint8Array<ArrayBuffer>);
    const large = scenePng(8, 8);
    new DataView(large.buffer).setUint32(16, 6_001);
    new DataView(large.buffer).setUint32(20, 4_000);
    await site.put("large.png", large);
    const wanted = ["gone.jpg", "notes.txt", "broken.jpg", "large.png", 7, { caption: "nothing" }];
    const { page } = await make(await site.report({ wanted }, '{{image_list "wanted"}}'), site.owner.userId);
    expect(page.missingImages.map(({ image, code }) => [image, code])).toEqual([
      ["gone.jpg", "not-found"],
      ["notes.txt", "not-a-picture"],
      ["broken.jpg", "damaged"],
      ["large.png", "too-large"],
      ["7", "not-found"],
      ['{"caption":"nothing"}', "not-found"],
    ]);
    expect(page.html.match(/<strong>Picture missing/g)).toHaveLength(6);
  });

  test("are limited to pictures that the user may read in the report's location", async () => {
    const site = await mintSite();
    await site.put("a.jpg", jpeg(300, 200));
    const elsewhere = await mintLocation({ organizationId: site.organizationId });
    await uploadDocument(site.owner.token, elsewhere.id, { fileName: "b.jpg", bytes: jpeg(300, 200) });
    const id = await site.report({ a: "a.jpg", b: "b.jpg" }, '{{location.name}}{{image "a"}}{{image "b"}}');
    await endedJobs(site.organizationId, "derive-images");
    const full = await preview(site.owner.token, id);
    expect([picturesOf(full.html).length, full.html.includes("Quay")]).toEqual([1, true]);
    const reader = await mintPerson();
    await mintGrant({ organizationId: site.organizationId }, reader.userId, "cluster", site.location.clusterId, {
      Reports: "Read",
    });
    const narrow = await preview(reader.token, id);
    expect([picturesOf(narrow.html).length, narrow.html.includes("Quay")]).toEqual([0, false]);
    const { token } = await mintToken(site.owner.userId, { capabilities: { Reports: "Read" } });
    expect(picturesOf((await preview(token, id)).html)).toEqual([]);
  });

  test("may be frames of a camera there: the nearest to a moment, or some of a period, with their real times", async () => {
    const site = await mintSite();
    const camera = await mintCamera(site.organizationId, site.location.id);
    const noon = Math.floor(Date.now() / DAY) * DAY - DAY / 2;
    for (const minute of [0, 20, 40, 60])
      await mintImage(camera, site.location.id, { capturedAt: noon + minute * MINUTE });
    const at = (minute: number) => new Date(noon + minute * MINUTE).toISOString();
    const content = {
      one: { cameraId: camera.id, at: at(22) },
      named: { cameraId: camera.id, at: at(22), caption: "Second" },
      day: { cameraId: camera.id, from: at(0), to: at(60), count: 3 },
      none: { cameraId: site.location.id, at: at(0) },
    };
    const layout = '{{image "one"}}{{image "named"}}{{image_list "day" 2}}{{image_list "day"}}{{image "none"}}';
    const id = await site.report(content, layout);
    const { page } = await make(id, site.owner.userId);
    const captions = [...page.html.matchAll(/<figcaption dir="auto">([^<]*)</g)].map(([, text]) => text);
    const { moment } = languageOf(undefined, "", "UTC");
    const time = (minute: number) => moment(noon + minute * MINUTE);
    expect(captions.slice(0, 2)).toEqual([time(20), "Second"]);
    expect(captions).toHaveLength(7);
    expect([captions[2], captions[4], captions[6]]).toEqual([time(0), time(0), time(60)]);
    expect(picturesOf(page.html)).toHaveLength(7);
    expect(page.missingImages.map(({ code }) => code)).toEqual(["not-found"]);
    expect(picturesOf((await preview(site.owner.token, id)).html)).toHaveLength(7);
    const { token } = await mintToken(site.owner.userId, { capabilities: { Reports: "Read", Documents: "Read" } });
    expect(picturesOf((await preview(token, id)).html)).toEqual([]);
  });

  test("may be frames of sixty periods and moments, of up to a hundred frames each, and no more", async () => {
    const site = await mintSite();
    const camera = await mintCamera(site.organizationId, site.location.id);
    const noon = Math.floor(Date.now() / DAY) * DAY - DAY / 2;
    await mintImage(camera, site.location.id, { capturedAt: noon });
    const at = (minute: number) => new Date(noon + minute * MINUTE).toISOString();
    const period = (minute: number, count = 1) => ({ cameraId: camera.id, from: at(-minute), to: at(1), count });
    const content = {
      periods: Array.from({ length: 61 }, (_, n) => period(n + 1)),
      // A repeated request gets the existing job, and takes no place.
      again: period(1),
      most: period(1, 100),
      tooMany: period(1, 101),
    };
    const layout = '{{image_list "periods"}}{{image_list "again"}}';
    const { page } = await make(await site.report(content, layout), site.owner.userId);
    expect(picturesOf(page.html)).toHaveLength(61);
    expect(page.missingImages).toEqual([
      { image: JSON.stringify(period(61)), code: "too-many", detail: expect.stringContaining("Show fewer") },
    ]);
    const counts = '{{image_list "most"}}{{image_list "tooMany"}}';
    const other = await make(await site.report(content, counts), site.owner.userId);
    expect(picturesOf(other.page.html)).toHaveLength(1);
    expect(other.page.missingImages).toMatchObject([
      { image: JSON.stringify(content.tooMany).slice(0, 200), code: "not-found" },
    ]);
  });

  test("have the preview size of their upload in a preview, until a PDF needs them larger", async () => {
    const site = await mintSite();
    await site.put("a.jpg", jpeg(1650, 990));
    await endedJobs(site.organizationId, "derive-images");
    const id = await site.report({ a: "a.jpg" }, '{{image "a"}}');
    expect(sizesOf((await preview(site.owner.token, id)).html)).toEqual([{ width: 1024, height: 614 }]);
    await make(id, site.owner.userId);
    expect(sizesOf((await preview(site.owner.token, id)).html)).toEqual([{ width: 1600, height: 960 }]);
  });
});
