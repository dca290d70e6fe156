import { expect, test } from "vitest";
import { z } from "zod";
import { MAX_PARTIAL_DEPTH } from "../../src/reports/limits";
import { parseTemplate, renderTemplate, type TemplateProblem } from "../../src/reports/templating";
import { call } from "../support/call";
import { addMember, mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { refusal, shown } from "../support/rendered";
import { mintReport, mintReportJob, mintTemplate } from "../support/reports";

/* Parts that the templates of an organization share. */

type Owner = Awaited<ReturnType<typeof mintOrganization>>["owner"];

const pathOf = (organizationId: string, name = "") =>
  `/v1/reports/partials/organizations/${organizationId}${name && `/${name}`}`;
const put = (organizationId: string, owner: Owner, name: string, source: string, more: object = {}) =>
  call("PUT", pathOf(organizationId, name), { ...owner, body: { source, ...more } });
const usesSchema = z.object({ templates: z.array(z.object({ key: z.string() })) });
const read = async (response: Response) => (await response.json()) as Record<string, never>;

const page = (
  text: string,
  partials: Record<string, string>,
  source: "htmlLayoutTemplate" | "cssStylesheetTemplate" = "htmlLayoutTemplate",
) => {
  const problems: TemplateProblem[] = [];
  const view = { title: "A & B", rows: [{ title: "One" }, { title: "Two" }], photo: "a.jpg", n: 2.5 };
  const nodes = parseTemplate(source, text);
  const note = (problem: TemplateProblem) => problems.push(problem);
  const html = shown(renderTemplate({ source, text, nodes, view, partials: new Map(Object.entries(partials)), note }));
  return { html, problems };
};

test("a partial has the values of its place, is escaped as there, and can have sections, helpers and pictures", () => {
  const partials = {
    head: '<b>{{title}}</b>{{image "photo"}}',
    foot: '{{> head}}|{{number "n" digits=2}}',
    css: '"{{title}}"',
  };
  expect(page("{{> head}}{{#rows}}{{>head}}{{/rows}}", partials).html).toBe(
    '<b>A &amp; B</b><"a.jpg"><b>One</b><"a.jpg"><b>Two</b><"a.jpg">',
  );
  expect(page("  {{> foot }}\n", partials).html).toContain('<b>A &amp; B</b><"a.jpg">|2.50');
  expect(page("p{content:{{> css}}}", partials, "cssStylesheetTemplate").html).toBe('p{content:"A \\26  B"}');
  expect(refusal(() => page("{{> head}}", partials, "cssStylesheetTemplate"))).toBe(
    "template-invalid: partial head, line 1, column 17: a stylesheet cannot contain picture helpers",
  );
});

test("a partial within itself, or within too many others, shows nothing and is named", () => {
  const chain = Object.fromEntries(
    Array.from({ length: MAX_PARTIAL_DEPTH + 2 }, (_, at) => [`p${at}`, `${at}{{> p${at + 1}}}`]),
  );
  const deep = page("{{> p0}}.", chain);
  expect(deep.html).toBe(`${Array.from({ length: MAX_PARTIAL_DEPTH }, (_, at) => at).join("")}.`);
  expect(deep.problems).toEqual([{ code: "partial-too-deep", name: `p${MAX_PARTIAL_DEPTH}` }]);
  const circle = page("{{> a}}", { a: "a{{> b}}", b: "b{{> a}}{{> gone}}" });
  expect(circle.html).toBe("ab");
  expect(circle.problems).toEqual([
    { code: "partial-too-deep", name: "a" },
    { code: "partial-missing", name: "gone" },
  ]);
  const wide = Object.fromEntries(
    ["a", "b", "c", "d"].map((name, at, all) => [name, `{{> ${all[at + 1] ?? "e"}}}`.repeat(60)]),
  );
  expect(refusal(() => page("{{> a}}", { ...wide, d: "x".repeat(10) + "{{n}}".repeat(60) }))).toContain(
    "repeat too often",
  );
});

test("owners and admins write partials on the revision that they read, and members read them", async () => {
  const { id, owner } = await mintOrganization();
  const made = await put(id, owner, "letterhead", "<p>{{location.name}}</p>{{> address}}");
  expect([made.status, made.headers.get("etag")]).toEqual([200, '"1"']);
  expect(await read(made)).toMatchObject({
    name: "letterhead",
    revision: 1,
    partials: ["address"],
    organizationId: id,
  });
  expect((await put(id, owner, "letterhead", "<p>Two</p>", { baseRevision: 7 })).status).toBe(409);
  expect((await put(id, owner, "none", "<p>Two</p>", { baseRevision: 1 })).status).toBe(404);
  const second = await put(id, owner, "letterhead", "<p>Two</p>", { baseRevision: 1 });
  expect(await read(second)).toMatchObject({ revision: 2, partials: [], source: "<p>Two</p>" });
  const invalid = await put(id, owner, "letterhead", "<p>\n {{#open}}");
  expect(invalid.status).toBe(422);
  expect(await read(invalid)).toMatchObject({ code: "template-invalid", errors: [{ path: "source", line: 2 }] });
  expect((await put(id, owner, "Letter.Head", "x")).status).toBe(400);
  await put(id, owner, "address", "<p>Quay 1</p>");
  const list = await read(await call("GET", `${pathOf(id)}?limit=1`, owner));
  expect(list).toMatchObject({ items: [{ name: "address" }], nextCursor: expect.any(String) });
  const rest = await read(await call("GET", `${pathOf(id)}?limit=1&cursor=${list.nextCursor}`, owner));
  expect(rest).toMatchObject({ items: [{ name: "letterhead", revision: 2 }], nextCursor: null });
  expect(JSON.stringify(rest)).not.toContain("Two");
  const stranger = await mintPerson();
  for (const [method, name] of [
    ["GET", ""],
    ["GET", "address"],
    ["DELETE", "address"],
  ] as const)
    expect((await call(method, pathOf(id, name), stranger)).status).toBe(404);
});

test("a partial that would be within itself is refused", async () => {
  const { id, owner } = await mintOrganization();
  expect((await put(id, owner, "a", "{{> b}}")).status).toBe(200);
  expect((await put(id, owner, "b", "{{> c}}")).status).toBe(200);
  for (const [name, source] of [
    ["c", "{{#x}}{{> a}}{{/x}}"],
    ["d", "{{> d}}"],
  ] as const) {
    const refused = await put(id, owner, name, source);
    expect([refused.status, (await read(refused)).code]).toEqual([422, "rule-violated"]);
  }
});

test("what uses a partial is named, and keeps it from deletion", async () => {
  const { id, owner } = await mintOrganization();
  await put(id, owner, "foot", "<p>Foot</p>");
  await put(id, owner, "all", "{{> foot}}");
  const body = {
    key: "round",
    displayName: "Daily round",
    htmlLayoutTemplate: "{{> foot}}{{body_html}}",
    contentTemplateJson: {},
  };
  const template = await read(await call("POST", `/v1/reports/templates/organizations/${id}`, { ...owner, body }));
  const one = await read(await call("GET", pathOf(id, "foot"), owner));
  expect(one).toMatchObject({
    usedBy: { templates: [{ id: template.id, key: "round", isDeleted: false }], partials: ["all"] },
  });
  const refused = await call("DELETE", pathOf(id, "foot"), owner);
  expect([refused.status, (await read(refused)).detail]).toEqual([
    409,
    "These use the partial: Daily round (round), all. Take it out of them first.",
  ]);
  const without = { ...body, htmlLayoutTemplate: "<p>{{body_html}}</p>" };
  expect((await call("PUT", `/v1/reports/templates/${template.id}`, { ...owner, body: without })).status).toBe(200);
  expect((await call("DELETE", pathOf(id, "all"), owner)).status).toBe(204);
  expect((await call("DELETE", pathOf(id, "foot"), { ...owner, headers: { "if-match": '"9"' } })).status).toBe(412);
  expect((await call("DELETE", pathOf(id, "foot"), owner)).status).toBe(204);
  expect((await call("GET", pathOf(id, "foot"), owner)).status).toBe(404);
  // A restored revision uses it again.
  await call("POST", `/v1/reports/templates/${template.id}/revisions/1/restore`, {
    ...owner,
    headers: { "if-match": '"2"' },
  });
  await put(id, owner, "foot", "<p>Again</p>");
  expect((await call("DELETE", pathOf(id, "foot"), owner)).status).toBe(409);
  // A template in the trash is named to owners and admins alone.
  expect((await call("DELETE", `/v1/reports/templates/${template.id}`, owner)).status).toBe(204);
  const member = await mintPerson();
  await addMember(id, member.userId, "member");
  const keysFor = async (token: string) => {
    const { usedBy } = z
      .object({ usedBy: usesSchema })
      .parse(await (await call("GET", pathOf(id, "foot"), { token })).json());
    return usedBy.templates.map(({ key }) => key);
  };
  expect(await keysFor(owner.token)).toEqual(["round"]);
  expect(await keysFor(member.token)).toEqual([]);
});

test("a report shows the present partials inert, names a missing one, and a change of a partial makes another PDF", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const hostile = '<script>alert(1)</script><link rel="stylesheet" href="https://evil.test"><p>{{report.title}}</p>';
  await put(organizationId, owner, "letterhead", hostile);
  const layout = "{{> letterhead}}{{> unknown-part}}<main>{{body_html}}</main>";
  const template = await mintTemplate({ organizationId }, { htmlLayoutTemplate: layout });
  const reportId = await mintReport({ organizationId }, location, { templateId: template.id, title: "Quay & pier" });
  const preview = await (await call("GET", `/v1/reports/${reportId}/preview`, owner)).text();
  expect(preview).toContain("<p>Quay &amp; pier</p>");
  expect(preview).not.toMatch(/<script|evil\.test/);
  expect(preview).toContain('<meta name="report-warning" content="partial-missing" data-at="unknown-part"');
  // An older job is first in the queue, so that no browser starts for the new jobs.
  await mintReportJob({ organizationId }, reportId, owner.userId, { status: "queued" });
  const request = async () => (await read(await call("POST", `/v1/reports/${reportId}/generate-pdf`, owner))).jobId;
  const first = await request();
  expect(await request()).toBe(first);
  await put(organizationId, owner, "other", "<p>Not used</p>");
  expect(await request()).toBe(first);
  await put(organizationId, owner, "letterhead", "<p>New head</p>");
  expect(await request()).not.toBe(first);
});

test("a personal template has no partials, and a preview has those of its owner", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  await put(organizationId, owner, "letterhead", "<p>Harbour office</p>");
  const body = { key: "mine", displayName: "Mine", htmlLayoutTemplate: "{{> letterhead}}.", contentTemplateJson: {} };
  const previewed = async (more: object) =>
    (await call("POST", "/v1/reports/templates/preview", { ...owner, body: { ...body, ...more } })).text();
  expect(await previewed({ organizationId })).toContain("Harbour office");
  const own = await previewed({});
  expect(own).not.toContain("Harbour office");
  expect(own).toContain('content="partial-missing" data-at="letterhead"');
});
